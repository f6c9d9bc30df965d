import { FirnError } from "../base/error.ts";
import type { TableId } from "../base/ids.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { snapshotNotFound } from "../catalog/errors.ts";
import type { SnapshotKey, TableSnapshot } from "../catalog/model.ts";
import { repairSnapshots } from "../catalog/snapshots.ts";
import { ancestorsOf, newestFirst, snapshotAsOf } from "../iceberg/history.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { Snapshot as IcebergSnapshot } from "../iceberg/snapshot.ts";
import type { Live } from "../pointer/port.ts";
import type { Actor } from "./actor.ts";
import type { DeltaLogs } from "./delta/logs.ts";
import type { MetadataFiles } from "./metadata-files.ts";
import type { TableRef } from "./requests.ts";
import { catalogSnapshot } from "./snapshot-changes.ts";
import { type TableRoot, tableRoot } from "./table-root.ts";

/** Who writes what a reader found missing. */
const REPAIR = { principal: "firn", requestId: "repair" } as const;

/** Part of a list: what follows a snapshot of it, which need not be there any more. */
export interface SnapshotPage {
  readonly after?: SnapshotKey;
  readonly limit: number;
}

/**
 * The snapshots of tables. Of Iceberg tables the current metadata says which there are and what
 * they hold; the catalog's own payload and pointers of what is answered are made to say the same in
 * the background, where they do not. Warm: one batch read, and another in the background. Of a
 * Delta table the log says it: a version is a snapshot, and nothing is stored. One list beside.
 *
 * All throw `FirnError` as a load of the table does, and `SNAPSHOT_NOT_FOUND`.
 */
export class TableSnapshots {
  readonly #catalog: AccountCatalog;
  readonly #files: MetadataFiles<TableMetadata>;
  readonly #logs: Pick<DeltaLogs, "read">;

  constructor(
    catalog: AccountCatalog,
    files: MetadataFiles<TableMetadata>,
    logs: Pick<DeltaLogs, "read">,
  ) {
    this.#catalog = catalog;
    this.#files = files;
    this.#logs = logs;
  }

