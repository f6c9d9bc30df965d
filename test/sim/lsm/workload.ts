import type { EngineSnapshot } from "../../../src/lsm/transaction/snapshots.ts";
import { int64Text, type ModelOp, type ReadRange, setText } from "../../lsm/support/version-map.ts";
import type { Sim } from "../harness/sim.ts";
import { writeIf } from "./judged-condition.ts";
import { JudgedIngest } from "./judged-ingest.ts";
import { JudgedTransaction } from "./judged-transaction.ts";
import { JudgedView } from "./judged-view.ts";
import type { Member, Where } from "./member.ts";
import type { Shard } from "./shard.ts";

const ACCOUNTS = 6;
const OPENING = 100;
const KEYS = 40;
const COUNTERS = 3;

const account = (index: number): string => `bank/${index}`;
const counter = (index: number): string => `count/${index}`;
const load = (index: number): string => `load/${String(index).padStart(3, "0")}`;
const row = (index: number): string => `row/${String(index).padStart(3, "0")}`;

/** Founds the bank, where nothing goes wrong yet. */
export async function found(member: Member): Promise<void> {
  const ops = Array.from({ length: ACCOUNTS }, (_, index) => ({
    op: "put" as const,
    key: account(index),
    value: String(OPENING),
  }));
  await member.use("write", async () => await (await member.write(ops))());
}

/** What somebody was told as the latest value, and by whom. */
export interface Told {
  readonly value: number;
  readonly epoch: number;
}

/** One who uses the shard, through whoever has it open or says so. */
export class User {
  readonly #sim: Sim;
  readonly #shard: Shard;
  readonly #name: string;
  /** The highest value of each counter that anybody was told as the latest one. */
  readonly #told: Map<string, Told>;
  #writes = 0;
  #snapshot: { readonly member: Member; readonly snapshot: EngineSnapshot } | undefined;

  constructor(sim: Sim, shard: Shard, name: string, told: Map<string, Told>) {
    this.#sim = sim;
    this.#shard = shard;
    this.#name = name;
    this.#told = told;
  }

  /** So many operations, one after the other; fewer where the shard is hardly ever open. */
  async work(operations: number): Promise<void> {
    let done = 0;
    for (let turn = 0; done < operations && turn < 10 * operations; turn++) {
      const member = this.#shard.any();
      if (member !== undefined) {
        await this.#act(member);
        done++;
      }
      const rests = this.#sim.chance(0.005);
      const idleMs = member === undefined ? 20_000 : rests ? 5_400_000 : 500;
      await this.#sim.sleep(this.#sim.spanMs(1, idleMs));
    }
  }

