import { assert } from "../../base/assert.ts";
import { FirnError } from "../../base/error.ts";
import type { OpenOptions } from "../engine/open.ts";
import type { Manifest } from "../format/manifest.ts";
import { listAll, ManifestHistory } from "../manifest/history.ts";
import { ManifestLog } from "../manifest/log.ts";
import { ManifestObjects } from "../manifest/objects.ts";
import { noShard } from "../manifest/shard-files.ts";
import type { ManifestState, ManifestStore } from "../manifest/store.ts";
import { type LsmTuning, lsmOptions } from "../options.ts";
import { EMPTY, takeOver } from "../ownership/take-over.ts";
import { certainly, hasEnded } from "../states/checkpoints.ts";
import { letGoOfParent, objectsOf } from "../states/parent.ts";
import { PUTS_IN_FLIGHT } from "../wal/object-wal.ts";
import type { Wal } from "../wal/port.ts";

const PAGE = 1_000;

/**
 * Deletes a shard: its states, its tables, its log, even while they are read. It refuses one that
 * has clones which name its tables.
 *
 * It is taken over first, so that any process that writes it is fenced, by its log too. Then one
 * put decides: before it the shard is whole, after it its last manifest says that it is deleted, to
 * all who open, read or clone it. Only then its files go, what its parent keeps for it first of
 * all. What ends that half-way the next call goes on with.
 *
 * A manifest, a boundary and the file of the log that fences its writers stay for good: no shard is
 * ever made in that place again.
 *
 * @throws FirnError `Conflict`, code `LSM_SHARD_CLONED`: then it goes on as before, but for its
 *   owner; `NotFound`, code `LSM_NO_SHARD`; as `openShard`; `Unknown`: it may have been deleted,
 *   and with the code `LSM_DELETION_UNFINISHED` it is, but for files that the next call deletes.
 */
export async function deleteShard(parts: OpenOptions): Promise<void> {
  const { store, clock, prefix = "", node } = parts;
  const options = lsmOptions(parts);
  const manifests = parts.manifests ?? new ManifestObjects({ ...options, store, clock, prefix });
  const standing = await manifests.latest();
  if (standing === undefined) throw noShard(prefix);
  // Fence no owner where the deletion is known to fail.
  assertUncloned(standing, clock.nowMs(), options);
  const mode = parts.takeOver ?? "refuse";
  const taken = await takeOver(manifests, clock, node, mode, parts.onWaiting);
  const deletion = new Deletion(parts, options, manifests, taken.manifest);
  await deletion.run(taken.outwait);
}

class Deletion {
  readonly #parts: OpenOptions;
  readonly #options: LsmTuning;
  readonly #prefix: string;
  readonly #log: ManifestLog;

  constructor(parts: OpenOptions, options: LsmTuning, store: ManifestStore, taken: Manifest) {
    this.#parts = parts;
    this.#options = options;
    this.#prefix = parts.prefix ?? "";
    this.#log = new ManifestLog(store, taken, () => undefined);
  }

  /** @param outwait whether an owner before may answer reads yet. */
  async run(outwait: boolean): Promise<void> {
    const { clock } = this.#parts;
    const lease = outwait ? clock.sleep(this.#options.takeoverWaitMs) : undefined;
    const wal = await this.#fence();
    try {
      await lease;
      await this.#bury(wal);
      await this.#clear(wal).catch((error: unknown) => {
        throw error instanceof FirnError ? unfinished(this.#prefix, error) : error;
      });
    } finally {
      await wal.close();
    }
  }

