import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { Engine, ScanRequest } from "../../src/lsm/engine/engine.ts";
import type { StateView } from "../../src/lsm/engine/state-view.ts";
import type { PrefixRule } from "../../src/lsm/format/prefix-filter.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { BlockCache } from "../../src/lsm/read/cache.ts";
import { openReader, type Reader } from "../../src/lsm/read/reader.ts";
import type { Scan } from "../../src/lsm/read/scan.ts";
import type { EngineSnapshot } from "../../src/lsm/transaction/snapshots.ts";
import type { Isolation, Savepoint, Transaction } from "../../src/lsm/transaction/transaction.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { ModelClones } from "./support/model-clones.ts";
import { mixedPairs, packedKeys, packedPairs } from "./support/packed.ts";
import { SetClock } from "./support/set-clock.ts";
import {
  covered,
  doIn,
  int64Text,
  type ModelOp,
  meet,
  type Pair,
  type ReadRange,
  select,
  setText,
  sorted,
  texts,
  toWriteOp,
  VersionMap,
  writesTo,
} from "./support/version-map.ts";
import { KINDS, makeWorld, type World } from "./support/worlds.ts";

/** Small enough for everything to happen within some dozens of commands. */
const SMALL: Partial<LsmTuning> = {
  memtableBytes: 9_000,
  blockBytes: 128,
  scanBatchRows: 3,
  readAheadBytes: 512,
  readGapBytes: 64,
  tableBytes: 4_000,
  compactionL0Tables: 2,
  compactionRuns: 2,
  compactionSubrangeBytes: 1_500,
  compactionStepBytes: 3_000,
  gcMinAgeMs: 0,
  gcIntervalMs: 0,
  inlineValueBytes: 6,
};

const RUNS = Number(process.env["FIRN_LSM_MODEL_RUNS"] ?? 12);

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const text = (value: Uint8Array | undefined): string | undefined =>
  value && Buffer.from(value).toString("latin1");

type Where = "memory" | "durable" | "snapshot" | "transaction";

type Simple =
  | "snapshot"
  | "closeSnapshot"
  | "flush"
  | "compact"
  | "collect"
  | "tick"
  | "backwards"
  | "reopen"
  | "crash"
  | "rollback"
  | "savepoint"
  | "rollbackTo"
  | "view"
  | "follow"
  | "checkpoint"
  | "deleteCheckpoint"
  | "lookBack"
  | "clone"
  | "cloneOfPast"
  | "cloneOfClone"
  | "compactClone"
  | "reopenClone";

type Command =
  | { readonly do: "write"; readonly ops: readonly ModelOp[]; readonly durable: boolean }
  | { readonly do: "get"; readonly keys: readonly string[]; readonly where: Where }
  | {
      readonly do: "scan";
      readonly range: ReadRange;
      readonly reverse: boolean;
      readonly limit: number;
      readonly where: Where;
    }
  | { readonly do: Simple }
  | { readonly do: "begin"; readonly isolation: Isolation }
  | { readonly do: "set" | "writeClone"; readonly ops: readonly ModelOp[] }
  | { readonly do: "insert"; readonly key: string; readonly value: string }
  | { readonly do: "lock"; readonly key: string; readonly reads: boolean }
  | {
      readonly do: "writeIf";
      readonly ops: readonly ModelOp[];
      readonly key: string;
      readonly is: "absent" | "present" | "unwritten";
    }
  | { readonly do: "commit" };

interface Settings {
  readonly cacheBytes: number;
  readonly prefixes: PrefixRule | undefined;
  /** So little that transactions are judged by tables, or enough for memory to tell. */
  readonly recentBytes: number;
  /** Shorter than an integer, which operands are based on; between the values; or beyond all. */
  readonly inlineValueBytes: number;
}

/** What a transaction has seen and done, beside the engine's own. */
interface ModelTransaction {
  readonly transaction: Transaction;
  readonly isolation: Isolation;
  readonly sequence: number;
  /** What it has done, in order. */
  own: ModelOp[];
  readonly readKeys: Set<string>;
  /** Whatever its isolation. */
  readonly locked: Set<string>;
  /** When it began: what expires later is there until it ends. */
  readonly nowMs: number;
  savepoint: { readonly point: Savepoint; readonly own: number } | undefined;
  /** What its scans have covered. */
  readonly covered: ModelOp[];
}