  async #act(member: Member): Promise<void> {
    const chance = this.#sim.prng.float();
    if (chance < 0.29) return await this.#write(member);
    if (chance < 0.34) return await this.#writeIf(member);
    if (chance < 0.36) return await this.#load(member);
    if (chance < 0.5) return await this.#transfer(member);
    if (chance < 0.58) return await this.#count(member);
    if (chance < 0.66) return await this.#confirmed(member);
    if (chance < 0.74) return await this.#get(member);
    if (chance < 0.81) return await this.#scan(member);
    if (chance < 0.84) return await this.#view(member);
    if (chance < 0.9) return await this.#audit(member);
    if (chance < 0.95) return await this.#keep(member);
    if (chance < 0.97) await member.use("flush", () => member.engine.flush());
    else if (chance < 0.98) await member.use("compact", () => member.engine.compact());
    else if (chance < 0.985) await this.#checkpoint(member);
    else if (chance < 0.99) await member.use("collect", () => member.engine.collectGarbage());
    else await member.use("close", () => member.engine.close());
  }

  /** Keeps the state of a moment, or lets go of one. */
  async #checkpoint(member: Member): Promise<void> {
    const sim = this.#sim;
    const { kept } = this.#shard;
    const one = kept.find(({ mayBeGone }) => !mayBeGone);
    if (one !== undefined && sim.chance(0.4)) {
      one.mayBeGone = true;
      await member.use("checkpoint", () => member.engine.deleteCheckpoint(one.name));
      return;
    }
    const name = `${this.#name}.${++this.#writes}`;
    const ttlMs = sim.chance(0.3) ? Math.ceil(sim.spanMs(1_000, 7_200_000)) : undefined;
    await member.use("checkpoint", async () => {
      const found = await member.engine.checkpoint(name, ttlMs === undefined ? {} : { ttlMs });
      kept.push({ name, sequence: found.sequence, mayBeGone: ttlMs !== undefined });
    });
  }

  /** A few rows, values long and short; waits for its acknowledgement or does not. */
  async #write(member: Member): Promise<void> {
    const sim = this.#sim;
    const ops = Array.from({ length: 1 + sim.below(8) }, () => this.#op(member));
    await member.use("write", async () => {
      const fate = await member.write(ops);
      return sim.chance(0.7) ? await fate() : true;
    });
  }

  #op(member: Member): ModelOp {
    const sim = this.#sim;
    const key = sim.chance(0.04) ? load(sim.below(KEYS)) : row(sim.below(KEYS));
    if (sim.chance(0.06)) return this.#deletion();
    if (sim.chance(0.2)) return this.#merge(member);
    if (sim.chance(0.25)) return { op: "delete", key };
    const expiry = sim.chance(0.15) ? { expiresAtMs: this.#later(member) } : {};
    return { op: "put", key, value: this.#value(), ...expiry };
  }

  /** Into keys of which all values are sums, or sets. */
  #merge(member: Member): ModelOp {
    const sim = this.#sim;
    const expiry = sim.chance(0.2) ? { expiresAtMs: this.#later(member) } : {};
    const isSet = sim.chance(0.3);
    const operator = isSet ? "set-union" : sim.pick(["add", "add", "max"] as const);
    const value = isSet ? setText([sim.pick(["a", "b", "cd"])]) : int64Text(BigInt(sim.below(9)));
    const key = isSet ? `set/${sim.below(2)}` : `sum/${sim.below(4)}`;
    return sim.chance(0.1)
      ? { op: "put", key, value, ...expiry }
      : { op: "merge", key, operator, value, ...expiry };
  }

  #later(member: Member): number {
    return Math.max(1, member.now() + this.#sim.pick([-5, 20, 800, 20_000, 3_600_000]));
  }

  /** Of some rows: of a few, or of all of them. */
  #deletion(): ModelOp {
    const sim = this.#sim;
    const first = sim.below(KEYS);
    const count = sim.pick([1, 3, 10, KEYS]);
    return { op: "deleteRange", from: row(first), to: row(first + count) };
  }

  /** Moves money, under either isolation: what is written was read. */
  async #transfer(member: Member): Promise<void> {
    const sim = this.#sim;
    const from = account(sim.below(ACCOUNTS));
    const to = account(sim.below(ACCOUNTS));
    if (from === to) return;
    await member.use("transfer", async () => {
      const isolation = sim.pick(["serializable", "snapshot"] as const);
      const transaction = new JudgedTransaction(sim, member, isolation);
      const amount = 1 + sim.below(5);
      const [paid, got] = [await transaction.get(from), await transaction.get(to)];
      if (sim.chance(0.3)) {
        const range = this.#range();
        await transaction.scan(range, sim.chance(0.5), sim.pick([2, 1_000]));
      }
      // Of what others write to before it commits, or may do so.
      if (sim.chance(0.3)) {
        const key = counter(sim.below(COUNTERS));
        await transaction.lock(key, sim.chance(0.5));
        if (sim.chance(0.4)) await this.#increment(member, key);
      }
      // Beyond flushes and compactions, now and then.
      if (sim.chance(0.3)) await sim.sleep(sim.spanMs(1, sim.pick([3_000, 200_000])));
      if (paid === undefined || got === undefined || sim.chance(0.05))
        return transaction.rollback();
      transaction.set(from, String(Number(paid) - amount));
      transaction.set(to, String(Number(got) + amount));
      while (sim.chance(0.25)) transaction.do(this.#op(member));
      while (sim.chance(0.3)) await this.#statement(member, transaction);
      return await transaction.commit();
    });
  }

  /** Of a transaction: what it does is kept, or not. */
  async #statement(member: Member, transaction: JudgedTransaction): Promise<void> {
    const sim = this.#sim;
    transaction.savepoint();
    const key = row(sim.below(KEYS));
    if (sim.chance(0.3)) transaction.set(key, sim.chance(0.5) ? undefined : this.#value());
    await transaction.insert(key, this.#value());
    if (sim.chance(0.3)) await transaction.lock(row(sim.below(KEYS)), sim.chance(0.5));
    while (sim.chance(0.4)) transaction.do(this.#op(member));
    await transaction.get(row(sim.below(KEYS)));
    if (sim.chance(0.5)) transaction.rollbackTo();
    await transaction.get(key);
  }

  /** A write that rests on what keys are, or on what was not written to them. */
  async #writeIf(member: Member): Promise<void> {
    const sim = this.#sim;
    const ops = Array.from({ length: 1 + sim.below(3) }, () => this.#op(member));
    await member.use("write if", async () => {
      const view = member.engine.readView();
      try {
        // Others write meanwhile, and flush.
        if (sim.chance(0.4)) await sim.sleep(sim.spanMs(1, sim.pick([500, 30_000])));
        const conditions = Array.from({ length: 1 + sim.below(2) }, () => ({
          key: sim.chance(0.3) ? load(sim.below(KEYS)) : row(sim.below(KEYS)),
          is: sim.pick(["absent", "present", view.sequence] as const),
        }));
        const fate = await writeIf(sim, member, ops, conditions);
        return sim.chance(0.5) ? await fate() : true;
      } finally {
        view.close();
      }
    });
  }

  /** Many rows, into keys that are hardly written otherwise, or into some of those that are. */
  async #load(member: Member): Promise<void> {
    const sim = this.#sim;
    const first = sim.below(KEYS);
    const count = 1 + sim.below(sim.pick([3, 12]));
    const name = sim.chance(0.7) ? load : row;
    const span = { from: name(first), to: name(first + count) };
    const isAll = sim.chance(0.1);
    await member.use("ingest", async () => {
      const ingest = new JudgedIngest(sim, member, isAll ? [{ from: "", to: "" }] : [span]);
      const keys = Array.from({ length: count }, (_, index) => name(first + index));
      if (sim.chance(0.05)) keys.push(sim.pick(keys));
      while (keys.length > 0) {
        const some = Array.from({ length: Math.min(keys.length, 1 + sim.below(6)) }, () => {
          return keys.splice(sim.below(keys.length), 1)[0] as string;
        });
        await ingest.add(some.map((key) => [key, this.#value()]));
        if (sim.chance(0.3)) await sim.sleep(sim.spanMs(1, sim.pick([200, 5_000])));
      }
      if (sim.chance(0.1)) await ingest.abort();
      else await ingest.commit();
    });
  }

  /** A statement's reads, in any order, amid what others do: all of one state and of one time. */
  async #view(member: Member): Promise<void> {
    const sim = this.#sim;
    const key = row(sim.below(KEYS));
    await member.use("view", async () => {
      // Something that is about to be gone.
      if (sim.chance(0.5)) {
        const expiresAtMs = member.now() + sim.pick([20, 800, 5_000]);
        await member.write([{ op: "put", key, value: this.#value(), expiresAtMs }]);
      }
      const view = new JudgedView(sim, member, this.#snapshotOf(member));
      try {
        for (let reads = 1 + sim.below(4); reads > 0; reads--) {
          const others = Array.from({ length: sim.below(3) }, () => row(sim.below(KEYS)));
          if (sim.chance(0.7)) await view.get([key, ...others]);
          const plan = { range: this.#range(), limit: sim.pick([1, 4, 1_000]) };
          await view.scan({ ...plan, reverse: sim.chance(0.5) }, () => this.#pause());
          if (sim.chance(0.5)) await sim.sleep(sim.spanMs(1, sim.pick([1_000, 60_000])));
        }
      } finally {
        view.close();
      }
    });
  }

  async #count(member: Member): Promise<void> {
    const key = counter(this.#sim.below(COUNTERS));
    await member.use("count", () => this.#increment(member, key));
  }

  async #increment(member: Member, key: string): Promise<boolean> {
    const transaction = new JudgedTransaction(this.#sim, member, "serializable");
    const value = Number((await transaction.get(key)) ?? 0);
    transaction.set(key, String(value + 1));
    return await transaction.commit();
  }

  /** What was once told as the latest value is never taken back, whoever answers. */
  async #confirmed(member: Member): Promise<void> {
    const key = counter(this.#sim.below(COUNTERS));
    const told = this.#toldOf(key);
    await member.use("confirm", async () => {
      const value = Number((await member.latest(key)) ?? 0);
      this.#sim.must(value >= told, () => `${key} falls from ${told} to ${value}`);
      const { epoch } = member.branch;
      if (value >= this.#toldOf(key)) this.#told.set(key, { value, epoch });
    });
  }

  /** A restore takes back what owners before it have told. */
  #toldOf(key: string): number {
    const { value, epoch } = this.#told.get(key) ?? { value: 0, epoch: 0 };
    return epoch >= this.#shard.history.restoredEpoch ? value : 0;
  }

  async #get(member: Member): Promise<void> {
    const sim = this.#sim;
    const keys = Array.from({ length: 1 + sim.below(5) }, () =>
      sim.chance(0.3) ? sim.pick(["sum/0", "sum/1", "set/0"]) : row(sim.below(KEYS + 5)),
    );
    await member.use("get", () => member.get(keys, this.#where(member)));
  }

  async #scan(member: Member): Promise<void> {
    const sim = this.#sim;
    const plan = { range: this.#range(), limit: sim.pick([1, 4, 1_000]) };
    const reverse = sim.chance(0.5);
    const where = this.#where(member);
    await member.use("scan", () => member.scan({ ...plan, reverse, where }, () => this.#pause()));
  }

  /** Both ways and key by key, of one state: the same rows, and no money lost or made. */
  async #audit(member: Member): Promise<void> {
    const range = { prefix: "bank/" };
    await member.use("audit", async () => {
      const where = member.engine.snapshot(this.#sim.pick(["memory", "durable"]));
      const plan = { range, limit: 1_000, where };
      const up = await member.scan({ ...plan, reverse: false }, () => this.#pause());
      const down = await member.scan({ ...plan, reverse: true }, () => this.#pause());
      const keys = Array.from({ length: ACCOUNTS }, (_, index) => account(index));
      const values = await member.get(keys, where);
      where.close();
      const same = JSON.stringify(up) === JSON.stringify(down.toReversed());
      this.#sim.must(same, () => "a scan differs from its reverse");
      for (const money of [up.map(([, value]) => value), values]) {
        const total = money.reduce((sum, value) => sum + Number(value ?? 0), 0);
        this.#sim.must(total === ACCOUNTS * OPENING, () => `the bank holds ${total}`);
      }
    });
  }

  /** Opens a snapshot that later reads may use, and closes the one before. */
  async #keep(member: Member): Promise<void> {
    this.#snapshot?.snapshot.close();
    this.#snapshot = undefined;
    await member.use("snapshot", async () => {
      const snapshot = member.engine.snapshot(this.#sim.pick(["memory", "durable"]));
      this.#snapshot = { member, snapshot };
    });
  }

  #snapshotOf(member: Member): EngineSnapshot | undefined {
    const kept = this.#snapshot;
    return kept?.member === member && this.#sim.chance(0.5) ? kept.snapshot : undefined;
  }

  #where(member: Member): Where {
    const kept = this.#snapshotOf(member);
    if (kept !== undefined) return kept;
    return this.#sim.pick(["memory", "durable"] as const);
  }

  #range(): ReadRange {
    const sim = this.#sim;
    const [a, b] = [row(sim.below(KEYS)), row(sim.below(KEYS))];
    return sim.pick<ReadRange>([
      {},
      { prefix: "row/01" },
      { prefix: "load/" },
      a < b ? { from: a, to: b } : { from: a },
    ]);
  }

  #value(): string {
    const length = this.#sim.chance(0.05) ? 2_000 : this.#sim.below(120);
    return `${this.#name}.${++this.#writes}.${"x".repeat(length)}`;
  }

  async #pause(): Promise<void> {
    if (this.#sim.chance(0.3)) await this.#sim.sleep(this.#sim.spanMs(0.1, 200));
  }
}
