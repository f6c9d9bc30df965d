import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../base/clock.ts";
import type { StoreName, StoreObserver } from "../base/store-observers.ts";
import type { Actor } from "./actor.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import { type Prices, US_EAST_1 } from "./stores/prices.ts";

/** What a request to a store counts as: classes that are priced apart. */
export const REQUEST_CLASSES = [
  "blobReads",
  "blobWrites",
  "blobLists",
  "blobDeletes",
  "pointerReads",
  "pointerLists",
  "pointerWrites",
] as const;

export type RequestClass = (typeof REQUEST_CLASSES)[number];

/** Requests of something since the start of the node. */
export interface UsageFigures extends Record<RequestClass, number> {
  /** Requests that clients made. */
  readonly requests: number;
  /** What the stores were asked for costs by list prices; 0 for stores of this machine. */
  readonly dollars: number;
}

/** What a request is counted for. */
export interface UsageSubject {
  readonly account: string;
  readonly operation: string;
  /** As its path names it; absent where it names none. */
  readonly table?: TableName | undefined;
}

export interface TableName {
  readonly catalog: string;
  readonly namespace: string;
  readonly table: string;
}

export interface UsageReport {
  readonly sinceMs: number;
  readonly prices: Prices;
  readonly total: UsageFigures;
  readonly operations: readonly (UsageFigures & { readonly operation: string })[];
  /** The most expensive first, by requests where nothing is billed. */
  readonly tables: readonly (UsageFigures & TableName)[];
  /** Of tables that are not counted apart any more, or never were. */
  readonly otherTables: UsageFigures;
}

type Cell = { -readonly [Name in keyof UsageFigures]: number };

const CLASSES: Readonly<Record<StoreName, Readonly<Record<string, RequestClass>>>> = {
  blob: {
    get: "blobReads",
    getRange: "blobReads",
    getSuffix: "blobReads",
    head: "blobReads",
    put: "blobWrites",
    putStream: "blobWrites",
    list: "blobLists",
    delete: "blobDeletes",
    deleteMany: "blobDeletes",
  },
  pointer: {
    get: "pointerReads",
    getMany: "pointerReads",
    list: "pointerLists",
    sweep: "pointerLists",
    commit: "pointerWrites",
    forget: "pointerWrites",
  },
};

/** Far fewer than the tables that are counted apart, so the one moved last is never the oldest. */
const STAYS_REQUESTS = 100;

/** Work that no request waits for: jobs, garbage collection. */
const BACKGROUND = "background";

interface TableUsage {
  readonly name: TableName;
  readonly cell: Cell;
  /** Requests of the account when it was last moved to the end. */
  movedAt: number;
}

interface AccountUsage {
  readonly total: Cell;
  readonly operations: Map<string, Cell>;
  /** In the order of their `movedAt`. */
  readonly tables: Map<string, TableUsage>;
  readonly otherTables: Cell;
}

/**
 * Counts what each operation and table of an account asks of the stores, since the start. What a
 * store is asked for belongs to the request whose work it is, wherever that waits.
 *
 * Memory: an account has as many operations as there are, and `usageTables` tables; the one that
 * was used longest ago, give or take 100 requests, is added to the others.
 */
export class UsageMeter implements StoreObserver {
  readonly #subjects = new AsyncLocalStorage<readonly Cell[]>();
  readonly #accounts = new Map<string, AccountUsage>();
  readonly #sinceMs: number;
  readonly #own: string;
  readonly #prices: Prices;

  /** `account`: the one that background work belongs to. `prices`: what dollars rest on. */
  constructor(clock: Clock, account: string, prices: Prices = US_EAST_1) {
    this.#sinceMs = clock.nowMs();
    this.#own = account;
    this.#prices = prices;
  }

  /** Runs the work of one request. */
  run<T>(subject: UsageSubject, work: () => T): T {
    const cells = this.#cellsOf(subject);
    for (const cell of cells) cell.requests++;
    return this.#subjects.run(cells, work);
  }

  request(store: StoreName, request: string): void {
    const kind = CLASSES[store][request];
    if (kind === undefined) return;
    for (const cell of this.#current()) cell[kind]++;
  }

  dollars(_store: StoreName, dollars: number): void {
    for (const cell of this.#current()) cell.dollars += dollars;
  }

  #current(): readonly Cell[] {
    return (
      this.#subjects.getStore() ?? this.#cellsOf({ account: this.#own, operation: BACKGROUND })
    );
  }

  #cellsOf({ account, operation, table }: UsageSubject): readonly Cell[] {
    const usage = this.#accountOf(account);
    let cell = usage.operations.get(operation);
    if (cell === undefined) {
      cell = emptyCell();
      usage.operations.set(operation, cell);
    }
    if (table === undefined) return [usage.total, cell];
    return [usage.total, cell, tableCell(usage, table)];
  }

  #accountOf(account: string): AccountUsage {
    let usage = this.#accounts.get(account);
    if (usage === undefined) {
      usage = {
        total: emptyCell(),
        operations: new Map(),
        tables: new Map(),
        otherTables: emptyCell(),
      };
      this.#accounts.set(account, usage);
    }
    return usage;
  }

  /** What the actor's account has used on this node. */
  report({ account }: Actor): UsageReport {
    const { total, operations, tables, otherTables } = this.#accountOf(account);
    return {
      sinceMs: this.#sinceMs,
      prices: this.#prices,
      total,
      operations: [...operations].map(([operation, cell]) => ({ operation, ...cell })),
      tables: [...tables.values()]
        .map(({ name, cell }) => ({ ...name, ...cell }))
        .sort((a, b) => b.dollars - a.dollars || b.requests - a.requests),
      otherTables,
    };
  }
}

function tableCell({ tables, otherTables, total }: AccountUsage, name: TableName): Cell {
  const key = keyOf(name);
  const known = tables.get(key);
  // A busy table stays where it is for a while: to move it costs more than to count.
  if (known !== undefined && total.requests - known.movedAt < STAYS_REQUESTS) return known.cell;
  const entry = known ?? { name, cell: emptyCell(), movedAt: 0 };
  entry.movedAt = total.requests;
  if (known !== undefined) tables.delete(key);
  tables.set(key, entry);
  if (tables.size > SERVICE_LIMITS.usageTables) {
    const [oldest] = tables;
    if (oldest !== undefined) {
      tables.delete(oldest[0]);
      addTo(otherTables, oldest[1].cell);
    }
  }
  return entry.cell;
}

/** No two tables have one: lengths say where a name ends. */
function keyOf({ catalog, namespace, table }: TableName): string {
  return `${catalog.length} ${namespace.length} ${catalog}${namespace}${table}`;
}

function addTo(sum: Cell, cell: Cell): void {
  for (const name of Object.keys(sum) as (keyof Cell)[]) sum[name] += cell[name];
}

function emptyCell(): Cell {
  return {
    requests: 0,
    blobReads: 0,
    blobWrites: 0,
    blobLists: 0,
    blobDeletes: 0,
    pointerReads: 0,
    pointerLists: 0,
    pointerWrites: 0,
    dollars: 0,
  };
}
