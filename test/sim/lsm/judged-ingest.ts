import { FirnError } from "../../../src/base/error.ts";
import type { Ingest } from "../../../src/lsm/ingest/ingest.ts";
import { type ModelOp, meet, type Pair } from "../../lsm/support/version-map.ts";
import type { Sim } from "../harness/sim.ts";
import type { Load } from "./history.ts";
import { type Member, toBytes } from "./member.ts";

/** How long it waits for another one of its owner, which commits. */
const WAIT_MS = 50;
const MOST_WAIT_MS = 60_000;

/** Keys [from, to); an empty `to` is the end. */
export interface KeySpan {
  readonly from: string;
  readonly to: string;
}

/** An ingest whose end is held against the history: all of its rows at one sequence, or none. */
export class JudgedIngest {
  readonly #sim: Sim;
  readonly #member: Member;
  readonly #ingest: Ingest;
  readonly #ranges: readonly ModelOp[];
  /** The last write that it need not know. */
  readonly #began: number;
  readonly #rows: Pair[] = [];

  constructor(sim: Sim, member: Member, spans: readonly KeySpan[]) {
    this.#sim = sim;
    this.#member = member;
    this.#ranges = spans.map((span) => ({ op: "deleteRange", ...span }));
    this.#began = member.engine.lastSequence;
    const ranges = spans.map(({ from, to }) => ({
      from: toBytes(from),
      ...(to === "" ? {} : { to: toBytes(to) }),
    }));
    this.#ingest = member.engine.ingest({ ranges });
  }

  async add(rows: readonly Pair[]): Promise<void> {
    this.#rows.push(...rows);
    const due = rows.map(([key, value]) => ({ key: toBytes(key), value: toBytes(value) }));
    await this.#judged(() => this.#ingest.add(due));
  }

  async abort(): Promise<void> {
    await this.#ingest.abort();
  }

  /** What it comes to is judged; an error that may be is thrown as any other failure. */
  async commit(): Promise<void> {
    const { branch, engine, host } = this.#member;
    // The other one may hang in the store for hours.
    for (let most = WAIT_MS; branch.isLoading && engine.failure === undefined && host.alive; ) {
      await this.#sim.sleep(this.#sim.spanMs(1, most));
      most = Math.min(2 * most, MOST_WAIT_MS);
    }
    if (branch.isLoading) return await this.abort();
    const load: Load = { op: "ingest", rows: this.#rows, ranges: this.#ranges };
    if (this.#rows.length > 0) branch.loads(load);
    try {
      const { sequence, rows } = await this.#judged(() => this.#ingest.commit());
      this.#must(rows === this.#rows.length, () => `${rows} rows of ${this.#rows.length}`);
      this.#mustBeWhole();
      if (rows === 0) return;
      await branch.noted(sequence);
      const batch = branch.loadEnded();
      this.#must(batch?.last === sequence, () => `no state names it at ${sequence}`);
      const missed = this.#clash(sequence);
      this.#must(missed === undefined, () => `${sequence} over ${JSON.stringify(missed)}`);
      if (batch !== undefined) this.#member.acknowledge(batch);
    } catch (error) {
      // Whether it was published is seen when the shard is open again.
      if (engine.failure === undefined && this.#rows.length > 0) {
        await branch.noted(engine.lastSequence);
        const batch = branch.loadEnded();
        this.#must(batch === undefined, () => `failed, and is there at ${batch?.last}`);
      }
      throw error;
    }
  }

  async #judged<T>(work: () => Promise<T>): Promise<T> {
    const { branch, engine } = this.#member;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      if (error.code === "LSM_CONFLICT") {
        await branch.noted(engine.lastSequence);
        const found = this.#clash(Number.POSITIVE_INFINITY);
        this.#must(found !== undefined, () => "a conflict with nobody");
        const seen = Number(error.context["sequence"]);
        const { durableSequence } = engine.stats();
        this.#must(durableSequence >= seen, () => `a conflict with ${seen}, which is not durable`);
      }
      if (error.code !== "LSM_INGEST_DUPLICATE_KEY") throw error;
      this.#must(!this.#isWhole, () => `no key is there twice, says ${error.message}`);
      throw new FirnError("Conflict", error.code, error.message, error.context);
    }
  }

  get #isWhole(): boolean {
    return new Set(this.#rows.map(([key]) => key)).size === this.#rows.length;
  }

  #mustBeWhole(): void {
    this.#must(this.#isWhole, () => "a key that is there twice is written");
  }

  /** What somebody else wrote, or ingested, since it began to its ranges. */
  #clash(before: number): ModelOp | undefined {
    const { branch } = this.#member;
    const written = branch.writtenBetween(this.#began, before);
    const loaded = branch.loadedBetween(this.#began, before);
    return [...written, ...loaded].find((write) => this.#ranges.some((one) => meet(write, one)));
  }

  #must(holds: boolean, statement: () => string): void {
    const who = `${this.#member.host.name}, ingest since ${this.#began}`;
    this.#sim.must(holds, () => `${who}: ${statement()}`);
  }
}
