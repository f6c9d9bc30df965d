import { describe, expect, it } from "vitest";
import { actors } from "./tidy/actors.ts";
import { assertions } from "./tidy/assertions.ts";
import { describes } from "./tidy/describes.ts";
import { cycles, deadFiles } from "./tidy/imports.ts";
import { layers } from "./tidy/layers.ts";
import { lsmDoors, lsmLayers } from "./tidy/lsm-layers.ts";
import { type Finding, loadCheckout, type SourceFile, tracked } from "./tidy/source.ts";
import { squeezed } from "./tidy/squeezed.ts";
import * as rules from "./tidy/text-rules.ts";

const ENTRIES: readonly string[] = [
  ...rules.BARRELS,
  "src/cli/main.ts",
  "src/runtime/system.ts",
  "src/testing/test-firn.ts",
];
/** Documentation is generated from the source, by code that only this reaches. */
const GENERATOR = ".ci/gen.ts";
/** A check that sees nothing passes everything. Raise the floors as the house grows. */
const AT_LEAST = { source: 120, tests: 80, prose: 18 };

const files = loadCheckout();
const inGit = tracked() ?? [];
const typescript = files.filter((file) => file.path.endsWith(".ts"));
const source = typescript.filter((file) => file.path.startsWith("src/"));
const tests = typescript.filter((file) => file.path.startsWith("test/"));

const each = (
  among: readonly SourceFile[],
  rule: (file: SourceFile) => readonly Finding[],
): readonly string[] => show(among.flatMap(rule));

const show = (found: readonly Finding[]): readonly string[] =>
  found.map(({ path, line, what }) => `${path}:${line} ${what}`);

describe("tidy", () => {
  it("sees the files that it judges", () => {
    expect(source.length).toBeGreaterThanOrEqual(AT_LEAST.source);
    expect(tests.length).toBeGreaterThanOrEqual(AT_LEAST.tests);
    const prose = files.filter((file) => file.path.endsWith(".md"));
    expect(prose.length).toBeGreaterThanOrEqual(AT_LEAST.prose);
    expect(source.map((file) => file.path)).toEqual(expect.arrayContaining([...ENTRIES]));
  });

  it("layers and the homes of packages", () => expect(each(source, layers)).toEqual([]));
  it("folders of the engine import only lower layers", () =>
    expect(each(source, lsmLayers)).toEqual([]));
  it("only the engine's two public files are imported from outside", () =>
    expect(each(source, lsmDoors)).toEqual([]));
  it("every use case takes the actor first", () => expect(each(source, actors)).toEqual([]));
  it("no import cycles", () => expect(show(cycles(typescript))).toEqual([]));
  it("no dead files", () => {
    // The engine, the stores and row tables are built before they are wired: their tests are
    // what reaches them.
    const ahead = tests.filter((file) => /^test\/(?:lsm|blob|pointer|rows|sql)\//.test(file.path));
    const roots = [...ENTRIES, GENERATOR, ...ahead.map((file) => file.path)];
    const dead = deadFiles(typescript, roots);
    // Files of the console are reached by a page of a browser; knip looks after them.
    const ours = dead.filter(
      ({ path }) => path.startsWith("src/") && !path.startsWith("src/console/"),
    );
    expect(show(ours)).toEqual([]);
  });
  it("files and lines keep to their length", () =>
    expect(each(typescript, rules.shape)).toEqual([]));
  it("no squeezed literals", () => expect(each(typescript, squeezed)).toEqual([]));
  it("no ambient time or randomness", () => expect(each(source, rules.ambient)).toEqual([]));
  it("only runtime/ uses environment and signals", () =>
    expect(each(source, rules.environment)).toEqual([]));
  it("no enum, any or default export", () => expect(each(source, rules.language)).toEqual([]));
  it("no console outside the cli", () => expect(each(source, rules.consoleUse)).toEqual([]));
  it("only the public files re-export", () => expect(each(source, rules.barrel)).toEqual([]));
  it("what keeps data asserts its invariants", () => expect(show(assertions(source))).toEqual([]));
  it("describe blocks have at most 100 lines", () => expect(each(tests, describes)).toEqual([]));
  it("no file of npm test chooses for all the others", () =>
    expect(each(tests, rules.shared)).toEqual([]));
  it("no focused tests", () => expect(each(tests, rules.focused)).toEqual([]));
  it("no leftover notes", () => expect(each(files, rules.leftovers)).toEqual([]));
  it("nothing refers outside the clone", () => expect(each(files, rules.foreign)).toEqual([]));
  it("docs, help, errors and comments are plain English", () =>
    expect(each(files, rules.plainEnglish)).toEqual([]));
  it("each source folder has a README", () => expect(show(rules.readmes(files))).toEqual([]));
  it("no links or made files in git", () => expect(show(rules.untrackable(inGit))).toEqual([]));
  it("the top of the checkout holds only known names", () => {
    const top = new Set(inGit.map(({ path }) => path.split("/", 1)[0] ?? ""));
    expect(show(rules.strangers([...top]))).toEqual([]);
  });
});
