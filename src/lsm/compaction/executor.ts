import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import { END_OF_KEYS, type Key, type Sequence } from "../format/entry.ts";
import { openSst, type Sst } from "../format/sst.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { mintUlid, type Ulid } from "../format/ulid.ts";
import type { TablesUnderWay } from "../manifest/tables-under-way.ts";
import type { LsmTuning } from "../options.ts";
import type { EntrySemantics } from "../read/entry-semantics.ts";
import { pathOf, tableGone } from "../read/table-cache.ts";
import type { MemoryBudget } from "../write/budget.ts";
import { boundsBetween, type KeyBounds } from "./bounds.ts";
import {
  cutsOf,
  firstOf,
  grainOf,
  largeOf,
  type Point,
  pointsOfBounds,
  pointsOfIndex,
  subrangesOf,
  windowBytesOf,
} from "./cuts.ts";
import { assertAllSeen } from "./entry-counts.ts";
import { inTable } from "./input-table.ts";
import type { Merger, MergeSession, MergeSpec } from "./merger.ts";
import { bytesOf, type CompactionPlan, type PlanPart, type SortedTables } from "./plan.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { Subrange } from "./subrange.ts";

/** What a compaction reads from and writes to. */
export interface ExecutorTarget {
  readonly store: BlobStore;
  readonly prefix: string;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly options: LsmTuning;
  readonly merger: Merger;
  readonly budget: MemoryBudget;
  readonly semantics: EntrySemantics;
  readonly underWay: TablesUnderWay;
}

export interface Executed {
  /** Every table of the run that the inputs became, in key order. */
  readonly tables: readonly SstMeta[];
  readonly written: readonly SstMeta[];
  /** Inputs that the next step goes on with, as they are from now on; none: the plan is done. */
  readonly rest: readonly SstMeta[];
  /** Bytes of the inputs that were merged. */
  readonly mergedBytes: number;
}

/** What a merge has made of its inputs, and what it left of them. */
interface Merged {
  readonly tables: readonly SstMeta[];
  readonly rest: readonly SstMeta[];
}

/** Where a merge is cut: between its subranges, and where it ends. */
interface Cuts {
  readonly within: readonly Key[];
  readonly end: Key;
}

type MergePart = Extract<PlanPart, { part: "merge" }>;

const MAX_WINDOW_BYTES = 1_048_576;
/** A read of fewer blocks than this costs more than it brings. */
const LEAST_WINDOW_BLOCKS = 4;
/** A part that has up to so many times the bytes of a step is not cut for the rest. */
const STEP_SLACK = 1.5;
/** A step that has less left than this share of it does not begin another part. */
const LEAST_STEP_SHARE = 1 / 4;
/** What the merges of a part make in a step, and what may wait for the store before they do. */
const STEP_BYTES = 1_048_576;
const QUEUE_BYTES = 2_097_152;

/**
 * Carries out a plan: reads ranges of the inputs, hands them to the merger, and streams what comes
 * back into the store. Publishes nothing: what is written is garbage until a manifest names it.
 *
 * A large plan is done step by step (`compactionStepBytes`), in the order of its keys: a step ends
 * between two parts, or at a key within one.
 *
 * A part that is large enough is cut by its keys into subranges, which are merged at once: they
 * share the room, the pace and the fate of the part, and their tables follow each other.
 *
 * Requests: one for each window of an input and for its tail, one put for each table; where a part
 * is cut, one more for the tail of each large table, and one for that of each table that a cut goes
 * through.
 */
export class Executor {
  readonly #target: ExecutorTarget;
  readonly #isStopped: () => boolean;
  readonly #stopped: Promise<void>;
  readonly #onWritten: (bytes: number) => void;
  /** Of all compactions of the shard; other shards have their own. */
  readonly #rateLimiter: RateLimiter;

