import { apply, type ModelOp, type Pair, type Rows } from "../../lsm/support/version-map.ts";
import type { Sim } from "../harness/sim.ts";

/** Operations that were applied in one step, with what became of them. */
export interface Batch {
  readonly branch: Branch;
  readonly first: number;
  readonly last: number;
  /** `denied`: its writer was told that it will never be there. */
  fate: "open" | "acknowledged" | "denied";
}

/** A state that people keep. */
export interface Kept {
  readonly name: string;
  readonly sequence: number;
  /** It may be gone: somebody wants to delete it, or its life may be over. */
  mayBeGone: boolean;
}

/** A state of the past is the newest one from here on. */
interface Restore {
  readonly op: "restore";
  readonly to: number;
}

/** What an ingest brings, all of it under one sequence. */
export interface Load {
  readonly op: "ingest";
  readonly rows: readonly Pair[];
  /** What all of its keys lie within: other ingests of it conflict. */
  readonly ranges: readonly ModelOp[];
}

/** A sequence that was reserved for an ingest which came to nothing. */
interface Nothing {
  readonly op: "nothing";
}

interface Slot {
  readonly op: ModelOp | Restore | Load | Nothing;
  readonly batch: Batch;
}

/** What others find written by an operation. */
function writesOf({ op }: Slot): readonly ModelOp[] {
  switch (op.op) {
    // Whoever restores is nobody's rival: it writes before its successor begins.
    case "restore":
    case "nothing":
      return [];
    case "ingest":
      return op.rows.map(([key, value]) => ({ op: "put", key, value }));
    default:
      return [op];
  }
}

/**
 * All that one owner of the shard has in its memory: what it found, and what it applied since,
 * operation by operation. What it applied and nobody acknowledged may end with it.
 */
export class Branch {
  readonly epoch: number;
  /** The sequence that it found. */
  readonly cut: number;
  /** Somebody has read it as durable: no later owner may find less. */
  floor: number;
  readonly #sim: Sim;
  /** By sequence, from 1 on. */
  readonly #slots: Slot[];
  #filledTo: number;
  /** The ingest that is being committed, and what became of the sequence it took. */
  #load: { readonly load: Load; at?: number; batch?: Batch } | undefined;

  constructor(sim: Sim, epoch: number, found: readonly Slot[]) {
    this.#sim = sim;
    this.epoch = epoch;
    this.cut = found.length;
    this.floor = found.length;
    this.#slots = [...found];
    this.#filledTo = found.length;
  }

  /** Notes a batch that was applied. */
  record(ops: readonly Slot["op"][], last: number): Batch {
    const first = last - ops.length + 1;
    const batch: Batch = { branch: this, first, last, fate: "open" };
    for (const [index, op] of ops.entries()) {
      const at = first + index - 1;
      const taken = at < this.cut || this.#slots[at] !== undefined;
      this.#sim.must(!taken, () => `epoch ${this.epoch}: sequence ${at + 1} is given out twice`);
      this.#slots[at] = { op, batch };
    }
    while (this.#slots[this.#filledTo] !== undefined) this.#filledTo++;
    return batch;
  }

  /** Whether an ingest is being committed: the next one waits. */
  get isLoading(): boolean {
    return this.#load !== undefined;
  }

  /** An ingest begins its commit, which takes a sequence that nobody is told until it is over. */
  loads(load: Load): void {
    this.#sim.must(!this.isLoading, () => `epoch ${this.epoch}: two ingests commit at once`);
    this.#load = { load };
  }

  /** The state that names its tables is there. */
  loaded(sequence: number): void {
    const loading = this.#load;
    if (loading === undefined || loading.at !== undefined) {
      this.#sim.must(false, () => `epoch ${this.epoch}: ${sequence} is nobody's ingest`);
      return;
    }
    loading.at = sequence;
    loading.batch = this.record([loading.load], sequence);
  }

  /** Its owner has heard what became of it. @returns its batch, where its rows are there. */
  loadEnded(): Batch | undefined {
    const batch = this.#load?.batch;
    this.#load = undefined;
    return batch;
  }

  /** What nobody was given up to a sequence is that of an ingest which came to nothing. */
  #settle(sequence: number): void {
    const loading = this.#load;
    if (this.#filledTo >= sequence || loading === undefined || loading.at !== undefined) return;
    loading.at = this.#filledTo + 1;
    this.record([{ op: "nothing" }], loading.at);
  }

