import { IdMap } from "../base/id-map.ts";
import type { AvroRecord, AvroValue, Wanted } from "./avro-value.ts";
import { modelInvalid } from "./errors.ts";
import { amountOf, manifestValues, pathOf, recordOf, STATUSES } from "./manifest.ts";
import { compareSingles, partitionText, readSingle, singleText } from "./single-value.ts";
import type { Transform } from "./transform.ts";
import type { PrimitiveType } from "./type.ts";

/** Files of one kind, what they take and what they hold. */
export interface FileFigures {
  files: number;
  bytes: bigint;
  rows: bigint;
}

/** Data files up to a size; the last of them has none. */
export const SIZE_BOUNDS: readonly (number | undefined)[] = [
  8 * 1_048_576,
  32 * 1_048_576,
  128 * 1_048_576,
  512 * 1_048_576,
  undefined,
];

export interface PartitionFigures extends FileFigures {
  readonly specId: number;
  /** A text for each field of the spec. */
  readonly values: readonly (string | null)[];
  deleteFiles: number;
}

/** Figures of one column over the files that tell of it. */
export interface ColumnFigures {
  files: number;
  bytes: bigint;
  values: bigint;
  nulls: bigint;
  nans: bigint;
  /** As a single value's bytes; absent: no file told. */
  lower?: Uint8Array;
  upper?: Uint8Array;
}

/** What the manifests of a snapshot add up to. Passes between threads as it is. */
export interface ManifestFigures {
  readonly data: FileFigures;
  readonly positionDeletes: FileFigures;
  readonly equalityDeletes: FileFigures;
  readonly deletionVectors: FileFigures;
  /** By `SIZE_BOUNDS`. */
  readonly sizes: readonly { files: number; bytes: bigint }[];
  readonly formats: Map<string, number>;
  readonly partitions: Map<string, PartitionFigures>;
  /** Files of partitions beyond `MAX_PARTITIONS` are in no partition's figures. */
  hasMorePartitions: boolean;
  /** In the order in which they were asked for; undefined: no file tells of it. */
  readonly columns: (ColumnFigures | undefined)[];
}

/** How values of one field of a partition spec are read. */
export interface FigureField {
  readonly transform: Transform;
  readonly source?: PrimitiveType | undefined;
}

/** What is asked of a manifest. */
export interface FiguresAsked {
  readonly specId: number;
  readonly fields: readonly FigureField[];
  /** Columns whose figures are wanted; absent: none. */
  readonly columns?: readonly FigureColumn[] | undefined;
}

export interface FigureColumn {
  readonly id: number;
  readonly type: PrimitiveType;
}

/** Partitions that are told apart: some megabytes. */
const MAX_PARTITIONS = 10_000;
const MAX_FORMATS = 16;
const MAX_INT64 = 2n ** 63n - 1n;

const OF_FILE: Wanted = {
  content: "scalar",
  file_path: "scalar",
  file_format: "scalar",
  partition: true,
  record_count: "scalar",
  file_size_in_bytes: "scalar",
  content_size_in_bytes: "scalar",
};
const MAPS = [
  "column_sizes",
  "value_counts",
  "null_value_counts",
  "nan_value_counts",
  "lower_bounds",
  "upper_bounds",
] as const;
const WITH_COLUMNS: Wanted = {
  ...OF_FILE,
  ...Object.fromEntries(MAPS.map((name) => [name, true as const])),
};

export function emptyFigures(): ManifestFigures {
  return {
    data: noFiles(),
    positionDeletes: noFiles(),
    equalityDeletes: noFiles(),
    deletionVectors: noFiles(),
    sizes: SIZE_BOUNDS.map(() => ({ files: 0, bytes: 0n })),
    formats: new Map(),
    partitions: new Map(),
    hasMorePartitions: false,
    columns: [],
  };
}

function noFiles(): FileFigures {
  return { files: 0, bytes: 0n, rows: 0n };
}

/**
 * The figures of one manifest: of the files that are part of the snapshot.
 *
 * @throws FirnError `Invalid` `MANIFEST_INVALID`.
 */
