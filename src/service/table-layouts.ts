import { assert } from "../base/assert.ts";
import { LruMap } from "../base/lru.ts";
import type { Locations } from "../blob/locations.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { snapshotNotFound } from "../catalog/errors.ts";
import {
  boundText,
  type ColumnFigures,
  type FigureColumn,
  type ManifestFigures,
} from "../iceberg/manifest-figures.ts";
import { currentSchema, type TableMetadata } from "../iceberg/model.ts";
import type { IndexedField, Schema } from "../iceberg/schema.ts";
import type { Snapshot } from "../iceberg/snapshot.ts";
import { type HealthFinding, healthOf } from "../iceberg/table-health.ts";
import type { PrimitiveType } from "../iceberg/type.ts";
import type { Actor } from "./actor.ts";
import { Lanes } from "./lanes.ts";
import { LayoutRead, type LayoutReadParts } from "./layout-read.ts";
import { SERVICE_LIMITS } from "./limits.ts";
import type { MetadataFiles } from "./metadata-files.ts";
import { isFault, manifestsOf } from "./reachable-files.ts";
import type { Reading } from "./reading.ts";
import type { TableRef } from "./requests.ts";
import { type TableRoot, tableRoot } from "./table-root.ts";

/** How the files of one snapshot lie. */
export interface TableLayout {
  readonly snapshotId: bigint;
  readonly timestampMs: number;
  /** Whether every manifest was read: a request reads for some seconds, the next one goes on. */
  readonly isComplete: boolean;
  readonly manifests: {
    readonly count: number;
    readonly read: number;
    readonly bytes: bigint;
    readonly ofDeletes: number;
  };
  readonly figures: ManifestFigures;
  /** Names of the fields of a partition spec, by its id. */
  readonly fieldNames: ReadonlyMap<number, readonly string[]>;
}

/** A column with what the manifests tell of its values. */
export interface ColumnLayout extends Omit<ColumnFigures, "lower" | "upper"> {
  readonly fieldId: number;
  /** Its names from the root, joined by dots. */
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly lower?: string;
  readonly upper?: string;
}

export interface TableColumns {
  readonly snapshotId: bigint;
  readonly isComplete: boolean;
  readonly columns: readonly ColumnLayout[];
}

export interface TableHealth {
  /** Absent: the table has no snapshot. */
  readonly snapshotId?: bigint;
  readonly isComplete: boolean;
  readonly snapshots: number;
  readonly metadataBytes: number;
  readonly findings: readonly HealthFinding[];
}

/** Snapshots whose figures are kept. */
const KEPT_BYTES = 33_554_432;
/** Columns that figures are asked of. */
const MAX_COLUMNS = 10_000;

/** A column of a schema that values are stored of. */
interface Leaf extends FigureColumn {
  readonly field: IndexedField;
}

/**
 * What the manifests of Iceberg tables tell: how large files are, where they lie, what is deleted,
 * what columns hold. Figures are kept by snapshot, which never changes. Cold: one read for each
 * manifest.
 */
export class TableLayouts {
  readonly #catalog: AccountCatalog;
  readonly #files: MetadataFiles<TableMetadata>;
  readonly #parts: LayoutReadParts;
  readonly #kept = new LruMap<string, LayoutRead>(KEPT_BYTES, ({ weight }) => weight);

  constructor(
    catalog: AccountCatalog,
    files: MetadataFiles<TableMetadata>,
    { locations, reading }: { readonly locations: Locations; readonly reading: Reading },
  ) {
    this.#catalog = catalog;
    this.#files = files;
    const lanes = new Lanes(SERVICE_LIMITS.layoutLanes);
    this.#parts = { locations, reading, clock: catalog.context.clock, lanes };
  }

  /**
   * @param snapshotId absent: the current one.
   * @throws FirnError as a load of the table; `SNAPSHOT_NOT_FOUND`; as `LayoutRead.advance`.
   */
  async layout(_actor: Actor, ref: TableRef, snapshotId?: bigint): Promise<TableLayout> {
    const root = await this.#root(ref);
    const snapshot = snapshotOf(root, ref, snapshotId);
    const read = await this.#read(root, snapshot);
    return {
      ...stateOf(snapshot, read),
      timestampMs: snapshot.timestampMs,
      manifests: {
        count: read.manifests.length,
        read: read.read,
        bytes: bytesOf(read),
        ofDeletes: read.manifests.filter(({ content }) => content === "deletes").length,
      },
      figures: read.figures,
      fieldNames: new Map(
        root.metadata.specs.map(({ specId, fields }) => [specId, fields.map(({ name }) => name)]),
      ),
    };
  }

  /** As `layout`, of the columns of the snapshot's schema: the first 10,000. */
  async columns(_actor: Actor, ref: TableRef, snapshotId?: bigint): Promise<TableColumns> {
    const root = await this.#root(ref);
    const snapshot = snapshotOf(root, ref, snapshotId);
    const leaves = leavesOf(schemaOf(root.metadata, snapshot));
    const read = await this.#read(root, snapshot, leaves);
    const columns = leaves.map((leaf, i) => columnOf(leaf, read.figures.columns[i]));
    return { ...stateOf(snapshot, read), columns };
  }

