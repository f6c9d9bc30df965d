import { assert } from "../base/assert.ts";
import { utf8Length } from "../base/bytes.ts";
import { invalid } from "../base/error.ts";
import { assertKeyFits } from "../base/key-text.ts";
import { LIMITS } from "../base/limits.ts";
import type { KeyFamilies } from "./families.ts";
import type { Absent, Batch, Item, Live, PageOptions, PointerOp, Version } from "./port.ts";

/**
 * Refuses a batch that some store could not take, with the same answer on every store and before
 * any request. What a client can cause by its input is `Invalid`; the rest are defects of ours.
 *
 * @throws FirnError `Invalid`, codes `BATCH_TOO_LARGE`, `SUMMARY_TOO_LARGE`, `KEY_TOO_LONG`.
 */
export function assertBatch(batch: Batch, families: KeyFamilies): void {
  const { ops, writerId } = batch;
  assert(writerId !== "", "a batch names its writer");
  assert(ops.length > 0, "a batch has an operation");
  if (ops.length > LIMITS.batchOps) {
    const facts = { ops: ops.length, limit: LIMITS.batchOps };
    throw invalid("BATCH_TOO_LARGE", "too many pointer operations", facts);
  }
  const keys = new Set<string>();
  for (const op of ops) {
    assertOp(op, families.of(op.key).summaryBytes ?? LIMITS.summaryBytes);
    keys.add(op.key);
  }
  assert(keys.size === ops.length, "a batch has no key twice");
}

function assertOp(op: PointerOp, summaryBytes: number): void {
  assertKeyFits(op.key);
  assert(utf8Length(op.key) === op.key.length, "a key is ASCII, all else in it being encoded");
  if (op.op === "checkAbsent" || op.op === "bump") return;
  assert(op.expected >= 0n, "an expected version is not negative");
  const bytes = op.op === "put" ? (op.summary?.length ?? 0) : 0;
  if (bytes > summaryBytes) {
    throw invalid("SUMMARY_TOO_LARGE", "pointer summary too large", { bytes, limit: summaryBytes });
  }
}

/** Whether an operation's condition holds of what stands at its key. */
export function conditionHolds(op: PointerOp, item: Item): boolean {
  switch (op.op) {
    case "put":
    case "delete":
      return item.version === op.expected;
    case "check":
      return item.state === "live" && item.version === op.expected;
    case "checkAbsent":
      return item.state === "absent";
    case "bump":
      return item.state === "live";
  }
}

/** A pointer that is stored: alive, or a tombstone. Never version 0. */
export type StoredItem =
  | Live
  | (Absent & { readonly writerId: string; readonly deadUntilMs: number });

/** An operation that writes. */
export type WritingOp = Extract<PointerOp, { op: "put" | "delete" | "bump" }>;

/** Narrows an operation to one that writes. */
export function isWriting(op: PointerOp): op is WritingOp {
  return op.op !== "check" && op.op !== "checkAbsent";
}

/** What an operation whose condition holds makes of what stands at its key. */
export function itemAfter(
  op: WritingOp,
  before: Item,
  writerId: string,
  nowMs: number,
): StoredItem {
  const version = before.version + 1n;
  const { key } = op;
  switch (op.op) {
    case "put": {
      const { blobPath, summary } = op;
      return {
        state: "live",
        key,
        version,
        writerId,
        ...(blobPath !== undefined && { blobPath }),
        // A copy, as a buffer's own `slice` is none: the caller may write into its bytes again.
        ...(summary !== undefined && { summary: new Uint8Array(summary) }),
      };
    }
    case "delete":
      return {
        state: "absent",
        key,
        version,
        writerId,
        deadUntilMs: nowMs + LIMITS.tombstoneLifeMs,
      };
    case "bump":
      assert(before.state === "live", "only what is alive is bumped");
      return { ...before, version };
  }
}

/** Whether `forget` may remove an item: at its version, and a tombstone only past its life. */
export function mayForget(item: Item, version: Version, nowMs: number): boolean {
  if (item.version !== version || version === 0n) return false;
  return item.state === "live" || nowMs >= (item.deadUntilMs ?? 0);
}

/** The page's size. @throws FirnError `Internal`: out of bounds, which callers check. */
export function pageLimit(options: PageOptions): number {
  const limit = options.limit ?? LIMITS.pageSize;
  assert(Number.isInteger(limit) && limit >= 1 && limit <= LIMITS.pageSize, "a page has a size");
  return limit;
}
