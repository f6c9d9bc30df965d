import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Prng } from "../../base/prng.ts";
import type { BlobStore } from "../../blob/port.ts";
import { isFileGone } from "../errors.ts";
import type { Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Checkpoint } from "../format/manifest-records.ts";
import { mintUlid } from "../format/ulid.ts";
import { LSM_LIMITS } from "../limits.ts";
import { ManifestHistory } from "../manifest/history.ts";
import { ManifestObjects } from "../manifest/objects.ts";
import { assertAlive, noShard, shardDeleted } from "../manifest/shard-files.ts";
import type { ManifestStore } from "../manifest/store.ts";
import type { Maybe } from "../maybe.ts";
import type { Memtable } from "../memtable/memtable.ts";
import { type ChosenOptions, type LsmOptions, type LsmTuning, lsmOptions } from "../options.ts";
import { holdParent, type ManifestsOf, objectsOf } from "../states/parent.ts";
import { Pin, type Stays } from "../states/pin.ts";
import { gone, type Moment, type Resolved, resolveMoment } from "../states/resolve.ts";
import { isIngest } from "../wal/batch.ts";
import type { TailGroup, WalBatch, WalGroup, WalReader } from "../wal/port.ts";
import { BlockCache } from "./cache.ts";
import { type ReadableFigures, ReadableState, tableIds } from "./readable-state.ts";
import type { PackedScan } from "./scan.ts";
import type { AbortableScan } from "./scan-request.ts";

/** What a reader is made of. */
export interface ReaderParts extends ChosenOptions {
  readonly store: BlobStore;
  /** Of the shard, with a slash at its end; or empty. */
  readonly prefix?: string;
  /** The shard's log, for what is not in tables yet. */
  readonly wal: WalReader;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly manifests?: ManifestStore;
  /** Manifests of other shards, by their prefixes. */
  readonly manifestsOf?: ManifestsOf;
  readonly cache?: BlockCache;
  /** As the owner has them: `gcMinAgeMs` above all. */
  readonly options?: Partial<LsmOptions>;
}

/** Which state is read: the newest one, again and again, or one for good. */
export type ReaderTarget =
  /** As it is when the reader opens, for good. */
  | { readonly newest: true }
  /** Looks for what is new this often; with 0 only when it is told to (`refresh`). */
  | { readonly follow: { readonly pollMs: number } }
  | { readonly checkpoint: string }
  | { readonly at: Exclude<Moment, { readonly checkpoint: string }> };

export interface ReaderStats extends ReadableFigures {
  readonly manifestId: number;
  readonly sequence: Sequence;
  /**
   * All that was durable so long ago is seen: `Infinity` until a look saw everything; undefined of
   * a state that does not move.
   */
  readonly staleMs: number | undefined;
  /** Looks for what is new, and those that came to nothing. */
  readonly refreshes: number;
  readonly failures: number;
  /** For how long a collection certainly leaves what is read; undefined: for the least age. */
  readonly keptMs: number | undefined;
}

/** Tries of a look for what is new that files vanish from, each time behind a newer manifest. */
const TRIES = 10;
/** Between two polls of a caller that waits for a sequence, where the reader has no interval. */
const WAIT_POLL_MS = 50;

/**
 * Opens a shard to read it, beside its owner, whom it neither asks nor hinders.
 *
 * A reader that follows keeps nothing from being collected where nothing young is collected
 * (`gcMinAgeMs`): a state that it has had open for longer may go, which is `LSM_READER_BEHIND`.
 * Every other reader has a checkpoint in the manifest, which it renews: three requests for each
 * third of `LSM_LIMITS.readerLifeMs`.
 *
 * @throws FirnError `NotFound`, codes `LSM_NO_SHARD`, `LSM_CHECKPOINT_NOT_FOUND`,
 *   `LSM_HISTORY_GONE`, `LSM_CLONE_UNFINISHED`, `LSM_SHARD_DELETED`, which one that follows may
 *   meet later too; `Unavailable`, code `LSM_SEQUENCE_AHEAD`; `Invalid`, code `LSM_TIME_AHEAD`;
 *   `Corrupt`; what the store throws.
 */