  async get(_actor: Actor, ref: TableRef, snapshotId: bigint): Promise<TableSnapshot> {
    const facts = { snapshotId };
    return this.#either(
      ref,
      () => this.#one(ref, ({ snapshots }) => snapshots.find(snapshotId), facts),
      ({ snapshots }) => found(ref, versionOf(snapshots, snapshotId), facts),
    );
  }

  /** The canonical pointer of a table at a version that has a snapshot, and the table's id. */
  async holding(
    _actor: Actor,
    ref: TableRef,
    snapshotId: bigint,
  ): Promise<{ readonly item: Live; readonly table: TableId }> {
    const facts = { snapshotId };
    return this.#either(
      ref,
      async () => {
        const { metadata, item, table } = await this.#root(ref);
        found(ref, metadata.snapshots.find(snapshotId), facts);
        return { item, table: table.id };
      },
      ({ snapshots, item, table }) => {
        found(ref, versionOf(snapshots, snapshotId), facts);
        return { item, table };
      },
    );
  }

  /** The snapshot that `main` names. */
  async current(_actor: Actor, ref: TableRef): Promise<TableSnapshot> {
    const pick = ({ snapshots, currentSnapshotId: id }: TableMetadata) =>
      id === undefined ? undefined : snapshots.find(id);
    return this.#either(
      ref,
      () => this.#one(ref, pick),
      ({ snapshots }) => found(ref, snapshots.at(-1)),
    );
  }

  /** As of a time, of the table or of one branch: see `snapshotAsOf`. */
  async asOf(
    _actor: Actor,
    ref: TableRef,
    timestampMs: number,
    branch?: string,
  ): Promise<TableSnapshot> {
    const facts = { timestampMs, ...(branch === undefined ? {} : { branch }) };
    return this.#either(
      ref,
      () => this.#one(ref, (root) => snapshotAsOf(root, timestampMs, branch), facts),
      ({ snapshots }) => {
        // A log has no branches.
        const all = branch === undefined || branch === "main" ? snapshots : [];
        return found(
          ref,
          all.findLast((one) => one.timestampMs <= timestampMs),
          facts,
        );
      },
    );
  }

  /** A snapshot and those it grew out of, newest first. */
  async ancestors(
    _actor: Actor,
    ref: TableRef,
    snapshotId: bigint,
  ): Promise<readonly TableSnapshot[]> {
    const facts = { snapshotId };
    return this.#either(
      ref,
      async () => {
        const root = await this.#root(ref);
        const line = ancestorsOf(root.metadata, snapshotId);
        found(ref, line[0], facts);
        return this.#answer(root, line);
      },
      ({ snapshots }) => {
        found(ref, versionOf(snapshots, snapshotId), facts);
        return snapshots.filter((one) => one.snapshotId <= snapshotId).reverse();
      },
    );
  }

  /** Newest first. */
  async list(_actor: Actor, ref: TableRef, page: SnapshotPage): Promise<readonly TableSnapshot[]> {
    const { after, limit } = page;
    const pageOf = <S extends SnapshotKey>(all: readonly S[]): readonly S[] =>
      (after === undefined ? all : all.filter((one) => follows(one, after))).slice(0, limit);
    return this.#either(
      ref,
      async () => {
        const root = await this.#root(ref);
        return this.#answer(root, pageOf(newestFirst(root.metadata)));
      },
      ({ snapshots }) => pageOf(snapshots.toReversed()),
    );
  }

  /** What the metadata file of the table says, as it was read. */
  async metadata(_actor: Actor, ref: TableRef): Promise<TableMetadata> {
    return (await this.#root(ref)).metadata;
  }

  async #one(
    ref: TableRef,
    pick: (metadata: TableMetadata) => IcebergSnapshot | undefined,
    facts: Parameters<typeof snapshotNotFound>[2] = {},
  ): Promise<TableSnapshot> {
    const root = await this.#root(ref);
    const [answer] = this.#answer(root, [found(ref, pick(root.metadata), facts)]);
    return found(ref, answer, facts);
  }

  /** Answers by the metadata of an Iceberg table, or by the log of a Delta table. */
  async #either<T>(
    ref: TableRef,
    iceberg: () => Promise<T>,
    delta: (log: DeltaRoot) => T,
  ): Promise<T> {
    try {
      return await iceberg();
    } catch (error) {
      if (!(error instanceof FirnError) || error.code !== "TABLE_NOT_ICEBERG") throw error;
      const log = await this.#log(ref);
      if (log === undefined) throw error;
      return delta(log);
    }
  }

  async #log({ catalog, namespace: path, table: name }: TableRef): Promise<DeltaRoot | undefined> {
    const { item, entity } = await this.#catalog.tables.get({ catalog, path, name });
    if (entity.format !== "DELTA") return undefined;
    const log = await this.#logs.read(entity.location);
    return log && { snapshots: log.snapshots, item, table: entity.id };
  }

  #answer(root: TableRoot, picked: readonly IcebergSnapshot[]): readonly TableSnapshot[] {
    const { context } = this.#catalog;
    const snapshots = picked.map(catalogSnapshot);
    context.background.run(() => repairSnapshots(context, REPAIR, root.table, snapshots));
    return snapshots;
  }

  async #root(ref: TableRef): Promise<TableRoot> {
    return tableRoot(this.#catalog, this.#files, ref);
  }
}

/** One look at the log of a Delta table. Oldest first. */
interface DeltaRoot {
  readonly snapshots: readonly TableSnapshot[];
  readonly item: Live;
  readonly table: TableId;
}

function versionOf(snapshots: readonly TableSnapshot[], id: bigint): TableSnapshot | undefined {
  return snapshots.find(({ snapshotId }) => snapshotId === id);
}

/** @throws FirnError `SNAPSHOT_NOT_FOUND`. */
function found<T>(
  { namespace, table }: TableRef,
  snapshot: T | undefined,
  facts: Parameters<typeof snapshotNotFound>[2] = {},
): T {
  if (snapshot === undefined) throw snapshotNotFound(namespace, table, facts);
  return snapshot;
}

function follows(one: SnapshotKey, after: SnapshotKey): boolean {
  if (one.timestampMs !== after.timestampMs) return one.timestampMs < after.timestampMs;
  return one.snapshotId < after.snapshotId;
}
