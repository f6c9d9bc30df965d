import { assert } from "../base/assert.ts";
import { binaryText, utf8 } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { Engine, EngineSnapshot, Maybe, ReadOptions, Scan } from "../lsm/index.ts";
import {
  assertBatch,
  conditionHolds,
  isWriting,
  itemAfter,
  mayForget,
  pageLimit,
} from "./batch.ts";
import { KeyFamilies } from "./families.ts";
import { Gaps, keyBehind, type Listing } from "./gaps.ts";
import { KeptItems } from "./kept-items.ts";
import type { KeyFamily } from "./key.ts";
import type {
  Batch,
  CommitOutcome,
  Item,
  Live,
  PageOptions,
  PointerOp,
  PointerStore,
  SweepOptions,
  Version,
} from "./port.ts";
import { decodeRow, encodeRow, isTombstoneRow, itemOfRow } from "./row.ts";

export interface LsmPointerStoreOptions {
  readonly families: readonly KeyFamily[];
  readonly clock: Clock;
  /**
   * The engine that serves now. Any caller that gives it may open the shard again where it had
   * ended.
   */
  readonly engine: () => Maybe<Engine>;
  /** The engine that reads are made of, where that may be one that takes no more writes. */
  readonly reader?: () => Maybe<Engine>;
  /** Rows without a live child that a list remembers to jump over; a test has it remember all. */
  readonly gapRows?: number;
}

/** What a list reads, of one state. */
interface ListingParts {
  readonly engine: Engine;
  readonly snapshot: EngineSnapshot;
  readonly gaps: Gaps;
  readonly listing: Listing;
  readonly gapRows: number;
}

/** What is known of an engine's rows without a look at them. */
interface Known {
  readonly gaps: Gaps;
  readonly kept: KeptItems;
}

/** One for all stores over an engine, so that none overlooks what another writes. */
const knownOfEngines = new WeakMap<Engine, Known>();

function knownOf(engine: Engine): Known {
  let known = knownOfEngines.get(engine);
  if (known === undefined) {
    known = { gaps: new Gaps(), kept: new KeptItems() };
    knownOfEngines.set(engine, known);
  }
  return known;
}

const DURABLE: ReadOptions = { level: "durable" };
const SWEEP_PAGE = 1_000;
/**
 * A try that loses to another write has loaded what it read, so the next one decides in one step:
 * so many in a row mean that the cache is too small for what is asked of it.
 */
const ATTEMPTS = 16;
const RETRY_MS = 50;
/** Rows that a scan passes in the time of a jump, or some more. */
const GAP_ROWS = 64;
/** The byte behind `/`: a key and it are behind everything below the key. */
const BELOW_END = "0";

/**
 * Pointers as rows of an engine: a row's key is the pointer's whole key, so that byte order of rows
 * is the order of lists. No separate request: reads are the engine's, a commit is one batch of
 * its log.
 *
 * Linearizable: a read sees what is durable and no more, and is answered once the engine's lease
 * says that no other process owned the shard by then. A refusal is a read too, of what the
 * transaction saw, so it waits until that is durable.
 */
export class LsmPointerStore implements PointerStore {
  readonly #families: KeyFamilies;
  readonly #clock: Clock;
  readonly #engine: () => Maybe<Engine>;
  readonly #reader: () => Maybe<Engine>;
  readonly #gapRows: number;

  constructor(options: LsmPointerStoreOptions) {
    const { families, clock, engine, reader = engine, gapRows = GAP_ROWS } = options;
    this.#families = new KeyFamilies(families);
    this.#clock = clock;
    this.#engine = engine;
    this.#reader = reader;
    this.#gapRows = gapRows;
  }

  async get(key: string): Promise<Item> {
    const engine = await this.#reader();
    const { kept } = knownOf(engine);
    const known = kept.get(key);
    if (known !== undefined) {
      await engine.confirm("durable");
      return known;
    }
    this.#families.of(key);
    const { steps } = kept;
    const item = itemOfRow(key, await engine.get(utf8(key), DURABLE));
    if (item.state === "live") kept.keep(item, steps);
    await engine.confirm("durable");
    return item;
  }

  async getMany(keys: readonly string[]): Promise<readonly Item[]> {
    const engine = await this.#reader();
    const { kept } = knownOf(engine);
    const items: (Item | undefined)[] = keys.map((key) => kept.get(key));
    const missing = keys.filter((_key, i) => items[i] === undefined);
    if (missing.length > 0) {
      const read = (await this.#readRows(engine, kept, missing)).values();
      for (const [i, item] of items.entries()) items[i] = item ?? read.next().value;
    }
    await engine.confirm("durable");
    return items as readonly Item[];
  }

  /** What nothing is kept of. What is found alive is kept. */
  async #readRows(
    engine: Engine,
    kept: KeptItems,
    keys: readonly string[],
  ): Promise<readonly Item[]> {
    for (const key of keys) this.#families.of(key);
    const { steps } = kept;
    const rows = await engine.getMany(keys.map(utf8), DURABLE);
    return keys.map((key, i) => {
      const item = itemOfRow(key, rows[i]);
      if (item.state === "live") kept.keep(item, steps);
      return item;
    });
  }

