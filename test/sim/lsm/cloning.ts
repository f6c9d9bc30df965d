import { FirnError } from "../../../src/base/error.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import type { Moment } from "../../../src/lsm/states/resolve.ts";
import {
  apply,
  type ModelOp,
  possible,
  type Rows,
  toWriteOp,
} from "../../lsm/support/version-map.ts";
import { FAIR } from "../harness/faults.ts";
import type { Host } from "../harness/host.ts";
import type { Sim } from "../harness/sim.ts";
import { assertAllowed, rowsOf, toText } from "./member.ts";
import type { Shard } from "./shard.ts";

/** The bank is founded by then: before that it holds nothing. */
const FOUNDED = 6;
/** Facts of the place and of the moment, which no fault of the store makes. */
const FACTS: ReadonlySet<string> = new Set([
  ...["LSM_HISTORY_GONE", "LSM_CHECKPOINT_NOT_FOUND", "LSM_SEQUENCE_AHEAD", "LSM_SHARD_EXISTS"],
  "LSM_CLONE_UNFINISHED",
]);

/** What those who made a clone were told, all in all. */
type Told = "nothing" | "unknown" | "made";

/**
 * One place that a clone is made in, by processes that may end or be struck at any call, and then
 * the life of that clone: whatever the shard that it was made of does, it holds what that held at
 * the moment, and what was written to it since.
 */
export class Clone {
  readonly #sim: Sim;
  readonly #shard: Shard;
  readonly #prefix: string;
  #told: Told = "nothing";
  /** Whether it was deleted, as far as anybody was told or has seen. */
  #deletion: Told = "nothing";
  /** Once it was seen: what it held then, and what was written since, by sequence. */
  #base: { readonly sequence: number; readonly rows: Rows } | undefined;
  #own: { readonly ops: readonly ModelOp[]; readonly last: number }[] = [];
  #acked = 0;
  #lives = 0;

  constructor(sim: Sim, shard: Shard, prefix: string) {
    this.#sim = sim;
    this.#shard = shard;
    this.#prefix = prefix;
  }