/** One engine and its model, driven by commands. */
class Run {
  readonly #world: World;
  readonly #clock: SetClock;
  /** The latest time that the engine was shown. */
  #nowMs: number;
  readonly #settings: Settings;
  readonly #model = new VersionMap();
  #engine: Engine;
  #acknowledged = 0;
  #snapshots: { readonly snapshot: EngineSnapshot; readonly nowMs: number }[] = [];
  #transactions: ModelTransaction[] = [];
  #reader: Reader | undefined;
  /** Checkpoints, by name: their sequences. */
  readonly #kept = new Map<string, number>();
  readonly #clones: ModelClones;

  private constructor(world: World, clock: SetClock, engine: Engine, settings: Settings) {
    this.#world = world;
    this.#clock = clock;
    this.#nowMs = clock.wallMs;
    this.#engine = engine;
    this.#settings = settings;
    this.#clones = new ModelClones(world, SMALL);
  }

  static async start(world: World, clock: SetClock, settings: Settings): Promise<Run> {
    return new Run(world, clock, await open(world, settings), settings);
  }

  async do(command: Command): Promise<void> {
    switch (command.do) {
      case "write":
        return await this.#write(command.ops, command.durable);
      case "get":
        return await this.#get(command.keys, command.where);
      case "scan":
        return await this.#scan(command);
      case "snapshot":
        this.#snapshots.push({ snapshot: this.#engine.snapshot(), nowMs: this.#nowMs });
        return;
      case "closeSnapshot":
        this.#snapshots.shift()?.snapshot.close();
        return;
      case "view":
        return await this.#view();
      case "savepoint":
        return this.#savepoint();
      case "rollbackTo":
        return this.#rollbackTo();
      case "insert":
        return await this.#insert(command.key, command.value);
      case "lock":
        return await this.#lock(command.key, command.reads);
      case "writeIf":
        return await this.#writeIf(command);
      case "flush":
        await this.#engine.flush();
        this.#acknowledged = this.#model.lastSequence;
        return;
      case "compact":
        await this.#engine.compact();
        this.#acknowledged = this.#model.lastSequence;
        return;
      case "collect":
        return await this.#engine.collectGarbage();
      case "reopen":
        await this.#engine.close();
        this.#acknowledged = this.#model.lastSequence;
        return await this.#restart();
      case "crash":
        return await this.#restart();
      case "begin":
        return this.#begin(command.isolation);
      case "tick":
        this.#clock.wallMs += 10;
        this.#nowMs = Math.max(this.#nowMs, this.#clock.wallMs);
        return;
      case "backwards":
        // What was seen to have expired stays so; other processes begin with the right time.
        await this.#write([{ op: "put", key: "over", value: "", expiresAtMs: -1 }], false);
        await this.#get(["over"], "memory");
        this.#clock.wallMs -= 25;
        await this.#scan({ range: {}, reverse: false, limit: 1_000, where: "memory" });
        this.#clock.wallMs += 25;
        return;
      case "set":
        return this.#set(command.ops);
      case "follow":
        return await this.#follow();
      case "checkpoint":
        return await this.#checkpoint();
      case "deleteCheckpoint":
        return await this.#deleteCheckpoint();
      case "lookBack":
        return await this.#lookBack();
      case "clone":
        return await this.#clones.make(this.#model, this.#acknowledged);
      case "cloneOfPast":
        return await this.#cloneOfPast();
      case "cloneOfClone":
        return await this.#clones.makeAgain();
      case "writeClone":
        return await this.#clones.write(this.#timed(command.ops), this.#nowMs);
      case "compactClone":
        return await this.#clones.compact();
      case "reopenClone":
        return await this.#clones.reopen(this.#nowMs);
      case "rollback":
        this.#transactions.shift()?.transaction.rollback();
        return;
      case "commit":
        return await this.#commit();
    }
  }

