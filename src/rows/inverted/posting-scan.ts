import type { CompiledIndex } from "../compiled-index.ts";
import type { CompiledTable } from "../compiled-table.ts";
import type { EngineView } from "../engine-view.ts";
import { rowsOfEntries, type ScanHost, type StoredRow, type StoredRows } from "../stored-rows.ts";
import {
  Intersection,
  type KeyCursor,
  type PostingCount,
  PostingList,
  Union,
} from "./posting-lists.ts";
import type { PostingQuery } from "./posting-query.ts";

/** How rows are found by terms. */
export interface PostingPlan {
  /** Undefined: by the primary key. */
  readonly query: PostingQuery | undefined;
  readonly lists: number;
  readonly ofLists: number;
}

/** Cost of a row that is fetched by its key, and of one that a scan passes, in posting entries. */
const FETCHED = 8;
const PASSED = 2;
const MOST_LISTS = 8;

interface Judged {
  readonly query: PostingQuery;
  /** Rows that it leaves, and entries that are read for it, about. */
  readonly rows: number;
  readonly entries: number;
}

/**
 * Chooses the lists to read, by the engine's estimates: of those that must all have a row, a list
 * that costs more than the rows which it rules out is left to the condition.
 *
 * @param mayRead whether the whole table is read where that costs less.
 */
export async function planPostings(
  view: Pick<EngineView, "estimate">,
  compiled: CompiledTable,
  index: CompiledIndex,
  query: PostingQuery,
  mayRead: boolean,
): Promise<PostingPlan> {
  const ofLists = listsIn(query);
  const whole = { query: undefined, lists: 0, ofLists };
  if (query.kind === "all") return whole;
  const { entries: total } = await view.estimate(compiled.key.range({}));
  const judged = await judge(view, index, query, Math.max(1, total));
  const cost = judged.entries + judged.rows * FETCHED;
  if (mayRead && cost > total * PASSED) return whole;
  return { query: judged.query, lists: listsIn(judged.query), ofLists };
}

async function judge(
  view: Pick<EngineView, "estimate">,
  index: CompiledIndex,
  query: PostingQuery,
  total: number,
): Promise<Judged> {
  switch (query.kind) {
    case "all":
      return { query, rows: total, entries: 0 };
    case "none":
      return { query, rows: 0, entries: 0 };
    case "term": {
      const range = index.key.range({ equal: [query.part, query.term] });
      const { entries } = await view.estimate(range);
      return { query, rows: Math.min(entries, total), entries };
    }
    case "or": {
      const args = await Promise.all(query.args.map((one) => judge(view, index, one, total)));
      const sum = (of: (one: Judged) => number): number =>
        args.reduce((before, one) => before + of(one), 0);
      const rows = Math.min(
        total,
        sum((one) => one.rows),
      );
      const kept = { kind: "or", args: args.map((one) => one.query) } as const;
      return { query: kept, rows, entries: sum((one) => one.entries) };
    }
    case "and": {
      const args = await Promise.all(query.args.map((one) => judge(view, index, one, total)));
      return cheapest(args, total);
    }
  }
}

/** The lists of a conjunction that are worth reading, the shortest first. */
function cheapest(args: readonly Judged[], total: number): Judged {
  const sorted = args.toSorted((a, b) => a.rows - b.rows || a.entries - b.entries);
  const [first, ...rest] = sorted as [Judged, ...Judged[]];
  const kept = [first.query];
  let { rows, entries } = first;
  for (const one of rest) {
    if (kept.length >= MOST_LISTS) break;
    const ruledOut = rows * (1 - one.rows / total);
    if (one.entries >= ruledOut * FETCHED) continue;
    kept.push(one.query);
    rows -= ruledOut;
    entries += one.entries;
  }
  const query = kept.length === 1 ? first.query : ({ kind: "and", args: kept } as const);
  return { query, rows, entries };
}

function listsIn(query: PostingQuery): number {
  if (query.kind === "term") return 1;
  if (query.kind === "all" || query.kind === "none") return 0;
  return query.args.reduce((sum, one) => sum + listsIn(one), 0);
}

/** Rows that are fetched at once. */
const BATCH_ROWS = 256;
const FIRST_ROWS = 32;

/** Rows of posting lists, in the order of their keys. */
export class PostingRows implements StoredRows {
  readonly #cursor: KeyCursor;
  readonly #count: PostingCount;
  readonly #compiled: CompiledTable;
  readonly #index: CompiledIndex;
  readonly #host: ScanHost;
  readonly #prefix: Uint8Array;
  #size = FIRST_ROWS;
  #isBegun = false;
  rows = 0;

  constructor(
    view: Pick<EngineView, "scan">,
    compiled: CompiledTable,
    index: CompiledIndex,
    query: PostingQuery,
    host: ScanHost,
  ) {
    this.#compiled = compiled;
    this.#index = index;
    this.#host = host;
    this.#prefix = compiled.key.encodeStart([]);
    this.#count = { entries: 0 };
    this.#cursor = cursorOf(view, index, query, this.#count);
  }

  get entries(): number {
    return this.#count.entries;
  }

  async next(): Promise<readonly StoredRow[] | undefined> {
    this.#host.onRead();
    const keys: Uint8Array[] = [];
    if (!this.#isBegun) await this.#cursor.advance();
    this.#isBegun = true;
    while (keys.length < this.#size && this.#cursor.head !== undefined) {
      keys.push(Buffer.concat([this.#prefix, this.#cursor.head]));
      const moved = this.#cursor.advance();
      if (moved instanceof Promise) await moved;
    }
    this.#size = BATCH_ROWS;
    if (keys.length === 0) return undefined;
    this.rows += keys.length;
    return await rowsOfEntries(this.#host, this.#compiled, this.#index, keys);
  }

  close(): void {
    this.#cursor.close();
  }
}

const NOTHING: KeyCursor = { head: undefined, advance: () => undefined, close: () => undefined };

function cursorOf(
  view: Pick<EngineView, "scan">,
  index: CompiledIndex,
  query: PostingQuery,
  count: PostingCount,
): KeyCursor {
  switch (query.kind) {
    case "all":
    case "none":
      return NOTHING;
    case "term": {
      const equal = [query.part, query.term];
      const range = index.key.range({ equal });
      const skip = index.key.encodeStart(equal).length;
      return new PostingList(() => view.scan(range), skip, count);
    }
    case "and":
      return new Intersection(query.args.map((one) => cursorOf(view, index, one, count)));
    case "or":
      return new Union(query.args.map((one) => cursorOf(view, index, one, count)));
  }
}
