import { FirnError } from "../base/error.ts";
import { readAvroFile } from "./avro-file.ts";
import type { AvroRecord, AvroValue, Wanted } from "./avro-value.ts";
import { modelInvalid } from "./errors.ts";

/** What became of a file in the snapshot that wrote the manifest. */
export type EntryStatus = "existing" | "added" | "deleted";

/** A data or delete file as a manifest of format version 1, 2 or 3 tells of it. */
export interface ManifestEntry {
  readonly status: EntryStatus;
  readonly path: string;
}

/** By their numbers in a manifest. */
export const STATUSES: readonly EntryStatus[] = ["existing", "added", "deleted"];
const OF_LIST: Wanted = { manifest_path: "scalar" };
const OF_MANIFEST: Wanted = { status: "scalar", data_file: { file_path: "scalar" } };
/** No store has longer names. */
const MAX_PATH_LENGTH = 8_192;

/**
 * The paths of the manifests in a manifest list.
 *
 * @throws FirnError `Invalid` `MANIFEST_INVALID`, when the file is read that far; context
 * `reason` and `cause`.
 */
export function* readManifestList(bytes: Uint8Array): Generator<string> {
  for (const value of manifestValues(bytes, OF_LIST)) {
    yield pathOf(value, "manifest_path");
  }
}

/** A manifest as the list of its snapshot tells of it. */
export interface ListedManifest {
  readonly path: string;
  readonly bytes: bigint;
  readonly specId: number;
  readonly content: "data" | "deletes";
}

const LISTED: Wanted = {
  manifest_path: "scalar",
  manifest_length: "scalar",
  partition_spec_id: "scalar",
  content: "scalar",
};

/**
 * The manifests of a manifest list with their sizes.
 *
 * @throws FirnError `Invalid` `MANIFEST_INVALID`, when the file is read that far.
 */
export function* readListedManifests(bytes: Uint8Array): Generator<ListedManifest> {
  for (const value of manifestValues(bytes, LISTED)) {
    const { manifest_length, partition_spec_id: specId, content } = recordOf(value);
    yield {
      path: pathOf(value, "manifest_path"),
      bytes: amountOf(manifest_length, "manifest_length"),
      specId: typeof specId === "number" ? specId : 0,
      content: content === 1 ? "deletes" : "data",
    };
  }
}

/** A count or size. @throws FirnError `Invalid` `MANIFEST_INVALID`: negative, or not there. */
export function amountOf(value: AvroValue | undefined, name: string): bigint {
  const amount = typeof value === "number" ? BigInt(value) : value;
  if (typeof amount === "bigint" && amount >= 0n) return amount;
  throw modelInvalid("MANIFEST_INVALID", `${name} is not an amount`);
}

/**
 * The entries of a manifest, deleted ones too.
 *
 * @throws FirnError `Invalid` `MANIFEST_INVALID`, when the file is read that far; context
 * `reason` and `cause`.
 */
export function* readManifest(bytes: Uint8Array): Generator<ManifestEntry> {
  for (const value of manifestValues(bytes, OF_MANIFEST)) {
    const { status: code, data_file: file } = recordOf(value);
    const status = typeof code === "number" ? STATUSES[code] : undefined;
    if (status === undefined)
      throw modelInvalid("MANIFEST_INVALID", "manifest entry without status");
    yield { status, path: pathOf(file, "file_path") };
  }
}

export function pathOf(value: AvroValue | undefined, name: string): string {
  const path = recordOf(value)[name];
  if (typeof path !== "string") throw modelInvalid("MANIFEST_INVALID", `no ${name}`);
  if (path.length > MAX_PATH_LENGTH) throw modelInvalid("MANIFEST_INVALID", `${name} is too long`);
  return path;
}

export function* manifestValues(bytes: Uint8Array, wanted: Wanted): Generator<AvroValue> {
  try {
    yield* readAvroFile(bytes, wanted);
  } catch (error) {
    if (!(error instanceof FirnError) || error.kind !== "Invalid") throw error;
    if (error.code === "MANIFEST_INVALID") throw error;
    throw modelInvalid("MANIFEST_INVALID", error.message, { ...error.context, cause: error.code });
  }
}

export function recordOf(value: AvroValue | undefined): AvroRecord {
  const isRecord =
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array);
  if (!isRecord) throw modelInvalid("MANIFEST_INVALID", "not a record");
  return value as AvroRecord;
}
