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

/** What was asked for within an hour or a day. */
export interface UsagePeriod {
  readonly startMs: number;
  readonly requests: number;
  /** Those of them that have written to the catalog. */
  readonly commits: number;
  readonly dollars: number;
}

export interface UsageReport {
  readonly sinceMs: number;
  /** Oldest first, the present one last; those without a request too. */
  readonly hours: readonly UsagePeriod[];
  readonly days: readonly UsagePeriod[];
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

const HOUR_MS = 3_600_000;
const HOURS = 24;
const DAY_MS = 86_400_000;
const DAYS = 30;

/** Work that no request waits for: jobs, garbage collection. */
const BACKGROUND = "background";

interface TableUsage {
  readonly name: TableName;
  readonly cell: Cell;
  /** Requests of the account when it was last moved to the end. */
  movedAt: number;
}

/** Counts by periods of one length: so many, and the older ones forgotten. */
class Periods {
  readonly #lengthMs: number;
  readonly #kept: number;
  readonly #found = new Map<number, { requests: number; commits: number; dollars: number }>();

  constructor(lengthMs: number, kept: number) {
    this.#lengthMs = lengthMs;
    this.#kept = kept;
  }

  add(nowMs: number, more: Omit<UsagePeriod, "startMs">): void {
    const at = Math.floor(nowMs / this.#lengthMs);
    let found = this.#found.get(at);
    if (found === undefined) {
      found = { requests: 0, commits: 0, dollars: 0 };
      this.#found.set(at, found);
      for (const old of this.#found.keys()) if (old <= at - this.#kept) this.#found.delete(old);
    }
    found.requests += more.requests;
    found.commits += more.commits;
    found.dollars += more.dollars;
  }

  list(nowMs: number): readonly UsagePeriod[] {
    const last = Math.floor(nowMs / this.#lengthMs);
    return Array.from({ length: this.#kept }, (_, i) => {
      const at = last - this.#kept + 1 + i;
      const found = this.#found.get(at) ?? { requests: 0, commits: 0, dollars: 0 };
      return { startMs: at * this.#lengthMs, ...found };
    });
  }
}

/** What one request is counted in. */
interface Counted {
  readonly cells: readonly Cell[];
  readonly usage: AccountUsage;
  /** A request of a client, which counts once however often it writes. */
  isCommit: "no" | "yes" | "never";
}

interface AccountUsage {
  readonly total: Cell;
  readonly hours: Periods;
  readonly days: Periods;
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
  readonly #subjects = new AsyncLocalStorage<Counted>();
  readonly #accounts = new Map<string, AccountUsage>();
  readonly #clock: Clock;
  readonly #sinceMs: number;
  readonly #own: string;
  readonly #prices: Prices;

  /** `account`: the one that background work belongs to. `prices`: what dollars rest on. */
  constructor(clock: Clock, account: string, prices: Prices = US_EAST_1) {
    this.#clock = clock;
    this.#sinceMs = clock.nowMs();
    this.#own = account;
    this.#prices = prices;
  }

  /** Runs the work of one request. */
  run<T>(subject: UsageSubject, work: () => T): T {
    const counted = this.#cellsOf(subject);
    for (const cell of counted.cells) cell.requests++;
    this.#addToPeriods(counted.usage, { requests: 1, commits: 0, dollars: 0 });
    return this.#subjects.run(counted, work);
  }

  request(store: StoreName, request: string): void {
    const kind = CLASSES[store][request];
    if (kind === undefined) return;
    const counted = this.#current();
    for (const cell of counted.cells) cell[kind]++;
    if (kind !== "pointerWrites" || counted.isCommit !== "no") return;
    counted.isCommit = "yes";
    this.#addToPeriods(counted.usage, { requests: 0, commits: 1, dollars: 0 });
  }

  dollars(_store: StoreName, dollars: number): void {
    const { cells, usage } = this.#current();
    for (const cell of cells) cell.dollars += dollars;
    this.#addToPeriods(usage, { requests: 0, commits: 0, dollars });
  }

  #addToPeriods({ hours, days }: AccountUsage, more: Omit<UsagePeriod, "startMs">): void {
    const nowMs = this.#clock.nowMs();
    hours.add(nowMs, more);
    days.add(nowMs, more);
  }

  #current(): Counted {
    return (
      this.#subjects.getStore() ?? this.#cellsOf({ account: this.#own, operation: BACKGROUND })
    );
  }

  #cellsOf({ account, operation, table }: UsageSubject): Counted {
    const usage = this.#accountOf(account);
    let cell = usage.operations.get(operation);
    if (cell === undefined) {
      cell = emptyCell();
      usage.operations.set(operation, cell);
    }
    const cells = [usage.total, cell];
    if (table !== undefined) cells.push(tableCell(usage, table));
    return { cells, usage, isCommit: operation === BACKGROUND ? "never" : "no" };
  }

  #accountOf(account: string): AccountUsage {
    let usage = this.#accounts.get(account);
    if (usage === undefined) {
      usage = {
        total: emptyCell(),
        hours: new Periods(HOUR_MS, HOURS),
        days: new Periods(DAY_MS, DAYS),
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
    const { total, hours, days, operations, tables, otherTables } = this.#accountOf(account);
    const nowMs = this.#clock.nowMs();
    return {
      sinceMs: this.#sinceMs,
      hours: hours.list(nowMs),
      days: days.list(nowMs),
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