  /**
   * Resolves when all up to a sequence is noted: whoever applies a batch notes it only when it is
   * answered, a few turns later.
   */
  async noted(sequence: number): Promise<void> {
    for (let turn = 0; this.#filledTo < sequence; turn++) {
      if (turn === 9) this.#settle(sequence);
      if (turn === 10) {
        const what = `sequence ${this.#filledTo + 1} of ${sequence} was given to nobody`;
        this.#sim.must(false, () => `epoch ${this.epoch}: ${what}`);
      }
      await this.#sim.sleep(0);
    }
  }

  /** Rows as of a sequence, after some more operations. */
  rowsAt(sequence: number, more: readonly ModelOp[] = []): Rows {
    const slots = this.#slots.slice(0, sequence);
    const at = slots.findLastIndex(({ op }) => op.op === "restore");
    const restored = slots[at]?.op;
    const rows: Rows = restored?.op === "restore" ? this.rowsAt(restored.to) : new Map();
    for (const slot of slots.slice(at + 1)) for (const op of writesOf(slot)) apply(rows, op);
    for (const op of more) apply(rows, op);
    return rows;
  }

  /** What was written in (after, before). */
  writtenBetween(after: number, before: number): readonly ModelOp[] {
    return this.#slots.slice(after, Math.max(after, before - 1)).flatMap(writesOf);
  }

  /** Ranges of ingests in (after, before). */
  loadedBetween(after: number, before: number): readonly ModelOp[] {
    const slots = this.#slots.slice(after, Math.max(after, before - 1));
    return slots.flatMap(({ op }) => (op.op === "ingest" ? op.ranges : []));
  }

  get lastSequence(): number {
    return this.#filledTo;
  }

  /** What took a sequence that no batch then has. */
  unfed(sequence: number): "restore" | "ingest" | undefined {
    const op = this.#slots[sequence - 1]?.op.op;
    if (op === "ingest" || op === "nothing") return "ingest";
    return op === "restore" ? op : undefined;
  }

  /** Whether a batch ends there. */
  isEnd(sequence: number): boolean {
    return this.#slots[sequence - 1]?.batch.last === sequence;
  }

  holds(batch: Batch): boolean {
    return this.#slots[batch.last - 1]?.batch === batch;
  }

  /** What a successor inherits that found so much. */
  upTo(sequence: number): readonly Slot[] {
    this.#settle(sequence);
    return this.#slots.slice(0, sequence);
  }

  /** Batches that this owner applied itself. */
  own(): ReadonlySet<Batch> {
    // Where an ingest ended without a word there may be a gap.
    return new Set(this.#slots.slice(this.cut).flatMap(({ batch }) => [batch]));
  }
}

/**
 * The owners of the shard, one after the other, each with what it found of those before. Sequences
 * are given out in the order of the log, so nothing has to be searched for: what an owner finds is
 * what its predecessor had, up to some batch's end that lies behind all it has acknowledged.
 */
export class History {
  readonly #sim: Sim;
  /** The latest time that any owner's wall clock has told it: what was over then may be gone. */
  latestMs = 0;
  /** In the order of their epochs. */
  readonly #branches: Branch[] = [];
  /** The highest epoch that has acknowledged a batch of its own, and up to where. */
  ackedEpoch = 0;
  ackedSequence = 0;
  /** The highest epoch that was a restore's. */
  restoredEpoch = 0;

  constructor(sim: Sim) {
    this.#sim = sim;
  }

  get epochs(): number {
    return this.#branches.length;
  }

