import { assert } from "../../base/assert.ts";
import type { Clock } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";
import type { Blob, BlobStore } from "../../blob/port.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { mintUlid, type Ulid } from "../format/ulid.ts";
import { encodeValue } from "../format/value-reference.ts";
import type { TablesUnderWay } from "../manifest/tables-under-way.ts";
import type { LsmTuning } from "../options.ts";
import { readValue, valuePath } from "../read/apart-values.ts";
import { tableGone, tablePath } from "../read/table-cache.ts";
import { ValueSink } from "../write/value-sink.ts";
import type { TableCount } from "./entry-counts.ts";
import type { MergeOutput, MergeSession, Part, ValueCopy, Want } from "./merger.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { TableSink } from "./table-sink.ts";

/** What the subranges of a merge share. */
export interface SubrangeTarget {
  readonly store: BlobStore;
  readonly prefix: string;
  /** Files of the inputs. */
  readonly paths: ReadonlyMap<Ulid, string>;
  /** Prefixes of the shards that they lie with. */
  readonly homes: ReadonlyMap<Ulid, string>;
  readonly options: LsmTuning;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly underWay: TablesUnderWay;
  readonly rateLimiter: RateLimiter;
  /** What may wait for the store before the merge does. */
  readonly queueBytes: number;
  /** Asked between steps. @throws why the merge is given up. */
  readonly assertWanted: () => void;
  /** Told of what is on its way to the store. */
  readonly onWritten: (bytes: number) => void;
}

/** What a subrange has come to. */
export interface SubrangeMerged {
  /** In key order. */
  readonly tables: readonly SstMeta[];
  readonly counts: readonly TableCount[];
}

const SPARE_IDS = 4;

/**
 * A merge of some bounds under way: its reads, its steps, and its tables on their way to the store.
 */
export class Subrange {
  readonly #target: SubrangeTarget;
  readonly #session: MergeSession;
  readonly #values: ValueSink;
  readonly #reads = new Set<Promise<void>>();
  readonly #sinks: TableSink[] = [];
  readonly #ids: Ulid[] = [];
  #arrived: Part[] = [];
  #open: TableSink | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(target: SubrangeTarget, session: MergeSession) {
    this.#target = target;
    this.#values = new ValueSink(target);
    this.#session = session;
  }

  /** Its tables stay under way. @throws as `Executor.run`; then it has to be given up. */
  async run(): Promise<SubrangeMerged> {
    const { rateLimiter, queueBytes, assertWanted } = this.#target;
    let counts: readonly TableCount[] = [];
    for (let spareIds = 0; ; ) {
      assertWanted();
      if (this.#failure !== undefined) throw this.#failure.error;
      const ids = spareIds === 0 ? this.#mint() : [];
      const step = await this.#session.step({ parts: this.#arrived.splice(0), ids });
      for (const want of step.wants) this.#read(want);
      await this.#copyAll(step.copies);
      for (const output of step.outputs) this.#take(output);
      counts = step.counts;
      if (step.done) break;
      spareIds = step.spareIds;
      await rateLimiter.take(
        step.outputs.reduce((bytes, output) => bytes + output.bytes.length, 0),
      );
      await this.#open?.room(queueBytes);
      if (step.blocked) await this.#arrival();
    }
    await Promise.all(this.#sinks.map((sink) => sink.stored));
    const metas = this.#sinks.map((sink) => sink.meta as SstMeta);
    this.#letGo(new Set(metas.map(({ id }) => id)));
    return { tables: metas, counts };
  }

  /** Lets go of its tables. Nothing more is read or written when it resolves. */
  async abandon(error: unknown): Promise<void> {
    for (const sink of this.#sinks) sink.fail(error);
    await Promise.allSettled([...this.#sinks.map((sink) => sink.stored), ...this.#reads]);
    await this.#values.settled().catch(() => undefined);
    this.#letGo(new Set());
  }

  #mint(): readonly Ulid[] {
    const { clock, prng, underWay } = this.#target;
    const ids = Array.from({ length: SPARE_IDS }, () => mintUlid(clock, prng));
    for (const id of ids) underWay.begin(id);
    this.#ids.push(...ids);
    return ids;
  }

  #letGo(except: ReadonlySet<Ulid>): void {
    for (const id of this.#ids) if (!except.has(id)) this.#target.underWay.end(id);
  }

  #read(want: Want): void {
    const reading = this.#bytesOf(want)
      .then(
        (part) => void this.#arrived.push(part),
        (error: unknown) => {
          this.#failure ??= { error };
        },
      )
      .finally(() => this.#reads.delete(reading));
    this.#reads.add(reading);
  }

  async #bytesOf({ table, offset, bytes }: Want): Promise<Part> {
    const { store, paths } = this.#target;
    const path = paths.get(table);
    assert(path !== undefined, "a merge reads its inputs");
    const blob = await store.getRange(path, offset, bytes);
    if (blob === undefined) throw tableGone(path, offset);
    return { table, offset, bytes: ownArray(blob) };
  }

  /** Values of other shards, before the tables that will refer to them. */
  async #copyAll(copies: readonly ValueCopy[]): Promise<void> {
    const { store, homes, underWay, options } = this.#target;
    for (const { table, from, reference, id } of copies) {
      const home = homes.get(from);
      assert(home !== undefined, "a value is copied for an input");
      const value = await readValue(store, valuePath(home, reference.id), reference);
      underWay.beginValue(id, table);
      this.#values.store(id, encodeValue(id, value, options.compression));
      if (this.#values.isFull) await this.#values.room();
    }
    await this.#values.settled();
  }

  /** Until something was read that the merge waits for. */
  async #arrival(): Promise<void> {
    while (this.#arrived.length === 0 && this.#failure === undefined) {
      assert(this.#reads.size > 0, "a merge that is blocked has asked for something");
      await Promise.race(this.#reads);
    }
  }

  #take({ table, bytes, meta }: MergeOutput): void {
    const { store, prefix } = this.#target;
    if (this.#open === undefined) {
      this.#open = new TableSink((source) => store.putStream(tablePath(prefix, table), source));
      this.#sinks.push(this.#open);
    }
    this.#open.push(bytes);
    this.#target.onWritten(bytes.length);
    if (meta === undefined) return;
    this.#open.end(meta);
    this.#open = undefined;
  }
}

/** What a store lends must not change hands. */
function ownArray({ bytes, own }: Blob): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes;
  return own === true && buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, length)
    : new Uint8Array(bytes);
}
