import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseAst } from "vitest/node";

/** The global that instrumented functions call. */
const CALLED = "__firnCalled";

type Inserts = [at: number, text: string][];

/** Records which functions of a source tree are called, in order. */
export class CallTrace {
  readonly #root: string;
  /** File of each instrumented function, by its number. */
  readonly #files: string[] = [];
  #calls: number[] | undefined;

  /** Instruments every module of `root/src` that is imported from now on. One per process. */
  constructor(root: string) {
    this.#root = root;
    Object.assign(globalThis, { [CALLED]: (id: number) => this.#calls?.push(id) });
    const source = pathToFileURL(join(root, "src") + sep).href;
    registerHooks({
      load: (url, context, next) =>
        url.startsWith(source) && url.endsWith(".ts")
          ? { format: "module", source: this.#instrument(fileURLToPath(url)), shortCircuit: true }
          : next(url, context),
    });
  }

  /** The functions called during `work`: each as its file below the root, with `/`. */
  async during(work: () => Promise<unknown>): Promise<readonly string[]> {
    const calls: number[] = [];
    this.#calls = calls;
    await work();
    this.#calls = undefined;
    return calls.map((id) => this.#files[id] ?? "");
  }

  #instrument(path: string): string {
    const code = stripTypeScriptTypes(readFileSync(path, "utf8"));
    const file = relative(this.#root, path).replaceAll(sep, "/");
    const inserts: Inserts = [];
    this.#visit(parseAst(code), file, inserts);
    inserts.sort(([a], [b]) => a - b);
    let out = "";
    let done = 0;
    for (const [at, text] of inserts) {
      out += code.slice(done, at) + text;
      done = at;
    }
    return out + code.slice(done);
  }

  #visit(node: unknown, file: string, inserts: Inserts): void {
    if (Array.isArray(node)) {
      for (const each of node) this.#visit(each, file, inserts);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    if ("body" in node && "params" in node && isNode(node.body)) {
      const { type, start, end } = node.body;
      const called = `${CALLED}(${this.#files.push(file) - 1})`;
      if (type === "BlockStatement" || type === "FunctionBody") {
        inserts.push([start + 1, `${called};`]);
      } else inserts.push([start, `(${called},(`], [end, "))"]);
    }
    for (const each of Object.values(node)) this.#visit(each, file, inserts);
  }
}

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function isNode(value: unknown): value is AstNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