  /** Until the shard is calm: it is made, and lived in. */
  async work(): Promise<void> {
    const sim = this.#sim;
    while (!this.#shard.over) {
      await sim.sleep(sim.spanMs(100, 60_000));
      if (this.#shard.over) return;
      const host = this.#shard.startHost(`${this.#prefix.slice(0, -1)}.${++this.#lives}`);
      const isDue = this.#told === "made" || (this.#told === "unknown" && sim.chance(0.5));
      const ends = this.#deletion !== "nothing" || (this.#base !== undefined && sim.chance(0.04));
      const after = ends && sim.chance(0.7) ? this.#delete(host) : undefined;
      const life = after ?? (isDue ? this.#live(host) : this.#make(host));
      const ended = life.catch((error: unknown) => {
        if (host.alive) sim.fail(error);
      });
      await Promise.race([ended, host.death]);
      if (host.alive) host.crash();
    }
  }

  /** In fair weather it is there where it has to be, and needs the shard no more in the end. */
  async finish(leastAgeMs: number): Promise<void> {
    const host = this.#shard.startHost(`${this.#prefix.slice(0, -1)}.last`);
    const engine = await this.#open(host, true);
    if (this.#deletion === "made") await this.#shard.deleteClone(host, this.#prefix, FAIR);
    else if (engine === undefined) return;
    else if (this.#sim.chance(0.3)) {
      await this.#compare(host, engine);
      await this.#shard.deleteClone(host, this.#prefix, FAIR);
    } else await this.#outgrow(host, engine, leastAgeMs);
    await this.#shard.verifyClone(this.#prefix);
  }

  async #outgrow(host: Host, engine: Engine, leastAgeMs: number): Promise<void> {
    await this.#compare(host, engine);
    await engine.compact();
    for (let round = 0; round < 3; round++) {
      await this.#sim.sleep(leastAgeMs + 120_000);
      await engine.collectGarbage();
    }
    await this.#compare(host, engine);
    await engine.close();
  }

  async #delete(host: Host): Promise<void> {
    const sim = this.#sim;
    const before = this.#deletion;
    if (before === "nothing") this.#deletion = "unknown";
    try {
      await sim.during("delete", () => this.#shard.deleteClone(host, this.#prefix));
      sim.coverage.note("delete answered");
      this.#deletion = "made";
    } catch (error) {
      if (!host.alive) return;
      const { code, kind } = assertAllowed(sim, "delete", error) ?? {};
      sim.coverage.note(`delete ${code}`);
      if (code === "LSM_DELETION_UNFINISHED") this.#deletion = "made";
      else if (before === "nothing" && kind !== "Unknown") this.#deletion = "nothing";
    }
  }

  async #make(host: Host): Promise<void> {
    const sim = this.#sim;
    const before = this.#told;
    // What ends without a word may have made it.
    if (before === "nothing") this.#told = "unknown";
    const { moment, due } = this.#moment();
    try {
      const making = () => this.#shard.clone(host, this.#prefix, moment);
      const { sequence } = await sim.during("clone", making);
      sim.coverage.note("clone answered");
      sim.log(`${this.#prefix} holds ${sequence}`);
      sim.must(due === undefined || due === sequence, () => `${sequence} is cloned for ${due}`);
      this.#told = "made";
      await this.#found(sequence);
    } catch (error) {
      if (!host.alive) return;
      const { code = "", kind = "" } = error instanceof FirnError ? error : {};
      sim.coverage.note(`clone ${code}`);
      sim.log(`${this.#prefix}: ${code}`);
      if (!FACTS.has(code)) assertAllowed(sim, "clone", error);
      if (code === "LSM_SHARD_EXISTS") {
        sim.must(before !== "nothing", () => `${this.#prefix} is there, and was never made`);
      } else if (before === "nothing" && kind !== "Unknown") this.#told = "nothing";
    }
  }

  #moment(): { readonly moment: Moment | undefined; readonly due: number | undefined } {
    const sim = this.#sim;
    const { kept, history } = this.#shard;
    const chance = sim.prng.float();
    const one = kept.length === 0 ? undefined : sim.pick(kept);
    if (chance < 0.3 && one !== undefined) {
      return { moment: { checkpoint: one.name }, due: one.sequence };
    }
    if (chance < 0.5 && history.ackedSequence > FOUNDED) {
      const sequence = history.anyEnd(1 + sim.below(history.ackedSequence));
      return { moment: { sequence }, due: sequence };
    }
    return { moment: undefined, due: undefined };
  }

