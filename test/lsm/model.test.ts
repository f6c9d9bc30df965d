import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CatalogError } from "../../src/base/error.ts";
import { BlockCache } from "../../src/lsm/cache.ts";
import type { Engine } from "../../src/lsm/engine.ts";
import type { LsmOptions } from "../../src/lsm/options.ts";
import type { Scan } from "../../src/lsm/scan.ts";
import type { Snapshot } from "../../src/lsm/snapshots.ts";
import type { Isolation, Transaction } from "../../src/lsm/transaction.ts";
import type { WriteOp } from "../../src/lsm/write-path.ts";
import { type ModelOp, type Pair, select, VersionMap } from "./support/version-map.ts";
import { KINDS, makeWorld, type World } from "./support/worlds.ts";

/** Small enough for everything to happen within some dozens of commands. */
const SMALL: Partial<LsmOptions> = {
  memtableBytes: 9_000,
  blockBytes: 128,
  scanBatchRows: 3,
  readAheadBytes: 512,
  readGapBytes: 64,
  tableBytes: 4_000,
  compactionL0Tables: 2,
  compactionRuns: 2,
  gcMinAgeMs: 0,
  gcIntervalMs: 0,
};

const RUNS = Number(process.env["FIRN_LSM_MODEL_RUNS"] ?? 12);

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const text = (value: Uint8Array | undefined): string | undefined =>
  value && Buffer.from(value).toString("latin1");
const toOp = ([key, value]: ModelOp): WriteOp =>
  value === undefined
    ? { op: "delete", key: bytes(key) }
    : { op: "put", key: bytes(key), value: bytes(value) };

interface Range {
  readonly from?: string;
  readonly to?: string;
  readonly prefix?: string;
}

type Where = "memory" | "durable" | "snapshot" | "transaction";

type Simple =
  | "snapshot"
  | "closeSnapshot"
  | "flush"
  | "compact"
  | "collect"
  | "reopen"
  | "crash"
  | "rollback";

type Command =
  | { readonly do: "write"; readonly ops: readonly ModelOp[]; readonly durable: boolean }
  | { readonly do: "get"; readonly keys: readonly string[]; readonly where: Where }
  | {
      readonly do: "scan";
      readonly range: Range;
      readonly reverse: boolean;
      readonly limit: number;
      readonly where: Where;
    }
  | { readonly do: Simple }
  | { readonly do: "begin"; readonly isolation: Isolation }
  | { readonly do: "set"; readonly op: ModelOp }
  | { readonly do: "commit" };

/** What a transaction has seen and done, beside the engine's own. */
interface ModelTransaction {
  readonly transaction: Transaction;
  readonly isolation: Isolation;
  readonly sequence: number;
  readonly own: Map<string, string | undefined>;
  readonly readKeys: Set<string>;
  /** Predicates of what its scans have covered. */
  readonly covered: ((key: string) => boolean)[];
}

/** One engine and its model, driven by commands. */
class Run {
  readonly #world: World;
  readonly #cacheBytes: number;
  readonly #model = new VersionMap();
  #engine: Engine;
  #acknowledged = 0;
  #snapshots: Snapshot[] = [];
  #transactions: ModelTransaction[] = [];

  private constructor(world: World, engine: Engine, cacheBytes: number) {
    this.#world = world;
    this.#engine = engine;
    this.#cacheBytes = cacheBytes;
  }

