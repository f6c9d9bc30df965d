import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TreeCopy } from "./tree-copy.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "firn-tree-copy-"));
  mkdirSync(join(directory, "base", "src"), { recursive: true });
  writeFileSync(join(directory, "base", "src", "a.ts"), "1");
  writeFileSync(join(directory, "base", "b.ts"), "2");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("a copy is as its tree again, whatever was done to it", () => {
  const tree = new TreeCopy(join(directory, "base"), join(directory, "copy"));
  const copy = tree.fresh();
  const a = join(copy, "src", "a.ts");
  const changes: readonly (() => void)[] = [
    () => writeFileSync(a, "changed"),
    // Of the same size, and as old as what was there.
    () => {
      writeFileSync(a, "9");
      utimesSync(a, 0, 0);
    },
    () => rmSync(a),
    () => rmSync(join(copy, "src"), { recursive: true }),
    () => chmodSync(a, 0o600),
    () => {
      rmSync(join(copy, "b.ts"));
      mkdirSync(join(copy, "b.ts"));
      writeFileSync(join(copy, "b.ts", "c"), "3");
    },
    () => writeFileSync(join(copy, "src", "more.ts"), "3"),
  ];
  for (const change of changes) {
    change();
    expect(tree.fresh()).toBe(copy);
    expect(readFileSync(a, "utf8")).toBe("1");
    expect(readFileSync(join(copy, "b.ts"), "utf8")).toBe("2");
    expect(existsSync(join(copy, "src", "more.ts"))).toBe(false);
  }
});
