import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { scratchDirectory } from "../support/open-iceberg.ts";
import { loadCheckout, tracked } from "./source.ts";

const OURS = ["README.md", "src/a.ts", "test/b.test.ts"];
/** What people keep beside the sources. */
const THEIRS = ["notes.md", "data/rows.json", "venv/lib/site.py", "venv/README.md"];

function checkout(): string {
  const root = scratchDirectory();
  for (const path of [...OURS, ...THEIRS, "node_modules/c/index.ts"]) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), "\n");
  }
  return root;
}

function judged(root: string): readonly string[] {
  return loadCheckout(root).map(({ path }) => path);
}

const noGit = spawnSync("git", ["--version"]).status !== 0;

it.skipIf(noGit)("judges what git tracks, not what a user keeps beside it", () => {
  const root = checkout();
  execFileSync("git", ["init", "-q"], { cwd: root });
  execFileSync("git", ["add", ...OURS], { cwd: root });
  expect(judged(root)).toEqual(OURS);
  expect(tracked(root)?.map(({ path }) => path)).toEqual(OURS);
  rmSync(join(root, "src/a.ts"));
  expect(judged(root)).toEqual(OURS.filter((path) => path !== "src/a.ts"));
});

it("judges an unpacked archive, which git does not know", () => {
  const root = checkout();
  expect(tracked(root)).toBeUndefined();
  expect(judged(root)).toEqual(OURS);
});
