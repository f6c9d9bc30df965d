import type { WriteOp } from "../../../src/lsm/write/write-path.ts";

/** Long enough that a few batches fill a segment, and a table has several blocks. */
const FILLER = "firn ".repeat(160);
const PAIRS = 23;
const KEPT = 7;

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/**
 * What batch `n` does, the same in every life: a pair of keys that is written again and again, one
 * key of its own, the end of an older batch's own key, alone or as a range, and the number of the
 * last batch. So what is there after a crash must be what the batches up to some number leave, to
 * the byte.
 */
export function batchOf(n: number): readonly WriteOp[] {
  const put = (key: string, value: string): WriteOp => ({
    op: "put",
    key: bytesOf(key),
    value: bytesOf(value),
  });
  return [
    put(`left ${n % PAIRS}`, `${n} ${FILLER}`),
    put(`right ${n % PAIRS}`, `${n} ${FILLER}`),
    put(`own ${n}`, String(n)),
    n % 3 === 0
      ? { op: "deleteRange", from: bytesOf(`own ${n - KEPT}`), to: bytesOf(`own ${n - KEPT}\0`) }
      : { op: "delete", key: bytesOf(`own ${n - KEPT}`) },
    put("last", String(n)),
  ];
}

/** Every row that batches 1 to `n` leave, in order of keys. */
export function rowsAfter(n: number): ReadonlyMap<string, string> {
  const rows = new Map<string, string>();
  for (let i = Math.max(1, n - PAIRS + 1); i <= n; i++) {
    for (const op of batchOf(i)) {
      const key = Buffer.from(op.op === "deleteRange" ? op.from : op.key).toString();
      if (op.op === "put") rows.set(key, Buffer.from(op.value).toString());
      else rows.delete(key);
    }
  }
  return new Map([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));
}