  /** Fences the log: its last writer can acknowledge nothing more. Its content is not read. */
  async #fence(): Promise<Wal> {
    const { writerEpoch: epoch, walFrom: file, lastSequence: sequence } = this.#log.current;
    const from = { file, sequence };
    try {
      return await this.#parts.wal.open({ epoch, from, onGroup: () => undefined });
    } catch (error) {
      await this.#letGo();
      throw error;
    }
  }

  /** The put that decides. */
  async #bury(wal: Wal): Promise<void> {
    const { clock } = this.#parts;
    try {
      await certainly(
        (change) => this.#log.update(change),
        (current): ManifestState | undefined => {
          const { writerEpoch, compactorEpoch, owner, parent } = current;
          // Who deletes it once more need not miss what is gone of the log.
          const { lastSequence } = wal.stats();
          const walFrom = Math.max(current.walFrom, wal.lowWater(lastSequence));
          const { deletedAtMs = clock.nowMs() } = current;
          if (deletedAtMs === current.deletedAtMs && walFrom === current.walFrom) return undefined;
          assertUncloned(current, deletedAtMs, this.#options);
          const left = { writerEpoch, compactorEpoch, walFrom, lastSequence, parent };
          const free = owner && { ...owner, state: "FREE" as const };
          return { ...EMPTY, ...left, owner: free, deletedAtMs };
        },
      );
    } catch (error) {
      await this.#letGo();
      throw error;
    }
  }

  /** Deletes what no process reads any more. Each step may be done again. */
  async #clear(wal: Wal): Promise<void> {
    const { store, clock, manifests } = this.#parts;
    const { parent, walFrom, deletedAtMs } = this.#log.current;
    assert(deletedAtMs !== undefined, "files go once the newest state says that the shard is gone");
    if (parent !== undefined) {
      const { gcMinAgeMs } = this.#options;
      const manifestsOf = this.#parts.manifestsOf ?? objectsOf(store, clock, gcMinAgeMs);
      await letGoOfParent(manifestsOf, parent);
      await certainly(
        (change) => this.#log.update(change),
        (current) => current.parent && { ...current, parent: undefined },
      );
    }
    await this.#deleteAll("sst/");
    await this.#deleteAll("values/");
    await wal.release(walFrom);
    // Of objects, the young ones too. The last ones stand where its writers would go on.
    await this.#deleteAll("wal/", PUTS_IN_FLIGHT);
    if (manifests !== undefined) return;
    const { id } = this.#log.current;
    const history = new ManifestHistory(store, this.#prefix, clock);
    const older = (await history.list()).filter((entry) => entry.id < id);
    if (older.length === 0 || !(await history.raise(id - 1))) return;
    await this.#delete(older.map(({ path }) => path));
  }

  /** @param but so many of the last ones stay. */
  async #deleteAll(directory: string, but = 0): Promise<void> {
    const found = await listAll(this.#parts.store, this.#prefix + directory);
    await this.#delete(found.slice(0, found.length - but).map(({ path }) => path));
  }

  async #delete(paths: readonly string[]): Promise<void> {
    for (let at = 0; at < paths.length; at += PAGE) {
      await this.#parts.store.deleteMany(paths.slice(at, at + PAGE));
    }
  }

  /** Nothing was done: the next one that opens the shard need not ask who this was. */
  async #letGo(): Promise<void> {
    const free = (current: Manifest): ManifestState => {
      return { ...current, owner: current.owner && { ...current.owner, state: "FREE" } };
    };
    await this.#log.update(free).catch(() => undefined);
  }
}

function unfinished(path: string, cause: FirnError): FirnError {
  const message = "the shard is deleted, but some of its files may remain";
  return new FirnError("Unknown", "LSM_DELETION_UNFINISHED", message, { path }, cause);
}

/** Pins whose life is over may be taken away by any collector: they count no more. */
function assertUncloned({ checkpoints }: Manifest, nowMs: number, options: LsmTuning): void {
  const before = nowMs - options.gcMinAgeMs;
  const pins = checkpoints.filter((one) => one.kind === "clone" && !hasEnded(one, before));
  if (pins.length === 0) return;
  const message = "the shard has clones that use its tables: delete them first";
  const facts = { clones: pins.length, one: pins[0]?.name ?? "" };
  throw new FirnError("Conflict", "LSM_SHARD_CLONED", message, facts);
}
