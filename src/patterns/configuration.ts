import { FirnError } from "../base/error.ts";
import { LruMap } from "../base/lru.ts";
import type { RowTransaction, TableDescriptor } from "../rows/index.ts";
import {
  ANSWER_CHARS,
  checkedName,
  checkedNumber,
  jsonText,
  jsonValue,
  MOST_MS,
  MOST_PAGE,
  type PatternShape,
  type PatternTable,
  patternTable,
} from "./pattern-table.ts";
import { rowsOf } from "./rows-of.ts";
import { Wakes } from "./wakes.ts";

export const CONFIGURATION_SHAPE: PatternShape = {
  columns: [
    /** Empty: the row that counts revisions, in `version`. */
    { name: "name", type: { kind: "text" } },
    /** 1, 2, 3, … of an entry, also over its removal. */
    { name: "version", type: { kind: "int8" }, nullable: false },
    /** Of the table when the entry got this version. */
    { name: "revision", type: { kind: "int8" }, nullable: false },
    { name: "at", type: { kind: "int8" }, nullable: false },
    /** NULL: it was removed. The row stays, so that no version comes twice. */
    { name: "value", type: { kind: "json" } },
  ],
  primaryKey: { parts: [{ column: "name" }] },
  indexes: [{ name: "by_revision", parts: [{ column: "revision" }], unique: true }],
};
const BY_REVISION = 1;
const COUNT = "";

export interface ConfigurationEntry {
  readonly name: string;
  readonly version: bigint;
  /** Of the whole table: each change has the next one. */
  readonly revision: bigint;
  /** When it was set, by the clock of the shard's owner. */
  readonly atMs: number;
  readonly value: unknown;
}

/** A change that `changes` tells of: of each entry the newest. */
export type ConfigurationChange =
  | (ConfigurationEntry & { readonly isRemoved: false })
  | (Omit<ConfigurationEntry, "value"> & { readonly isRemoved: true });

export interface ConfigurationChanges {
  readonly changes: readonly ConfigurationChange[];
  /** What to ask behind next: a revision of which all changes are known. */
  readonly revision: bigint;
}

interface Expected {
  /** 0: the entry was never set. */
  readonly expectedVersion?: bigint;
}

/** Entries that are kept for `get`. */
const MOST_CACHED = 10_000;
/** How often a subscriber looks for changes of other processes. */
const POLL_MS = 200;

/** What was read of a name. Values are parsed for each caller, who may change them. */
interface Kept {
  readonly row: FullRow | undefined;
}

/**
 * Settings that many read and few write. Each change of the table has a revision. Entries that were
 * read are kept, and one look-up of the newest revision tells whether all of them still hold; a
 * read that tolerates an age does without while the last look-up began no longer ago.
 */
export class Configuration {
  readonly #table: PatternTable;
  readonly #tx: RowTransaction | undefined;
  readonly #wakes: Wakes;
  /** Entries as of `#revision` or later; undefined: there is none of the name. */
  #cached = new LruMap<string, Kept>(MOST_CACHED);
  #revision = 0n;
  /** When the look-up began that `#revision` is of: all that was committed before is known. */
  #asOfMs = Number.NEGATIVE_INFINITY;
  #looking: { readonly beganMs: number; readonly done: Promise<void> } | undefined;

  constructor(table: PatternTable, tx?: RowTransaction) {
    this.#table = table;
    this.#tx = tx;
    this.#wakes = new Wakes(table.clock, POLL_MS);
  }

