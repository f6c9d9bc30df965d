import type { TableId } from "../base/ids.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { relationNotFound, snapshotNotFound } from "../catalog/errors.ts";
import type { SnapshotKey, TableSnapshot } from "../catalog/model.ts";
import type { TableVersion } from "../catalog/snapshot-puts.ts";
import { repairSnapshots } from "../catalog/snapshots.ts";
import { ancestorsOf, newestFirst, snapshotAsOf } from "../iceberg/history.ts";
import type { TableMetadata } from "../iceberg/model.ts";
import type { Snapshot as IcebergSnapshot } from "../iceberg/snapshot.ts";
import type { Live } from "../pointer/port.ts";
import type { Actor } from "./actor.ts";
import { assertIceberg } from "./iceberg-only.ts";
import type { MetadataFiles } from "./metadata-files.ts";
import { headOf } from "./relation-commits.ts";
import { ofRelation } from "./relation-missing.ts";
import type { TableRef } from "./requests.ts";
import { catalogSnapshot } from "./snapshot-changes.ts";

/** Who writes what a reader found missing. */
const REPAIR = { principal: "firn", requestId: "repair" } as const;

/** Part of a list: what follows a snapshot of it, which need not be there any more. */
export interface SnapshotPage {
  readonly after?: SnapshotKey;
  readonly limit: number;
}

/** The root of one look: the metadata, and the pointer that led to it. */
interface Root {
  readonly metadata: TableMetadata;
  readonly item: Live;
  readonly table: TableVersion;
}

/**
 * The snapshots of Iceberg tables. The current metadata says which there are and what they hold;
 * the catalog's own payload and pointers of what is answered are made to say the same in the
 * background, where they do not. Warm: one batch read, and another in the background.
 *
 * All throw `FirnError` as a load of the table does, and `SNAPSHOT_NOT_FOUND`.
 */
export class TableSnapshots {
  readonly #catalog: AccountCatalog;
  readonly #files: MetadataFiles<TableMetadata>;

  constructor(catalog: AccountCatalog, files: MetadataFiles<TableMetadata>) {
    this.#catalog = catalog;
    this.#files = files;
  }

  async get(_actor: Actor, ref: TableRef, snapshotId: bigint): Promise<TableSnapshot> {
    return this.#one(ref, ({ snapshots }) => snapshots.find(snapshotId), { snapshotId });
  }

  /** The canonical pointer of a table at a version that has a snapshot, and the table's id. */
  async holding(
    _actor: Actor,
    ref: TableRef,
    snapshotId: bigint,
  ): Promise<{ readonly item: Live; readonly table: TableId }> {
    const { metadata, item, table } = await this.#root(ref);
    if (metadata.snapshots.find(snapshotId) !== undefined) return { item, table: table.id };
    throw snapshotNotFound(ref.namespace, ref.table, { snapshotId });
  }

  /** The snapshot that `main` names. */
  async current(_actor: Actor, ref: TableRef): Promise<TableSnapshot> {
    return this.#one(ref, ({ snapshots, currentSnapshotId: id }) =>
      id === undefined ? undefined : snapshots.find(id),
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
    return this.#one(ref, (root) => snapshotAsOf(root, timestampMs, branch), facts);
  }

  /** A snapshot and those it grew out of, newest first. */
  async ancestors(
    _actor: Actor,
    ref: TableRef,
    snapshotId: bigint,
  ): Promise<readonly TableSnapshot[]> {
    const root = await this.#root(ref);
    const found = ancestorsOf(root.metadata, snapshotId);
    if (found.length === 0) throw snapshotNotFound(ref.namespace, ref.table, { snapshotId });
    return this.#answer(root, found);
  }

  /** Newest first. */
  async list(_actor: Actor, ref: TableRef, page: SnapshotPage): Promise<readonly TableSnapshot[]> {
    const root = await this.#root(ref);
    const { after, limit } = page;
    const all = newestFirst(root.metadata);
    const rest = after === undefined ? all : all.filter((one) => follows(one, after));
    return this.#answer(root, rest.slice(0, limit));
  }

  async #one(
    ref: TableRef,
    pick: (metadata: TableMetadata) => IcebergSnapshot | undefined,
    facts: Parameters<typeof snapshotNotFound>[2] = {},
  ): Promise<TableSnapshot> {
    const root = await this.#root(ref);
    const found = pick(root.metadata);
    const [answer] = found === undefined ? [] : this.#answer(root, [found]);
    if (answer === undefined) throw snapshotNotFound(ref.namespace, ref.table, facts);
    return answer;
  }

  #answer(root: Root, found: readonly IcebergSnapshot[]): readonly TableSnapshot[] {
    const { context } = this.#catalog;
    const snapshots = found.map(catalogSnapshot);
    context.background.run(() => repairSnapshots(context, REPAIR, root.table, snapshots));
    return snapshots;
  }

  async #root(ref: TableRef): Promise<Root> {
    const { tables } = this.#catalog;
    const name = { catalog: ref.catalog, path: ref.namespace, name: ref.table };
    const stored = await ofRelation("table", name, () => tables.get(name));
    assertIceberg(stored.entity, name);
    const head = headOf(stored);
    if (head === undefined) throw relationNotFound("table", ref.namespace, ref.table);
    const { metadata } = await this.#files.load(head);
    const { item } = stored;
    return { metadata, item, table: { id: stored.entity.id, version: head.version } };
  }
}

function follows(one: SnapshotKey, after: SnapshotKey): boolean {
  if (one.timestampMs !== after.timestampMs) return one.timestampMs < after.timestampMs;
  return one.snapshotId < after.snapshotId;
}
