import { FirnError } from "../base/error.ts";
import type { AccountId, TableId } from "../base/ids.ts";
import { decodeChangeEnvelope } from "./codec/change.ts";
import { decodeSnapshot } from "./codec/snapshot.ts";
import { decodePack } from "./codec/stats.ts";
import { FAMILIES, keyOf } from "./keys.ts";
import { constraintsKeys, snapshotOfSegment, statsKeys } from "./part-keys.ts";
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
    if (fits(pattern, segments)) {
      return { kind, values: segments.filter((_, i) => pattern[i]?.startsWith("{")) };
    }
  }
  return undefined;
}

/** What differs most between kinds stands before the hash, which costs most to judge. */
function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  for (const [i, expected] of pattern.entries()) {
    const segment = segments[i] ?? "";
    if (expected === "{sha}.pb") {
      if (!SHA_FILE.test(segment)) return false;
    } else if (expected.startsWith("{") ? segment === "" : segment !== expected) return false;
  }
  return true;
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
  if (kind === "targetStats" || kind === "fileStats") {
    return statsOwners(account as AccountId, middle, payload);
  }
  if (kind === "constraints") return constraintsOwners(account as AccountId, middle, last);
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

function statsOwners(
  account: AccountId,
  table: string,
  payload: Uint8Array | undefined,
): readonly string[] | undefined {
  const pack = payload && unlessCorrupt(() => decodePack(payload));
  if (pack === undefined) return undefined;
  const at = { table: table as TableId, snapshotId: pack.snapshotId };
  return pack.stats.flatMap(({ target }) => statsKeys(account, at, target));
}

function constraintsOwners(
  account: AccountId,
  table: string,
  snapshot: string,
): readonly string[] | undefined {
  const snapshotId = snapshotOfSegment(snapshot);
  if (snapshotId === undefined) return undefined;
  return constraintsKeys(account, { table: table as TableId, snapshotId });
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
