import { Stopwatch } from "../../../src/base/clock.ts";
import { FirnError } from "../../../src/base/error.ts";
import type { Maybe } from "../../../src/lsm/maybe.ts";
import type {
  Isolation,
  Savepoint,
  Transaction,
} from "../../../src/lsm/transaction/transaction.ts";
import {
  covered,
  doIn,
  type ModelOp,
  meet,
  possible,
  type ReadRange,
  type Rows,
  writesTo,
} from "../../lsm/support/version-map.ts";
import type { Sim } from "../harness/sim.ts";
import { boundsOf, type Member, rowsOf, toBytes, toText } from "./member.ts";

/** A transaction whose reads, and whose end, are held against the history. */
export class JudgedTransaction {
  readonly #sim: Sim;
  readonly #member: Member;
  readonly #transaction: Transaction;
  readonly #serializable: boolean;
  readonly #age: Stopwatch;
  /** It reads as of its beginning. */
  readonly #since: number;
  /** What it has read of keys that it did not write to. */
  readonly #seen = new Map<string, string | undefined>();
  readonly #savepoints: { readonly point: Savepoint; readonly writes: number }[] = [];
  /** What it has done, in order. */
  readonly #writes: ModelOp[] = [];
  readonly #readKeys: ModelOp[] = [];
  /** Keys that nobody else may write to, whatever its isolation. */
  readonly #locked: ModelOp[] = [];
  /** Of its scans: what each has certainly covered, and what it may have. */
  readonly #certain: ModelOp[] = [];
  readonly #possible: ModelOp[] = [];

  constructor(sim: Sim, member: Member, isolation: Isolation) {
    this.#sim = sim;
    this.#member = member;
    this.#serializable = isolation === "serializable";
    this.#age = new Stopwatch(member.host.clock);
    this.#since = member.now();
    this.#transaction = member.engine.transaction({ isolation });
  }

  async get(key: string): Promise<string | undefined> {
    this.#reads(key);
    return await this.#found(key, this.#transaction.get(toBytes(key)));
  }

  /** Read or not, nobody else may write to it. */
  async lock(key: string, isRead: boolean): Promise<void> {
    this.#locked.push({ op: "delete", key });
    if (isRead) await this.#found(key, this.#transaction.lockForUpdate(toBytes(key)));
    else this.#transaction.touch(toBytes(key));
  }

