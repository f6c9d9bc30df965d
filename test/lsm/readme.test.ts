import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const EXAMPLE = /```js\n([^`]*firn-catalog\/lsm"[\s\S]*?)```/;

/** The exports of the package, as the sources that they are made of. */
function inSource(program: string): string {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly default: string }>>;
  };
  return program.replaceAll(/"firn-catalog(\/[\w/]+)?"/g, (name, path: string | undefined) => {
    const target = exports[`.${path ?? ""}`]?.default;
    if (target === undefined) throw new Error(`the package does not export ${name}`);
    const source = target.replace("./dist/", "src/").replace(/\.js$/, ".ts");
    return JSON.stringify(join(ROOT, source));
  });
}

describe("the README's example of the engine", () => {
  let directory = "";
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "firn-readme-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it("prints what the README shows, also when it runs again on the same files", () => {
    const example = EXAMPLE.exec(readFileSync(join(ROOT, "README.md"), "utf8"))?.[1] ?? "";
    const shown = [...example.matchAll(/^\/\/ (.*)$/gm)].map((match) => match[1]);
    expect(shown).toHaveLength(3);
    writeFileSync(join(directory, "example.mjs"), inSource(example));
    for (const run of ["first", "again"]) {
      const printed = execFileSync(process.execPath, ["example.mjs"], {
        cwd: directory,
        encoding: "utf8",
      });
      expect(printed.trimEnd().split("\n"), run).toEqual(shown);
    }
  });
});
