import { FirnError } from "../../../src/base/error.ts";
import type { Engine, ReadOptions, WriteOptions } from "../../../src/lsm/engine/engine.ts";
import type { Maybe } from "../../../src/lsm/maybe.ts";
import type { Scan } from "../../../src/lsm/read/scan.ts";
import type { EngineSnapshot } from "../../../src/lsm/transaction/snapshots.ts";
import type { Written } from "../../../src/lsm/write/write-path.ts";
import { packedPairs } from "../../lsm/support/packed.ts";
import {
  type ModelOp,
  type Pair,
  possible,
  type ReadRange,
  type Rows,
  select,
  sorted,
  toWriteOp,
} from "../../lsm/support/version-map.ts";
import type { Host } from "../harness/host.ts";
import type { Sim } from "../harness/sim.ts";
import type { Batch, Branch, History } from "./history.ts";

/** Which state a read is of. */
export type Where = "memory" | "durable" | EngineSnapshot;

export interface ScanPlan {
  readonly range: ReadRange;
  readonly reverse: boolean;
  readonly limit: number;
  readonly where: Where;
}

/** After these nothing more is to be had of an engine. */
const ENDED: ReadonlySet<string> = new Set(["LSM_FENCED", "LSM_FAILED", "LSM_CLOSED"]);
/** What a caller may be answered whose store fails, and who is not alone. */
const ALLOWED: ReadonlySet<string> = new Set(["Unavailable", "Unknown", "Overloaded", "Conflict"]);

export function toBytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

export function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

/** An error that an operation may come to; else the run has failed. */
export function assertAllowed(sim: Sim, what: string, error: unknown): FirnError | undefined {
  if (error instanceof FirnError && ALLOWED.has(error.kind)) return error;
  const shown = error instanceof FirnError ? JSON.stringify(error.context) : "";
  sim.must(false, () => `${what}: ${String(error)} ${shown}`);
  return undefined;
}

/** A process that has the shard open, or believes so; every answer of its engine is judged. */
export class Member {
  readonly host: Host;
  readonly engine: Engine;
  readonly branch: Branch;
  readonly #sim: Sim;
  readonly #history: History;
  readonly #over = Promise.withResolvers<void>();
  #scans = 0;

  constructor(sim: Sim, host: Host, engine: Engine, history: History, branch: Branch) {
    this.#sim = sim;
    this.host = host;
    this.engine = engine;
    this.#history = history;
    this.branch = branch;
  }

