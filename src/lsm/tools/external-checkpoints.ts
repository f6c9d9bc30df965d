import { FirnError } from "../../base/error.ts";
import type { Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Change } from "../manifest/log.ts";
import { ManifestObjects } from "../manifest/objects.ts";
import { noShard } from "../manifest/shard-files.ts";
import type { ManifestStore } from "../manifest/store.ts";
import { lsmOptions } from "../options.ts";
import type { ReaderParts } from "../read/reader.ts";
import { Checkpoints, keepNewest, liveStates, type NamedState } from "../states/checkpoints.ts";
import { amend } from "../states/pin.ts";
import type { WalReader } from "../wal/port.ts";

/** The states of a shard as those publish them who do not own it. */
export function manifestsOf(parts: ReaderParts): ManifestStore {
  const { store, clock, prefix = "", manifests } = parts;
  const { gcMinAgeMs } = lsmOptions(parts);
  return manifests ?? new ManifestObjects({ store, clock, prefix, gcMinAgeMs });
}

/**
 * The named checkpoints of a shard, for those who do not own it: beside its owner, who is neither
 * asked nor hindered, or where there is none.
 */
export class ExternalCheckpoints {
  readonly #parts: ReaderParts;
  readonly #manifests: ManifestStore;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#manifests = manifestsOf(parts);
  }

  /**
   * Keeps the newest state under a name, without taking the shard over: where its owner has
   * released it and all that was written is in tables. A request for the log beside three.
   *
   * @returns undefined where it is not so: only an owner can tell what the newest state is, and
   *   bring it into tables.
   * @throws FirnError as `Checkpoints.create`; `NotFound`, code `LSM_NO_SHARD`.
   */
  async create(name: string, ttlMs: number | undefined): Promise<NamedState | undefined> {
    const { clock } = this.#parts;
    const seen = await this.#newest();
    if (!(await this.#isAtRest(seen))) return undefined;
    // No owner writes without its own epoch: so the log still holds nothing beyond the tables.
    const isDue = (manifest: Manifest): boolean =>
      isReleased(manifest) && manifest.writerEpoch === seen.writerEpoch;
    return await keepNewest(this.#update, clock, { name, ttlMs }, isDue);
  }

  /** Those that have not ended, in the order of their making. */
  async list(): Promise<readonly NamedState[]> {
    return liveStates(await this.#newest(), this.#parts.clock.nowMs());
  }

  /** @throws FirnError as `Checkpoints.delete`; `NotFound`, code `LSM_NO_SHARD`. */
  async delete(name: string): Promise<void> {
    const newest = await this.#newest();
    await new Checkpoints(this.#parts.clock, this.#update, () => newest).delete(name);
  }

  readonly #update = (change: Change): Promise<Manifest> => amend(this.#manifests, change);

  async #newest(): Promise<Manifest> {
    const newest = await this.#manifests.latest();
    if (newest === undefined) throw noShard(this.#parts.prefix ?? "");
    return newest;
  }

  /** Whether no process has it open, and its log holds nothing that its tables do not. */
  async #isAtRest(manifest: Manifest): Promise<boolean> {
    if (!isReleased(manifest)) return false;
    try {
      const { sequence, isWhole } = await endOfLog(this.#parts.wal, manifest);
      return isWhole && sequence === manifest.lastSequence;
    } catch (error) {
      // Files that are gone: another process opens it just now, or finds out what is wrong with it.
      if (error instanceof FirnError && error.kind === "Corrupt") return false;
      throw error;
    }
  }
}

function isReleased({ owner }: Manifest): boolean {
  return owner === undefined || owner.state === "FREE";
}

/**
 * How far the log goes behind the tables of a manifest, and whether no process takes over just now.
 */
export async function endOfLog(
  wal: WalReader,
  { walFrom: file, lastSequence }: Manifest,
): Promise<{ readonly sequence: Sequence; readonly isWhole: boolean }> {
  const tail = wal.tail({ file, offset: 0, sequence: lastSequence });
  for (let sequence = lastSequence; ; ) {
    const { done, value } = await tail.next();
    if (done === true) return { sequence, isWhole: value };
    sequence = Math.max(sequence, value.place.sequence);
  }
}