  /**
   * @param isStopped asked between steps: then the plan is given up.
   * @param stopped resolves where any caller that waits for room has to look again.
   * @param onWritten told of what is on its way to the store.
   */
  constructor(
    target: ExecutorTarget,
    isStopped: () => boolean,
    stopped: Promise<void>,
    onWritten: (bytes: number) => void,
  ) {
    this.#target = target;
    this.#isStopped = isStopped;
    this.#stopped = stopped;
    this.#onWritten = onWritten;
    this.#rateLimiter = new RateLimiter(target.clock, target.options.compactionBytesPerSecond);
  }

  /**
   * The next step of a plan. The tables that are written stay under way until the caller publishes
   * them or gives them up.
   *
   * @param stepBytes of input, about; all of it, unless given.
   * @throws FirnError `Corrupt`, its context naming `path`, part and offset of the input;
   *   `Unavailable`, code `LSM_COMPACTION_STOPPED`; what the store throws.
   */
  async run(
    plan: CompactionPlan,
    snapshots: readonly Sequence[],
    stepBytes: number = Number.POSITIVE_INFINITY,
  ): Promise<Executed> {
    assertAscending(snapshots);
    const tables: SstMeta[] = [];
    const written: SstMeta[] = [];
    const rest: SstMeta[] = [];
    let mergedBytes = 0;
    try {
      for (const part of plan.parts) {
        const left = stepBytes - mergedBytes;
        const isOver = rest.length > 0 || left < stepBytes * LEAST_STEP_SHARE;
        if (part.part === "move") {
          if (rest.length > 0) rest.push(part.table);
          else tables.push(part.table);
        } else if (isOver) rest.push(...part.inputs.flat());
        else {
          const merged = await this.#merge(part, snapshots, left);
          written.push(...merged.tables);
          assertOutputs(part, merged.tables);
          tables.push(...merged.tables);
          rest.push(...merged.rest);
          mergedBytes += bytesOf(part.inputs.flat()) - bytesOf(merged.rest);
        }
      }
      return { tables, written, rest, mergedBytes };
    } catch (error) {
      for (const { id } of written) this.#target.underWay.end(id);
      throw this.#naming(error, plan);
    }
  }