  async #found(key: string, reading: Maybe<Uint8Array | undefined>): Promise<string | undefined> {
    const value = await reading;
    const text = value && toText(value);
    if (!this.#writes.some((op) => writesTo(op, key))) {
      const before = this.#seen.has(key) ? this.#seen.get(key) : text;
      this.#must(before === text, () => `${key} was ${before} and is ${text}`);
      this.#seen.set(key, text);
    }
    this.#member.judge(await this.#state(), key, text, this.#since);
    return text;
  }

  /** What it reads. */
  async #state(): Promise<Rows> {
    const { branch } = this.#member;
    await branch.noted(this.#sequence);
    return branch.rowsAt(this.#sequence, this.#writes);
  }

  /** What it wrote itself says all of a key, or others have a say. */
  #reads(key: string): void {
    const isWhole = this.#writes.some((op) => op.op !== "merge" && writesTo(op, key));
    if (!isWhole) this.#readKeys.push({ op: "delete", key });
  }

  async scan(range: ReadRange, reverse: boolean, limit: number): Promise<number> {
    const scan = this.#transaction.scan({ ...boundsOf(range), reverse, limit });
    // Its own writes show up to this call.
    const own = [...this.#writes];
    const since = this.#since;
    const rows = await rowsOf(scan, () => this.#sim.sleep(this.#sim.spanMs(0.1, 50)));
    const { branch } = this.#member;
    await branch.noted(this.#sequence);
    const state = branch.rowsAt(this.#sequence, own);
    this.#member.judgeScan(state, rows, { range, reverse, limit }, since);
    const last = rows.length === limit ? rows.at(-1)?.[0] : undefined;
    const certain = covered(range, reverse, last);
    const possible = covered(range, reverse, undefined);
    if (certain !== undefined) this.#certain.push(certain);
    if (possible !== undefined) this.#possible.push(possible);
    return rows.length;
  }

  set(key: string, value: string | undefined): void {
    this.do(value === undefined ? { op: "delete", key } : { op: "put", key, value });
  }

  do(op: ModelOp): void {
    this.#writes.push(op);
    doIn(this.#transaction, op);
  }

  /** Of what it wrote so far. */
  savepoint(): void {
    this.#savepoints.push({ point: this.#transaction.savepoint(), writes: this.#writes.length });
  }

  /** To any of its savepoints, which stays one; those behind it are no more. */
  rollbackTo(): void {
    const at = this.#sim.below(this.#savepoints.length);
    const savepoint = this.#savepoints[at];
    if (savepoint === undefined) return;
    this.#transaction.rollbackTo(savepoint.point);
    this.#writes.length = savepoint.writes;
    this.#savepoints.length = at + 1;
  }

  /** Whether the key had no value. */
  async insert(key: string, value: string): Promise<boolean> {
    const isNew = await this.#transaction.insert(toBytes(key), toBytes(value));
    const due = possible((await this.#state()).get(key), this.#since, this.#member.latestMs);
    const isTrue = [...due].some((text) => (text === undefined) === isNew);
    this.#must(isTrue, () => `an insert of ${key} says ${isNew}, over ${[...due]}`);
    this.#reads(key);
    if (isNew) this.#writes.push({ op: "put", key, value });
    return isNew;
  }

  rollback(): void {
    this.#transaction.rollback();
  }

  /** Whether it was acknowledged; a conflict is judged, and then thrown as any other failure. */
  async commit(): Promise<boolean> {
    const ops = [...this.#writes];
    const { branch, engine } = this.#member;
    try {
      if (ops.length === 0) {
        await this.#transaction.commit();
        return true;
      }
      const committing = this.#transaction.commit();
      const fate = await this.#member.follow(ops, committing);
      const { sequence } = await committing;
      await branch.noted(sequence);
      const missed = this.#clash(sequence - ops.length + 1, this.#certain);
      const what = (): string => `committed at ${sequence} over ${JSON.stringify(missed)}`;
      this.#must(missed === undefined, what);
      return await fate();
    } catch (error) {
      if (error instanceof FirnError && error.code === "LSM_CONFLICT") {
        await branch.noted(engine.lastSequence);
        const found = this.#clash(Number.POSITIVE_INFINITY, this.#possible);
        this.#must(found !== undefined, () => "a conflict with nobody");
        const seen = Number(error.context["sequence"]);
        const { durableSequence } = engine.stats();
        this.#must(durableSequence >= seen, () => `a conflict with ${seen}, which is not durable`);
      }
      if (error instanceof FirnError && error.code === "LSM_TRANSACTION_TOO_OLD") {
        const most = Number(error.context["maxAgeMs"]);
        const age = this.#age.elapsedMs();
        this.#must(age >= most, () => `too old after ${age} of ${most} ms`);
      }
      throw error;
    }
  }

  /** What somebody else wrote since it began to what it wrote, or has read. */
  #clash(before: number, ranges: readonly ModelOp[]): ModelOp | undefined {
    const reads = this.#serializable ? [...this.#readKeys, ...ranges] : [];
    const judged = [...this.#writes, ...this.#locked, ...reads];
    const written = this.#member.branch.writtenBetween(this.#sequence, before);
    return written.find((write) => judged.some((one) => meet(write, one)));
  }

  get #sequence(): number {
    return this.#transaction.sequence;
  }

  #must(holds: boolean, statement: () => string): void {
    const who = `${this.#member.host.name}, transaction at ${this.#sequence}`;
    this.#sim.must(holds, () => `${who}: ${statement()}`);
  }
}