  /** An owner serves, and has found so much. */
  opened(epoch: number, lastSequence: number): Branch {
    const before = this.#branches.findLast((branch) => branch.epoch < epoch);
    this.#must(before?.epoch !== epoch, () => `epoch ${epoch} has two owners`);
    const found = this.#inherit(before, epoch, lastSequence);
    const branch = new Branch(this.#sim, epoch, found);
    // One that opened after its successor is nobody's predecessor any more, but has its place.
    this.#branches.push(branch);
    this.#branches.sort((a, b) => a.epoch - b.epoch);
    return branch;
  }

  /** Who took the shard over made another state the newest one, under a sequence of its own. */
  restored(epoch: number, sequence: number, to: number): void {
    const before = this.#branches.findLast((branch) => branch.epoch < epoch);
    const found = this.#inherit(before, epoch, sequence - 1);
    const branch = new Branch(this.#sim, epoch, found);
    this.#branches.push(branch);
    this.#branches.sort((a, b) => a.epoch - b.epoch);
    this.acknowledge(branch.record([{ op: "restore", to }], sequence));
    this.restoredEpoch = Math.max(this.restoredEpoch, epoch);
  }

  /** A state names the tables of an ingest of an owner. */
  loaded(epoch: number, sequence: number): void {
    const branch = this.#branches.find((one) => one.epoch === epoch);
    this.#must(branch !== undefined, () => `epoch ${epoch} has an ingest, and no owner`);
    branch?.loaded(sequence);
  }

  /** Whether somebody has taken over from an owner. */
  hasAfter(branch: Branch): boolean {
    return this.#after(branch).length > 0;
  }

  acknowledge(batch: Batch): void {
    batch.fate = "acknowledged";
    const { branch, last } = batch;
    for (const later of this.#after(branch)) {
      const what = `epoch ${branch.epoch} acknowledged ${last}`;
      this.#must(later.holds(batch), () => `${what}, which epoch ${later.epoch} did not find`);
    }
    this.ackedEpoch = Math.max(this.ackedEpoch, branch.epoch);
    this.ackedSequence = Math.max(this.ackedSequence, last);
  }

  /** The last sequence of a batch that lies at a sequence or below it. */
  anyEnd(sequence: number): number {
    const found = this.#branches.at(-1)?.upTo(sequence) ?? [];
    const last = found.at(-1)?.batch;
    if (last === undefined || last.last <= found.length) return found.length;
    return last.first - 1;
  }

  /**
   * Somebody who owns nothing has read the state at a sequence: every later owner has to find it.
   *
   * @returns who has it in its memory.
   */
  seen(sequence: number): Branch {
    // Whoever came after one that has it, and has less, did not find it.
    const holder =
      this.#branches.findLast((one) => one.lastSequence >= sequence) ?? this.#branches.at(-1);
    if (holder === undefined) throw new Error("a shard that is read has been opened");
    holder.floor = Math.max(holder.floor, sequence);
    for (const later of this.#after(holder)) {
      const what = `${sequence} was read by a reader, epoch ${later.epoch} found ${later.cut}`;
      this.#must(later.cut >= sequence, () => what);
    }
    return holder;
  }

  /** Its writer is told that it will never be there. */
  deny(batch: Batch): void {
    batch.fate = "denied";
    for (const later of this.#after(batch.branch)) {
      const what = `${batch.last} was denied by epoch ${batch.branch.epoch}`;
      this.#must(!later.holds(batch), () => `${what} and found by epoch ${later.epoch}`);
    }
  }

  /** A read was answered as the latest; `acked`: `ackedEpoch` when it was asked. */
  answeredLatest(branch: Branch, acked: number): void {
    const what = `epoch ${branch.epoch} answered a read after epoch ${acked} acknowledged a write`;
    this.#must(acked <= branch.epoch, () => what);
  }

  #inherit(before: Branch | undefined, epoch: number, lastSequence: number): readonly Slot[] {
    if (before === undefined) {
      this.#must(lastSequence === 0, () => `epoch ${epoch} found what nobody wrote`);
      return [];
    }
    const found = before.upTo(lastSequence);
    const what = `epoch ${epoch} found ${lastSequence} of epoch ${before.epoch}`;
    this.#must(found.length === lastSequence, () => `${what}, which has ${found.length}`);
    this.#must(lastSequence >= before.floor, () => `${what}, read as durable to ${before.floor}`);
    const torn = found.at(-1);
    this.#must(torn === undefined || torn.batch.last === lastSequence, () => `${what}: torn`);
    for (const { fate, last } of before.own()) {
      if (fate === "acknowledged") this.#must(last <= lastSequence, () => `${what}: ${last} lost`);
      if (fate === "denied") this.#must(last > lastSequence, () => `${what}: ${last} was denied`);
    }
    return found;
  }

  #after(branch: Branch): readonly Branch[] {
    return this.#branches.filter(({ epoch }) => epoch > branch.epoch);
  }

  #must(holds: boolean, statement: () => string): void {
    this.#sim.must(holds, statement);
  }
}
