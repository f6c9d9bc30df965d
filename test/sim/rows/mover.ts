import { FirnError } from "../../../src/base/error.ts";
import type { TableId } from "../../../src/base/ids.ts";
import { TableMove } from "../../../src/rows/index.ts";
import type { Sim } from "../harness/sim.ts";
import type { Member } from "../lsm/member.ts";
import type { Places } from "./doors.ts";
import { IDS } from "./tables.ts";

/** As the service does it: see `row-move-jobs.ts`. */
const OLD_KEPT_MS = 3_000;
const PASSES = 3;
const FEW = 3;
/** A try that takes longer than its lease has lost it: the next one begins beside it. */
const LEASE_MS = 20_000;
/** As where the clocks of its nodes are apart: the next try is there at once. */
const LOST_MS = [1, 300] as const;

/** The move of one table, whichever process does it. */
interface Job {
  readonly name: string;
  readonly table: TableId;
  readonly from: number;
  readonly to: number;
  tries: number;
  /** When the catalog was told. */
  movedMs?: number;
  cancelled: boolean;
  over: boolean;
}

/** Brings tables from one shard to the other, while others use them. */
export class Mover {
  readonly #sim: Sim;
  readonly #places: Places;
  readonly #jobs: Job[] = [];
  /** Tries, those that have lost their lease too. */
  readonly #trying = new Set<Promise<unknown>>();

  constructor(sim: Sim, places: Places) {
    this.#sim = sim;
    this.#places = places;
  }

  async work(): Promise<void> {
    const sim = this.#sim;
    for (let moves = sim.below(20); moves > 0 && !this.#places.over; moves--) {
      await sim.sleep(sim.spanMs(1, 1_000));
      const table = sim.pick(Object.values(IDS));
      if (this.#jobs.some((one) => one.table === table && !one.over)) continue;
      const from = this.#places.of(table);
      const job: Job = {
        name: `job${this.#jobs.length}`,
        table,
        from,
        to: 1 - from,
        tries: 0,
        cancelled: false,
        over: false,
      };
      this.#jobs.push(job);
      sim.log(`${job.name} moves ${table.slice(-1)} from ${from} to ${job.to}`);
      for (let turns = 0; !job.over && turns < 100 && !this.#places.over; turns++) {
        if (sim.chance(0.003)) job.cancelled = true;
        const members = this.#places.shards.map((shard) => shard.any());
        if (members.includes(undefined)) await sim.sleep(sim.spanMs(10, 3_000));
        else await this.#try(job, members as Member[]);
        if (!job.over) await sim.sleep(sim.spanMs(1, 1_500));
      }
      // What is not over yet goes on at the end: the next move of its table would be refused.
      if (!job.over) return;
    }
  }

  /** Ends what was begun, in fair weather. @param members one of each shard. */
  async finish(members: readonly Member[]): Promise<void> {
    for (const job of this.#jobs) {
      for (let tries = 0; !job.over; tries++) {
        this.#sim.must(tries < 200, () => `${job.name} does not end`);
        await this.#try(job, members);
        if (!job.over) await this.#sim.sleep(5_000);
      }
    }
    if (this.#places.isSplit)
      this.#sim.coverage.note(`tables moved ${Math.min(this.#places.all, 9)}`);
  }

  /** One try, for as long as its lease lasts. */
  async #try(job: Job, members: readonly Member[]): Promise<void> {
    const attempt = `${job.name}.${++job.tries}`;
    const trying = this.#through(members, () => this.#run(job, attempt, members));
    this.#trying.add(trying);
    void trying.finally(() => this.#trying.delete(trying));
    const sim = this.#sim;
    const leaseMs = sim.chance(0.2) ? sim.spanMs(...LOST_MS) : LEASE_MS;
    await Promise.race([trying, sim.sleep(leaseMs)]);
  }

  async #through([first, ...rest]: readonly Member[], work: () => Promise<void>): Promise<void> {
    if (first === undefined) await work();
    else await first.use("move", () => this.#through(rest, work));
  }

  async #run(job: Job, attempt: string, members: readonly Member[]): Promise<void> {
    const { table, from, to, name } = job;
    const [source, target] = [from, to].map((i) => this.#places.rowsOf(members[i] as Member));
    if (source === undefined || target === undefined) throw new Error("a move has two shards");
    const parts = { source, target, table, from: `${from}`, to: `${to}`, job: name, attempt };
    const move = new TableMove(parts);
    if (this.#places.of(table) === to) return await this.#settle(job, attempt, move);
    if (job.cancelled) {
      await move.undo();
      this.#end(job, attempt, "cancelled");
      return;
    }
    const isOver = async (other: string): Promise<boolean> =>
      this.#jobs.find((one) => one.name === other)?.over ?? true;
    const keep = (): void => {
      if (!this.#isMine(job, attempt)) throw lost();
    };
    try {
      await move.begin(isOver);
      for (let pass = 1; pass <= PASSES; pass++) {
        const changed = await move.copy(keep);
        // As where a table is large: others write meanwhile.
        await this.#sim.sleep(this.#sim.below(2_000));
        if (changed <= FEW) break;
      }
      await move.freeze();
      await move.copy(keep);
      await move.close();
    } catch (error) {
      await move.thaw().catch(() => undefined);
      throw error;
    }
    if (this.#sim.chance(0.3)) await this.#sim.sleep(this.#sim.spanMs(1, 2_000));
    // The catalog's batch, which the job fences.
    if (!this.#isMine(job, attempt) || job.cancelled) throw lost();
    this.#places.put(table, to);
    job.movedMs = this.#sim.clock.nowMs();
    this.#sim.log(`${attempt} has moved ${table.slice(-1)} to ${to}`);
    await this.#settle(job, attempt, move);
  }

  async #settle(job: Job, attempt: string, move: TableMove): Promise<void> {
    await move.arrive();
    if (this.#sim.clock.nowMs() < (job.movedMs ?? 0) + OLD_KEPT_MS) return;
    await move.forget();
    this.#end(job, attempt, "moved");
  }

  #isMine(job: Job, attempt: string): boolean {
    return !job.over && attempt === `${job.name}.${job.tries}`;
  }

  #end(job: Job, attempt: string, how: string): void {
    if (!this.#isMine(job, attempt)) throw lost();
    job.over = true;
    this.#sim.coverage.note(`move ${how}`);
    this.#sim.log(`${job.name} is over: ${how}`);
  }
}

function lost(): FirnError {
  return new FirnError("Conflict", "JOB_LEASE_LOST", "another try has the lease of the job");
}