  /** What is wrong with the table's files. Files that cannot be read are one of the findings. */
  async health(_actor: Actor, ref: TableRef): Promise<TableHealth> {
    const root = await this.#root(ref);
    const { metadata, file } = root;
    const { currentSnapshotId: current } = metadata;
    const snapshot = current === undefined ? undefined : metadata.snapshots.find(current);
    const common = {
      metadata,
      metadataBytes: file.length,
      nowMs: this.#catalog.context.clock.nowMs(),
    };
    const told = { snapshots: metadata.snapshots.items.length, metadataBytes: file.length };
    if (snapshot === undefined) {
      const findings = healthOf({ ...common, manifests: 0, manifestBytes: 0n });
      return { ...told, isComplete: true, findings };
    }
    try {
      const read = await this.#read(root, snapshot);
      const { figures, manifests } = read;
      const seen = { figures, manifests: manifests.length, manifestBytes: bytesOf(read) };
      return { ...told, ...stateOf(snapshot, read), findings: healthOf({ ...common, ...seen }) };
    } catch (error) {
      if (!isFault(error)) throw error;
      const findings = healthOf({ ...common, manifests: 0, manifestBytes: 0n });
      const { snapshotId } = snapshot;
      return { ...told, snapshotId, isComplete: false, findings: [unreadable(error), ...findings] };
    }
  }

  async #root(ref: TableRef): Promise<TableRoot> {
    return tableRoot(this.#catalog, this.#files, ref);
  }

  async #read(root: TableRoot, snapshot: Snapshot, leaves?: readonly Leaf[]): Promise<LayoutRead> {
    const { snapshotId, manifestList = "" } = snapshot;
    const schemaId = leaves === undefined ? "" : schemaOf(root.metadata, snapshot).schemaId;
    const key = JSON.stringify([root.table.id, String(snapshotId), manifestList, schemaId]);
    const read = this.#kept.get(key) ?? this.#begin(root.metadata, snapshot, leaves);
    // Joined by those who ask meanwhile; weighed anew once it is read.
    this.#kept.set(key, read);
    try {
      await read.advance();
    } finally {
      this.#kept.set(key, read);
    }
    return read;
  }

  #begin(metadata: TableMetadata, snapshot: Snapshot, leaves?: readonly Leaf[]): LayoutRead {
    const sources = schemaOf(metadata, snapshot).byId;
    const specs = metadata.specs.map(({ specId, fields }) => {
      const read = fields.map(({ transform, sourceId }) => {
        const type = (sources.get(sourceId) ?? fieldIn(metadata, sourceId))?.type;
        return { transform, source: type?.kind === "primitive" ? type : undefined };
      });
      return [specId, read] as const;
    });
    return new LayoutRead(this.#parts, {
      manifestList: snapshot.manifestList,
      manifests: manifestsOf(snapshot),
      specs: new Map(specs),
      columns: leaves?.map(({ id, type }) => ({ id, type })),
    });
  }
}

function stateOf({ snapshotId }: Snapshot, { isComplete }: LayoutRead) {
  return { snapshotId, isComplete };
}

function bytesOf({ manifests }: LayoutRead): bigint {
  return manifests.reduce((sum, { bytes }) => sum + bytes, 0n);
}

/** @throws FirnError `NotFound` `SNAPSHOT_NOT_FOUND`. */
function snapshotOf(
  { metadata }: TableRoot,
  { namespace, table }: TableRef,
  asked: bigint | undefined,
): Snapshot {
  const id = asked ?? metadata.currentSnapshotId;
  const found = id === undefined ? undefined : metadata.snapshots.find(id);
  if (found !== undefined) return found;
  throw snapshotNotFound(namespace, table, id === undefined ? {} : { snapshotId: id });
}

function schemaOf(metadata: TableMetadata, { schemaId }: Snapshot): Schema {
  const own = metadata.schemas.find((schema) => schema.schemaId === schemaId);
  const schema = own ?? currentSchema(metadata);
  assert(schema !== undefined, "metadata has a current schema");
  return schema;
}

/** A column that the schema has lost, by which older files are still partitioned. */
function fieldIn({ schemas }: TableMetadata, id: number): IndexedField | undefined {
  return schemas.findLast((schema) => schema.byId.has(id))?.byId.get(id);
}

function leavesOf({ byId }: Schema): readonly Leaf[] {
  const leaves: Leaf[] = [];
  for (const field of byId.values()) {
    if (field.type.kind !== "primitive") continue;
    leaves.push({ id: field.id, type: plainType(field.type), field });
    if (leaves.length === MAX_COLUMNS) break;
  }
  return leaves;
}

/** What passes between threads. */
function plainType({ kind, name, text }: PrimitiveType): PrimitiveType {
  return { kind, name, text };
}

function columnOf({ id, type, field }: Leaf, figures: ColumnFigures | undefined): ColumnLayout {
  const { lower, upper, ...counts } = figures ?? NO_FIGURES;
  const [least, greatest] = [boundText(type, lower), boundText(type, upper)];
  return {
    fieldId: id,
    name: fullNameOf(field),
    type: type.text,
    required: field.required,
    ...counts,
    ...(least !== undefined && { lower: least }),
    ...(greatest !== undefined && { upper: greatest }),
  };
}

const NO_FIGURES: ColumnFigures = { files: 0, bytes: 0n, values: 0n, nulls: 0n, nans: 0n };

function fullNameOf(field: IndexedField): string {
  const names: string[] = [];
  for (let at: IndexedField | undefined = field; at !== undefined; at = at.parent) {
    names.unshift(at.name);
  }
  return names.join(".");
}

function unreadable(error: { code: string; message: string; context: object }): HealthFinding {
  const { location = "" } = error.context as { location?: string };
  return {
    code: "UNREADABLE_FILES",
    severity: "warning",
    message: "a manifest of the current snapshot cannot be read",
    advice: "restore the file, or roll the table back to a snapshot whose files are there",
    facts: { location, error: error.code, reason: error.message },
  };
}
