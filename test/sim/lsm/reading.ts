import { FirnError } from "../../../src/base/error.ts";
import type { Reader, ReaderTarget } from "../../../src/lsm/read/reader.ts";
import { possible, type ReadRange, select, sorted } from "../../lsm/support/version-map.ts";
import type { Host } from "../harness/host.ts";
import type { Sim } from "../harness/sim.ts";
import type { Branch, Kept } from "./history.ts";
import { assertAllowed, boundsOf, rowsOf, toBytes, toText } from "./member.ts";
import type { Shard } from "./shard.ts";

/** Processes that read the shard beside its owners, one after the other, until it is over. */
export async function readAlong(sim: Sim, shard: Shard, name: string): Promise<void> {
  for (let life = 1; !shard.over; life++) {
    await sim.sleep(sim.spanMs(10, 20_000));
    if (shard.over) return;
    await new Reading(sim, shard, `${name}${life}`).live();
  }
}

/** The bank is founded by then: before that it holds nothing. */
const FOUNDED = 6;

/** Now and then somebody makes an older state the newest one, in the midst of everything. */
export async function restoreAtTimes(sim: Sim, shard: Shard): Promise<void> {
  const { history } = shard;
  for (let left = sim.pick([0, 0, 1, 3]); left > 0 && !shard.over; left--) {
    await sim.sleep(sim.spanMs(1_000, 120_000));
    if (shard.over || shard.isCostly) return;
    const kept = shard.kept.findLast(({ mayBeGone }) => !mayBeGone);
    const acked = history.ackedSequence;
    const sequence = kept?.sequence ?? history.anyEnd(FOUNDED + sim.below(1 + acked - FOUNDED));
    if (sequence < FOUNDED) continue;
    const moment = kept === undefined ? { sequence } : { checkpoint: kept.name };
    const host = shard.startHost(`restorer${left}`);
    const mayMiss = (code: string): boolean =>
      code === "LSM_HISTORY_GONE" ||
      (code === "LSM_CHECKPOINT_NOT_FOUND" && kept?.mayBeGone === true);
    const restoring = sim
      .during("restore", () => shard.restore(host, moment, sequence))
      .then(
        (restored) => {
          sim.coverage.note("restore answered");
          const what = () => `${restored.sequence} restored for ${sequence}`;
          sim.must(restored.sequence === sequence, what);
        },
        (error: unknown) => {
          if (!host.alive) return;
          const code = error instanceof FirnError ? error.code : "";
          sim.coverage.note(`restore ${code}`);
          if (!mayMiss(code)) assertAllowed(sim, "restore", error);
        },
      );
    await Promise.race([restoring, host.death]);
    if (host.alive) host.crash();
  }
}

/** One reader: every answer is the history's at its sequence, which only grows. */
class Reading {
  readonly #sim: Sim;
  readonly #shard: Shard;
  readonly #host: Host;

  constructor(sim: Sim, shard: Shard, name: string) {
    this.#sim = sim;
    this.#shard = shard;
    this.#host = shard.startHost(name);
  }

  async live(): Promise<void> {
    const work = this.#work().catch((error: unknown) => {
      if (this.#host.alive) this.#sim.fail(error);
    });
    await Promise.race([work, this.#host.death]);
    if (this.#host.alive) this.#host.crash();
  }

  async #work(): Promise<void> {
    const sim = this.#sim;
    const { target, expect } = this.#target();
    const acknowledged = this.#shard.history.ackedSequence;
    const reader = await this.#during(
      "open reader",
      () => this.#shard.openReader(this.#host, target),
      {
        missing: (code) => this.#mayMiss(code, expect, acknowledged),
      },
    );
    if (reader === undefined) return;
    if (expect !== undefined) {
      const { sequence } = reader;
      sim.must(sequence === expect.sequence, () => `${sequence} is read for ${expect.sequence}`);
    }
    const follows = "follow" in target;
    for (let left = 1 + sim.below(12); left > 0 && !this.#shard.over; left--) {
      if (follows && sim.chance(0.6)) await this.#during("look", () => this.#look(reader));
      await this.#during("read", () => this.#read(reader));
      const often = sim.pick([200, 5_000, 5_000, 900_000]);
      await sim.sleep(sim.spanMs(1, often));
    }
    if (sim.chance(0.7)) await this.#during("close reader", () => reader.close());
  }

