import { FirnError } from "../../../src/base/error.ts";
import type { CommittedBatch } from "../../../src/lsm/subscribe/subscription.ts";
import type { WriteOp } from "../../../src/lsm/write/write-path.ts";
import { apply, type ModelOp, type Rows, sorted, texts } from "../../lsm/support/version-map.ts";
import type { Sim } from "../harness/sim.ts";
import { type Member, toText } from "./member.ts";
import type { Shard } from "./shard.ts";

/** Between two tries: longer and longer where nothing comes. */
const SHORT_MS = 1_000;
const LONG_MS = 600_000;

/**
 * One who keeps a copy of the shard, made of nothing but the batches that it is given, by whichever
 * owner it finds: at the end of each of them its copy must be what the history has there, and what
 * it was given no later owner may lack.
 */
export class Subscriber {
  readonly #sim: Sim;
  readonly #shard: Shard;
  #due = 1;
  #rows: Rows = new Map();

  constructor(sim: Sim, shard: Shard) {
    this.#sim = sim;
    this.#shard = shard;
  }

  /** Until the shard is calm. */
  async work(): Promise<void> {
    for (let idleMs = SHORT_MS; !this.#shard.over; idleMs = Math.min(2 * idleMs, LONG_MS)) {
      const before = this.#due;
      const member = this.#shard.any();
      const patienceMs = this.#sim.spanMs(1, 60_000);
      if (member !== undefined) {
        await member.use("subscribe", () => this.#follow(member, patienceMs));
      }
      if (this.#due !== before) idleMs = SHORT_MS;
      await this.#sim.sleep(this.#sim.spanMs(1, idleMs));
    }
  }

  /** All that is there must come, in fair weather. */
  async catchUp(member: Member): Promise<void> {
    const { durableSequence } = member.engine.stats();
    while (this.#due <= durableSequence) await this.#follow(member, Number.POSITIVE_INFINITY);
  }

  /** Some steps; nobody waits longer than a while for what comes next. */
  async #follow(member: Member, patienceMs: number): Promise<void> {
    const { engine, branch } = member;
    try {
      const subscription = engine.subscribe(this.#due);
      try {
        const { durableSequence } = engine.stats();
        const patient = patienceMs === Number.POSITIVE_INFINITY;
        for (let steps = 1 + this.#sim.below(6); steps > 0; steps--) {
          if (patient && this.#due > durableSequence) return;
          // What comes too late is not taken, so it comes again.
          const batches = await this.#within(subscription.next(), patienceMs);
          if (batches === undefined) return;
          for (const batch of batches) await this.#take(member, batch);
        }
      } finally {
        subscription.close();
      }
    } catch (error) {
      if (!(error instanceof FirnError)) throw error;
      if (error.code === "LSM_SEQUENCE_AHEAD") {
        // Who was overtaken and does not know it has less than its successor has handed out.
        const later = this.#shard.history.hasAfter(branch);
        this.#must(member, later, () => `${this.#due} is not there yet, and was handed out`);
        return;
      }
      if (error.code !== "LSM_SEQUENCE_GONE") throw error;
      await this.#skip(member, Number(error.context["oldest"]));
    }
  }

  #within<T>(coming: Promise<T>, ms: number): Promise<T | undefined> {
    if (ms === Number.POSITIVE_INFINITY) return coming;
    return Promise.race([coming, this.#sim.sleep(ms).then(() => undefined)]);
  }

  /** What it asks for is gone: it goes on with the oldest that is there. */
  async #skip(member: Member, oldest: number): Promise<void> {
    const { branch } = member;
    const what = `${this.#due} is gone, the oldest is ${oldest}`;
    this.#must(member, oldest > this.#due, () => what);
    await branch.noted(oldest - 1);
    // Restores may follow each other; behind them a batch begins, or nothing is yet.
    let unfed = 0;
    while (branch.unfed(this.#due + unfed) !== undefined) unfed++;
    const first = branch.unfed(this.#due);
    // Ingests are told one by one: behind one may come a restore, of which the next call tells.
    const isToldAlone = first === "ingest" && oldest === this.#due + 1;
    const isBegun = oldest <= this.#due + unfed && branch.unfed(oldest) !== "restore";
    const isDue = unfed > 0 && (isToldAlone || isBegun);
    this.#must(member, isDue || !this.#shard.retainsAll, () => `${what}, and all is to be kept`);
    this.#sim.coverage.note(`subscribe ${isDue ? first : "gone"}`);
    this.#rows = branch.rowsAt(oldest - 1);
    this.#due = oldest;
  }

  async #take(member: Member, { firstSequence, lastSequence, ops }: CommittedBatch): Promise<void> {
    const { branch, engine } = member;
    const what = `a batch ${firstSequence} to ${lastSequence}`;
    this.#must(member, firstSequence === this.#due, () => `${what}, ${this.#due} is due`);
    const { durableSequence } = engine.stats();
    this.#must(member, lastSequence <= durableSequence, () => `${what}, up to ${durableSequence}`);
    branch.floor = Math.max(branch.floor, lastSequence);
    await branch.noted(lastSequence);
    for (const op of ops) apply(this.#rows, modelOf(op));
    this.#due = lastSequence + 1;
    const own = JSON.stringify(sorted(texts(this.#rows, 0)));
    const due = JSON.stringify(sorted(texts(branch.rowsAt(lastSequence), 0)));
    this.#must(member, own === due, () => `${what} makes ${own}, not ${due}`);
    this.#must(member, branch.isEnd(lastSequence), () => `${what} ends within one`);
  }

  #must(member: Member, holds: boolean, statement: () => string): void {
    const who = `a subscriber to ${member.host.name}, epoch ${member.branch.epoch}`;
    this.#sim.must(holds, () => `${who}: ${statement()}`);
  }
}

function modelOf(op: WriteOp): ModelOp {
  if (op.op === "deleteRange") return { op: op.op, from: toText(op.from), to: toText(op.to) };
  if (op.op === "delete") return { op: op.op, key: toText(op.key) };
  return { ...op, key: toText(op.key), value: toText(op.value) };
}
