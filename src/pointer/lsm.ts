import { utf8 } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { CatalogError } from "../base/error.ts";
import type { Engine, Maybe, ReadOptions, Scan, Snapshot, Transaction } from "../lsm/index.ts";
import {
  assertBatch,
  conditionHolds,
  isWriting,
  itemAfter,
  mayForget,
  pageLimit,
} from "./batch.ts";
import { KeyFamilies } from "./families.ts";
import type { KeyFamily } from "./key.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PageOptions,
  PointerOp,
  PointerStore,
  Version,
} from "./port.ts";
import { decodeRow, encodeRow, isTombstoneRow, itemOfRow } from "./row.ts";

export interface LsmPointerStoreOptions {
  readonly families: readonly KeyFamily[];
  readonly clock: Clock;
  /** The engine that serves now. Whoever gives it may open the shard again where it had ended. */
  readonly engine: () => Maybe<Engine>;
  /** The engine that reads are made of, where that may be one that takes no more writes. */
  readonly reader?: () => Maybe<Engine>;
}

type Value = Uint8Array | undefined;

const DURABLE: ReadOptions = { level: "durable" };
const SWEEP_PAGE = 1_000;
/**
 * A try that loses to another write has loaded what it read, so the next one decides in one step:
 * so many in a row mean that the cache is too small for what is asked of it.
 */
const ATTEMPTS = 16;
const RETRY_MS = 50;
/** The byte behind `/`: a key and it are behind everything below the key. */
const BELOW_END = "0";

/**
 * Pointers as rows of an engine: a row's key is the pointer's whole key, so that byte order of rows
 * is the order of lists. No request of its own: reads are the engine's, a commit is one batch of
 * its log.
 *
 * Linearizable: a read sees what is durable and no more, and is answered once the engine's lease
 * says that nobody else owned the shard by then. A refusal is a read too, of what the transaction
 * saw, so it waits until that is durable.
 */
export class LsmPointerStore implements PointerStore {
  readonly #families: KeyFamilies;
  readonly #clock: Clock;
  readonly #engine: () => Maybe<Engine>;
  readonly #reader: () => Maybe<Engine>;

  constructor({ families, clock, engine, reader = engine }: LsmPointerStoreOptions) {
    this.#families = new KeyFamilies(families);
    this.#clock = clock;
    this.#engine = engine;
    this.#reader = reader;
  }

  async get(key: string): Promise<Item> {
    this.#families.of(key);
    const engine = await this.#reader();
    const row = await engine.get(utf8(key), DURABLE);
    await engine.confirm("durable");
    return itemOfRow(key, row);
  }

  async getMany(keys: readonly string[]): Promise<readonly Item[]> {
    for (const key of keys) this.#families.of(key);
    const engine = await this.#reader();
    const rows = await engine.getMany(keys.map(utf8), DURABLE);
    await engine.confirm("durable");
    return keys.map((key, i) => itemOfRow(key, rows[i]));
  }