export async function openReader(parts: ReaderParts, target: ReaderTarget): Promise<Reader> {
  const { store, clock, prng, prefix = "" } = parts;
  const options = lsmOptions(parts);
  const { gcMinAgeMs } = options;
  const manifests = parts.manifests ?? new ManifestObjects({ store, clock, prefix, gcMinAgeMs });
  const standing = await manifests.latest();
  if (standing === undefined) throw noShard(prefix);
  assertAlive(standing, prefix);
  await holdParent(parts.manifestsOf ?? objectsOf(store, clock, gcMinAgeMs), standing);
  const pin = new Pin(manifests, clock, mintUlid(clock, prng), LSM_LIMITS.readerLifeMs);
  const follows = "follow" in target;
  const keeps = !follows || gcMinAgeMs === 0;
  // A look may take longer than what it sees stays the newest.
  const known = new Stopwatch(clock);
  const shared = { parts, options, prefix, manifests, pin: keeps ? pin : undefined };
  try {
    if (follows) {
      const first = keeps ? await pinNewest(pin) : await manifests.latest();
      if (first === undefined) throw noShard(prefix);
      const reader = new Reader(shared, first, known, target.follow.pollMs);
      await reader.refresh();
      reader.start();
      return reader;
    }
    if ("newest" in target) {
      const reader = new Reader(shared, await pinNewest(pin), known, undefined);
      await reader.readAll();
      reader.start();
      return reader;
    }
    const moment = "at" in target ? target.at : target;
    const history = new ManifestHistory(store, prefix, clock);
    const found = await resolveMoment({ store: manifests, history, clock }, moment, pin);
    const reader = new Reader(shared, found.manifest, known, undefined);
    await reader.readTo(found);
    reader.start();
    return reader;
  } catch (error) {
    if (keeps) await pin.release().catch(() => undefined);
    throw error;
  }
}

/** Keeps whatever is the newest manifest in the state that says so. */
async function pinNewest(pin: Pin, stays?: Stays): Promise<Manifest> {
  let newest: Manifest | undefined;
  await pin.keep((manifest) => {
    newest = manifest;
    return { manifestId: manifest.id, sequence: manifest.lastSequence };
  }, stays);
  return newest as unknown as Manifest;
}

interface Shared {
  readonly parts: ReaderParts;
  readonly options: LsmTuning;
  readonly prefix: string;
  readonly manifests: ManifestStore;
  readonly pin: Pin | undefined;
}

/** One who reads a shard that another owns. See `openReader`. */
export class Reader {
  readonly #clock: Clock;
  readonly #prefix: string;
  readonly #wal: WalReader;
  readonly #manifests: ManifestStore;
  readonly #pin: Pin | undefined;
  readonly #pollMs: number | undefined;
  readonly #gcMinAgeMs: number;
  readonly #state: ReadableState;
  readonly #ended = new AbortController();
  /** The manifest that this reader published to keep the state that is read now. */
  #pinned: number;
  /** Begun before the last look that saw everything; undefined: there was none. */
  #fresh: Stopwatch | undefined;
  /** Begun before the manifest was known to be the newest. */
  #known: Stopwatch;
  #refreshing: Promise<void> | undefined;
  #refreshes = 0;
  #failures = 0;

  /**
   * Use `openReader`.
   *
   * @param known begun before the manifest was known to be the newest.
   * @param pollMs undefined: it does not follow.
   */
  constructor(shared: Shared, manifest: Manifest, known: Stopwatch, pollMs: number | undefined) {
    const { parts, options, prefix, manifests, pin } = shared;
    const { store, clock, wal, cache = new BlockCache(LSM_LIMITS.readerCacheBytes) } = parts;
    this.#clock = clock;
    this.#prefix = prefix;
    this.#wal = wal;
    this.#manifests = manifests;
    this.#pin = pin;
    this.#pollMs = pollMs;
    this.#gcMinAgeMs = options.gcMinAgeMs;
    this.#known = known;
    this.#pinned = manifest.id;
    const explain = (error: unknown) => this.#explain(error);
    this.#state = new ReadableState({ store, prefix, clock, cache, options, explain }, manifest);
  }

