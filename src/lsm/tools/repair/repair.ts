import { assert } from "../../../base/assert.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Prng } from "../../../base/prng.ts";
import type { BlobStore } from "../../../blob/port.ts";
import { FRAME_BYTES } from "../../format/block-frame.ts";
import { latin1Text, type Sequence, type ValueReference } from "../../format/entry.ts";
import { type Manifest, tablesIn } from "../../format/manifest.ts";
import type { SstMeta } from "../../format/sst-meta.ts";
import { decodeReference, decodeValue } from "../../format/value-reference.ts";
import { LSM_LIMITS } from "../../limits.ts";
import { ManifestObjects, manifestPath } from "../../manifest/objects.ts";
import { assertAlive, noShard, type ShardFiles, tableFiles } from "../../manifest/shard-files.ts";
import { type ChosenOptions, lsmOptions } from "../../options.ts";
import { type NodeIdentity, owned } from "../../ownership/owner.ts";
import { EMPTY } from "../../ownership/take-over.ts";
import { valuePath } from "../../read/apart-values.ts";
import { Operators, withRegistered } from "../../read/operators.ts";
import { pathOf, tablePath } from "../../read/table-cache.ts";
import { openTableFile } from "../verify-table.ts";
import { damageText, harmless, type Loss, ofAnyKey, ofTable } from "./loss.ts";
import { type NewestState, newestState } from "./newest-state.ts";
import { SalvageCursor } from "./salvage-cursor.ts";
import { type SalvagedLog, salvageLog } from "./salvage-log.ts";
import { type ReadRange, SalvageTable } from "./salvage-table.ts";
import { placeTaken, type ReadValue, RunWriter } from "./write-run.ts";

/** A shard that may be damaged. Nothing of it is changed. */
export interface RepairSource extends ShardFiles {
  /**
   * Reads a file of the store whatever its store says of it: one that keeps a checksum beside each
   * file refuses a file whose own checksums may still prove most of it. The store's ranges if
   * absent.
   */
  readonly readDamaged?: ReadRange;
  /** A shard that a process owns which it sees is not repaired. */
  readonly node?: NodeIdentity;
}

/** Where the repaired shard goes: an empty place. */
export interface RepairTarget extends ChosenOptions {
  readonly store: BlobStore;
  /** A slash at its end; or empty. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly prng: Prng;
}

export interface Repaired {
  /** The state that the repair began with; undefined: no manifest could be read. */
  readonly manifestId: number | undefined;
  readonly tablesRead: number;
  readonly batchesRead: number;
  readonly rows: number;
  readonly tables: number;
  readonly tableBytes: number;
  /** Writes to the repaired shard come behind it. */
  readonly lastSequence: Sequence;
  /** Names of checkpoints, which a repair does not bring over. */
  readonly checkpoints: readonly string[];
  /** Empty: nothing is lost. */
  readonly losses: readonly Loss[];
}

/** Where writes may be lost, those that come get sequences that no lost one can have had. */
const SKIPPED_SEQUENCES = 1_000_000;
/** Of every entry in the file of an ingested table. */
const INGEST_SEQUENCE = 1;

/**
 * Makes a new shard of what can be proven of a damaged one: the tables of the newest manifest that
 * can be read, block by block, and the log behind it, batch by batch, each by its checksum. Where
 * operations are missing between the two, also tables that no readable manifest names. The result
 * is one sorted run of the newest versions under their own sequences. Checkpoints and states of the
 * past are not brought over.
 *
 * Reads every needed file once; memory is a window of each table, and a memtable.
 *
 * @throws FirnError `NotFound`, codes `LSM_NO_SHARD`, `LSM_SHARD_DELETED`; `AlreadyExists`, code
 *   `LSM_REPAIR_TARGET_TAKEN`; `Unavailable`, code `LSM_OWNED`; what the stores throw but damage:
 *   then the target is garbage.
 */
export async function repairShard(source: RepairSource, target: RepairTarget): Promise<Repaired> {
  const [taken] = await target.store.list(target.prefix, { limit: 1 });
  if (taken !== undefined) throw placeTaken(target.prefix, taken.path);
  await assertRepairable(source);
  return await new Repair(source, target).run();
}

/** What `repairShard` refuses of its source, before anything is written. @throws as that. */
export async function assertRepairable(source: RepairSource): Promise<void> {
  const { store, prefix, wal } = source;
  const { manifest, damaged } = await newestState(source, readOf(source));
  if (manifest !== undefined) {
    assertAlive(manifest, prefix);
    // Of a newer owner, or of none, only the damaged one could tell.
    if (damaged.length === 0) assertUnowned(manifest, source);
    return;
  }
  const folders = [`${prefix}manifest/`, `${prefix}sst/`];
  for (const folder of folders) if ((await store.list(folder, { limit: 1 })).length > 0) return;
  if ((await wal.list()).length === 0) throw noShard(prefix);
}

