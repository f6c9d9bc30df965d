import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { type FileMetaData, parquetMetadata, parquetSchema } from "hyparquet";
import { readColumn } from "hyparquet/src/column.js";
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { getTreePath } from "hyparquet/src/schema.js";

/*
 * Columns of a Parquet file, without the others: a checkpoint of a Delta table has a row for each
 * file of the table, and its metadata in a few columns of one row.
 *
 * `hyparquet` reads files by promises; the parts of it that are used here do not wait for any.
 */

const COMPRESSORS = {
  GZIP: (input: Uint8Array, length: number) => gunzipSync(input, { maxOutputLength: length }),
  ZSTD: (input: Uint8Array, length: number) =>
    zstdDecompressSync(input, { maxOutputLength: length }),
};

/** The values of a column that are not null, in the order of their rows, out of their lists. */
export type ColumnValues = ReadonlyMap<string, readonly unknown[]>;

/**
 * Reads columns, named by their paths in the schema with dots between. A column that is not in the
 * file has no values.
 *
 * @throws what is wrong with the file, as any error.
 */
export function readColumns(bytes: Uint8Array, names: readonly string[]): ColumnValues {
  const { buffer, byteOffset, length } = bytes;
  const whole =
    buffer instanceof ArrayBuffer && byteOffset === 0 && buffer.byteLength === length
      ? buffer
      : new Uint8Array(bytes).buffer;
  const metadata: FileMetaData = parquetMetadata(whole);
  const tree = parquetSchema(metadata);
  const values = new Map<string, unknown[]>(names.map((name) => [name, []]));
  for (const group of metadata.row_groups) {
    const rows = Number(group.num_rows);
    for (const { meta_data: chunk } of group.columns) {
      const found = chunk && values.get(chunk.path_in_schema.join("."));
      if (chunk === undefined || found === undefined) continue;
      const schemaPath = getTreePath(tree, chunk.path_in_schema);
      const last = schemaPath.at(-1);
      if (last === undefined) continue;
      const first = chunk.dictionary_page_offset ?? chunk.data_page_offset;
      const start = Number(first < chunk.data_page_offset ? first : chunk.data_page_offset);
      const view = new DataView(whole, start, Number(chunk.total_compressed_size));
      const { data } = readColumn(
        { view, offset: 0 },
        { groupStart: 0, groupRows: rows, selectStart: 0, selectEnd: rows },
        {
          ...chunk,
          pathInSchema: chunk.path_in_schema,
          element: last.element,
          schemaPath,
          parsers: DEFAULT_PARSERS,
          compressors: COMPRESSORS,
        },
      );
      for (const page of data) {
        for (const value of page) found.push(...leavesOf(value));
      }
    }
  }
  return values;
}

/** A row without the column, or above a column that repeats, is an array. */
function leavesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flat(8).filter(isValue);
  return isValue(value) ? [value] : [];
}

function isValue(value: unknown): boolean {
  return value !== undefined && value !== null;
}
