import { assert } from "../base/assert.ts";
import { sha256Hex } from "../base/hash.ts";
import { type AccountId, type ChangeId, mintedAtMs } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import type { PointerOp } from "../pointer/port.ts";
import { decodeChange, encodeChange, encodePackedChange } from "./codec/change.ts";
import { encodeEnvelope, MIN_WRITER_VERSION, SCHEMA_VERSION } from "./codec/envelope.ts";
import { corrupt } from "./errors.ts";
import { digits19, directoryOf, FAMILIES, isKey, keyOf } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { ChangedKey, ChangeRecord } from "./model.ts";
import { blobPathOf, fullKey } from "./paths.ts";
import type { Authorship } from "./payloads.ts";

/** A change record ready for its batch; `blob` where it is too long even packed. */
export interface EncodedChange {
  readonly op: PointerOp;
  readonly blob?: { readonly path: string; readonly bytes: Uint8Array };
}

/** Keys of a record are relative to its account, which their family does not depend on. */
const ANY_ACCOUNT = "any" as AccountId;
const HASH_BYTES = 32;

/** Minute and shard of a change: the shard spreads one minute's records over the store. */
function bucketOf(timeMs: number, id: ChangeId): string {
  const shard = Number.parseInt(id.slice(-4), 16) % CATALOG_LIMITS.changeShards;
  return `${digits19(Math.floor(timeMs / 60_000))}-${shard}`;
}

/** The directories of all changes of the minute of a time. */
export function changeDirectories(account: AccountId, timeMs: number): readonly string[] {
  assert(timeMs >= 0, "a change has a time");
  const minute = digits19(Math.floor(timeMs / 60_000));
  return Array.from({ length: CATALOG_LIMITS.changeShards }, (_, shard) =>
    directoryOf(FAMILIES.change, account, `${minute}-${shard}`),
  );
}

/** Where the record of a change lies. `timeMs`: when its attempt began. */
export function changeKey(account: AccountId, timeMs: number, id: ChangeId): string {
  return keyOf(FAMILIES.change, account, bucketOf(timeMs, id), id);
}

/**
 * Where the record of a change may lie, by its id alone: that is minted within its attempt, which
 * is less than a minute old then.
 */
export function changeKeysOf(account: AccountId, id: ChangeId): readonly string[] {
  const mintedMs = mintedAtMs(id);
  return [mintedMs, mintedMs - 60_000, mintedMs + 60_000]
    .filter((ms) => ms >= 0)
    .map((ms) => changeKey(account, ms, id));
}

/**
 * The record of a change, as it was stored.
 *
 * @throws FirnError `Corrupt`: malformed, or it tells of what no batch does to a key.
 */
export function changeOf(bytes: Uint8Array): ChangeRecord {
  const record = decodeChange(bytes);
  for (const { key, versionFrom, versionTo, blobFrom, blobTo } of record.keys) {
    const isStep = versionFrom >= 0n && versionTo > versionFrom;
    const isHashed = [blobFrom, blobTo].every(
      (hash) => (hash?.length ?? HASH_BYTES) === HASH_BYTES,
    );
    if (isStep && isHashed && isKey(fullKey(ANY_ACCOUNT, key))) continue;
    throw corrupt("a change record tells of a change that no batch makes", { key });
  }
  return record;
}

/** The record of one batch, to be put in that batch. */
export function encodeChangeOp(
  account: AccountId,
  id: ChangeId,
  operation: string,
  authorship: Authorship,
  keys: readonly ChangedKey[],
): EncodedChange {
  for (const { versionFrom, versionTo } of keys) {
    assert(versionTo > versionFrom, "a change leads each key to a later version");
  }
  const bucket = bucketOf(authorship.updatedAtMs, id);
  const key = changeKey(account, authorship.updatedAtMs, id);
  const record: ChangeRecord = {
    requestId: authorship.requestId,
    principal: authorship.updatedBy,
    timeMs: authorship.updatedAtMs,
    operation,
    keys,
  };
  const content = encodeChange(record);
  // Most are short; the others hold the same keys and hashes again and again.
  const summary = content.length <= LIMITS.summaryBytes ? content : encodePackedChange(record);
  if (summary.length <= CATALOG_LIMITS.changeRecordBytes) {
    return { op: { op: "put", key, expected: 0n, summary } };
  }
  const envelope = encodeEnvelope({
    schemaVersion: SCHEMA_VERSION,
    minWriterVersion: MIN_WRITER_VERSION,
    entityType: "change",
    accountId: account,
    entityId: id,
    ...authorship,
  });
  const bytes = Buffer.concat([envelope, content]);
  const path = blobPathOf("change", account, bucket, sha256Hex(bytes));
  return { op: { op: "put", key, expected: 0n, blobPath: path }, blob: { path, bytes } };
}