export function figuresOf(bytes: Uint8Array, asked: FiguresAsked): ManifestFigures {
  const figures = emptyFigures();
  const file = asked.columns === undefined ? OF_FILE : WITH_COLUMNS;
  const columns = new IdMap<number, number>();
  for (const [i, { id }] of (asked.columns ?? []).entries()) columns.set(id, i);
  for (const value of manifestValues(bytes, { status: "scalar", data_file: file })) {
    const { status, data_file } = recordOf(value);
    const became = typeof status === "number" ? STATUSES[status] : undefined;
    if (became === undefined) throw modelInvalid("MANIFEST_INVALID", "an entry without status");
    pathOf(data_file, "file_path");
    if (became !== "deleted") addFile(figures, recordOf(data_file), { ...asked, at: columns });
  }
  return figures;
}

/** `at`: the place of a column among those asked for, by its id. */
interface FileAsked extends FiguresAsked {
  readonly at: IdMap<number, number>;
}

function addFile(figures: ManifestFigures, file: AvroRecord, asked: FileAsked): void {
  const rows = amountOf(file["record_count"], "record_count");
  const size = amountOf(file["file_size_in_bytes"], "file_size_in_bytes");
  const content = file["content"] ?? 0;
  const format = typeof file["file_format"] === "string" ? file["file_format"].toUpperCase() : "";
  const partition = partitionOf(figures, recordOf(file["partition"] ?? {}), asked);
  if (content !== 0) {
    const isVector = content === 1 && format === "PUFFIN";
    // A file holds the vectors of many data files: each is its part of it.
    const part = isVector ? (file["content_size_in_bytes"] ?? size) : size;
    const bytes = amountOf(part, "content_size_in_bytes");
    const kind =
      content === 2 ? "equalityDeletes" : isVector ? "deletionVectors" : "positionDeletes";
    addTo(figures[kind], { files: 1, bytes, rows });
    if (partition !== undefined) partition.deleteFiles++;
    return;
  }
  addTo(figures.data, { files: 1, bytes: size, rows });
  if (partition !== undefined) addTo(partition, { files: 1, bytes: size, rows });
  const at = SIZE_BOUNDS.findIndex((bound) => bound === undefined || size < bound);
  const bucket = figures.sizes[at];
  if (bucket !== undefined) {
    bucket.files++;
    bucket.bytes = sum(bucket.bytes, size);
  }
  addFormats(figures.formats, [[format.slice(0, 16), 1]]);
  addColumns(figures.columns, file, asked);
}

function addFormats(formats: Map<string, number>, more: Iterable<readonly [string, number]>): void {
  for (const [format, files] of more) {
    const known = formats.has(format) || formats.size < MAX_FORMATS ? format : "OTHER";
    formats.set(known, (formats.get(known) ?? 0) + files);
  }
}

function addTo(to: FileFigures, { files, bytes, rows }: FileFigures): void {
  to.files += files;
  to.bytes = sum(to.bytes, bytes);
  to.rows = sum(to.rows, rows);
}

/** @throws FirnError `Invalid` `MANIFEST_INVALID`: no table is as large. */
function sum(a: bigint, b: bigint): bigint {
  if (a + b <= MAX_INT64) return a + b;
  throw modelInvalid("MANIFEST_INVALID", "amounts add up to more than 64 bits hold");
}

function partitionOf(
  figures: ManifestFigures,
  record: AvroRecord,
  { specId, fields }: FiguresAsked,
): PartitionFigures | undefined {
  // Avro names differ from the spec's where those are not names of Avro; their order does not.
  const found = Object.values(record);
  const values = fields.map(({ transform, source }, i) =>
    partitionText(transform, source, found[i] ?? null),
  );
  return partitionAt(figures, { specId, values });
}

function partitionAt(
  figures: ManifestFigures,
  { specId, values }: Pick<PartitionFigures, "specId" | "values">,
): PartitionFigures | undefined {
  const key = JSON.stringify([specId, ...values]);
  const known = figures.partitions.get(key);
  if (known !== undefined) return known;
  if (figures.partitions.size >= MAX_PARTITIONS) {
    figures.hasMorePartitions = true;
    return undefined;
  }
  const made = { specId, values, ...noFiles(), deleteFiles: 0 };
  figures.partitions.set(key, made);
  return made;
}