  #target(): {
    readonly target: ReaderTarget;
    readonly expect?: { sequence: number; kept?: Kept };
  } {
    const sim = this.#sim;
    const { kept, history } = this.#shard;
    const chance = sim.prng.float();
    if (chance < 0.3 && kept.length > 0) {
      const one = sim.pick(kept);
      const expect = { sequence: one.sequence, kept: one };
      return { target: { checkpoint: one.name }, expect };
    }
    if (chance < 0.5 && history.ackedSequence > 0) {
      const sequence = history.anyEnd(sim.below(1 + history.ackedSequence));
      return { target: { at: { sequence } }, expect: { sequence } };
    }
    if (chance < 0.6) {
      const timeMs = this.#host.clock.nowMs() - Math.floor(sim.spanMs(1, 7_200_000));
      return { target: { at: { timeMs } } };
    }
    return { target: { follow: { pollMs: sim.pick([0, 0, 3_000]) } } };
  }

  /** Whether a state need not be there. */
  #mayMiss(
    code: string,
    expect: { readonly sequence: number; readonly kept?: Kept } | undefined,
    acknowledged: number,
  ): boolean {
    if (code === "LSM_CHECKPOINT_NOT_FOUND") return expect?.kept?.mayBeGone === true;
    if (code === "LSM_SEQUENCE_AHEAD") return (expect?.sequence ?? 0) > acknowledged;
    return code === "LSM_HISTORY_GONE" && expect?.kept === undefined;
  }

  /** All that was acknowledged before the look is seen, once it says that it saw everything. */
  async #look(reader: Reader): Promise<void> {
    const { history } = this.#shard;
    const due = history.ackedSequence;
    const [before, beganMs] = [reader.sequence, this.#sim.clock.monotonicMs()];
    if (this.#sim.chance(0.3)) await reader.waitFor(due, 60_000);
    else await reader.refresh();
    const { sequence } = reader;
    this.#sim.must(sequence >= before, () => `a reader falls from ${before} to ${sequence}`);
    const tookMs = this.#sim.clock.monotonicMs() - beganMs;
    // Wall clocks tell whole milliseconds.
    const sawAll = (reader.stats().staleMs ?? 0) <= tookMs + 2;
    const what = () => `a reader saw all up to ${sequence}, ${due} was acknowledged before`;
    this.#sim.must(!sawAll || sequence >= due, what);
    this.#sim.coverage.note(sawAll ? "look saw all" : "look saw some");
  }

  async #read(reader: Reader): Promise<void> {
    const sim = this.#sim;
    const since = this.#host.clock.nowMs();
    const { sequence } = reader;
    const { history } = this.#shard;
    const range = sim.pick<ReadRange>([{}, { prefix: "bank/" }, { prefix: "row/01" }]);
    const plan = { range, reverse: sim.chance(0.5), limit: sim.pick([3, 1_000]) };
    const scan = reader.scan({ ...boundsOf(range), reverse: plan.reverse, limit: plan.limit });
    const branch = history.seen(sequence);
    const rows = await rowsOf(scan, () => this.#pause());
    await branch.noted(sequence);
    this.#judge(branch, sequence, rows, plan, since);
    const key = `row/${String(sim.below(40)).padStart(3, "0")}`;
    const at = reader.sequence;
    const value = await reader.get(toBytes(key));
    // One that follows may have moved on before it answered.
    if (reader.sequence !== at) return;
    const later = history.seen(at);
    await later.noted(at);
    const due = possible(later.rowsAt(at).get(key), since, history.latestMs);
    const text = value && toText(value);
    sim.must(due.has(text), () => `reader at ${at}: ${key} is ${text}, not ${[...due]}`);
  }

  #judge(
    branch: Branch,
    sequence: number,
    found: readonly (readonly [string, string])[],
    { range, reverse, limit }: { range: ReadRange; reverse: boolean; limit: number },
    since: number,
  ): void {
    const told = new Map(found);
    const due = new Map<string, string>();
    for (const [key, row] of branch.rowsAt(sequence)) {
      const may = possible(row, since, this.#shard.history.latestMs);
      const text = told.get(key);
      const taken = may.has(text) ? text : [...may][0];
      if (taken !== undefined) due.set(key, taken);
    }
    const expected = JSON.stringify(select(sorted(due), range, reverse, limit));
    const same = JSON.stringify(found) === expected;
    const asked = JSON.stringify({ range, reverse, limit });
    this.#sim.must(
      same,
      () => `reader at ${sequence}, ${asked}: ${JSON.stringify(found)}, not ${expected}`,
    );
  }

  /** Runs an operation; what it may come to is counted and forgotten. */
  async #during<T>(
    operation: string,
    work: () => Promise<T>,
    { missing = () => false }: { readonly missing?: (code: string) => boolean } = {},
  ): Promise<T | undefined> {
    const { coverage } = this.#sim;
    try {
      const answer = await this.#sim.during(operation, work);
      coverage.note(`${operation} answered`);
      return answer;
    } catch (error) {
      if (!this.#host.alive) return undefined;
      const code = error instanceof FirnError ? error.code : "";
      coverage.note(`${operation} ${code}`);
      this.#sim.log(`${this.#host.name} ${operation}: ${code}`);
      const isMissing = ["LSM_HISTORY_GONE", "LSM_CHECKPOINT_NOT_FOUND", "LSM_SEQUENCE_AHEAD"];
      if (operation === "open reader" && isMissing.includes(code)) {
        this.#sim.must(missing(code), () => `${this.#host.name}: ${code}, and it has to be there`);
      } else assertAllowed(this.#sim, operation, error);
      return undefined;
    }
  }

  async #pause(): Promise<void> {
    if (this.#sim.chance(0.3)) await this.#sim.sleep(this.#sim.spanMs(0.1, 200));
  }
}