  /** Waits until no more is merged in this process than its budget allows, in the shard's turn. */
  async #merge(
    part: MergePart,
    snapshots: readonly Sequence[],
    stepBytes: number,
  ): Promise<Merged> {
    const { budget } = this.#target;
    // Of a small part all of the input fits: then it need not wait for a large one.
    const room = budget.work(this, bytesOf(part.inputs.flat()));
    try {
      if (!room.isGranted) await Promise.race([room.granted, this.#stopped]);
      if (this.#isStopped()) throw stopped();
      return await this.#mergeIn(room.bytes, part, snapshots, stepBytes);
    } finally {
      room.end();
    }
  }

  async #mergeIn(
    roomBytes: number,
    part: MergePart,
    snapshots: readonly Sequence[],
    stepBytes: number,
  ): Promise<Merged> {
    const { within, end } = await this.#cuts(part.inputs, roomBytes, stepBytes);
    const bounds = boundsBetween(within, end);
    assert(bounds.length <= Math.max(1, this.#target.merger.width), "a thread for each subrange");
    // Range tombstones count beyond the end of a step too: they tell what is not read at all.
    const isRead = ({ stats }: SstMeta): boolean => stats.firstKey < end || stats.ranges > 0;
    const inputs = part.inputs.map((tables) => tables.filter(isRead));
    const read = { ...part, inputs: inputs.filter((tables) => tables.length > 0) };
    const copiedIds = await this.#copiedIds(read.inputs.flat());
    const specs = this.#specsOf(read, { snapshots, copiedIds }, bounds, roomBytes / bounds.length);
    const merged = await this.#mergeAll(specs, part.inputs, end);
    return merged;
  }

  /** In the order of the specs. */
  async #mergeAll(
    specs: readonly MergeSpec[],
    inputs: readonly SortedTables[],
    end: Key,
  ): Promise<Merged> {
    let failure: { readonly error: unknown } | undefined;
    const target = {
      ...this.#target,
      // Of the inputs some may lie with another shard.
      paths: new Map(inputs.flat().map((meta) => [meta.id, pathOf(this.#target.prefix, meta)])),
      homes: new Map(inputs.flat().map(({ id, home }) => [id, home ?? this.#target.prefix])),
      rateLimiter: this.#rateLimiter,
      queueBytes: QUEUE_BYTES / specs.length,
      assertWanted: () => {
        if (failure !== undefined) throw failure.error;
        if (this.#isStopped()) throw stopped();
      },
      onWritten: this.#onWritten,
    };
    const sessions: MergeSession[] = [];
    const subranges: Subrange[] = [];
    try {
      for (const spec of specs) {
        const session = this.#target.merger.start(spec);
        sessions.push(session);
        subranges.push(new Subrange(target, session));
      }
      const merged = await Promise.all(
        subranges.map((subrange) =>
          subrange.run().catch((error: unknown) => {
            // The others learn of it before their next step: nothing of the part will be of use.
            failure ??= { error };
            return { tables: [], counts: [] };
          }),
        ),
      );
      if (failure !== undefined) throw failure.error;
      const counts = merged.flatMap((one) => one.counts);
      const rest = assertAllSeen(inputs, counts, end);
      return { tables: merged.flatMap(({ tables }) => tables), rest };
    } catch (error) {
      await Promise.all(subranges.map((subrange) => subrange.abandon(error)));
      throw error;
    } finally {
      for (const session of sessions) session.end();
    }
  }

  /**
   * New ids for values that lie with other shards: a shard that was compacted refers to none of
   * them, as it names no table of theirs. One request for each table of another shard with such.
   */
  async #copiedIds(inputs: readonly SstMeta[]): Promise<ReadonlyMap<Ulid, Ulid>> {
    const { clock, prng } = this.#target;
    const copied = new Map<Ulid, Ulid>();
    for (const meta of inputs) {
      if (meta.home === undefined || (meta.whole ?? meta.stats).apart === 0) continue;
      const sst = await this.#open(meta);
      for (const id of sst?.apartIds() ?? []) copied.set(id, mintUlid(clock, prng));
    }
    return copied;
  }

  #specsOf(
    { inputs, dropTombstones }: MergePart,
    { snapshots, copiedIds }: Pick<MergeSpec, "snapshots" | "copiedIds">,
    bounds: readonly KeyBounds[],
    roomBytes: number,
  ): readonly MergeSpec[] {
    const { options, semantics } = this.#target;
    const { compression, blockBytes, prefixes, tableBytes } = options;
    const spec = {
      inputs,
      snapshots,
      ...(copiedIds === undefined || copiedIds.size === 0 ? {} : { copiedIds }),
      dropTombstones,
      operators: semantics.operators.names,
      // One time for all: a key's fate must not depend on where it was cut.
      nowMs: semantics.nowMs(),
      compression,
      blockBytes,
      prefixes,
      tableBytes,
      windowBytes: Math.min(MAX_WINDOW_BYTES, windowBytesOf(roomBytes, inputs.length)),
      stepBytes: STEP_BYTES / bounds.length,
    };
    return bounds.map((each) => ({ ...spec, bounds: each }));
  }

  /** Where a part is cut, and where its next step ends. */
  async #cuts(all: readonly SortedTables[], roomBytes: number, stepBytes: number): Promise<Cuts> {
    const { merger, options } = this.#target;
    const isWhole = bytesOf(all.flat()) <= stepBytes * STEP_SLACK;
    const inputs = isWhole ? all : firstOf(all, stepBytes);
    const { compactionSubrangeBytes: subrangeBytes, blockBytes } = options;
    const leastWindowBytes = LEAST_WINDOW_BLOCKS * blockBytes;
    const { width } = merger;
    const mostBytes = isWhole ? Number.POSITIVE_INFINITY : stepBytes;
    const sizes = { width, subrangeBytes, mostBytes, roomBytes, leastWindowBytes };
    const subranges = subrangesOf(inputs, sizes);
    if (isWhole && subranges === 1) return { within: [], end: END_OF_KEYS };
    // Equal ones, of which the step takes so many; at least one follows.
    const equal = Math.round((bytesOf(inputs.flat()) * subranges) / stepBytes);
    const pieces = isWhole ? subranges : Math.max(subranges + 1, equal);
    const large = new Set(largeOf(inputs, pieces));
    const grainBytes = grainOf(inputs, pieces);
    const points = await Promise.all(
      inputs.map(async (tables) => {
        const found: (readonly Point[])[] = [];
        for (const meta of tables) {
          if (this.#isStopped()) throw stopped();
          const of = large.has(meta) ? this.#lookInto(meta, grainBytes) : pointsOfBounds(meta);
          found.push(await of);
        }
        return found.flat();
      }),
    );
    const cuts = cutsOf(points.flat(), pieces);
    if (isWhole) return { within: cuts, end: END_OF_KEYS };
    const ends = cuts.slice(0, subranges);
    return { within: ends.slice(0, -1), end: ends.at(-1) ?? END_OF_KEYS };
  }

  async #lookInto(meta: SstMeta, grainBytes: number): Promise<readonly Point[]> {
    const sst = await this.#open(meta);
    // A file of another length than described: the merge says so, and where.
    return sst === undefined ? pointsOfBounds(meta) : pointsOfIndex(sst.index, meta, grainBytes);
  }

  /** Undefined where its tail is longer than described. */
  async #open(meta: SstMeta): Promise<Sst | undefined> {
    const { store, prefix } = this.#target;
    const { id, fileBytes, tailBytes } = meta;
    const at = fileBytes - tailBytes;
    const path = pathOf(prefix, meta);
    const tail = await store.getRange(path, at, tailBytes);
    if (tail === undefined) throw tableGone(path, at);
    try {
      const opened = openSst(tail.bytes, { id, fileBytes });
      return opened.state === "short" ? undefined : opened.sst;
    } catch (error) {
      throw inTable(error, meta);
    }
  }

  /** The merger knows tables by their ids; people know files. */
  #naming(error: unknown, plan: CompactionPlan): unknown {
    if (!(error instanceof FirnError)) return error;
    const { kind, code, message, context } = error;
    const { table } = context;
    if (typeof table !== "string") return error;
    const meta = plan.inputs.flat().find(({ id }) => id === table);
    const path = pathOf(this.#target.prefix, meta ?? { id: table });
    return new FirnError(kind, code, message, { ...context, path }, error);
  }
}

/** A merge leaves versions out. It makes none, and moves none to another age or place. */
function assertOutputs({ inputs }: MergePart, outputs: readonly SstMeta[]): void {
  const all = inputs.flat().map(({ stats }) => stats);
  const [entries, newest] = [all.reduce((sum, one) => sum + one.entries, 0), maxSequenceOf(all)];
  const made = outputs.map(({ stats }) => stats);
  const kept = made.reduce((sum, one) => sum + one.entries, 0);
  assert(kept <= entries, "a merge writes no more versions than it read");
  assert(maxSequenceOf(made) <= newest, "a merge writes no version newer than it read");
  made.forEach((stats, i) => {
    const before = made[i - 1];
    const follows = before === undefined || before.lastKey <= stats.firstKey;
    assert(follows, "outputs come in the order of their keys and do not overlap");
  });
}

function maxSequenceOf(stats: readonly SstMeta["stats"][]): Sequence {
  return stats.reduce((most, { maxSequence }) => Math.max(most, maxSequence), 0);
}

/** Stripes of versions are found by a binary search. */
function assertAscending(snapshots: readonly Sequence[]): void {
  const isSorted = snapshots.every((one, i) => i === 0 || (snapshots[i - 1] as number) < one);
  assert(isSorted, "snapshots ascend");
}

function stopped(): FirnError {
  const message = "compaction stopped: the engine is closing";
  return new FirnError("Unavailable", "LSM_COMPACTION_STOPPED", message);
}