  static async start(world: World, cacheBytes: number): Promise<Run> {
    return new Run(world, await open(world, cacheBytes), cacheBytes);
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
        this.#snapshots.push(this.#engine.snapshot());
        return;
      case "closeSnapshot":
        this.#snapshots.shift()?.close();
        return;
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
      case "set":
        return this.#set(command.op);
      case "rollback":
        this.#transactions.shift()?.transaction.rollback();
        return;
      case "commit":
        return await this.#commit();
    }
  }

  async end(): Promise<void> {
    await this.#scan({ range: {}, reverse: false, limit: 1_000, where: "memory" });
    await this.#engine.close();
  }

  async #write(ops: readonly ModelOp[], durable: boolean): Promise<void> {
    const written = await this.#engine.write(ops.map(toOp), { durable });
    expect(written.sequence).toBe(this.#model.write(ops));
    if (durable) this.#acknowledged = written.sequence;
  }

  async #get(keys: readonly string[], where: Where): Promise<void> {
    const first = this.#transactions[0];
    if (where === "transaction" && first !== undefined) {
      const { transaction, own, readKeys, sequence } = first;
      const rows = new Map(this.#model.at(sequence));
      for (const key of keys) {
        const expected = own.has(key) ? own.get(key) : rows.get(key);
        if (!own.has(key)) readKeys.add(key);
        expect(text(await transaction.get(bytes(key)))).toBe(expected);
      }
      return;
    }
    const { options, sequence } = this.#reading(where);
    const rows = new Map(this.#model.at(sequence()));
    const expected = keys.map((key) => rows.get(key));
    expect((await this.#engine.getMany(keys.map(bytes), options)).map(text)).toEqual(expected);
    for (const key of keys) {
      const value = new Map(this.#model.at(sequence())).get(key);
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
      const rows = new Map(this.#model.at(first.sequence));
      for (const [key, value] of first.own) {
        if (value === undefined) rows.delete(key);
        else rows.set(key, value);
      }
      const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
      const expected = select(sorted, range, reverse, limit);
      const answer = await pairs(first.transaction.scan({ ...bounds, reverse, limit }));
      expect(answer).toEqual(expected);
      this.#cover(
        first,
        range,
        reverse,
        expected.length === limit ? expected.at(-1)?.[0] : undefined,
      );
      return;
    }
    const { options, sequence } = this.#reading(where);
    const expected = select(this.#model.at(sequence()), range, reverse, limit);
    const scan = this.#engine.scan({ ...bounds, reverse, limit, ...options });
    expect(await pairs(scan)).toEqual(expected);
  }

  /** A read options object, and the sequence that it means right now. */
  #reading(where: Where) {
    const snapshot = this.#snapshots[0];
    if (where === "snapshot" && snapshot !== undefined) {
      return { options: { snapshot }, sequence: () => snapshot.sequence };
    }
    if (where === "durable") {
      return {
        options: { level: "durable" as const },
        sequence: () => this.#engine.stats().durableSequence,
      };
    }
    return { options: {}, sequence: () => this.#model.lastSequence };
  }

  /** What a scan has seen: all of its range, or as far as it went. */
  #cover(at: ModelTransaction, range: Range, reverse: boolean, last: string | undefined): void {
    at.covered.push((key) => {
      const inside = select([[key, ""]], range, false, 1).length === 1;
      return inside && (last === undefined || (reverse ? key >= last : key <= last));
    });
  }

  #begin(isolation: Isolation): void {
    if (this.#transactions.length === 3) return;
    const transaction = this.#engine.transaction({ isolation });
    this.#transactions.push({
      transaction,
      isolation,
      sequence: transaction.sequence,
      own: new Map(),
      readKeys: new Set(),
      covered: [],
    });
  }

  #set([key, value]: ModelOp): void {
    const first = this.#transactions[0];
    if (first === undefined) return;
    if (value === undefined) first.transaction.delete(bytes(key));
    else first.transaction.put(bytes(key), bytes(value));
    first.own.set(key, value);
  }

  async #commit(): Promise<void> {
    const first = this.#transactions.shift();
    if (first === undefined) return;
    const { transaction, isolation, sequence, own, readKeys, covered } = first;
    const written = [...this.#model.writtenAfter(sequence)];
    const clash = written.some(
      (key) =>
        own.has(key) ||
        (isolation === "serializable" &&
          (readKeys.has(key) || covered.some((includes) => includes(key)))),
    );
    const outcome = await transaction.commit().catch((error: unknown) => error);
    if (outcome instanceof Error) {
      expect(outcome).toBeInstanceOf(CatalogError);
      expect((outcome as CatalogError).code).toBe("LSM_CONFLICT");
      expect(clash && own.size > 0).toBe(true);
      return;
    }
    expect(clash && own.size > 0).toBe(false);
    if (own.size > 0) this.#model.write([...own]);
    expect(this.#engine.lastSequence).toBe(this.#model.lastSequence);
  }

  /** A new process on the same store; the one before, dead or not, is fenced. */
  async #restart(): Promise<void> {
    this.#engine = await open(this.#world, this.#cacheBytes);
    this.#snapshots = [];
    this.#transactions = [];
    const { lastSequence } = this.#engine;
    expect(lastSequence).toBeGreaterThanOrEqual(this.#acknowledged);
    expect(this.#model.isEnd(lastSequence)).toBe(true);
    this.#model.truncate(lastSequence);
    await this.#scan({ range: {}, reverse: true, limit: 1_000, where: "memory" });
  }
}

function open(world: World, cacheBytes: number): Promise<Engine> {
  return world.open({ cache: new BlockCache(cacheBytes), options: SMALL });
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
const op: fc.Arbitrary<ModelOp> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(key, value) },
  { weight: 1, arbitrary: fc.tuple(key, fc.constant(undefined)) },
);
const range: fc.Arbitrary<Range> = fc.oneof(
  fc.constant({}),
  fc.record({ prefix: fc.constantFrom("", "a", "key-", "key-01", "\xff") }),
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
        "collect" as const,
        "reopen" as const,
        "crash" as const,
        "rollback" as const,
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
  { weight: 4, arbitrary: fc.record({ do: fc.constant("set" as const), op }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("commit" as const) }) },
);

describe.each(KINDS)("the engine over a $store store, log of $wal", (kind) => {
  it("does as a sorted map with versions does", async () => {
    const commands = fc.array(command, { minLength: 10, maxLength: 60 });
    const property = fc.asyncProperty(
      commands,
      fc.constantFrom(0, 3_000, 1_000_000),
      async (list, cacheBytes) => {
        const world = makeWorld(kind);
        try {
          const run = await Run.start(world, cacheBytes);
          for (const one of list) await run.do(one);
          await run.end();
        } finally {
          world.end();
        }
      },
    );
    await fc.assert(property, { numRuns: RUNS, verbose: 1 });
  });
});
