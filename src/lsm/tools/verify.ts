import { FirnError } from "../../base/error.ts";
import { overlap } from "../compaction/plan.ts";
import type { ValueReference } from "../format/entry.ts";
import { type Manifest, tablesIn } from "../format/manifest.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";
import { decodeValue } from "../format/value-reference.ts";
import { ManifestHistory } from "../manifest/history.ts";
import { manifestPath } from "../manifest/objects.ts";
import {
  noShard,
  type ShardFiles,
  type TableFile,
  tableFiles,
  valueFiles,
} from "../manifest/shard-files.ts";
import { valuePath } from "../read/apart-values.ts";
import { pathOf } from "../read/table-cache.ts";
import { hasEnded } from "../states/checkpoints.ts";
import { isAbandoned, isHeld, objectsOf } from "../states/parent.ts";
import { decodeBatch } from "../wal/batch.ts";
import type { WalReader } from "../wal/port.ts";
import { EPOCH_AT } from "../wal/port.ts";
import { type Finding, findingOf, verifyTable } from "./verify-table.ts";

/** How much was looked at. */
export interface Verified {
  readonly manifests: number;
  readonly tables: number;
  readonly tableBytes: number;
  readonly entries: number;
  readonly walGroups: number;
  /** Tables that no manifest names: they wait to be deleted, or are being written. */
  readonly unreferenced: number;
  /** Values apart that tables of manifests refer to; and objects to which none of them does. */
  readonly values: number;
  readonly unreferencedValues: number;
}

/** Who names a table, and as what. */
interface Named {
  readonly meta: SstMeta;
  readonly manifests: number[];
}

/**
 * Reads a shard whole, in bounded memory, and tells what is wrong: manifests and what they refer
 * to, tables with their blocks, indexes, filters and statistics, the log as a take-over would
 * replay it, boundaries. Goes on after a finding, within a file as well. Changes nothing.
 *
 * Safe while an owner is at work: what vanishes meanwhile, and every manifest that named it with
 * it, is not a finding.
 *
 * @throws FirnError `NotFound`, code `LSM_NO_SHARD`; what the store throws but damage.
 */
export async function* verifyShard(shard: ShardFiles): AsyncGenerator<Finding, Verified> {
  return yield* new Verification(shard).run();
}

class Verification {
  readonly #shard: ShardFiles;
  readonly #history: ManifestHistory;
  readonly #named = new Map<Ulid, Named>();
  /** Values apart that were looked at. */
  readonly #values = new Set<Ulid>();
  #newest: Manifest | undefined;
  #manifests = 0;
  #tables = 0;
  #tableBytes = 0;
  #entries = 0;
  #walGroups = 0;

  constructor(shard: ShardFiles) {
    this.#shard = shard;
    this.#history = new ManifestHistory(shard.store, shard.prefix, shard.clock);
  }