/** Files that change while they are read make a state that never was. */
function assertUnowned({ owner, writtenAtMs }: Manifest, { node, clock }: RepairSource): void {
  if (owner === undefined || owner.state === "FREE" || node?.sight(owner) !== "alive") return;
  throw owned(owner, clock.nowMs() - writtenAtMs);
}

function readOf({ store, readDamaged }: RepairSource): ReadRange {
  return (
    readDamaged ??
    (async (path, offset, bytes) => (await store.getRange(path, offset, bytes))?.bytes)
  );
}

class Repair {
  readonly #source: RepairSource;
  readonly #target: RepairTarget & { readonly options: ReturnType<typeof lsmOptions> };
  readonly #read: ReadRange;
  readonly #losses: Loss[] = [];
  #writer: RunWriter | undefined;

  constructor(source: RepairSource, target: RepairTarget) {
    this.#source = source;
    this.#target = { ...target, options: lsmOptions(target) };
    this.#read = readOf(source);
  }

  async run(): Promise<Repaired> {
    const state = await newestState(this.#source, this.#read);
    const { manifest } = state;
    const operators = withRegistered(manifest?.operators ?? []);
    const log = await this.#readLog(manifest, new Operators(operators));
    this.#judgeStates(state, log);
    const named = await this.#open(tablesIn(manifest ?? EMPTY), undefined);
    const others = log.isGapless ? [] : await this.#openUnnamed(state, log);
    const spilled = await this.#openSpilled(log.tables);
    const cursors = [...named, ...others, ...spilled];
    const writer = new RunWriter(this.#target, cursors, new Operators(operators), this.#readValue);
    for (const loss of this.#losses) writer.doubt(loss);
    this.#writer = writer;
    const tables = await writer.run();
    const written = tables.reduce((entries, { stats }) => entries + stats.entries, 0);
    assert(written === writer.rows, "the tables of a repair hold every row that was merged");
    this.#tellOperands(others);
    const tablesRead = named.length + others.length;
    const seen = Math.max(
      log.lastSequence,
      ...cursors.map(({ table }) => table.meta.stats.maxSequence),
    );
    const isSure = this.#losses.every(({ keys }) => keys === undefined);
    const isNewest = tables.every(({ stats }) => stats.maxSequence <= seen);
    assert(isNewest, "no row of a repair is newer than what it read");
    const lastSequence = isSure ? seen : seen + SKIPPED_SEQUENCES;
    await this.#publish(tables, lastSequence, operators);
    await this.#target.store.deleteMany(
      log.tables.map(({ id }) => tablePath(this.#target.prefix, id)),
    );
    return {
      manifestId: manifest?.id,
      tablesRead,
      batchesRead: log.batches,
      rows: writer.rows,
      tables: tables.length,
      tableBytes: tables.reduce((bytes, { fileBytes }) => bytes + fileBytes, 0),
      lastSequence,
      checkpoints: (manifest?.checkpoints ?? [])
        .filter(({ kind }) => kind === "named")
        .map(({ name }) => name),
      losses: this.#losses,
    };
  }

  readonly #lose = (loss: Loss): void => {
    this.#losses.push(loss);
    this.#writer?.doubt(loss);
  };

  async #readLog(manifest: Manifest | undefined, operators: Operators): Promise<SalvagedLog> {
    const { walFrom: file = 0, lastSequence: sequence = 0, walBegun: begun } = manifest ?? {};
    const mark = { file, sequence, ...(begun !== undefined && { begun }) };
    const semantics = { operators, nowMs: () => 0 };
    // They are merged again: their values go apart then.
    const options = { ...this.#target.options, inlineValueBytes: LSM_LIMITS.valueBytes };
    const target = { ...this.#target, options, semantics };
    return await salvageLog(this.#source.wal, mark, target, this.#lose);
  }

  readonly #readValue: ReadValue = async (entry, { path: table, meta }) => {
    const { keySource, keyStart, keyEnd, sequence } = entry;
    const key = latin1Text(keySource, keyStart, keyEnd);
    const extent = { firstKey: key, lastKey: key, maxSequence: sequence };
    try {
      const reference = decodeReference(entry);
      const path = valuePath(meta.home ?? this.#source.prefix, reference.id);
      const object = await this.#read(path, 0, reference.bytes + FRAME_BYTES);
      if (object === undefined) this.#lose(ofTable(path, "the value is missing", extent));
      else return this.#valueIn(object, path, reference, extent);
    } catch (error) {
      this.#lose(ofTable(table, damageText(error), extent));
    }
    return undefined;
  };

  #valueIn(
    object: Uint8Array,
    path: string,
    reference: ValueReference,
    extent: Parameters<typeof ofTable>[2],
  ): Uint8Array | undefined {
    try {
      return decodeValue(object, reference);
    } catch (error) {
      this.#lose(ofTable(path, damageText(error), extent));
      return undefined;
    }
  }

  /** Tells of states that are newer than the one that is used, and what they may have held. */
  #judgeStates({ manifest, damaged, missing, boundary }: NewestState, log: SalvagedLog): void {
    const { prefix } = this.#source;
    if (boundary !== undefined) {
      this.#lose(harmless(boundary.file, `${boundary.what}; a new shard begins without one`));
    }
    const isOutlived = log.epoch > (manifest?.writerEpoch ?? 0);
    const behind = manifest === undefined ? "no manifest can be read" : `manifest ${manifest.id}`;
    const instead = manifest === undefined ? behind : `${behind} is used instead`;
    for (const { file, what } of damaged) this.#loseState(log, file, `${what}; ${instead}`);
    const lost =
      missing ?? (isOutlived ? manifestPath(prefix, (manifest?.id ?? 0) + 1) : undefined);
    if (lost === undefined || damaged.length > 0) return;
    this.#loseState(log, lost, `a manifest is missing; ${instead}`);
  }

  /** With all of the log behind an older state, nothing is lost but what no log holds. */
  #loseState({ isGapless, ingests }: SalvagedLog, file: string, what: string): void {
    const isLost = !isGapless || ingests.length > 0;
    if (isLost) this.#lose(ofAnyKey(file, what));
    else this.#lose(harmless(file, `${what}; the log holds every operation since`));
  }

  /** Tables that a manifest names. */
  async #open(
    metas: readonly SstMeta[],
    above: Sequence | undefined,
  ): Promise<readonly SalvageCursor[]> {
    const cursors: SalvageCursor[] = [];
    for (const meta of metas) {
      const path = pathOf(this.#source.prefix, meta);
      const table = await SalvageTable.open(this.#read, path, meta, this.#lose);
      if (table !== undefined) cursors.push(new SalvageCursor(table, above));
    }
    return cursors;
  }

  /** Tables that a lost manifest named, or that were written and never named. */
  async #openUnnamed(
    { manifest, damaged, missing }: NewestState,
    log: SalvagedLog,
  ): Promise<readonly SalvageCursor[]> {
    const above = manifest?.lastSequence ?? 0;
    const named = new Set(tablesIn(manifest ?? EMPTY).map(({ id }) => id));
    const isOutlived = log.epoch > (manifest?.writerEpoch ?? 0);
    const isStateLost = damaged.length > 0 || missing !== undefined || isOutlived;
    const metas: SstMeta[] = [];
    for (const { id, path } of await tableFiles(this.#source)) {
      if (named.has(id)) continue;
      try {
        const meta = (await openTableFile(this.#source.store, path, id))?.meta;
        if (meta === undefined) continue;
        const { minSequence, maxSequence } = meta.stats;
        if (maxSequence === INGEST_SEQUENCE && minSequence === maxSequence) {
          const what = "only a lost manifest tells when these rows were ingested, and whether";
          if (isStateLost)
            this.#lose(ofTable(path, what, { ...meta.stats, maxSequence: Infinity }));
        } else if (maxSequence > above) metas.push(meta);
      } catch (error) {
        const what = `${damageText(error)}; only a lost manifest may have named this table`;
        if (isStateLost) this.#lose(ofAnyKey(path, what));
      }
    }
    return await this.#open(metas, above);
  }

  /** What came of the log, in the target. */
  async #openSpilled(metas: readonly SstMeta[]): Promise<readonly SalvageCursor[]> {
    const { store, prefix } = this.#target;
    const read: ReadRange = async (path, offset, bytes) =>
      (await store.getRange(path, offset, bytes))?.bytes;
    const cursors: SalvageCursor[] = [];
    for (const meta of metas) {
      const path = tablePath(prefix, meta.id);
      const table = await SalvageTable.open(read, path, meta, this.#lose);
      if (table !== undefined) cursors.push(new SalvageCursor(table, undefined));
    }
    return cursors;
  }

  #tellOperands(cursors: readonly SalvageCursor[]): void {
    for (const { table, skippedOperands } of cursors) {
      if (skippedOperands === 0) continue;
      const what =
        `${skippedOperands} merge operands of a table that no readable manifest names are left ` +
        "out: they may have been counted elsewhere";
      this.#losses.push(ofTable(table.path, what, table.meta.stats));
    }
  }

  async #publish(
    tables: readonly SstMeta[],
    lastSequence: Sequence,
    operators: readonly string[],
  ): Promise<void> {
    const { store, prefix, clock, options } = this.#target;
    const { gcMinAgeMs } = options;
    const manifests = new ManifestObjects({ store, clock, prefix, gcMinAgeMs });
    const timeMs = clock.nowMs();
    const state = {
      ...EMPTY,
      runs: tables.length === 0 ? [] : [{ id: 1, tables, unknown: [] }],
      lastSequence,
      samples: lastSequence === 0 ? [] : [{ sequence: lastSequence, timeMs, unknown: [] }],
      operators,
    };
    if ((await manifests.publish(state, 0)) === undefined) {
      throw placeTaken(prefix, manifestPath(prefix, 1));
    }
  }
}