  /** Resolves when its engine has told somebody that it serves no more. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /**
   * Runs an operation, unless its process ends before it does. What it throws is judged, counted
   * and forgotten: undefined.
   */
  async use<T>(operation: string, work: () => Promise<T>): Promise<T | undefined> {
    await this.host.thawed();
    if (!this.host.alive) return undefined;
    const { coverage } = this.#sim;
    try {
      const died = this.host.death.then(() => undefined);
      const answer = await Promise.race([this.#sim.during(operation, work), died]);
      coverage.note(`${operation} ${this.host.alive ? "answered" : "cut off"}`);
      return answer;
    } catch (error) {
      const code = assertAllowed(this.#sim, operation, error)?.code ?? "";
      coverage.note(`${operation} ${code}`);
      this.#sim.log(`${this.host.name} ${operation}: ${code}`);
      if (ENDED.has(code)) this.#over.resolve();
      return undefined;
    }
  }

  /** Applies a batch; what is answered settles with its fate: whether it was acknowledged. */
  async write(ops: readonly ModelOp[]): Promise<() => Promise<boolean>> {
    return await this.follow(ops, this.asked(ops));
  }

  /** What the engine answers to a batch. */
  asked(ops: readonly ModelOp[], options?: WriteOptions): Maybe<Written> {
    return this.engine.write(ops.map(toWriteOp), options);
  }

  async follow(ops: readonly ModelOp[], writing: Maybe<Written>): Promise<() => Promise<boolean>> {
    const [, fate] = await this.record(ops, writing);
    return fate;
  }

  /** Notes what was written as soon as it is, whether or not anybody hears of it. */
  async record(
    ops: readonly ModelOp[],
    writing: Maybe<Written>,
  ): Promise<readonly [Batch, () => Promise<boolean>]> {
    const written = await writing;
    const batch = this.branch.record(ops, written.sequence);
    const fate = this.#fateOf(batch, written);
    return [batch, () => fate];
  }

  /** A batch survives whatever comes. */
  acknowledge(batch: Batch): void {
    this.#history.acknowledge(batch);
  }

  /** The latest time that anybody may have read at. */
  get latestMs(): number {
    return this.#history.latestMs;
  }

  async #fateOf(batch: Batch, written: Written): Promise<boolean> {
    const what = `${this.host.name} ${batch.first} to ${batch.last}`;
    try {
      await written.durable();
      this.#sim.log(`${what} durable`);
      this.#history.acknowledge(batch);
      return true;
    } catch (error) {
      const failure = assertAllowed(this.#sim, "durable", error);
      this.#sim.log(`${what} ${failure?.kind} ${failure?.code}`);
      this.#sim.coverage.note(`durable ${failure?.kind} ${failure?.code}`);
      if (failure?.kind === "Unavailable") this.#history.deny(batch);
      return false;
    }
  }

  /** Values of keys as of one state, each as the history has it. */
  async get(keys: readonly string[], where: Where): Promise<readonly (string | undefined)[]> {
    const [sequence, options] = this.#reading(where);
    const since = this.#since(where);
    const values = await this.engine.getMany(keys.map(toBytes), options);
    const found = values.map((value) => value && toText(value));
    await this.branch.noted(sequence);
    const rows = this.branch.rowsAt(sequence);
    for (const [index, key] of keys.entries()) this.judge(rows, key, found[index], since);
    return found;
  }

  /** Rows of one state, as the history has them. `pause`: between its batches. */
  async scan(plan: ScanPlan, pause: () => Promise<void>): Promise<readonly Pair[]> {
    const { range, reverse, limit, where } = plan;
    const [sequence, options] = this.#reading(where);
    const since = this.#since(where);
    const scan = this.engine.scan({ ...boundsOf(range), ...options, reverse, limit });
    // One after the other each way to read it: of one state both are the history's.
    const isPacked = this.#scans++ % 2 === 1;
    const rows = isPacked ? await packedPairs(scan, pause) : await rowsOf(scan, pause);
    await this.branch.noted(sequence);
    this.judgeScan(this.branch.rowsAt(sequence), rows, { range, reverse, limit }, since);
    return rows;
  }

  /** The earliest time that a read which begins now may be of. */
  now(): number {
    return this.host.clock.nowMs();
  }

  /** What a key was found to be, since some time: what expires meanwhile may be there or not. */
  judge(rows: Rows, key: string, found: string | undefined, since: number): void {
    const due = possible(rows.get(key), since, this.#history.latestMs);
    this.#must(due.has(found), () => `${key}: ${found}, not ${[...due]}`);
  }

  judgeScan(
    rows: Rows,
    found: readonly Pair[],
    { range, reverse, limit }: Omit<ScanPlan, "where">,
    since: number,
  ): void {
    const told = new Map(found);
    const due = new Map<string, string>();
    for (const [key, row] of rows) {
      const may = possible(row, since, this.#history.latestMs);
      const text = told.get(key);
      const taken = may.has(text) ? text : [...may][0];
      if (taken !== undefined) due.set(key, taken);
    }
    const expected = JSON.stringify(select(sorted(due), range, reverse, limit));
    const asked = `scan ${JSON.stringify({ range, reverse, limit })}`;
    const same = JSON.stringify(found) === expected;
    this.#must(same, () => `${asked}: ${JSON.stringify(found)}, not ${expected}`);
  }

  /** The value of a key that may be shown to anybody as the latest. */
  async latest(key: string): Promise<string | undefined> {
    const acked = this.#history.ackedEpoch;
    const [value] = await this.get([key], "memory");
    await this.engine.confirm();
    this.#history.answeredLatest(this.branch, acked);
    return value;
  }

  /** A snapshot is read as of its time. */
  #since(where: Where): number {
    return typeof where === "string" ? this.now() : Math.min(where.timeMs, this.now());
  }

  /** The sequence that a read is of, if it is made right now. */
  #reading(where: Where): readonly [number, ReadOptions] {
    const { engine, branch } = this;
    if (where === "memory") return [engine.lastSequence, {}];
    if (where !== "durable") return [where.sequence, { snapshot: where }];
    const { durableSequence } = engine.stats();
    branch.floor = Math.max(branch.floor, durableSequence);
    return [durableSequence, { level: "durable" }];
  }

  #must(holds: boolean, statement: () => string): void {
    this.#sim.must(holds, () => `${this.host.name}, epoch ${this.branch.epoch}: ${statement()}`);
  }
}

export function boundsOf(range: ReadRange): Readonly<Record<string, Uint8Array>> {
  return Object.fromEntries(Object.entries(range).map(([name, text]) => [name, toBytes(text)]));
}

export async function rowsOf(scan: Scan, pause: () => Promise<void>): Promise<readonly Pair[]> {
  const rows: Pair[] = [];
  for await (const batch of scan) {
    for (const { key, value } of batch) rows.push([toText(key), toText(value)]);
    await pause();
  }
  return rows;
}