  async #live(host: Host): Promise<void> {
    const sim = this.#sim;
    const engine = await this.#open(host, false);
    if (engine === undefined) return;
    await this.#during("clone read", () => this.#compare(host, engine));
    for (let left = 1 + sim.below(10); left > 0 && !this.#shard.over; left--) {
      const chance = sim.prng.float();
      if (chance < 0.4) await this.#during("clone write", () => this.#write(host, engine));
      else if (chance < 0.6) await this.#during("clone read", () => this.#compare(host, engine));
      else if (chance < 0.7) await this.#during("clone flush", () => engine.flush());
      else if (chance < 0.8) await this.#during("clone compact", () => engine.compact());
      else if (chance < 0.95) await this.#during("clone let go", () => engine.collectGarbage());
      else if (chance < 0.98) await this.#during("clone close", () => engine.close());
      if (engine.failure !== undefined || !host.alive) return;
      await sim.sleep(sim.spanMs(10, sim.pick([1_000, 100_000, 5_400_000])));
    }
  }

  /** Undefined where there is none, as there need not be, or where a fault is in the way. */
  async #open(host: Host, isFair: boolean): Promise<Engine | undefined> {
    const sim = this.#sim;
    const prefix = this.#prefix;
    const weather = isFair ? FAIR : undefined;
    try {
      const opening = () => this.#shard.openClone(host, prefix, weather);
      const engine = await sim.during("clone open", opening);
      sim.coverage.note(`clone open ${engine === undefined ? "not there" : "answered"}`);
      if (engine === undefined) {
        sim.must(this.#told !== "made", () => `${prefix} was made, and is not there`);
        return undefined;
      }
      const { lastSequence } = engine;
      sim.must(this.#deletion !== "made", () => `${prefix} was deleted, and opens`);
      await this.#found(lastSequence);
      this.#cut(lastSequence);
      return engine;
    } catch (error) {
      if (!host.alive) return undefined;
      const code = error instanceof FirnError ? error.code : "";
      sim.coverage.note(`clone open ${code}`);
      sim.log(`${prefix} does not open: ${code}`);
      if (code === "LSM_SHARD_DELETED") {
        sim.must(this.#deletion !== "nothing", () => `${prefix} was never deleted`);
        this.#deletion = "made";
        return undefined;
      }
      if (code === "LSM_CLONE_UNFINISHED") {
        sim.must(this.#told !== "made", () => `${prefix} was made, and its parent keeps nothing`);
        sim.must(this.#base === undefined, () => `${prefix} was read, and cannot be read any more`);
        this.#told = "unknown";
        return undefined;
      }
      if (isFair) throw error;
      assertAllowed(sim, "clone open", error);
      return undefined;
    }
  }

  /** It is there, and held so much when it was seen first. */
  async #found(sequence: number): Promise<void> {
    if (this.#base !== undefined) return;
    const sim = this.#sim;
    // Whatever was told before: whoever has opened it, or was answered, may count on it.
    this.#told = "made";
    const branch = this.#shard.history.seen(sequence);
    await branch.noted(sequence);
    this.#base = { sequence, rows: branch.rowsAt(sequence) };
    this.#acked = sequence;
    const isEnd = sequence === 0 || branch.isEnd(sequence) || branch.unfed(sequence) !== undefined;
    sim.must(isEnd, () => `${this.#prefix} holds ${sequence}, which is not an end`);
  }

  #cut(lastSequence: number): void {
    const acked = this.#acked;
    const what = () => `${this.#prefix} is found at ${lastSequence}, ${acked} was acknowledged`;
    this.#sim.must(lastSequence >= acked, what);
    this.#own = this.#own.filter(({ last }) => last <= lastSequence);
    const end = this.#own.at(-1)?.last ?? this.#base?.sequence;
    this.#sim.must(end === lastSequence, () => `${this.#prefix}: ${lastSequence} is not an end`);
  }

  async #write(host: Host, engine: Engine): Promise<void> {
    const sim = this.#sim;
    const count = 1 + sim.below(6);
    const ops = Array.from({ length: count }, (): ModelOp => {
      const key = `row/${String(sim.below(40)).padStart(3, "0")}`;
      if (sim.chance(0.2)) return { op: "delete", key };
      return { op: "put", key, value: `${this.#prefix}${"y".repeat(sim.below(400))}` };
    });
    const writing = engine.write(ops.map(toWriteOp));
    // Noted in the turn in which it is applied: the process may end in the next one.
    const written = writing instanceof Promise ? await writing : writing;
    if (!host.alive) return;
    const { sequence } = written;
    this.#own.push({ ops, last: sequence });
    await written.durable();
    if (host.alive) this.#acked = Math.max(this.#acked, sequence);
  }

  async #compare(host: Host, engine: Engine): Promise<void> {
    const since = host.clock.nowMs();
    const at = engine.lastSequence;
    const rows: Rows = new Map(this.#base?.rows);
    for (const { ops, last } of this.#own) if (last <= at) for (const op of ops) apply(rows, op);
    const found = new Map(await rowsOf(engine.scan(), async () => undefined));
    const keys = [...new Set([...rows.keys(), ...found.keys()])];
    const got = await engine.getMany(keys.map((key) => Buffer.from(key, "latin1")));
    for (const [index, key] of keys.entries()) {
      const may = possible(rows.get(key), since, this.#shard.history.latestMs);
      const value = got[index];
      for (const text of [found.get(key), value && toText(value)]) {
        const what = () => `${this.#prefix} at ${at}: ${key} is ${text}, not ${[...may]}`;
        this.#sim.must(may.has(text), what);
      }
    }
  }

  /** Runs an operation; what it may come to is counted and forgotten. */
  async #during(operation: string, work: () => Promise<void>): Promise<void> {
    const { coverage } = this.#sim;
    try {
      await this.#sim.during(operation, work);
      coverage.note(`${operation} answered`);
    } catch (error) {
      coverage.note(`${operation} ${assertAllowed(this.#sim, operation, error)?.code}`);
    }
  }
}
