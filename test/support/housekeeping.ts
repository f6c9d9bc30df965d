import type { Clock } from "../../src/base/clock.ts";
import type { WriterId } from "../../src/base/ids.ts";
import { decodeReceipt } from "../../src/catalog/codec/receipt.ts";
import type { PointerStore } from "../../src/pointer/port.ts";

/**
 * One round over the receipts, as whoever keeps a store tidy does it: those under a client's key
 * are deleted where they have expired, and their tombstones forgotten past their life; those of
 * single attempts, which nobody looks for again, are forgotten alive.
 *
 * @returns the receipts that are no longer alive.
 */
export async function tidyReceipts(
  pointers: PointerStore,
  clock: Clock,
): Promise<readonly Uint8Array[]> {
  const gone: Uint8Array[] = [];
  for await (const { key, version, ...item } of pointers.sweep("/")) {
    if (!key.includes("/idempotency/")) continue;
    if (item.state === "absent") {
      await pointers.forget(key, version);
      continue;
    }
    const summary = item.summary ?? new Uint8Array();
    const { expiresAtMs, requestHash } = decodeReceipt(summary);
    if (expiresAtMs > clock.nowMs()) continue;
    const writerId = "tidy" as WriterId;
    const ops = [{ op: "delete", key, expected: version }] as const;
    const keyed = requestHash.length > 0;
    const done = keyed
      ? (await pointers.commit({ writerId, ops })).outcome === "committed"
      : await pointers.forget(key, version);
    if (done) gone.push(summary);
  }
  return gone;
}
