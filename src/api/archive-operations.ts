import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import { type At, createPattern, LIMIT, type NewPattern, patternPath } from "./pattern-schema.ts";
import { FLAG, INT64, listOf, NAME, object, TIME } from "./schema.ts";

/** An object with rows that have left their table. */
export interface ArchivedRows {
  /** When it begins, in milliseconds since 1970. */
  readonly bucket: string;
  readonly part: string;
  readonly rows: string;
  readonly bytes: string;
  readonly sha256: string;
  readonly location: string;
  readonly at: string;
}

export interface ArchiveOperations {
  createArchive: Asks<"catalog" | "namespace", object, NewPattern, NewPattern>;
  archiveRows: Asks<
    At,
    object,
    {
      readonly table: string;
      readonly keepMs: number;
      readonly bucketMs: number;
      readonly maxObjects?: number;
    },
    { readonly objects: readonly ArchivedRows[]; readonly isDone: boolean }
  >;
  listArchivedRows: Asks<
    At,
    { readonly afterBucket?: string; readonly afterPart?: string; readonly max?: number },
    undefined,
    { readonly objects: readonly ArchivedRows[] }
  >;
}

/** The longest time that rows may be kept: about a century. */
const MOST_KEEP_MS = 3_162_240_000_000;
/** Objects of one request: it should be answered within seconds. */
const MOST_OBJECTS = 100;

const ARCHIVES = patternPath("archives");
const tag = "patterns";
const ARCHIVED: Schema = object({
  bucket: { ...INT64, description: "When it begins, in milliseconds since 1970" },
  part: { ...INT64, description: "1, 2, 3, … of a bucket" },
  rows: INT64,
  bytes: { ...INT64, description: "Bytes of the object" },
  sha256: { type: "string", description: "Of its lines, before they were compressed" },
  location: { type: "string" },
  at: TIME,
});

export const ARCHIVE_OPERATIONS: Readonly<Record<keyof ArchiveOperations, ApiOperation>> = {
  createArchive: createPattern("archives", "Create an archive of old rows"),
  archiveRows: {
    method: "POST",
    template: `${ARCHIVES}:run`,
    tag,
    summary: "Write old rows of a table to objects, verify these, and delete the rows",
    needs: ["read-data", "write-data"],
    body: object(
      {
        table: {
          ...NAME,
          description: "A row table of the namespace whose key begins with a time",
        },
        keepMs: {
          type: "integer",
          minimum: 0,
          maximum: MOST_KEEP_MS,
          description: "A bucket is archived once it has been over for so many milliseconds",
        },
        bucketMs: {
          type: "integer",
          minimum: 1_000,
          maximum: 31_622_400_000,
          description: "No object holds rows of two buckets",
        },
      },
      {
        maxObjects: {
          type: "integer",
          minimum: 1,
          maximum: MOST_OBJECTS,
          description: "The most objects that the request writes; 100 if absent",
        },
      },
    ),
    status: 200,
    answer: object({
      objects: listOf(ARCHIVED),
      isDone: { ...FLAG, description: "False: ask again, more rows are old enough" },
    }),
  },
  listArchivedRows: {
    method: "GET",
    template: `${ARCHIVES}/objects`,
    tag,
    summary: "List the objects of an archive by their buckets",
    needs: ["read-data"],
    query: {
      afterBucket: { ...INT64, description: "Behind this bucket, or behind a part of it" },
      afterPart: { ...INT64, description: "Behind this part of `afterBucket`" },
      max: LIMIT,
    },
    status: 200,
    answer: object({ objects: listOf(ARCHIVED) }),
  },
};
