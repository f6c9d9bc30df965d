import { FirnError } from "../base/error.ts";
import type { AccountId, TableId } from "../base/ids.ts";
import { decodeChangeEnvelope } from "./codec/change.ts";
import { decodeSnapshot } from "./codec/snapshot.ts";
import { FAMILIES, keyOf } from "./keys.ts";
import { BLOBS, type BlobKindName, byIdKey } from "./paths.ts";
import { snapshotKeys } from "./snapshot-puts.ts";

const SHA_FILE = /^[0-9a-f]{64}\.pb$/;

/** The segments of each kind's pattern. */
const PATTERNS: readonly (readonly [BlobKindName, readonly string[]])[] = (
  Object.keys(BLOBS) as BlobKindName[]
).map((kind) => [kind, BLOBS[kind].pattern.split("/")]);

/** What kind of payload a path is of, and the variable segments of its pattern. */
export interface ParsedBlobPath {
  readonly kind: BlobKindName;
  readonly values: readonly string[];
}

/** A blob path taken apart; undefined for one of no kind. */
export function parseBlobPath(path: string): ParsedBlobPath | undefined {
  const segments = path.split("/");
  for (const [kind, pattern] of PATTERNS) {
    if (pattern.length !== segments.length) continue;
    const values: string[] = [];
    const fits = pattern.every((expected, i) => {
      const segment = segments[i] ?? "";
      if (!expected.startsWith("{")) return segment === expected;
      values.push(segment);
      return expected === "{sha}.pb" ? SHA_FILE.test(segment) : segment !== "";
    });
    if (fits) return { kind, values };
  }
  return undefined;
}

/**
 * Every key that may point at a blob, whether or not one does. A change record and a snapshot need
 * `payload`, their bytes: the path does not name all of it. No request.
 *
 * @returns undefined where that cannot be told (a path of no known kind, a payload that is missing
 * or cannot be decoded): such a blob is kept and reported, never deleted.
 */
export function owners(path: string, payload?: Uint8Array): readonly string[] | undefined {
  const parsed = parseBlobPath(path);
  if (parsed === undefined) return undefined;
  const { kind, values } = parsed;
  const [account = "", middle = "", last = ""] = values;
  if (kind === "account") return [byIdKey(kind, account as AccountId, account)];
  if (kind === "snapshot") return snapshotOwners(account as AccountId, middle, payload);
  if (kind === "report") return [keyOf(FAMILIES.report, account, middle, last)];
  if (kind !== "change") return [byIdKey(kind, account as AccountId, middle)];
  const id = payload === undefined ? undefined : changeIdOf(payload);
  return id === undefined ? undefined : [keyOf(FAMILIES.change, account, middle, id)];
}

function snapshotOwners(
  account: AccountId,
  table: string,
  payload: Uint8Array | undefined,
): readonly string[] | undefined {
  if (payload === undefined) return undefined;
  const decoded = unlessCorrupt(() => decodeSnapshot(payload));
  return decoded && snapshotKeys(account, table as TableId, decoded.snapshot);
}

function changeIdOf(payload: Uint8Array): string | undefined {
  return unlessCorrupt(() => decodeChangeEnvelope(payload).entityId);
}

function unlessCorrupt<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Corrupt") return undefined;
    throw error;
  }
}