  /** This configuration, in a transaction of its catalog: it keeps nothing that it reads. */
  in(tx: RowTransaction): Configuration {
    return new Configuration(this.#table, tx);
  }

  /**
   * Sets an entry.
   *
   * @throws FirnError `Conflict`, code `CONFIGURATION_CONFLICT`: it has not `expectedVersion`.
   */
  async set(name: string, value: unknown, expected: Expected = {}): Promise<ConfigurationEntry> {
    const text = jsonText(this.#table, "value", value);
    return (await this.#change(name, expected, () => text)) as ConfigurationEntry;
  }

  /** Removes an entry; false where there is none. @throws FirnError as `set`. */
  async remove(name: string, expected: Expected = {}): Promise<boolean> {
    const removed = await this.#change(name, expected, (isThere) => (isThere ? null : undefined));
    return removed !== undefined;
  }

  /**
   * An entry; undefined where there is none.
   *
   * @param options `maxAgeMs`: the answer held at a moment that is no longer ago. 0 unless told
   *   otherwise: it is the newest.
   */
  async get(
    name: string,
    { maxAgeMs = 0 }: { readonly maxAgeMs?: number } = {},
  ): Promise<ConfigurationEntry | undefined> {
    checkedName("name", name);
    checkedNumber("maxAgeMs", maxAgeMs, 0, MOST_MS);
    if (this.#tx !== undefined) return this.#told(await this.#read(this.#tx, name));
    const { clock } = this.#table;
    // An age of 0 is met by no look-up that has begun.
    const isYoung = (beganMs: number): boolean => clock.monotonicMs() - beganMs < maxAgeMs;
    if (!isYoung(this.#asOfMs) && this.#cached.has(name)) {
      const looking = this.#looking;
      await (looking !== undefined && isYoung(looking.beganMs) ? looking.done : this.#look());
    }
    const kept = this.#cached.get(name);
    if (kept !== undefined) return this.#told(kept);
    const read = await this.#table.store.run((tx) => this.#read(tx, name), READING);
    // A look-up has gone on meanwhile: what it would have forgotten is not kept.
    if (read.revision >= this.#revision) this.#cached.set(name, { row: read.row });
    return this.#told(read);
  }

  /** Changes behind a revision, in their order; of each entry the newest one. */
  async changes({
    after = 0n,
    limit = 100,
  }: {
    readonly after?: bigint;
    readonly limit?: number;
  } = {}): Promise<ConfigurationChanges> {
    checkedNumber("limit", limit, 1, MOST_PAGE);
    const read = async (tx: RowTransaction): Promise<ConfigurationChanges> => {
      const table = await patternTable(tx, this.#table, CONFIGURATION_SHAPE);
      const newest = await revisionOf(tx, table);
      const rows = await changedRows(tx, table, after < 0n ? 0n : after, limit);
      const changes = rows.map((row) => this.#changeOf(row));
      const last = changes.at(-1)?.revision ?? newest;
      return { changes, revision: last > after ? last : after };
    };
    return await this.#run(read, true);
  }

  /** Changes behind a revision, and those that are made later, until `signal`. */
  async *subscribe({
    after = 0n,
    signal,
  }: {
    readonly after?: bigint;
    readonly signal: AbortSignal;
  }): AsyncGenerator<ConfigurationChange> {
    let from = after;
    while (!signal.aborted) {
      const woken = this.#wakes.begin(signal);
      try {
        const { changes, revision } = await this.changes({ after: from });
        for (const change of changes) {
          if (signal.aborted) return;
          yield change;
        }
        from = revision;
        if (changes.length === 0) await woken.wait();
      } finally {
        woken.end();
      }
    }
  }

  /** @param next what the value becomes; undefined: it stays as it is. */
  async #change(
    name: string,
    { expectedVersion }: Expected,
    next: (isThere: boolean) => string | null | undefined,
  ): Promise<ConfigurationEntry | undefined> {
    checkedName("name", name);
    const changed = await this.#run(async (tx) => {
      const table = await patternTable(tx, this.#table, CONFIGURATION_SHAPE);
      const count = await tx.get(table, [COUNT], { lock: { mode: "update" } });
      const old = (await tx.get(table, [name])) as EntryRow | undefined;
      const version = old?.[1] ?? 0n;
      if (expectedVersion !== undefined && expectedVersion !== version) {
        const message = "the entry has another version: read it, and decide again";
        const context = { entry: name, expected: expectedVersion, version };
        throw new FirnError("Conflict", "CONFIGURATION_CONFLICT", message, context);
      }
      const text = next((old?.[4] ?? null) !== null);
      if (text === undefined) return undefined;
      const revision = ((count?.[1] as bigint | undefined) ?? 0n) + 1n;
      const at = BigInt(this.#table.clock.nowMs());
      await tx.put(table, [COUNT, revision, 0n, at, null]);
      const row = [name, version + 1n, revision, at, text] as const;
      await tx.put(table, row);
      return this.#entryOf([name, row[1], revision, at, text ?? "null"]);
    });
    this.#wakes.wake();
    return changed;
  }

  /** Looks up the newest revision, and forgets what has changed since the last look-up. */
  #look(): Promise<void> {
    const beganMs = this.#table.clock.monotonicMs();
    const after = this.#revision;
    const look = async (): Promise<void> => {
      const { revision, names } = await this.#table.store.run(async (tx) => {
        const table = await patternTable(tx, this.#table, CONFIGURATION_SHAPE);
        const newest = await revisionOf(tx, table);
        if (newest === after) return { revision: newest, names: [] };
        return { revision: newest, names: await changedNames(tx, table, after) };
      }, READING);
      if (names.length === MOST_PAGE) this.#cached = new LruMap(MOST_CACHED);
      for (const name of names) this.#cached.delete(name);
      if (revision > this.#revision) this.#revision = revision;
      if (beganMs > this.#asOfMs) this.#asOfMs = beganMs;
    };
    const looking = { beganMs, done: look() };
    this.#looking = looking;
    return looking.done.finally(() => {
      if (this.#looking === looking) this.#looking = undefined;
    });
  }

  async #read(tx: RowTransaction, name: string): Promise<Kept & { readonly revision: bigint }> {
    const table = await patternTable(tx, this.#table, CONFIGURATION_SHAPE);
    const row = (await tx.get(table, [name])) as EntryRow | undefined;
    const revision = await revisionOf(tx, table);
    const isThere = row !== undefined && row[4] !== null;
    return { row: isThere ? (row as FullRow) : undefined, revision };
  }

  #told({ row }: Kept): ConfigurationEntry | undefined {
    return row && this.#entryOf(row);
  }

  #changeOf(row: EntryRow): ConfigurationChange {
    const [name, version, revision, at, value] = row;
    if (value !== null) return { ...this.#entryOf(row as FullRow), isRemoved: false };
    return { name, version, revision, atMs: Number(at), isRemoved: true };
  }

  #entryOf([name, version, revision, at, text]: FullRow): ConfigurationEntry {
    const value = jsonValue(this.#table, text);
    return { name, version, revision, atMs: Number(at), value };
  }

  async #run<T>(work: (tx: RowTransaction) => Promise<T>, readOnly = false): Promise<T> {
    if (this.#tx !== undefined) return await work(this.#tx);
    return await this.#table.store.run(work, readOnly ? READING : {});
  }
}

const READING = { isolation: "repeatable read", readOnly: true } as const;

type FullRow = readonly [string, bigint, bigint, bigint, string];
type EntryRow = readonly [string, bigint, bigint, bigint, string | null];

async function revisionOf(tx: RowTransaction, table: TableDescriptor): Promise<bigint> {
  return ((await tx.get(table, [COUNT]))?.[1] as bigint | undefined) ?? 0n;
}

/** Names of changed entries, which the index has: at most a page. */
async function changedNames(
  tx: RowTransaction,
  table: TableDescriptor,
  after: bigint,
): Promise<readonly string[]> {
  const lower = { value: after, inclusive: false };
  const request = { index: BY_REVISION, lower, limit: MOST_PAGE, columns: [1] };
  const scan = tx.scan(table, request);
  const names: string[] = [];
  for (let batch = await scan.nextBatch(); batch !== undefined; batch = await scan.nextBatch()) {
    names.push(...(batch.columns[0] as readonly string[]));
  }
  return names;
}

async function changedRows(
  tx: RowTransaction,
  table: TableDescriptor,
  after: bigint,
  limit: number,
): Promise<readonly EntryRow[]> {
  const lower = { value: after, inclusive: false };
  const rows: EntryRow[] = [];
  let chars = 0;
  for await (const found of rowsOf(tx.scan(table, { index: BY_REVISION, lower, limit }))) {
    const row = found as unknown as EntryRow;
    rows.push(row);
    chars += row[4]?.length ?? 0;
    if (chars >= ANSWER_CHARS) break;
  }
  return rows;
}
