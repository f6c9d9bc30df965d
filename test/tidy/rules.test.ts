// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the examples are source texts

import { describe, expect, it } from "vitest";
import { actors } from "./actors.ts";
import { assertions } from "./assertions.ts";
import { describes } from "./describes.ts";
import { cycles, deadFiles, importsOf } from "./imports.ts";
import { layers } from "./layers.ts";
import { lsmDoors, lsmLayers } from "./lsm-layers.ts";
import { maskText } from "./mask.ts";
import { type Finding, type SourceFile, sourceFile } from "./source.ts";
import { squeezed } from "./squeezed.ts";
import * as rules from "./text-rules.ts";

type Rule = (file: SourceFile) => readonly Finding[];

/** A rule, a text that it must refuse, and its nearest neighbour that it must let through. */
interface Example {
  readonly rule: Rule;
  readonly path: string;
  readonly bad: string;
  readonly good: string;
  readonly goodPath?: string;
}

const note = ["FIX", "ME"].join("");
const machine = ["/wo", "rk/"].join("");
const registry = ["https", "://registry.npm", "js.org/x"].join("");
const from = (specifier: string): string => `import { x } from "${specifier}";\n`;

const linesOf = (count: number): string => "  it(title, run);\n".repeat(count);

const EXAMPLES: Readonly<Record<string, Example>> = {
  "a describe is longer than 100 lines": {
    rule: describes,
    path: "test/x.test.ts",
    bad: `describe("x", () => {\n${linesOf(99)}});\n`,
    good: `describe("x", () => {\n${linesOf(98)}});\n`,
  },
  "a describe of each is longer than 100 lines": {
    rule: describes,
    path: "test/x.over.ts",
    bad: `  describe.each([\n1,\n])("x %s", () => {\n${linesOf(97)}});\n`,
    good: `  describe.each([\n1,\n])("x %s", () => {\n${linesOf(96)}});\n`,
  },
  "a lower layer imports a higher one": {
    rule: layers,
    path: "src/base/x.ts",
    bad: from("../catalog/x.ts"),
    good: from("./y.ts"),
  },
  "types count as imports": {
    rule: layers,
    path: "src/catalog/x.ts",
    bad: `import type { X } from "../service/x.ts";\n`,
    good: `import type { X } from "../blob/port.ts";\n`,
  },
  "an import over several lines": {
    rule: layers,
    path: "src/blob/x.ts",
    bad: `import {\n  one,\n  two,\n} from "../pointer/x.ts";\n`,
    good: `import {\n  one,\n  two,\n} from "../base/x.ts";\n`,
  },
  "a dynamic import": {
    rule: layers,
    path: "src/blob/x.ts",
    bad: `const x = await import("../http/x.ts");\n`,
    good: `const x = "../http/x.ts";\n`,
  },
  "a re-export": {
    rule: layers,
    path: "src/base/x.ts",
    bad: `export type { X } from "../blob/port.ts";\n`,
    good: `export type { X } from "./port.ts";\n`,
  },
  "an object spread to save lines": {
    rule: squeezed,
    path: "src/lsm/x.ts",
    bad: "const x = {\n  ...{ a, b },\n  c,\n};\n",
    good: "const x = {\n  ...(a && { a, b }),\n  c,\n};\n",
  },
  "arguments spread to save lines": {
    rule: squeezed,
    path: "test/lsm/x.ts",
    bad: "call(\n  ...([a, b] as const),\n  c,\n);\n",
    good: "call(...[a, b].map(String), c);\nconst f = (...[a]: A): B => a;\n",
  },
  "a list spread to save lines": {
    rule: squeezed,
    path: "src/lsm/x.ts",
    bad: "const x = [...[a, b], c];\n",
    goodPath: "test/lsm/x.ts",
    good: "const x = [...[a, b], c];\n",
  },
  "a word of translated English in the docs": {
    rule: rules.plainEnglish,
    path: "docs/x.md",
    bad: "Nobody serves it: whoever asks\nhears so.\n",
    good: "No server owns it: each client gets 404.\n",
  },
  "a word of translated English in help and comments": {
    rule: rules.plainEnglish,
    path: "src/cli/x.ts",
    bad: `const doc = "likewise, and besides";\n`,
    good: `const doc = "likewise, and besides";\n`,
    goodPath: "test/lsm/x.ts",
  },
  "a thing that is said to be none": {
    rule: rules.plainEnglish,
    path: "src/cli/x.ts",
    bad: `const doc = "a directory is no blob";\n`,
    good: `const doc = "there is no blob; it is no longer there, and is not a directory";\n`,
  },
  "folders of one layer": {
    rule: layers,
    path: "src/rows/x.ts",
    bad: from("../sql/x.ts"),
    good: from("../iceberg/x.ts"),
    goodPath: "src/service/x.ts",
  },
  "sql may import rows": {
    rule: layers,
    path: "src/sql/x.ts",
    bad: from("../catalog/x.ts"),
    good: from("../rows/x.ts"),
  },
  "catalog never imports the engine": {
    rule: layers,
    path: "src/catalog/x.ts",
    bad: from("../lsm/x.ts"),
    good: from("../lsm/x.ts"),
    goodPath: "src/rows/x.ts",
  },
  "an arrow upward within the engine": {
    rule: lsmLayers,
    path: "src/lsm/read/x.ts",
    bad: from("../write/x.ts"),
    good: from("../memtable/x.ts"),
  },
  "a type from beside, within the engine": {
    rule: lsmLayers,
    path: "src/lsm/subscribe/x.ts",
    bad: `import type { X } from "../compaction/x.ts";\n`,
    good: `import type { X } from "../write/x.ts";\n`,
  },
  "past the doors of the engine": {
    rule: lsmDoors,
    path: "src/cli/x.ts",
    bad: `import type { Engine } from "../lsm/engine/engine.ts";\n`,
    good: `import type { Engine } from "../lsm/index.ts";\n`,
  },
  "a place of the engine without a layer": {
    rule: lsmLayers,
    path: "src/lsm/elsewhere/x.ts",
    bad: "",
    good: "",
    goodPath: "src/lsm/read/x.ts",
  },
  "the engine never imports the pointer store": {
    rule: layers,
    path: "src/lsm/wal/x.ts",
    bad: from("../../pointer/x.ts"),
    good: from("../../blob/x.ts"),
  },
  "iceberg does no I/O": {
    rule: layers,
    path: "src/iceberg/x.ts",
    bad: from("node:fs/promises"),
    good: from("node:zlib"),
  },
  "iceberg does not know the stores": {
    rule: layers,
    path: "src/iceberg/x.ts",
    bad: from("../blob/port.ts"),
    good: from("../base/json.ts"),
  },
  "only the wiring imports the engine's pointer store": {
    rule: layers,
    path: "src/service/x.ts",
    bad: from("../pointer/lsm.ts"),
    good: from("../pointer/lsm.ts"),
    goodPath: "src/runtime/stores.ts",
  },
  "the engine's pointer store sits above the engine": {
    rule: layers,
    path: "src/pointer/memory.ts",
    bad: from("../lsm/x.ts"),
    good: from("../lsm/x.ts"),
    goodPath: "src/pointer/lsm.ts",
  },
  "a folder without a layer": {
    rule: layers,
    path: "src/misc/x.ts",
    bad: "export const x = 1;\n",
    good: "export const x = 1;\n",
    goodPath: "src/base/x.ts",
  },
  "source imports tests": {
    rule: layers,
    path: "src/base/x.ts",
    bad: from("../../test/support/x.ts"),
    good: from("../../package.json"),
  },
  "the AWS SDK outside its adapters": {
    rule: layers,
    path: "src/blob/memory.ts",
    bad: from("@aws-sdk/client-s3"),
    good: from("@aws-sdk/client-s3"),
    goodPath: "src/blob/s3.ts",
  },
  "the HTTP framework in a use case": {
    rule: layers,
    path: "src/service/x.ts",
    bad: from("fastify"),
    good: from("@fastify/helmet"),
    goodPath: "src/http/x.ts",
  },
  "the server knows a protocol": {
    rule: layers,
    path: "src/server/exchanges.ts",
    bad: from("../http/iceberg/protocol.ts"),
    good: from("../http/protocol.ts"),
  },
  "a protocol knows another one": {
    rule: layers,
    path: "src/http/admin/routes.ts",
    bad: from("../iceberg/errors.ts"),
    good: from("../failure.ts"),
  },
  "a read that drops its caller": {
    rule: actors,
    path: "src/service/x.ts",
    bad: `export class Things {\n  async load(ref: Ref): Promise<X> {\n  }\n}\n`,
    good: `export class Things {\n  async load(_actor: Actor, ref: Ref): Promise<X> {\n  }\n}\n`,
  },
  "an operation whose caller comes last": {
    rule: actors,
    path: "src/service/x.ts",
    bad: `export interface XOperations {\n  load(\n    a: A,\n    actor: Actor,\n  ): X;\n}\n`,
    good: `export interface XOperations {\n  load(\n    actor: Actor,\n    a: A,\n  ): X;\n}\n`,
  },
  "protobuf outside the codec": {
    rule: layers,
    path: "src/catalog/model.ts",
    bad: from("protobufjs/minimal.js"),
    good: from("protobufjs/minimal.js"),
    goodPath: "src/catalog/codec/x.ts",
  },
  "generated code outside the codec": {
    rule: layers,
    path: "src/catalog/model.ts",
    bad: from("../gen/firn.js"),
    good: from("../gen/firn.js"),
    goodPath: "src/catalog/codec/x.ts",
  },
  "801 lines": {
    rule: rules.shape,
    path: "src/base/x.ts",
    bad: "x;\n".repeat(801),
    good: "x;\n".repeat(800),
  },
  "101 columns": {
    rule: rules.shape,
    path: "src/base/x.ts",
    bad: `// ${"é".repeat(98)}\n`,
    good: `// ${"é".repeat(97)}\n`,
  },
  "the wall clock": {
    rule: rules.ambient,
    path: "src/base/x.ts",
    bad: "const now = Date.now();\n",
    good: "const now = clock.nowMs(); // Date.now() would be another clock\n",
  },
  "the wall clock as a date": {
    rule: rules.ambient,
    path: "src/base/x.ts",
    bad: "const now = new Date();\n",
    good: "const text = new Date(ms).toISOString();\n",
  },
  "a timer": {
    rule: rules.ambient,
    path: "src/service/x.ts",
    bad: `import { setTimeout } from "node:timers/promises";\n`,
    good: "setTimeout(run, 5);\n",
    goodPath: "src/runtime/clock.ts",
  },
  "a timer that is not a socket's": {
    rule: rules.ambient,
    path: "src/aws/x.ts",
    bad: "websocket.setTimeout(5);\n",
    good: "socket.setTimeout(5);\n",
  },
  randomness: {
    rule: rules.ambient,
    path: "src/base/x.ts",
    bad: "const id = crypto.randomUUID();\n",
    good: "const id = ids.mint();\n",
  },
  "Math.random": {
    rule: rules.ambient,
    path: "src/base/x.ts",
    bad: "const f = `${Math.random()}`;\n",
    good: "const f = `Math.random()`;\n",
  },
  "the environment": {
    rule: rules.environment,
    path: "src/http/x.ts",
    bad: `const home = process.env["HOME"];\n`,
    good: `const home = process.env["HOME"];\n`,
    goodPath: "src/runtime/settings.ts",
  },
  "a signal": {
    rule: rules.environment,
    path: "src/cli/x.ts",
    bad: `process.once("SIGTERM", stop);\n`,
    good: `emitter.once("SIGTERM", stop);\n`,
  },
  enum: {
    rule: rules.language,
    path: "src/base/x.ts",
    bad: "export enum Colour { Red }\n",
    good: `export type Colour = "enum Red";\n`,
  },
  "any as a type": {
    rule: rules.language,
    path: "src/base/x.ts",
    bad: "function f(x: any): void {}\n",
    good: "function f(any: unknown): void {} // any\n",
  },
  "any in a cast": {
    rule: rules.language,
    path: "src/base/x.ts",
    bad: "const x = y as any;\n",
    good: "const x = Promise.any(ys);\n",
  },
  "any as an argument of a type": {
    rule: rules.language,
    path: "src/base/x.ts",
    bad: "type X = Record<string, any>;\n",
    good: "type X = { any: string };\n",
  },
  "default export": {
    rule: rules.language,
    path: "src/base/x.ts",
    bad: "export default class X {}\n",
    good: "export class X {}\n",
  },
  "console in the server": {
    rule: rules.consoleUse,
    path: "src/server/x.ts",
    bad: `console.log("x");\n`,
    good: `console.log("x");\n`,
    goodPath: "src/cli/x.ts",
  },
  "a second barrel": {
    rule: rules.barrel,
    path: "src/base/x.ts",
    bad: `export * from "./y.ts";\n`,
    good: `export * from "./y.ts";\n`,
    goodPath: "src/index.ts",
  },
  "a named re-export": {
    rule: rules.barrel,
    path: "src/base/x.ts",
    bad: `export { y } from "./y.ts";\n`,
    good: "export { y };\n",
  },
  "an index file": {
    rule: rules.barrel,
    path: "src/base/index.ts",
    bad: "export const x = 1;\n",
    good: "export const x = 1;\n",
    goodPath: "src/base/x.ts",
  },
  "a focused test": {
    rule: rules.focused,
    path: "test/x.test.ts",
    bad: `it.only("x", () => {});\n`,
    good: `it("x", () => {}); // not it.only\n`,
  },
  "a choice for the whole process": {
    rule: rules.shared,
    path: "test/x.test.ts",
    bad: `use${"Engine"}();\n`,
    good: `use${"Engine"}();\n`,
    goodPath: "test/x.over.ts",
  },
  "a test file that runs another's tests": {
    rule: rules.shared,
    path: "test/x.test.ts",
    bad: `await import(${'"./y.test.ts"'});\n`,
    good: `await import(${'"./y.ts"'});\n`,
  },
  "a leftover note": {
    rule: rules.leftovers,
    path: "src/base/x.ts",
    bad: `// ${note}: later\n`,
    good: `// ${note.toLowerCase()}d\n`,
  },
  "a path of some machine": {
    rule: rules.foreign,
    path: "docs/x.md",
    bad: `see ${machine}design\n`,
    good: "see src/network/README.md and src/work/x\n",
  },
  "a registry": {
    rule: rules.foreign,
    path: "docs/x.md",
    bad: `"resolved": "${registry}"\n`,
    good: "https://iceberg.apache.org/spec/\n",
  },
  "a tracker": {
    rule: rules.foreign,
    path: "docs/x.md",
    bad: `as ${"issue"} 3 asks\n`,
    good: "one batch issues 3 requests\n",
  },
};