  /** Everything up to it is seen, and nothing beyond: each batch whole, or not at all. */
  get sequence(): Sequence {
    return this.#state.sequence;
  }

  /** The value of a key; undefined where there is none. @throws `Unavailable`, `LSM_CLOSED`. */
  get(key: Uint8Array): Maybe<Uint8Array | undefined> {
    return this.#read(() => this.#state.get(key));
  }

  /** The values of keys, in their order, of one state. */
  getMany(keys: readonly Uint8Array[]): Maybe<readonly (Uint8Array | undefined)[]> {
    return this.#read(() => this.#state.getMany(keys));
  }

  /**
   * Rows of a range of the state of this moment, in batches. Close it, or read it to its end.
   *
   * Reading it throws `Unavailable`, code `LSM_READER_BEHIND`, where it took longer than what it
   * reads is kept: then begin it again.
   */
  scan(request: AbortableScan = {}): PackedScan {
    return this.#state.scan(request);
  }

  /**
   * Looks for what is new, after a look that is under way: all that was durable before this call is
   * seen when it resolves. Two requests where there is nothing. A state for good stays what it is.
   */
  async refresh(): Promise<void> {
    if (this.#pollMs === undefined) return;
    await this.#refreshing?.catch(() => undefined);
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  /**
   * Resolves when everything up to a sequence is seen: the token of a write, wherever it was made.
   *
   * @throws FirnError `Unavailable`, code `LSM_SEQUENCE_AHEAD`, after `timeoutMs`.
   */
  async waitFor(sequence: Sequence, timeoutMs: number = LIMITS.attemptMs): Promise<void> {
    const waited = new Stopwatch(this.#clock);
    for (;;) {
      if (this.sequence >= sequence) return;
      if (this.#pollMs !== undefined) await this.refresh();
      if (this.sequence >= sequence) return;
      const leftMs = timeoutMs - waited.elapsedMs();
      if (leftMs <= 0 || this.#pollMs === undefined) throw ahead(sequence, this.sequence);
      await this.#clock.sleep(Math.min(leftMs, this.#pollMs || WAIT_POLL_MS));
    }
  }

  /** What the state is made of: a manifest's tables, and memtables beyond it, the newest first. */
  get source(): { readonly manifest: Manifest; readonly memtables: readonly Memtable[] } {
    const { manifest, views } = this.#state;
    const { active, frozen } = views.current;
    return { manifest, memtables: [active, ...frozen].filter(({ isEmpty }) => !isEmpty) };
  }

  /** What a state keeps of what is read; undefined where it need not stay any more. */
  keptIn(newest: Manifest): Checkpoint | undefined {
    return this.#pin?.keptIn(newest, this.#pinned);
  }

  stats(): ReaderStats {
    return {
      manifestId: this.#state.manifest.id,
      sequence: this.sequence,
      staleMs:
        this.#pollMs === undefined
          ? undefined
          : (this.#fresh?.elapsedMs() ?? Number.POSITIVE_INFINITY),
      refreshes: this.#refreshes,
      failures: this.#failures,
      keptMs: this.#pin?.leftMs,
      ...this.#state.figures,
    };
  }

  /** Lets go of what it keeps. @throws what the store throws: then that ends with its life. */
  async close(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.#state.close();
    await this.#refreshing?.catch(() => undefined);
    await this.#pin?.release().catch((error: unknown) => {
      // What is deleted keeps nothing.
      if (!(error instanceof FirnError) || error.code !== "LSM_SHARD_DELETED") throw error;
    });
  }

  /** Begins to look for what is new, and to renew what it keeps. */
  start(): void {
    const everyMs = this.#pollMs ?? 0;
    if (everyMs > 0) void this.#repeat(everyMs, () => this.refresh());
    const { readerLifeMs } = LSM_LIMITS;
    if (this.#pin !== undefined) void this.#repeat(readerLifeMs / 3, () => this.#renew());
  }

  /** Reads everything that was durable before the call. @throws as `openReader`. */
  async readAll(): Promise<void> {
    for (let attempt = 1; this.#fresh === undefined; attempt++) {
      await this.#refresh();
      if (attempt === TRIES && this.#fresh === undefined) throw unsettled();
    }
  }

  /** Reads the log up to a sequence that lies behind the manifest. @throws as `openReader`. */
  async readTo({ sequence, orBefore }: Resolved): Promise<void> {
    const { manifest } = this.#state;
    if (sequence === manifest.lastSequence) return;
    const isEnd = await this.#readTail(sequence).catch((error: unknown) => {
      // Its files were released.
      if (error instanceof FirnError && error.kind === "Corrupt") return false;
      throw error;
    });
    if (this.sequence === sequence || orBefore) return;
    const newest = await this.#manifests.latest();
    const isNewest = newest?.lastSequence === manifest.lastSequence;
    if (isEnd && isNewest) throw ahead(sequence, this.sequence);
    throw gone({ sequence, below: this.sequence });
  }

  async #refresh(): Promise<void> {
    try {
      for (let attempt = 1; ; attempt++) {
        const began = new Stopwatch(this.#clock);
        await this.#followManifest();
        try {
          const isWhole = await this.#readTail(Number.POSITIVE_INFINITY);
          // So late, what would have stood there may be gone, as a newer manifest tells.
          if (this.#isLate && attempt < TRIES) continue;
          if (isWhole && !this.#isLate) this.#fresh = began;
          break;
        } catch (error) {
          // What is missing was released, if a newer manifest says so: then that is read instead.
          const isMissing = error instanceof FirnError && error.kind === "Corrupt";
          const newer = isMissing ? await this.#newer() : undefined;
          if (newer === undefined || attempt === TRIES) throw error;
        }
      }
      this.#refreshes++;
    } catch (error) {
      this.#failures++;
      throw error;
    }
  }

  #newer(): Promise<Manifest | undefined> {
    return this.#manifests.newerThan(this.#state.manifest.id, this.#known.elapsedMs());
  }

  async #followManifest(): Promise<void> {
    const began = new Stopwatch(this.#clock);
    const newer = await this.#newer();
    this.#known = began;
    if (newer === undefined) return;
    assertAlive(newer, this.#prefix);
    const { manifest } = this.#state;
    const names = tableIds(manifest);
    const isSame = [...tableIds(newer)].every((id) => names.has(id));
    // Tables of a state that is kept need not be kept twice.
    if (this.#pin === undefined || isSame) {
      this.#state.accept(newer);
      return;
    }
    const kept = await pinNewest(this.#pin, this.#stays);
    this.#pinned = kept.id;
    this.#state.accept(kept);
  }

  /** What is read now stays, and all before it while any reader may read that. */
  readonly #stays: Stays = (manifestId) =>
    manifestId === this.#pinned || this.#state.views.arePinned;

  /** @returns whether its end was seen. @throws `Corrupt`, also where files were released. */
  async #readTail(through: Sequence): Promise<boolean> {
    const tail = this.#wal.tail(this.#state.place);
    /** An ingest that no manifest which was read holds. */
    let ingest: TailGroup | undefined;
    for (;;) {
      const { done, value } = await tail.next();
      if (done === true) return value;
      const { group, place } = value;
      const { writerEpoch } = this.#state.manifest;
      // A later owner may use what only its manifest names.
      if (through === Number.POSITIVE_INFINITY && (group.epoch > writerEpoch || this.#isLate)) {
        return false;
      }
      if (ingest !== undefined) {
        // Something follows it, so what became of it is known, and a manifest says so.
        if (through !== Number.POSITIVE_INFINITY) {
          throw gone({ sequence: through, below: this.sequence });
        }
        if ((await this.#newer()) !== undefined) return false;
        this.#state.add(ingest);
        ingest = undefined;
      }
      if (hasIngest(group, this.#state.manifest.lastSequence)) {
        ingest = value;
        continue;
      }
      this.#state.add(place.sequence > through ? upTo(value, through) : value);
      if (place.sequence >= through) return false;
    }
  }

  /**
   * Whether so much time has passed since the manifest was known to be the newest that files of the
   * log beyond it may be gone. Then their numbers are free again: that nothing is found there says
   * nothing, and what is found there belongs to no log.
   */
  get #isLate(): boolean {
    return this.#known.elapsedMs() >= LSM_LIMITS.gcMinAgeFloorMs / 2;
  }

  #read<T>(read: () => Maybe<T>): Maybe<T> {
    const found = read();
    return found instanceof Promise && this.#pollMs !== undefined
      ? this.#readAgain(found, read)
      : found;
  }

  /** What was collected under a read is found in the newest state. */
  async #readAgain<T>(first: Promise<T>, read: () => Maybe<T>): Promise<T> {
    try {
      return await first;
    } catch (error) {
      if (!(error instanceof FirnError) || error.code !== "LSM_READER_BEHIND") throw error;
      await this.refresh();
      return await read();
    }
  }

  async #renew(): Promise<void> {
    await this.#pin?.renew(this.#stays);
  }

  async #repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#ended;
    for (;;) {
      await this.#clock.sleep(everyMs, signal);
      if (signal.aborted) return;
      // What fails is counted, or tells itself by its age; the next time may do better.
      await work().catch(() => undefined);
    }
  }

  /** A table that is not there is damage only where it had to be. */
  async #explain(error: unknown): Promise<unknown> {
    if (!isFileGone(error)) return error;
    let newest: Manifest | undefined;
    try {
      newest = await this.#manifests.latest();
    } catch (unsure) {
      // Damage is only said of what is named still.
      return unsure;
    }
    if (newest === undefined) return error;
    const { deletedAtMs } = newest;
    if (deletedAtMs !== undefined) return shardDeleted(this.#prefix, deletedAtMs);
    const { id } = this.#state.manifest;
    const isKept = this.#pin?.standsIn(newest) === true;
    const isNamed = [...tableIds(newest)].some((table) => isOf(error, table));
    // The state that is read now says nothing: a look may have moved on under a slow read.
    if (isKept || isNamed) return error;
    const message = "the reader is too far behind: garbage collection deleted its state";
    const facts = { manifest: id, newest: newest.id, leastAgeMs: this.#gcMinAgeMs };
    return new FirnError("Unavailable", "LSM_READER_BEHIND", message, facts, error);
  }
}

/** Whether a group holds an ingest beyond a sequence: nothing else is in the group. */
function hasIngest({ batches }: WalGroup, after: Sequence): boolean {
  return batches.some(({ firstSequence, payload }) => firstSequence > after && isIngest(payload));
}

/** The batches of a group that end before a sequence, or with it. */
function upTo({ group, place }: TailGroup, through: Sequence): TailGroup {
  const lastOf = ({ firstSequence, count }: WalBatch): Sequence => firstSequence + count - 1;
  const batches = group.batches.filter((batch) => lastOf(batch) <= through);
  const sequence = batches.reduce((_, batch) => lastOf(batch), 0);
  return { group: { ...group, batches }, place: { ...place, sequence } };
}

function isOf({ context }: FirnError, table: string): boolean {
  return context["table"] === table || String(context["path"]).includes(table);
}

/** Each look met a later owner, or took too long. */
function unsettled(): FirnError {
  const message = "the owner of the shard keeps changing: try again";
  return new FirnError("Unavailable", "LSM_READER_UNSETTLED", message);
}

function ahead(sequence: Sequence, reached: Sequence): FirnError {
  const message = "the sequence is ahead of the newest durable write";
  return new FirnError("Unavailable", "LSM_SEQUENCE_AHEAD", message, { sequence, reached });
}
