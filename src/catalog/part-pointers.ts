import { assert } from "../base/assert.ts";
import { bytesEqual } from "../base/bytes.ts";
import { sha256Bytes } from "../base/hash.ts";
import type { AccountId, TableId } from "../base/ids.ts";
import type { PointerOp } from "../pointer/port.ts";
import { decodeConstraints, encodeConstraints } from "./codec/constraints.ts";
import { decodePack, encodePartSummary, packPlaces } from "./codec/stats.ts";
import { corrupt } from "./errors.ts";
import type { ParsedKey } from "./keys.ts";
import type { Envelope } from "./model.ts";
import { constraintsKeys, statsKeys, statsSnapshotKey } from "./part-keys.ts";

type Put = Extract<PointerOp, { op: "put" }>;

/** Whether a key is a source of statistics or constraints; their aliases follow from these. */
export function isPart({ family }: Pick<ParsedKey, "family">): boolean {
  return family === "targetStats" || family === "constraints";
}

/**
 * The pointers that lead to a payload of statistics or constraints through one source key: that key
 * and its aliases, as they are made anew from the payload alone.
 *
 * @throws FirnError `Corrupt`: the payload is malformed, or not of this key.
 */
export function partPointers(
  account: AccountId,
  key: string,
  { family, values }: ParsedKey,
  path: string,
  bytes: Uint8Array,
): readonly Put[] {
  assert(isPart({ family }), "only sources of statistics and constraints have pointers made anew");
  const table = (values[1] ?? "") as TableId;
  const put = (at: string, summary: Uint8Array): Put => {
    return { op: "put", key: at, expected: 0n, blobPath: path, summary };
  };
  if (family === "constraints") {
    const { envelope, snapshotId, constraints } = decodeConstraints(bytes);
    assertOf(envelope, account, table, path);
    const keys = constraintsKeys(account, { table, snapshotId });
    if (keys[0] !== key) throw corrupt("payload of another snapshot", { path });
    const { content } = encodeConstraints(envelope, snapshotId, constraints);
    const contentHash = sha256Bytes(content);
    const place = { offset: 0, length: bytes.length };
    const summary = encodePartSummary({
      snapshotId,
      contentHash,
      ...place,
      ...writtenBy(envelope),
    });
    return keys.map((at) => put(at, summary));
  }
  const { envelope, snapshotId, stats } = decodePack(bytes);
  assertOf(envelope, account, table, path);
  const at = { table, snapshotId };
  const index = stats.findIndex(({ target }) => statsKeys(account, at, target)[0] === key);
  const [found, place] = [stats[index], packPlaces(bytes)[index]];
  if (found === undefined || place === undefined) {
    throw corrupt("payload without the target of its pointer", { path });
  }
  const contentHash = sha256Bytes(bytes.subarray(place.offset, place.offset + place.length));
  const said = { snapshotId, contentHash, ...place, ...writtenBy(envelope) };
  const summary = encodePartSummary(said);
  const listed: Put = { op: "put", key: statsSnapshotKey(account, at), expected: 0n };
  return [...statsKeys(account, at, found.target).map((one) => put(one, summary)), listed];
}

function writtenBy({ revision, updatedAtMs, updatedBy }: Envelope) {
  return { revision, updatedAtMs, updatedBy };
}

function assertOf(envelope: Envelope, account: AccountId, table: string, path: string): void {
  if (envelope.accountId === account && envelope.entityId === table) return;
  throw corrupt("payload of another id", { path });
}

/** Whether a pointer says what its payload makes it say. */
export function saysSame(
  { blobPath, summary }: { readonly blobPath?: string; readonly summary?: Uint8Array },
  put: Put,
): boolean {
  const [a, b] = [summary ?? new Uint8Array(), put.summary ?? new Uint8Array()];
  return blobPath === put.blobPath && bytesEqual(a, b);
}