  async commit(batch: Batch): Promise<CommitOutcome> {
    assertBatch(batch, this.#families);
    const engine = await this.#engine();
    const sent = new Sent(batch.ops);
    try {
      return await sent.during(() => this.#commitOnce(engine, batch, sent));
    } catch (error) {
      return outcomeOf(error, sent.applied);
    }
  }

  async list(directory: string, options: PageOptions = {}): Promise<readonly Live[]> {
    this.#families.assertListed(directory);
    const limit = pageLimit(options);
    const engine = await this.#reader();
    const { gaps, kept } = knownOf(engine);
    const { after = "" } = options;
    const known = kept.page(directory, after, limit);
    if (known !== undefined) {
      await engine.confirm("durable");
      return known;
    }
    const snapshot = engine.snapshot("durable");
    const listing = gaps.beginList(directory);
    const keeping = kept.beginList(directory);
    try {
      const parts = { engine, snapshot, gaps, listing, gapRows: this.#gapRows };
      const page = await new ChildrenPage(parts, { after, limit }).read();
      kept.keepPage(keeping, after, limit, page);
      await engine.confirm("durable");
      return page;
    } finally {
      kept.endList(keeping);
      gaps.endList(listing);
      snapshot.close();
    }
  }

  /** A page at a time, each of the state that it finds: no file is kept for a slow reader. */
  async *sweep(prefix: string, { after = "" }: SweepOptions = {}): AsyncIterable<Item> {
    for (let from = after > prefix ? keyBehind(after) : prefix; ; ) {
      const engine = await this.#reader();
      const range = { prefix: utf8(prefix), from: utf8(from), limit: SWEEP_PAGE };
      const items: Item[] = [];
      for await (const rows of engine.scan({ ...DURABLE, ...range })) {
        for (const { key, value } of rows) items.push(decodeRow(binaryText(key), value));
      }
      await engine.confirm("durable");
      yield* items;
      const last = items.at(-1);
      if (last === undefined || items.length < SWEEP_PAGE) return;
      from = keyBehind(last.key);
    }
  }

  async forget(key: string, version: Version): Promise<boolean> {
    this.#families.of(key);
    const engine = await this.#engine();
    const sent = new Sent([{ op: "delete", key, expected: version }]);
    return sent.during(() => this.#forgetOnce(engine, key, version, sent));
  }

  async #forgetOnce(engine: Engine, key: string, version: Version, sent: Sent): Promise<boolean> {
    const transaction = engine.transaction();
    try {
      const bytes = utf8(key);
      const item = itemOfRow(key, await transaction.get(bytes));
      const going = mayForget(item, version, this.#clock.nowMs());
      if (going) {
        sent.begin(knownOf(engine));
        transaction.delete(bytes);
      }
      const written = await transaction.commit();
      sent.applied = going;
      await (going ? written.durable() : engine.confirm());
      return going;
    } finally {
      transaction.rollback();
    }
  }

  async #commitOnce(engine: Engine, batch: Batch, sent: Sent): Promise<CommitOutcome> {
    const keys = batch.ops.map(({ key }) => utf8(key));
    const transaction = engine.transaction();
    try {
      const reads = transaction.getMany(keys);
      // Where all is in memory nothing is awaited before the commit: no other commit comes between,
      // so that writers of one key, bumps of a guard above all, share a group of the log.
      const rows = reads instanceof Promise ? await reads : reads;
      const found = batch.ops.map(({ key }, i) => itemOfRow(key, rows[i]));
      const failed = found.filter((item, i) => !conditionHolds(batch.ops[i] as PointerOp, item));
      if (failed.length > 0) {
        await engine.confirm();
        return { outcome: "conflict", failed };
      }
      const { rows: changed, versions } = this.#changed(batch, found);
      sent.begin(knownOf(engine));
      transaction.putMany(changed);
      const written = await transaction.commit();
      sent.applied = versions.size > 0;
      await (sent.applied ? written.durable() : engine.confirm());
      return { outcome: "committed", versions };
    } finally {
      transaction.rollback();
    }
  }

  /** The rows that a batch writes, where its conditions hold. */
  #changed({ writerId, ops }: Batch, found: readonly Item[]) {
    const nowMs = this.#clock.nowMs();
    const rows: { readonly key: Uint8Array; readonly value: Uint8Array }[] = [];
    const versions = new Map<string, Version>();
    for (const [i, op] of ops.entries()) {
      if (!isWriting(op)) continue;
      const after = itemAfter(op, found[i] as Item, writerId, nowMs);
      assert(
        after.version > (found[i] as Item).version,
        "each write of a pointer is a new version",
      );
      rows.push({ key: utf8(op.key), value: encodeRow(after) });
      versions.set(op.key, after.version);
    }
    return { rows, versions };
  }
}

/** What has become of writes on their way into the engine. */
class Sent {
  /** They are in memory: what fails from here on is making them durable. */
  applied = false;
  #known: Known | undefined;
  readonly #puts: readonly string[];
  readonly #written: readonly string[];

  constructor(ops: readonly PointerOp[]) {
    this.#puts = ops.flatMap(({ op, key }) => (op === "put" ? [key] : []));
    this.#written = ops.flatMap((op) => (isWriting(op) ? [op.key] : []));
  }

  /** Announces them, before they can be in any state of the engine. */
  begin(known: Known): void {
    if (this.#known !== undefined) return;
    this.#known = known;
    for (const key of this.#puts) known.gaps.beginPut(key);
    for (const key of this.#written) known.kept.beginWrite(key);
  }

  /** Runs what writes. Where it is not certain what became of it, its writes stay announced. */
  async during<T>(write: () => Promise<T>): Promise<T> {
    let isCertain = false;
    try {
      const done = await retrying(write);
      isCertain = true;
      return done;
    } catch (error) {
      isCertain = !this.applied;
      throw error;
    } finally {
      if (isCertain) this.#end();
    }
  }

  #end(): void {
    for (const key of this.#puts) this.#known?.gaps.endPut(key);
    for (const key of this.#written) this.#known?.kept.endWrite(key);
  }
}

/** One page of the live direct children of a directory, of one state. */
class ChildrenPage {
  readonly #parts: ListingParts;
  readonly #prefix: string;
  readonly #end: string;
  readonly #limit: number;
  readonly #found: Live[] = [];
  /** Since the last live child: where the stretch begins, what it holds, and what of it is news. */
  #from: string;
  #passed = 0;
  #fresh = 0;

  constructor(
    parts: ListingParts,
    { after, limit }: { readonly after: string; readonly limit: number },
  ) {
    const { directory } = parts.listing;
    this.#parts = parts;
    this.#prefix = `${directory}/`;
    this.#end = directory + BELOW_END;
    this.#limit = limit;
    this.#from = after === "" ? this.#prefix : keyBehind(`${this.#prefix}${after}`);
  }

  /**
   * What lies below a child is passed over where it is short, and jumped over where it fills a
   * batch, so that a deep tree costs no more than a flat one; where earlier lists have met nothing
   * alive it is jumped over too.
   */
  async read(): Promise<readonly Live[]> {
    const { engine, snapshot, gaps, listing } = this.#parts;
    for (let at = this.#from; at < this.#end; ) {
      const gap = gaps.next(listing.directory, at, snapshot.sequence);
      if (gap !== undefined && gap.from <= at) {
        this.#passed += gap.passed;
        at = gap.to;
        continue;
      }
      const to = gap?.from ?? this.#end;
      const next = await this.#collect(engine.scan({ from: utf8(at), to: utf8(to), snapshot }), to);
      if (next === undefined) return this.#found;
      at = next;
    }
    this.#close(this.#end);
    return this.#found;
  }

  /** @returns where to go on: `to`, or behind a subtree; undefined where the page is whole. */
  async #collect(scan: Scan, to: string): Promise<string | undefined> {
    let skipTo = "";
    try {
      for (let rows = await scan.next(); rows !== undefined; rows = await scan.next()) {
        let key = "";
        for (const [i, row] of rows.entries()) {
          this.#fresh += 1 + (row.passed ?? 0);
          // The last one says where a subtree that fills the batch is left.
          if (isTombstoneRow(row.value) && i < rows.length - 1) continue;
          key = binaryText(row.key);
          if (key < skipTo) continue;
          const slash = key.indexOf("/", this.#prefix.length);
          if (slash >= 0) {
            skipTo = key.slice(0, slash) + BELOW_END;
            continue;
          }
          const item = decodeRow(key, row.value);
          if (item.state === "live" && this.#add(item)) return undefined;
        }
        if (key < skipTo) return skipTo;
      }
      this.#fresh += scan.passed ?? 0;
      return to;
    } finally {
      scan.close();
    }
  }

  /** @returns whether the page is whole. */
  #add(item: Live): boolean {
    this.#close(item.key);
    this.#from = keyBehind(item.key);
    return this.#found.push(item) === this.#limit;
  }

  /** The stretch ends here: a long one is jumped over by the lists to come. */
  #close(to: string): void {
    const { snapshot, gaps, listing, gapRows } = this.#parts;
    if (this.#fresh >= gapRows) {
      const { sequence } = snapshot;
      const passed = this.#passed + this.#fresh;
      gaps.note(listing, { from: this.#from, to, sequence, passed });
    }
    this.#passed = 0;
    this.#fresh = 0;
  }
}

/** Runs it again where another write came in between: it has left no trace then. */
async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const lost = error instanceof FirnError && error.kind === "Conflict";
      if (!lost) throw error;
      if (attempt < ATTEMPTS) continue;
      const facts = { retryAfterMs: RETRY_MS };
      throw new FirnError(
        "Overloaded",
        "POINTERS_CONTENDED",
        "other writers keep changing these pointers: try again",
        facts,
        error,
      );
    }
  }
}

/** @param applied the batch is in memory, so what failed is making it durable. */
function outcomeOf(error: unknown, applied: boolean): CommitOutcome {
  if (!(error instanceof FirnError)) {
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