describe("each rule refuses what it is for, and not its neighbour", () => {
  it.each(Object.entries(EXAMPLES))("%s", (_, { rule, path, bad, good, goodPath }) => {
    expect(rule(sourceFile(path, bad))).not.toEqual([]);
    expect(rule(sourceFile(goodPath ?? path, good))).toEqual([]);
  });

  it("findings name the line", () => {
    const file = sourceFile("src/base/x.ts", "const a = 1;\n\nconst b = Math.random();\n");
    expect(rules.ambient(file).map((finding) => finding.line)).toEqual([3]);
  });
});

describe("rules over several files", () => {
  const files = (texts: Readonly<Record<string, string>>): readonly SourceFile[] =>
    Object.entries(texts).map(([path, text]) => sourceFile(path, text));

  it("a circle of imports, also of types alone", () => {
    const a = `import type { B } from "./b.ts";\n`;
    expect(cycles(files({ "src/a.ts": a, "src/b.ts": from("./a.ts") }))).toHaveLength(1);
    expect(cycles(files({ "src/a.ts": a, "src/b.ts": "export type B = 1;\n" }))).toEqual([]);
    expect(cycles(files({ "src/a.ts": from("./a.ts") }))).toHaveLength(1);
  });

  it("a file that nothing reaches, workers reached by URL", () => {
    const main = `new Worker(new URL("./worker.ts", import.meta.url));\n`;
    const texts = { "src/main.ts": main, "src/worker.ts": from("./used.ts"), "src/used.ts": "" };
    expect(deadFiles(files(texts), ["src/main.ts"])).toEqual([]);
    const dead = deadFiles(files({ ...texts, "src/dead.ts": from("./used.ts") }), ["src/main.ts"]);
    expect(dead.map((finding) => finding.path)).toEqual(["src/dead.ts"]);
  });

  it("a folder of what keeps data with few assertions", () => {
    const lines = (text: string, count: number): string => text.repeat(count);
    const texts = (asserted: number): Readonly<Record<string, string>> =>
      Object.fromEntries(
        ["lsm", "pointer", "catalog"].map((folder) => [
          `src/${folder}/x.ts`,
          lines("call(); // assert(\n", 1_000 - asserted) + lines('assert(a, "b");\n', asserted),
        ]),
      );
    expect(assertions(files(texts(10)))).toEqual([]);
    expect(assertions(files(texts(9)))).toHaveLength(3);
    expect(assertions([])).toHaveLength(3);
  });

  it("a folder without a README, or with a long one", () => {
    const code = { "src/base/x.ts": "" };
    expect(rules.readmes(files(code))).toHaveLength(1);
    expect(rules.readmes(files({ ...code, "src/base/README.md": "a\n".repeat(41) }))).toHaveLength(
      1,
    );
    expect(rules.readmes(files({ ...code, "src/base/README.md": "a\n".repeat(40) }))).toEqual([]);
  });

  it("a stranger at the top", () => {
    expect(rules.strangers(["notes.md", "utils"])).toHaveLength(2);
    expect(rules.strangers(["src", ".gitignore", "tsconfig.build.json"])).toEqual([]);
  });

  it("see links and made files in git", () => {
    const path = "node_modules";
    expect(rules.untrackable([{ mode: "120000", path }])).toHaveLength(1);
    expect(rules.untrackable([{ mode: "120000", path: "docs/link" }])).toHaveLength(1);
    expect(rules.untrackable([{ mode: "100644", path: "src/target/x" }])).toHaveLength(1);
    expect(rules.untrackable([{ mode: "100755", path: ".ci/run" }])).toEqual([]);
  });
});

describe("masking", () => {
  it.each([
    ["strings", `f("a // b", 'c');`, `f("      ", ' ');`],
    ["comments", "a; // b\nc /* d */ e", "a;     \nc         e"],
    ["nested templates", "`a${b(`c${d}`)}e`;f", "` ${b(` ${d}`)} `;f"],
    ["braces inside templates", "`${{ a: 1 }.a} b`", "`${{ a: 1 }.a}  `"],
    ["regular expressions", 'x = /["/]/g; y = a / b / "c"', 'x = /    /g; y = a / b / " "'],
    ["escapes", String.raw`"a\"b";c`, `"    ";c`],
  ])("%s", (_, text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  it("specifiers come from code only", () => {
    const text = `// import "./a.ts"\nconst s = 'import "./b.ts"';\nimport "./c.ts";\n`;
    expect(importsOf(sourceFile("src/x.ts", text))).toEqual([{ specifier: "./c.ts", line: 3 }]);
  });
});
