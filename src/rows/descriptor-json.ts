import { utf8, utf8Text } from "../base/bytes.ts";
import { FirnError } from "../base/error.ts";
import type { ColumnType } from "./column-type.ts";
import type { Datum } from "./datum.ts";
import type { ColumnDescriptor, TableDescriptor } from "./descriptor.ts";
import { valueReader } from "./value-reader.ts";
import { ValueWriter } from "./value-writer.ts";

/*
 * A table's descriptor as a shard stores it: JSON, {"format": 1, "table": {…}}, with the names of
 * `TableDescriptor`; format 2 where an index has a method, 3 where a column has a composite type,
 * 4 of a partitioned table and of a partition.
 * Values of columns (`missing`, constant
 * defaults) are {"bytes": base64} of their stored form, so that no number loses digits; NULL is
 * null.
 */

const FORMAT = 1;
/** Its indexes have methods: who does not know them would write wrong entries. */
const FORMAT_WITH_METHODS = 2;
/** Who does not know composite types cannot read its rows. */
const FORMAT_WITH_COMPOSITES = 3;
/** Who does not know partitions would write rows where they do not belong. */
const FORMAT_WITH_PARTITIONS = 4;
const FORMATS: readonly unknown[] = [
  FORMAT,
  FORMAT_WITH_METHODS,
  FORMAT_WITH_COMPOSITES,
  FORMAT_WITH_PARTITIONS,
];

interface StoredDatum {
  readonly bytes: string;
}

export function encodeDescriptor(table: TableDescriptor): Uint8Array {
  const columns = table.columns.map((column) => {
    const { missing, default: given } = column;
    const stored = { ...column } as Record<string, unknown>;
    if (missing !== undefined) stored["missing"] = storedForm(column, missing);
    if (given?.kind === "constant") {
      stored["default"] = { ...given, value: storedForm(column, given.value) };
    }
    return stored;
  });
  return utf8(JSON.stringify({ format: formatOf(table), table: { ...table, columns } }));
}

function formatOf({ columns, indexes, partitioned, partitionOf }: TableDescriptor): number {
  if (partitioned !== undefined || partitionOf !== undefined) return FORMAT_WITH_PARTITIONS;
  if (columns.some(({ type }) => hasComposite(type))) return FORMAT_WITH_COMPOSITES;
  const hasMethods = indexes.some(({ method }) => method !== undefined);
  return hasMethods ? FORMAT_WITH_METHODS : FORMAT;
}

function hasComposite({ kind, element }: ColumnType): boolean {
  return kind === "composite" || (element !== undefined && hasComposite(element));
}

/**
 * @throws FirnError `Corrupt`, code `ROW_DESCRIPTOR_CORRUPT`; `Unavailable`, code
 *   `ROW_DESCRIPTOR_TOO_NEW`.
 */
export function decodeDescriptor(bytes: Uint8Array): TableDescriptor {
  let stored: { readonly format?: unknown; readonly table?: TableDescriptor };
  try {
    stored = JSON.parse(utf8Text(bytes)) as typeof stored;
  } catch (error) {
    throw new FirnError(
      "Corrupt",
      "ROW_DESCRIPTOR_CORRUPT",
      "damaged table descriptor: not JSON",
      { sqlState: "XX001" },
      error,
    );
  }
  if (!FORMATS.includes(stored.format) || stored.table === undefined) {
    const message = "a newer version of Firn wrote this table: upgrade";
    const format = String(stored.format);
    throw new FirnError("Unavailable", "ROW_DESCRIPTOR_TOO_NEW", message, { format });
  }
  const columns = stored.table.columns.map((column): ColumnDescriptor => {
    const { missing, default: given } = column as { missing?: unknown; default?: unknown };
    const constant = given as { kind: "constant"; value?: unknown } | undefined;
    return {
      ...column,
      ...(missing !== undefined && { missing: datumOf(column, missing) }),
      ...(constant?.kind === "constant" && {
        default: { ...constant, value: datumOf(column, constant.value) },
      }),
    };
  });
  return { ...stored.table, columns };
}

function storedForm({ type }: ColumnDescriptor, value: Datum): StoredDatum | null {
  if (value === null) return null;
  const writer = new ValueWriter();
  writer.write(type, value);
  return { bytes: writer.bytes.toString("base64", 0, writer.length) };
}

function datumOf({ type }: ColumnDescriptor, stored: unknown): Datum {
  if (stored === null) return null;
  const bytes = Buffer.from((stored as StoredDatum).bytes, "base64");
  return valueReader(type)(bytes, 0, bytes.length);
}