function addColumns(
  to: (ColumnFigures | undefined)[],
  file: AvroRecord,
  { columns = [], at }: FileAsked,
): void {
  const ofFile = new Map<number, ColumnFigures>();
  for (const name of MAPS) {
    for (const [id, value] of pairsOf(file[name] ?? null)) {
      const place = at.get(id);
      if (place === undefined) continue;
      const column = ofFile.get(place) ?? noColumn();
      ofFile.set(place, column);
      setFigure(column, name, value);
    }
  }
  for (const [place, column] of ofFile) addColumn(to, place, column, columns[place]?.type);
}

function noColumn(): ColumnFigures {
  return { files: 1, bytes: 0n, values: 0n, nulls: 0n, nans: 0n };
}

function setFigure(column: ColumnFigures, name: (typeof MAPS)[number], value: AvroValue): void {
  switch (name) {
    case "lower_bounds":
    case "upper_bounds": {
      if (!(value instanceof Uint8Array)) return;
      // A copy: it would hold its whole block else.
      column[name === "lower_bounds" ? "lower" : "upper"] = value.slice(0, 1_024);
      return;
    }
    case "column_sizes":
      column.bytes = amountOf(value, name);
      return;
    case "value_counts":
      column.values = amountOf(value, name);
      return;
    case "null_value_counts":
      column.nulls = amountOf(value, name);
      return;
    case "nan_value_counts":
      column.nans = amountOf(value, name);
  }
}

/** A map whose keys are numbers is a list of pairs in Avro. */
function* pairsOf(value: AvroValue): Generator<readonly [number, AvroValue]> {
  if (!Array.isArray(value)) return;
  for (const pair of value) {
    const { key, value: of = null } = recordOf(pair);
    if (typeof key === "number") yield [key, of];
  }
}

function addColumn(
  to: (ColumnFigures | undefined)[],
  place: number,
  more: ColumnFigures,
  type: PrimitiveType | undefined,
): void {
  const known = to[place];
  if (known === undefined || type === undefined) {
    to[place] = { ...more };
    return;
  }
  known.files += more.files;
  for (const name of ["bytes", "values", "nulls", "nans"] as const) {
    known[name] = sum(known[name], more[name]);
  }
  const lower = outermost(known.lower, more.lower, type, -1);
  const upper = outermost(known.upper, more.upper, type, 1);
  if (lower !== undefined) known.lower = lower;
  if (upper !== undefined) known.upper = upper;
}

/** The lesser (-1) or greater (1) of two bounds; one that cannot be read is none. */
function outermost(
  a: Uint8Array | undefined,
  b: Uint8Array | undefined,
  type: PrimitiveType,
  sign: 1 | -1,
): Uint8Array | undefined {
  const [one, other] = [a, b].map((each) => each && readSingle(type, each));
  if (one === undefined) return other === undefined ? undefined : b;
  if (other === undefined) return a;
  return compareSingles(one, other) * sign >= 0 ? a : b;
}

/** The text of a bound; undefined where there is none, or its type has none. */
export function boundText(type: PrimitiveType, bytes: Uint8Array | undefined): string | undefined {
  const value = bytes === undefined ? undefined : readSingle(type, bytes);
  return value === undefined ? undefined : singleText(type, value);
}

/** Adds the figures of one more manifest. `columns`: those that were asked for. */
export function addFigures(
  to: ManifestFigures,
  more: ManifestFigures,
  columns: readonly FigureColumn[] = [],
): void {
  for (const kind of ["data", "positionDeletes", "equalityDeletes", "deletionVectors"] as const) {
    addTo(to[kind], more[kind]);
  }
  for (const [i, bucket] of to.sizes.entries()) {
    const { files = 0, bytes = 0n } = more.sizes[i] ?? {};
    bucket.files += files;
    bucket.bytes = sum(bucket.bytes, bytes);
  }
  addFormats(to.formats, more.formats);
  to.hasMorePartitions ||= more.hasMorePartitions;
  for (const partition of more.partitions.values()) {
    const known = partitionAt(to, partition);
    if (known === undefined) continue;
    addTo(known, partition);
    known.deleteFiles += partition.deleteFiles;
  }
  for (const [place, column] of more.columns.entries()) {
    if (column !== undefined) addColumn(to.columns, place, column, columns[place]?.type);
  }
}