  async commit(batch: Batch): Promise<CommitOutcome> {
    assertBatch(batch, this.#families);
    const engine = await this.#engine();
    const sent = { applied: false };
    try {
      return await retrying(() => this.#commitOnce(engine, batch, sent));
    } catch (error) {
      return outcomeOf(error, sent.applied);
    }
  }

  async list(directory: string, options: PageOptions = {}): Promise<readonly Live[]> {
    this.#families.assertListed(directory);
    const limit = pageLimit(options);
    const engine = await this.#reader();
    const snapshot = engine.snapshot("durable");
    try {
      const page = await childrenOf(engine, snapshot, directory, options.after ?? "", limit);
      await engine.confirm("durable");
      return page;
    } finally {
      snapshot.close();
    }
  }

  /** A page at a time, each of the state that it finds: no file is kept for a slow reader. */
  async *sweep(prefix: string): AsyncIterable<Item> {
    for (let from = prefix; ; ) {
      const engine = await this.#reader();
      const range = { prefix: utf8(prefix), from: utf8(from), limit: SWEEP_PAGE };
      const items: Item[] = [];
      for await (const rows of engine.scan({ ...DURABLE, ...range })) {
        for (const { key, value } of rows) items.push(decodeRow(keyText(key), value));
      }
      await engine.confirm("durable");
      yield* items;
      const last = items.at(-1);
      if (last === undefined || items.length < SWEEP_PAGE) return;
      from = `${last.key}\0`;
    }
  }

  async forget(key: string, version: Version): Promise<boolean> {
    this.#families.of(key);
    const engine = await this.#engine();
    return retrying(async () => {
      const transaction = engine.transaction();
      try {
        const bytes = utf8(key);
        const item = itemOfRow(key, await transaction.get(bytes));
        const going = mayForget(item, version, this.#clock.nowMs());
        if (going) transaction.delete(bytes);
        const written = await transaction.commit();
        await (going ? written.durable() : engine.confirm());
        return going;
      } finally {
        transaction.rollback();
      }
    });
  }

  async #commitOnce(
    engine: Engine,
    batch: Batch,
    sent: { applied: boolean },
  ): Promise<CommitOutcome> {
    const transaction = engine.transaction();
    try {
      const reads = batch.ops.map(({ key }) => transaction.get(utf8(key)));
      // Where all is at hand nothing is awaited before the commit: nobody comes in between, so that
      // writers of one key, bumps of a guard above all, share a group of the log.
      const rows = reads.some((read) => read instanceof Promise) ? await Promise.all(reads) : reads;
      const found = batch.ops.map(({ key }, i) => itemOfRow(key, rows[i] as Value));
      const failed = found.filter((item, i) => !conditionHolds(batch.ops[i] as PointerOp, item));
      if (failed.length > 0) {
        await engine.confirm();
        return { outcome: "conflict", failed };
      }
      const versions = this.#write(transaction, batch, found);
      const written = await transaction.commit();
      sent.applied = versions.size > 0;
      await (sent.applied ? written.durable() : engine.confirm());
      return { outcome: "committed", versions };
    } finally {
      transaction.rollback();
    }
  }

  #write(
    transaction: Transaction,
    { writerId, ops }: Batch,
    found: readonly Item[],
  ): ReadonlyMap<string, Version> {
    const nowMs = this.#clock.nowMs();
    const versions = new Map<string, Version>();
    for (const [i, op] of ops.entries()) {
      if (!isWriting(op)) continue;
      const after = itemAfter(op, found[i] as Item, writerId, nowMs);
      transaction.put(utf8(op.key), encodeRow(after));
      versions.set(op.key, after.version);
    }
    return versions;
  }
}

/**
 * Live direct children of one state. What lies below a child is passed over where it is short, and
 * jumped over where it fills a batch, so that a deep tree costs no more than a flat one.
 */
async function childrenOf(
  engine: Engine,
  snapshot: Snapshot,
  directory: string,
  after: string,
  limit: number,
): Promise<readonly Live[]> {
  const prefix = `${directory}/`;
  const to = utf8(directory + BELOW_END);
  const found: Live[] = [];
  let from: string | undefined = after === "" ? prefix : `${prefix}${after}\0`;
  while (from !== undefined) {
    const scan = engine.scan({ from: utf8(from), to, snapshot });
    from = await collect(scan, prefix, limit, found);
  }
  return found;
}

/** @returns where to go on, behind a subtree; undefined where the page is whole. */
async function collect(
  scan: Scan,
  prefix: string,
  limit: number,
  found: Live[],
): Promise<string | undefined> {
  let skipTo = "";
  try {
    for (let rows = await scan.next(); rows !== undefined; rows = await scan.next()) {
      let key = "";
      for (const [i, row] of rows.entries()) {
        // The last one says where a subtree that fills the batch is left.
        if (isTombstoneRow(row.value) && i < rows.length - 1) continue;
        key = keyText(row.key);
        if (key < skipTo) continue;
        const slash = key.indexOf("/", prefix.length);
        if (slash >= 0) {
          skipTo = key.slice(0, slash) + BELOW_END;
          continue;
        }
        const item = decodeRow(key, row.value);
        if (item.state === "live" && found.push(item) === limit) return undefined;
      }
      if (key < skipTo) return skipTo;
    }
    return undefined;
  } finally {
    scan.close();
  }
}

/** Runs it again where another write came in between: it has left no trace then. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const lost = error instanceof CatalogError && error.kind === "Conflict";
      if (!lost) throw error;
      if (attempt < ATTEMPTS) continue;
      const facts = { retryAfterMs: RETRY_MS };
      throw new CatalogError("Overloaded", "POINTERS_CONTENDED", "other writes win", facts, error);
    }
  }
}

/** @param applied the batch is in memory, so what failed is making it durable. */
function outcomeOf(error: unknown, applied: boolean): CommitOutcome {
  if (!(error instanceof CatalogError)) {
    if (applied) return { outcome: "unknown", cause: error };
    throw error;
  }
  if (error.kind === "Overloaded") {
    const { retryAfterMs } = error.context;
    return { outcome: "overloaded", retryAfterMs: Number(retryAfterMs ?? RETRY_MS) };
  }
  // Unavailable is the log's word that the batch never will be read back.
  if (error.kind === "Unknown" || (applied && error.kind !== "Unavailable")) {
    return { outcome: "unknown", cause: error };
  }
  throw error;
}

function keyText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