  async end(): Promise<void> {
    await this.#scan({ range: {}, reverse: false, limit: 1_000, where: "memory" });
    await this.#follow();
    await this.#lookBack();
    await this.#clones.compareAll(this.#nowMs);
    await this.#engine.close();
    await this.#reader?.close();
    await this.#clones.end(this.#nowMs);
    const { states } = (await this.#world.open()).stats();
    expect(states).toMatchObject({ checkpoints: this.#kept.size, readers: 0 });
  }

  /** One who reads beside the owner sees all that is durable, and nothing that may be lost. */
  async #follow(): Promise<void> {
    this.#reader ??= await openReader(this.#readerParts(), { follow: { pollMs: 0 } });
    await this.#reader.refresh();
    const { sequence } = this.#reader;
    expect(sequence).toBeGreaterThanOrEqual(this.#acknowledged);
    await this.#compare(this.#reader);
  }

  async #checkpoint(): Promise<void> {
    const name = `at ${this.#model.lastSequence}`;
    if (this.#kept.has(name)) return;
    const { sequence } = await this.#engine.checkpoint(name);
    expect(sequence).toBe(this.#model.lastSequence);
    this.#kept.set(name, sequence);
    this.#acknowledged = sequence;
  }

  async #deleteCheckpoint(): Promise<void> {
    const [name] = this.#kept.keys();
    if (name === undefined) return;
    await this.#engine.deleteCheckpoint(name);
    this.#kept.delete(name);
  }

  /** Every kept state, and any that may be there still. */
  async #lookBack(): Promise<void> {
    for (const [checkpoint, sequence] of this.#kept) {
      const reader = await openReader(this.#readerParts(), { checkpoint });
      expect(reader.sequence).toBe(sequence);
      await this.#compare(reader);
      await reader.close();
    }
    for (const sequence of this.#model.ends().slice(-3)) {
      try {
        const reader = await openReader(this.#readerParts(), { at: { sequence } });
        expect(reader.sequence).toBe(sequence);
        await this.#compare(reader);
        await reader.close();
      } catch (error) {
        const { code } = error as FirnError;
        expect(["LSM_HISTORY_GONE", "LSM_SEQUENCE_AHEAD"]).toContain(code);
        if (code === "LSM_SEQUENCE_AHEAD") expect(sequence).toBeGreaterThan(this.#acknowledged);
      }
    }
  }

  /** Of a kept state, or of one that may be there still. */
  async #cloneOfPast(): Promise<void> {
    const [kept] = this.#kept;
    const [checkpoint, at] = kept ?? [];
    const sequence = at ?? this.#model.ends().at(-2) ?? 0;
    const moment = checkpoint === undefined ? { sequence } : { checkpoint };
    try {
      await this.#clones.make(this.#model, 0, moment);
    } catch (error) {
      const { code } = error as FirnError;
      expect([kept, code]).toEqual([undefined, expect.stringMatching(/GONE$|AHEAD$/)]);
    }
  }

  async #compare(reader: Reader): Promise<void> {
    const { sequence } = reader;
    expect(this.#model.isEnd(sequence)).toBe(true);
    const rows = sorted(texts(this.#model.rowsAt(sequence), this.#nowMs));
    expect(await pairs(reader.scan())).toEqual(rows);
    expect(await pairs(reader.scan({ reverse: true }))).toEqual(rows.toReversed());
    const keys = ["a", "n1", "key-007", ...rows.map(([name]) => name)];
    const found = await reader.getMany(keys.map(bytes));
    const shown = new Map(rows);
    expect(found.map(text)).toEqual(keys.map((name) => shown.get(name)));
  }

  #readerParts() {
    const { store, log: wal, clock, prng } = this.#world;
    const { cacheBytes } = this.#settings;
    return { store, wal, clock, prng, cache: new BlockCache(cacheBytes), forTests: SMALL };
  }

  async #write(given: readonly ModelOp[], durable: boolean): Promise<void> {
    const ops = this.#timed(given);
    const written = await this.#engine.write(ops.map(toWriteOp), { durable });
    expect(written.sequence).toBe(this.#model.write(ops));
    if (durable) this.#acknowledged = written.sequence;
  }

  async #get(keys: readonly string[], where: Where): Promise<void> {
    const first = this.#transactions[0];
    if (where === "transaction" && first !== undefined) {
      const { transaction, own, readKeys, sequence, nowMs } = first;
      const rows = texts(this.#model.rowsAt(sequence, own), nowMs);
      const all = await transaction.getMany(keys.map(bytes));
      expect(all.map(text)).toEqual(keys.map((key) => rows.get(key)));
      for (const key of keys) {
        // What it only merges into, it reads.
        const last = own.findLast((one) => writesTo(one, key));
        const isWhole = last !== undefined && last.op !== "merge";
        if (!isWhole) readKeys.add(key);
        expect(text(await transaction.get(bytes(key)))).toBe(rows.get(key));
      }
      return;
    }
    const { options, sequence, nowMs } = this.#reading(where);
    const rows = this.#shown(sequence(), nowMs);
    const expected = keys.map((key) => rows.get(key));
    expect((await this.#engine.getMany(keys.map(bytes), options)).map(text)).toEqual(expected);
    for (const key of keys) {
      const value = this.#shown(sequence(), nowMs).get(key);
      expect(text(await this.#engine.get(bytes(key), options))).toBe(value);
    }
  }

  async #scan(command: Omit<Extract<Command, { do: "scan" }>, "do">): Promise<void> {
    const { range, reverse, limit, where } = command;
    const bounds = Object.fromEntries(
      Object.entries(range).map(([name, bound]) => [name, bytes(bound as string)]),
    );
    const first = this.#transactions[0];
    if (where === "transaction" && first !== undefined) {
      const rows = texts(this.#model.rowsAt(first.sequence, first.own), first.nowMs);
      const expected = select(sorted(rows), range, reverse, limit);
      const answer = await pairs(first.transaction.scan({ ...bounds, reverse, limit }));
      expect(answer).toEqual(expected);
      const last = expected.length === limit ? expected.at(-1)?.[0] : undefined;
      const seen = covered(range, reverse, last);
      if (seen !== undefined) first.covered.push(seen);
      return;
    }
    const { options, sequence, nowMs } = this.#reading(where);
    const expected = select(sorted(this.#shown(sequence(), nowMs)), range, reverse, limit);
    const scan = this.#engine.scan({ ...bounds, reverse, limit, ...options });
    expect(await pairs(scan)).toEqual(expected);
    await this.#scanPacked({ ...bounds, reverse, limit, ...options }, expected);
  }

  /** Every way to read packed rows sees what a plain scan sees. */
  async #scanPacked(request: ScanRequest, expected: readonly Pair[]): Promise<void> {
    const engine = this.#engine;
    const keys = expected.map(([key]) => key);
    expect(await packedPairs(engine.scan(request))).toEqual(expected);
    const batchRows = 1 + (expected.length % 40);
    expect(await packedPairs(engine.scan({ ...request, batchRows }))).toEqual(expected);
    expect(await mixedPairs(engine.scan({ ...request, batchRows }))).toEqual(expected);
    expect(await packedKeys(engine.scan({ ...request, keysOnly: true }))).toEqual(keys);
    const { limit: _, ...all } = request;
    const whole = await packedPairs(engine.scan(all));
    const scan = engine.scan({ ...all, movable: true, limit: 3 });
    for (let i = 0; i < whole.length; i += 1 + (i % 5)) {
      const [key] = whole[i] as Pair;
      const at = bytes(key);
      if (i % 3 === 1) await scan.nextPacked();
      scan.seek(request.reverse === true ? { to: bytes(`${key}\0`) } : { from: at });
      expect(await packedPairs(scan)).toEqual(whole.slice(i, i + 3));
    }
    scan.close();
    await expect(async () => scan.seek({})).rejects.toThrow("closed");
  }

  #shown(sequence: number, nowMs: number): ReadonlyMap<string, string> {
    return texts(this.#model.rowsAt(sequence), nowMs);
  }

  /** Its operations with times from now on. */
  #timed(ops: readonly ModelOp[]): readonly ModelOp[] {
    return ops.map((one) =>
      "expiresAtMs" in one ? { ...one, expiresAtMs: this.#nowMs + (one.expiresAtMs ?? 0) } : one,
    );
  }

  /** A read options object, and the sequence that it means right now. */
  #reading(where: Where) {
    const nowMs = this.#nowMs;
    const kept = this.#snapshots[0];
    if (where === "snapshot" && kept !== undefined) {
      const { snapshot } = kept;
      return { options: { snapshot }, sequence: () => snapshot.sequence, nowMs: kept.nowMs };
    }
    if (where === "durable") {
      return {
        options: { level: "durable" as const },
        sequence: () => this.#engine.stats().durableSequence,
        nowMs,
      };
    }
    return { options: {}, sequence: () => this.#model.lastSequence, nowMs };
  }

  /** Of a state so far: what can still be read is read, after more was written, as it was. */
  async #view(): Promise<void> {
    const ends = this.#model.ends();
    const sequence = ends[Math.max(0, ends.length - 3)] ?? 0;
    const isOpen = this.#snapshots.some(({ snapshot }) => snapshot.sequence === sequence);
    let view: StateView;
    try {
      view = this.#engine.readView({ sequence });
    } catch (error) {
      expect(error).toMatchObject({ code: "LSM_HISTORY_GONE" });
      expect(isOpen || sequence === this.#model.lastSequence).toBe(false);
      return;
    }
    const rows = sorted(this.#shown(sequence, this.#nowMs));
    await this.#engine.compact();
    this.#clock.wallMs += 10;
    this.#nowMs = Math.max(this.#nowMs, this.#clock.wallMs);
    await this.#engine.compact();
    this.#acknowledged = this.#model.lastSequence;
    expect(await pairs(view.scan())).toEqual(rows);
    const found = await view.getMany(rows.map(([name]) => bytes(name)));
    expect(found.map(text)).toEqual(rows.map(([, shown]) => shown));
    view.close();
    expect(() => view.get(bytes("a"))).toThrow();
  }

  #savepoint(): void {
    const [first] = this.#transactions;
    if (first === undefined) return;
    first.savepoint = { point: first.transaction.savepoint(), own: first.own.length };
  }

  #rollbackTo(): void {
    const [first] = this.#transactions;
    if (first?.savepoint === undefined) return;
    first.transaction.rollbackTo(first.savepoint.point);
    first.own = first.own.slice(0, first.savepoint.own);
  }

  async #insert(key: string, value: string): Promise<void> {
    const [first] = this.#transactions;
    if (first === undefined) return;
    const { transaction, own, sequence, nowMs, readKeys } = first;
    const isThere = texts(this.#model.rowsAt(sequence, own), nowMs).has(key);
    const last = own.findLast((one) => writesTo(one, key));
    expect(await transaction.insert(bytes(key), bytes(value))).toBe(!isThere);
    const isWhole = last !== undefined && last.op !== "merge";
    if (!isWhole && (isThere || first.savepoint !== undefined)) readKeys.add(key);
    if (!isThere) own.push({ op: "put", key, value });
  }

  async #lock(key: string, reads: boolean): Promise<void> {
    const [first] = this.#transactions;
    if (first === undefined) return;
    const { transaction, own, sequence, nowMs, locked } = first;
    locked.add(key);
    if (!reads) return transaction.touch(bytes(key));
    const shown = texts(this.#model.rowsAt(sequence, own), nowMs).get(key);
    expect(text(await transaction.lockForUpdate(bytes(key)))).toBe(shown);
  }

  async #writeIf({ ops: given, key, is }: Extract<Command, { do: "writeIf" }>): Promise<void> {
    const ops = this.#timed(given);
    const since = this.#snapshots[0]?.snapshot.sequence ?? this.#model.lastSequence;
    const hasValue = this.#shown(this.#model.lastSequence, this.#nowMs).has(key);
    const wasWritten = this.#model.writtenAfter(since).some((one) => writesTo(one, key));
    const holds = is === "unwritten" ? !wasWritten : hasValue === (is === "present");
    const check = [{ key: bytes(key), is: is === "unwritten" ? since : is }];
    const writing = this.#engine.write(ops.map(toWriteOp), { check });
    if (holds) expect((await writing).sequence).toBe(this.#model.write(ops));
    else await expect(writing).rejects.toMatchObject({ code: "LSM_CONDITION_FAILED" });
    expect(this.#engine.lastSequence).toBe(this.#model.lastSequence);
  }

  #begin(isolation: Isolation): void {
    if (this.#transactions.length === 3) return;
    const transaction = this.#engine.transaction({ isolation });
    this.#transactions.push({
      transaction,
      isolation,
      sequence: transaction.sequence,
      own: [],
      readKeys: new Set(),
      locked: new Set(),
      nowMs: this.#nowMs,
      savepoint: undefined,
      covered: [],
    });
  }

  #set(given: readonly ModelOp[]): void {
    const first = this.#transactions[0];
    if (first === undefined) return;
    const ops = this.#timed(given);
    for (const one of ops) doIn(first.transaction, one);
    first.own.push(...ops);
  }

  async #commit(): Promise<void> {
    const first = this.#transactions.shift();
    if (first === undefined) return;
    const { transaction, isolation, sequence, own, readKeys, locked } = first;
    const asOps = (keys: ReadonlySet<string>) =>
      [...keys].map((read): ModelOp => ({ op: "delete", key: read }));
    const reads = [...asOps(readKeys), ...first.covered];
    const claimed = [...own, ...asOps(locked)];
    const judged = isolation === "serializable" ? [...claimed, ...reads] : claimed;
    const written = this.#model.writtenAfter(sequence);
    const clash = written.some((write) => judged.some((one) => meet(write, one)));
    const outcome = await transaction.commit().catch((error: unknown) => error);
    if (outcome instanceof Error) {
      expect(outcome).toBeInstanceOf(FirnError);
      expect((outcome as FirnError).code).toBe("LSM_CONFLICT");
      expect(clash && own.length > 0).toBe(true);
      return;
    }
    expect(clash && own.length > 0).toBe(false);
    if (own.length > 0) this.#model.write(own);
    expect(this.#engine.lastSequence).toBe(this.#model.lastSequence);
  }

  /** A new process on the same store; the one before, dead or not, is fenced. */
  async #restart(): Promise<void> {
    this.#engine = await open(this.#world, this.#settings);
    this.#snapshots = [];
    this.#transactions = [];
    const { lastSequence } = this.#engine;
    expect(lastSequence).toBeGreaterThanOrEqual(this.#acknowledged);
    expect(this.#model.isEnd(lastSequence)).toBe(true);
    // What a reader has seen every later owner finds.
    expect(lastSequence).toBeGreaterThanOrEqual(this.#reader?.sequence ?? 0);
    this.#model.truncate(lastSequence);
    await this.#scan({ range: {}, reverse: true, limit: 1_000, where: "memory" });
  }
}

function open(world: World, { cacheBytes, ...tuning }: Settings): Promise<Engine> {
  return world.open({
    budget: new MemoryBudget(100_000_000, cacheBytes),
    forTests: { ...SMALL, ...tuning },
  });
}

async function pairs(scan: Scan): Promise<readonly Pair[]> {
  const rows: Pair[] = [];
  for await (const batch of scan) {
    expect(batch.length).toBeGreaterThan(0);
    for (const { key, value } of batch) rows.push([text(key) ?? "", text(value) ?? ""]);
  }
  return rows;
}

/** Few keys, so that they meet; prefixes of each other, and the ends of the byte range. */
const key = fc.oneof(
  fc.constantFrom("a", "aa", "ab", "b", "\0", "\0\0", "\xff", "\xff\xff", "k".repeat(300)),
  fc.integer({ min: 0, max: 60 }).map((n) => `key-${String(n).padStart(3, "0")}`),
);
const value = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: "binary-ascii", maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constant("v".repeat(700)) },
);
/** Of two keys in order: a little more, or less, than the keys between them; or up to the end. */
const deletion: fc.Arbitrary<ModelOp> = fc
  .tuple(key, key, fc.constantFrom("", "\0"), fc.nat(9))
  .map(([a, b, more, chance]) => {
    const [from, to] = a < b ? [a + more, b] : [b + more, a + more];
    return { op: "deleteRange", from: chance === 1 ? "" : from, to: chance === 0 ? "" : to };
  })
  // No empty ones, which are not operations: the first key is one byte of 0.
  .filter(({ from, to }) => to === "" || (from === "" ? "\0" : from) < to)
  .map(({ from, to }) => ({ op: "deleteRange", from, to }));
/** From now on; some are over at once. */
const expiresAtMs = fc.constantFrom(-1, 0, 1, 10, 11, 30, 1_000_000);
/** Keys of which all values are integers, or sets. */
const numbered = fc.constantFrom("n1", "n2", "n3");
const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(int64Text);
const set = fc.array(fc.constantFrom("", "a", "b", "ab"), { maxLength: 3 }).map(setText);
const merge = fc.oneof(
  fc.record({
    op: fc.constant("merge" as const),
    key: numbered,
    operator: fc.constantFrom("add", "add", "max"),
    value: integer,
  }),
  fc.record({
    op: fc.constant("merge" as const),
    key: fc.constantFrom("s1", "s2"),
    operator: fc.constant("set-union"),
    value: set,
  }),
);
const put = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant("put" as const), key, value }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant("put" as const), key: numbered, value: integer }),
  },
);
const expiring = fc
  .tuple(fc.oneof(put, put, merge), expiresAtMs)
  .map(([one, at]): ModelOp => ({ ...one, expiresAtMs: at }));
const op: fc.Arbitrary<ModelOp> = fc.oneof(
  { weight: 6, arbitrary: put },
  { weight: 4, arbitrary: merge },
  { weight: 2, arbitrary: expiring },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant("delete" as const), key: fc.oneof(key, numbered) }),
  },
  { weight: 1, arbitrary: deletion },
);
const range: fc.Arbitrary<ReadRange> = fc.oneof(
  fc.constant({}),
  fc.record({ prefix: fc.constantFrom("", "a", "key-", "key-01", "key-9", "nothing-", "\xff") }),
  fc.tuple(key, key).map(([a, b]) => (a <= b ? { from: a, to: b } : { from: b, to: a })),
  fc.record({ from: key }),
  fc.record({ to: key }),
);
const where = fc.constantFrom<Where[]>("memory", "durable", "snapshot", "transaction");
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      ops: fc.array(op, { minLength: 1, maxLength: 12 }),
      durable: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("get" as const),
      keys: fc.array(key, { minLength: 1, maxLength: 4 }),
      where,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("scan" as const),
      range,
      reverse: fc.boolean(),
      limit: fc.constantFrom(1, 2, 7, 1_000),
      where,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "snapshot" as const,
        "closeSnapshot" as const,
        "flush" as const,
        "compact" as const,
        "tick" as const,
        "tick" as const,
        "backwards" as const,
        "collect" as const,
        "reopen" as const,
        "crash" as const,
        "rollback" as const,
        "follow" as const,
        "follow" as const,
        "checkpoint" as const,
        "deleteCheckpoint" as const,
        "lookBack" as const,
        "lookBack" as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "clone" as const,
        "cloneOfPast" as const,
        "cloneOfClone" as const,
        "compactClone" as const,
        "reopenClone" as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("begin" as const),
      isolation: fc.constantFrom<Isolation[]>("snapshot", "serializable"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("set" as const, "set" as const, "writeClone" as const),
      ops: fc.array(op, { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("commit" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("savepoint" as const, "rollbackTo" as const, "view" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("insert" as const), key, value }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("lock" as const), key, reads: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("writeIf" as const),
      ops: fc.array(op, { minLength: 1, maxLength: 3 }),
      key: fc.oneof(key, numbered),
      is: fc.constantFrom("absent" as const, "present" as const, "unwritten" as const),
    }),
  },
);

const settings: fc.Arbitrary<Settings> = fc.record({
  cacheBytes: fc.constantFrom(0, 3_000, 1_000_000),
  prefixes: fc.constantFrom(undefined, { bytes: 1 }, { bytes: 6 }, { separator: 0x2d }),
  recentBytes: fc.constantFrom(1, 1_000_000),
  inlineValueBytes: fc.constantFrom(6, 100, 1_000_000),
});

describe.each(KINDS)("the engine over a $store store, log of $wal", (kind) => {
  it("does as a sorted map with versions does", async () => {
    const commands = fc.array(command, { minLength: 10, maxLength: 60 });
    const property = fc.asyncProperty(commands, settings, async (list, settings) => {
      const clock = new SetClock();
      // A disk that others keep busy takes seconds for a sync, which proves nothing here.
      const world = makeWorld(kind, { clock, sync: "never" });
      try {
        const run = await Run.start(world, clock, settings);
        for (const one of list) await run.do(one);
        await run.end();
      } finally {
        world.end();
      }
    });
    await fc.assert(property, { numRuns: RUNS, verbose: 1 });
  });
});
