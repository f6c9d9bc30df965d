import { assert } from "../../base/assert.ts";
import { FirnError, invalid } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";
import { isHome } from "../format/home.ts";
import { isForeign, type Manifest } from "../format/manifest.ts";
import type { Parent } from "../format/manifest-records.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import { mintUlid } from "../format/ulid.ts";
import { LSM_LIMITS } from "../limits.ts";
import type { ManifestState, ManifestStore } from "../manifest/store.ts";
import { lsmOptions } from "../options.ts";
import { EMPTY } from "../ownership/take-over.ts";
import { Operators } from "../read/operators.ts";
import { openReader, type Reader, type ReaderParts } from "../read/reader.ts";
import { persistently, tooMany } from "../states/checkpoints.ts";
import {
  holdParent,
  isHeld,
  letGoOfParent,
  type ManifestsOf,
  objectsOf,
  pinnedIn,
} from "../states/parent.ts";
import { amend } from "../states/pin.ts";
import { gone, type Moment } from "../states/resolve.ts";
import { writeTables } from "../write/memtable-table.ts";

export interface Cloned {
  /** The clone holds everything up to it, and nothing beyond; its own writes come behind it. */
  readonly sequence: Sequence;
  /** Of the parent, which keeps it for the clone. */
  readonly manifestId: number;
  /** Tables that lie with the parent, or where the parent found them. */
  readonly sharedTables: number;
  readonly sharedBytes: number;
  /** Of the clone's own: what lay in the parent's log alone. */
  readonly writtenTables: number;
  readonly writtenBytes: number;
}

const FOLDERS = ["wal/", "manifest/", "gc/", "sst/", "values/"] as const;

/**
 * Makes a shard of a state of another one, the newest one unless a moment is given, in the same
 * store. No table is copied: the first manifest of the clone names those of the parent where they
 * lie. From then on the two are written, compacted and collected each on its own; the parent keeps
 * what the clone names until no manifest that the clone keeps names any of it.
 *
 * The parent's owner is not involved and goes on. Nothing is there until the clone's first
 * manifest is put; what ends half-way keeps tables of the parent for `LSM_LIMITS.readerLifeMs` at
 * most, and may be made again. A retry after an `Unknown` that finds the clone throws
 * `LSM_SHARD_EXISTS`, whose context says what stands there.
 *
 * @param into prefix of the clone: a slash at its end, or empty.
 * @throws FirnError as `openReader` of such a moment; `AlreadyExists`, code `LSM_SHARD_EXISTS`:
 *   a shard is there; `NotFound`, code `LSM_CLONE_UNFINISHED`: it took too long, so make it again;
 *   `Invalid`, codes `LSM_CLONE_INVALID`, `LSM_CHECKPOINTS_FULL`; `Unknown`.
 */
export async function cloneShard(
  parts: ReaderParts,
  into: string,
  moment?: Moment,
): Promise<Cloned> {
  const { prefix: from = "" } = parts;
  assertPlace(from, into);
  const target =
    moment === undefined
      ? ({ newest: true } as const)
      : "checkpoint" in moment
        ? moment
        : { at: moment };
  const cloning = new Cloning(parts, into);
  const previous = await cloning.vacant();
  const reader = await openReader(parts, target);
  try {
    return await cloning.run(reader, previous);
  } finally {
    // What fails here ends with its life.
    await reader.close().catch(() => undefined);
  }
}

/** One clone that is being made. */
class Cloning {
  readonly #parts: ReaderParts;
  readonly #from: string;
  readonly #into: string;
  /** Of all shards but the parent, whose states may be told apart. */
  readonly #manifestsOf: ManifestsOf;
  readonly #store: ManifestStore;
  /** Of this attempt alone: two that clone into one place must not take each other's away. */
  readonly #pin: string;

  constructor(parts: ReaderParts, into: string) {
    const { store, clock, prng, prefix = "", manifests } = parts;
    const { gcMinAgeMs } = lsmOptions(parts);
    const others = parts.manifestsOf ?? objectsOf(store, clock, gcMinAgeMs);
    this.#parts = parts;
    this.#from = prefix;
    this.#into = into;
    this.#manifestsOf = (of) => (of === prefix && manifests !== undefined ? manifests : others(of));
    this.#store = others(into);
    this.#pin = `${into}${mintUlid(clock, prng)}`;
  }