  async *run(): AsyncGenerator<Finding, Verified> {
    const stored = await tableFiles(this.#shard);
    const values = await valueFiles(this.#shard);
    yield* this.#checkManifests();
    yield* this.#checkCheckpoints();
    yield* this.#checkTables();
    const unreferenced = stored.filter(({ id }) => !this.#named.has(id));
    yield* this.#checkUnreferenced(unreferenced);
    yield* this.#checkLog();
    yield* this.#checkEpoch();
    return {
      manifests: this.#manifests,
      tables: this.#tables,
      tableBytes: this.#tableBytes,
      entries: this.#entries,
      walGroups: this.#walGroups,
      unreferenced: unreferenced.length,
      values: this.#values.size,
      unreferencedValues: values.filter(({ id }) => !this.#values.has(id)).length,
    };
  }

  async *#checkManifests(): AsyncGenerator<Finding> {
    const listed = await this.#history.list();
    if (listed.length === 0) throw noShard(this.#shard.prefix);
    for (const { id, path } of listed) {
      try {
        const manifest = await this.#history.read(id);
        if (manifest === undefined) continue;
        this.#manifests++;
        // What stood there was never made, and what it names need not be there.
        if (this.#newest && isAbandoned(this.#newest, manifest)) this.#named.clear();
        this.#newest = manifest;
        yield* this.#checkOrder(manifest, path);
        this.#name(manifest);
      } catch (error) {
        yield findingOf(error, path);
      }
    }
    try {
      await this.#history.boundary();
    } catch (error) {
      yield findingOf(error, `${this.#shard.prefix}gc/`);
    }
  }

  /** What the newest manifest keeps is there, and what it says of times is in order. */
  async *#checkCheckpoints(): AsyncGenerator<Finding> {
    const newest = this.#newest;
    if (newest === undefined) return;
    const file = manifestPath(this.#shard.prefix, newest.id);
    for (const checkpoint of newest.checkpoints) {
      const { name, manifestId, sequence } = checkpoint;
      // What has ended may be gone, before the manifest says so; and a reader that came too late
      // may not have taken it back.
      const mayBeGone = hasEnded(checkpoint, this.#shard.clock.nowMs());
      if (mayBeGone || checkpoint.kind === "reader") continue;
      const kept = await this.#keptBy(manifestId);
      if (kept?.lastSequence === sequence || (await this.#hasMoved(newest.id))) continue;
      const found = kept === undefined ? "gone" : `of sequence ${kept.lastSequence}`;
      const what = `checkpoint ${name}: manifest ${manifestId} is ${found}, not of ${sequence}`;
      yield { file, offset: undefined, what };
    }
    yield* this.#checkParent(newest, file);
    const { samples } = newest;
    const disorder = samples.find(({ sequence, timeMs }, i) => {
      const before = samples[i - 1];
      return before !== undefined && (before.sequence >= sequence || before.timeMs > timeMs);
    });
    if (disorder === undefined) return;
    const what = `times of sequences are out of order at ${disorder.sequence}`;
    yield { file, offset: undefined, what };
  }

  /** What a clone names of others stays only as long as its parent keeps it. */
  async *#checkParent(newest: Manifest, file: string): AsyncGenerator<Finding> {
    const { store, clock, prefix } = this.#shard;
    if (newest.parent?.prefix === prefix || tablesIn(newest).some(({ home }) => home === prefix)) {
      yield { file, offset: undefined, what: "it takes its own shard for another one" };
      return;
    }
    if (await isHeld(objectsOf(store, clock, 0), newest)) return;
    if (await this.#hasMoved(newest.id)) return;
    const what = `the parent at ${newest.parent?.prefix} keeps nothing for this clone`;
    yield { file, offset: undefined, what };
  }

  /** Undefined where it is gone, or damaged, which is told where manifests are read. */
  async #keptBy(manifestId: number): Promise<Manifest | undefined> {
    try {
      return await this.#history.read(manifestId);
    } catch (error) {
      if (error instanceof FirnError && error.kind === "Corrupt") return undefined;
      throw error;
    }
  }

  /** Of tables of level 0, each is of later writes than those behind it, or of one ingest. */
  *#checkOrder({ level0 }: Manifest, file: string): Generator<Finding> {
    for (const [i, table] of level0.entries()) {
      const older = level0[i + 1];
      if (older === undefined || older.stats.maxSequence < table.stats.minSequence) continue;
      const isSameIngest = table.sequence !== undefined && older.sequence === table.sequence;
      if (isSameIngest && !overlap(table, older)) continue;
      yield { file, offset: undefined, what: `level 0 is out of order at ${table.id}` };
    }
  }

  #name(manifest: Manifest): void {
    for (const meta of tablesIn(manifest)) {
      const named = this.#named.get(meta.id) ?? { meta, manifests: [] };
      named.manifests.push(manifest.id);
      this.#named.set(meta.id, named);
    }
  }

  async *#checkTables(): AsyncGenerator<Finding> {
    const { store, prefix } = this.#shard;
    for (const [id, { meta, manifests }] of this.#named) {
      const path = pathOf(prefix, meta);
      const checkValues = (references: readonly ValueReference[]): AsyncGenerator<Finding> =>
        this.#checkValues(references, meta, manifests);
      const checked = yield* verifyTable(store, path, id, meta, checkValues);
      if (checked !== undefined) {
        this.#tables++;
        this.#tableBytes += checked.fileBytes;
        this.#entries += checked.stats.entries;
      } else {
        const naming = await this.#stillNamedBy(manifests);
        if (naming === undefined) continue;
        yield {
          file: path,
          offset: undefined,
          what: `it is not there, and manifest ${naming} names it`,
        };
      }
    }
  }

  /** Each once, whichever tables refer to it. */
  async *#checkValues(
    references: readonly ValueReference[],
    { home = this.#shard.prefix }: SstMeta,
    manifests: readonly number[],
  ): AsyncGenerator<Finding> {
    for (const reference of references) {
      if (this.#values.has(reference.id)) continue;
      const path = valuePath(home, reference.id);
      try {
        const object = await this.#shard.store.get(path);
        if (object !== undefined) {
          this.#values.add(reference.id);
          decodeValue(object.bytes, reference);
        } else if ((await this.#stillNamedBy(manifests)) !== undefined) {
          yield {
            file: path,
            offset: undefined,
            what: "it is not there, and a table refers to it",
          };
        }
      } catch (error) {
        yield findingOf(error, path);
      }
    }
  }

  /** A manifest that names a table and is stored still: the table had to be as well. */
  async #stillNamedBy(manifests: readonly number[]): Promise<number | undefined> {
    for (const id of manifests.toReversed()) {
      const path = manifestPath(this.#shard.prefix, id);
      if ((await this.#shard.store.head(path)) !== undefined) return id;
    }
    return undefined;
  }

  /** Whole all the same: a file appears whole or not at all. */
  async *#checkUnreferenced(tables: readonly TableFile[]): AsyncGenerator<Finding> {
    for (const { id, path } of tables) {
      const checked = yield* verifyTable(this.#shard.store, path, id, undefined);
      if (checked === undefined) continue;
      this.#tables++;
      this.#tableBytes += checked.fileBytes;
    }
  }

  async *#checkLog(): AsyncGenerator<Finding> {
    const { wal } = this.#shard;
    const { walFrom = 0, lastSequence = 0, walBegun: begun } = this.#newest ?? {};
    try {
      await wal.replay({ file: walFrom, sequence: lastSequence, begun }, ({ batches }) => {
        this.#walGroups++;
        for (const { payload, count } of batches) decodeBatch(payload, count);
      });
    } catch (error) {
      const finding = findingOf(error, wal.pathOf(walFrom));
      const file = fileOf(error);
      const moved = this.#newest !== undefined && (await this.#hasMoved(this.#newest.id));
      // An owner that flushed meanwhile has released what was to be read.
      if (!moved) yield file === undefined ? finding : { ...finding, file };
    }
  }

  /**
   * Any process that fences a log has published its epoch before: else states are gone that were
   * newer.
   */
  async *#checkEpoch(): AsyncGenerator<Finding> {
    const { wal } = this.#shard;
    const newest = this.#newest;
    if (newest === undefined) return;
    for (const { id } of (await wal.list()).toReversed()) {
      const epoch = await epochOf(wal, id);
      if (epoch === 0) continue;
      if (epoch > newest.writerEpoch && !(await this.#hasMoved(newest.id))) {
        const what = "a later owner than that of the newest manifest wrote it";
        yield { file: wal.pathOf(id), offset: EPOCH_AT, what };
      }
      return;
    }
  }

  async #hasMoved(id: number): Promise<boolean> {
    const next = manifestPath(this.#shard.prefix, id + 1);
    return (await this.#shard.store.head(next)) !== undefined;
  }
}

/** 0 where no process has begun the file, or it cannot be read, which the replay tells. */
async function epochOf(wal: WalReader, id: number): Promise<number> {
  try {
    return (await wal.read(id)).epoch;
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Corrupt") return 0;
    throw error;
  }
}

/** The log names its files in its own errors. */
function fileOf(error: unknown): string | undefined {
  const context = (error as { context?: Readonly<Record<string, unknown>> }).context;
  const file = context?.["file"];
  return typeof file === "string" ? file : undefined;
}
