import { isMainThread, workerData } from "node:worker_threads";
import type { Node, ParseResult } from "libpg-query";
import type { Clock } from "../../base/clock.ts";
import type { Tasks } from "../../base/work.ts";
import { serveWork } from "../../base/work-thread.ts";
import { WorkThreads } from "../../base/work-threads.ts";
import { loadGrammar, parseText, tooDeep } from "./parse-text.ts";

/** Lists longer than this are handed over in parts, so that no turn takes them in whole. */
const PART = 256;
const HEAP_MIB = 512;
const PARSE_MS = 10_000;
const ROLE = "firn-sql-parse";

/** A tree whose long lists are left out, or the next part of one of these. */
export type ParsePiece =
  | { readonly tree: ParseResult; readonly lists: number }
  | { readonly list: number; readonly part: readonly Node[] };

/** Stands where a list was. */
interface Gap {
  readonly $list: number;
}

interface ParseTasks extends Tasks {
  readonly parse: (input: { readonly text: string }) => Generator<ParsePiece, void>;
}

const TASKS: ParseTasks = {
  *parse({ text }) {
    const lists: (readonly Node[])[] = [];
    const tree = withoutLists(parsed(text), lists);
    yield { tree, lists: lists.length };
    for (const [list, nodes] of lists.entries()) {
      for (let at = 0; at < nodes.length; at += PART) {
        yield { list, part: nodes.slice(at, at + PART) };
      }
    }
  },
};

function parsed(text: string): ParseResult {
  try {
    return parseText(text);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw error;
  }
}

/** Takes long lists out of a tree, without recursion. */
function withoutLists(tree: ParseResult, lists: (readonly Node[])[]): ParseResult {
  const open: object[] = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const holder = node as Record<string, unknown>;
    for (const key of Object.keys(holder)) {
      const value = holder[key];
      if (typeof value !== "object" || value === null) continue;
      open.push(value);
      if (Array.isArray(value) && value.length > PART) {
        holder[key] = { $list: lists.push(value) - 1 } satisfies Gap;
      }
    }
  }
  return tree;
}

/** Puts a tree together again from its pieces. */
export class TreeAssembly {
  #tree: ParseResult | undefined;
  readonly #lists: Node[][] = [];

  add(piece: ParsePiece): void {
    if ("tree" in piece) {
      this.#tree = piece.tree;
      for (let i = 0; i < piece.lists; i++) this.#lists.push([]);
      this.#fill(piece.tree);
    } else {
      const list = this.#lists[piece.list] ?? [];
      for (const node of piece.part) {
        list.push(node);
        this.#fill(node);
      }
    }
  }

  whole(): ParseResult {
    return this.#tree ?? { version: 0, stmts: [] };
  }

  /** Puts the lists themselves where gaps stand: they fill up later. */
  #fill(node: object): void {
    const open = [node];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const holder = next as Record<string, unknown>;
      for (const key of Object.keys(holder)) {
        const value = holder[key];
        if (typeof value !== "object" || value === null) continue;
        const gap = value as Partial<Gap>;
        const keys = Object.keys(value);
        if (keys.length === 1 && typeof gap.$list === "number") {
          holder[key] = this.#lists[gap.$list];
        } else open.push(value);
      }
    }
  }
}

export type ParseThreads = WorkThreads<ParseTasks>;

/** Threads that parse what is too large to be parsed between requests. */
export function parseThreads(clock: Clock): ParseThreads {
  const module = new URL(import.meta.url);
  const limits = { threads: 1, heapMib: HEAP_MIB, taskMs: PARSE_MS };
  return new WorkThreads<ParseTasks>({ module, role: ROLE, clock, ...limits });
}

if (!isMainThread && workerData === ROLE) {
  await loadGrammar();
  serveWork(TASKS);
}