  /** The manifest that the first one comes behind: 0, or that of a clone that came to nothing. */
  async vacant(): Promise<number> {
    const standing = await this.#store.latest();
    if (standing === undefined) return 0;
    // No process could ever open it, so no process has written to it.
    const isNothing = standing.writerEpoch === 0 && isForeign(standing);
    if (isNothing && !(await isHeld(this.#manifestsOf, standing))) return standing.id;
    throw this.#exists(standing);
  }

  async run(reader: Reader, previous: number): Promise<Cloned> {
    const { sequence } = reader;
    const { manifest } = reader.source;
    const written = await this.#write(reader);
    const shared = (tables: readonly SstMeta[]): readonly SstMeta[] =>
      tables.map((table) => ({ ...table, home: table.home ?? this.#from }));
    const level0 = shared(manifest.level0);
    const runs = manifest.runs.map((run) => ({ ...run, tables: shared(run.tables) }));
    const parent = await this.#keep(reader);
    const timeMs = this.#parts.clock.nowMs();
    const clone = await this.#publish(
      {
        ...EMPTY,
        level0: [...written, ...level0],
        runs,
        lastSequence: sequence,
        parent,
        samples: sequence === 0 ? [] : [{ sequence, timeMs, unknown: [] }],
        operators: manifest.operators,
      },
      previous,
    );
    await this.#hold(clone);
    const tables = [...level0, ...runs.flatMap((run) => run.tables)];
    return {
      sequence,
      manifestId: parent.manifestId,
      sharedTables: tables.length,
      sharedBytes: bytesOf(tables),
      writtenTables: written.length,
      writtenBytes: bytesOf(written),
    };
  }

  /** Tables of what lay in the log alone, newest first. */
  async #write(reader: Reader): Promise<readonly SstMeta[]> {
    const { store, clock, prng } = this.#parts;
    const { manifest, memtables } = reader.source;
    const semantics = { operators: new Operators(manifest.operators), nowMs: () => 0 };
    const options = lsmOptions(this.#parts);
    const target = { clock, prng, options, store, prefix: this.#into, semantics };
    return await writeTables(target, memtables);
  }

  /** Has the parent keep for a while what the reader keeps until then. */
  async #keep(reader: Reader): Promise<Parent> {
    const { clock } = this.#parts;
    let manifestId = 0;
    await amend(this.#manifestsOf(this.#from), (newest) => {
      if (pinnedIn(newest, this.#pin) !== undefined) return undefined;
      // What stands in the state that this one follows was not collected, whatever clocks say.
      const kept = reader.keptIn(newest);
      if (kept === undefined) throw gone({ sequence: reader.sequence });
      if (newest.checkpoints.length >= LSM_LIMITS.checkpoints) throw tooMany();
      manifestId = kept.manifestId;
      const createdAtMs = clock.nowMs();
      const life = { createdAtMs, expiresAtMs: createdAtMs + LSM_LIMITS.readerLifeMs };
      const pin = { ...kept, ...life, kind: "clone", name: this.#pin, unknown: [] } as const;
      return { ...newest, checkpoints: [...newest.checkpoints, pin] };
    });
    assert(manifestId > 0, "a clone rests on a state that its parent keeps");
    return { prefix: this.#from, pin: this.#pin, manifestId, unknown: [] };
  }

  /** The clone is there from here on, or will never be by this attempt. */
  async #publish(state: ManifestState, previous: number): Promise<Manifest> {
    try {
      return await persistently(async () => {
        const standing = await this.#store.latest();
        // The answer to an attempt was lost.
        if (standing?.parent?.pin === this.#pin) return standing;
        const isFree = (standing?.id ?? 0) === previous;
        const published = isFree ? await this.#store.publish(state, previous) : undefined;
        const first = published ?? (await this.#store.latest());
        if (first?.parent?.pin === this.#pin) return first;
        throw this.#exists(first);
      });
    } catch (error) {
      // Where it may stand there yet the pin ends with its life, or is made to stay.
      const isKnown = error instanceof FirnError && error.kind !== "Unknown";
      if (isKnown) await this.#letGo().catch(() => undefined);
      throw error;
    }
  }

  /** What is pinned with a life is pinned for good. */
  async #hold(clone: Manifest): Promise<void> {
    try {
      await holdParent(this.#manifestsOf, clone);
    } catch (error) {
      const isCertain = !(error instanceof FirnError) || error.kind === "NotFound";
      if (isCertain) throw error;
      const message = "the clone exists, but its parent may not retain the tables it needs";
      const facts = { path: this.#into, manifest: clone.id };
      throw new FirnError("Unknown", "LSM_CLONE_UNKNOWN", message, facts, error);
    }
  }

  async #letGo(): Promise<void> {
    const { prefix, pin } = { prefix: this.#from, pin: this.#pin };
    await letGoOfParent(this.#manifestsOf, { prefix, pin, manifestId: 0, unknown: [] });
  }

  #exists(standing: Manifest | undefined): FirnError {
    const message = "a shard exists at this place";
    const { id = 0, lastSequence = 0, parent, deletedAtMs } = standing ?? {};
    const origin = parent === undefined ? {} : { parent: parent.prefix, of: parent.manifestId };
    const isDeleted = deletedAtMs !== undefined;
    const shard = { path: this.#into, manifest: id, sequence: lastSequence };
    const facts = { ...shard, ...origin, ...(isDeleted && { isDeleted }) };
    return new FirnError("AlreadyExists", "LSM_SHARD_EXISTS", message, facts);
  }
}

function assertPlace(from: string, into: string): void {
  const isWithin = FOLDERS.some(
    (folder) => into.startsWith(from + folder) || from.startsWith(into + folder),
  );
  if (isHome(from) && isHome(into) && into !== from && !isWithin) return;
  const message = "invalid clone prefix: it must differ from the parent's and end with a slash";
  throw invalid("LSM_CLONE_INVALID", message, { parent: from, path: into });
}

function bytesOf(tables: readonly SstMeta[]): number {
  return tables.reduce((bytes, { fileBytes }) => bytes + fileBytes, 0);
}
