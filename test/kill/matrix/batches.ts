import type { Engine } from "../../../src/lsm/engine/engine.ts";
import type { IngestRow } from "../../../src/lsm/ingest/ingest.ts";
import type { WriteCondition } from "../../../src/lsm/transaction/conditional-write.ts";
import type { WriteOp } from "../../../src/lsm/write/write-path.ts";

import { must } from "../ledger.ts";

/** Long enough that a few batches fill a segment, and a table has several blocks. */
const FILLER = "firn ".repeat(160);
const PAIRS = 23;
/** Some values are so much longer that they go apart. */
const LONG = 12;
const MORE = "+".repeat(40);
/** Between the two lengths, for the engine's options. */
export const INLINE_BYTES = 830;
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
    put(`right ${n % PAIRS}`, `${n} ${FILLER}${n % LONG === 0 ? MORE : ""}`),
    put(`own ${n}`, String(n)),
    n % 3 === 0
      ? { op: "deleteRange", from: bytesOf(`own ${n - KEPT}`), to: bytesOf(`own ${n - KEPT}\0`) }
      : { op: "delete", key: bytesOf(`own ${n - KEPT}`) },
    put("last", String(n)),
  ];
}

/** What a batch rests on: it is no other's, and the one before is there. */
export function conditionsOf(n: number): readonly WriteCondition[] {
  const last: WriteCondition = { key: bytesOf("last"), is: n === 1 ? "absent" : "present" };
  return [{ key: bytesOf(`own ${n}`), is: "absent" }, last];
}

/**
 * The same by a transaction, which also does what it takes back, and asks what it knows.
 *
 * @throws Error
 */
export async function transact(engine: Engine, n: number): Promise<void> {
  const transaction = engine.transaction({ isolation: "snapshot" });
  const [before] = conditionsOf(n);
  if (before === undefined) throw new Error("a batch has a key of its own");
  transaction.touch(bytesOf(`left ${n % PAIRS}`));
  const last = await transaction.lockForUpdate(bytesOf("last"));
  const found = last === undefined ? 0 : Number(Buffer.from(last).toString());
  if (found !== n - 1) throw new Error(`batch ${found} is the last one before ${n}`);
  const savepoint = transaction.savepoint();
  transaction.put(bytesOf("never"), bytesOf(String(n)));
  transaction.deleteRange(bytesOf("left"), bytesOf("right"));
  if (await transaction.insert(bytesOf("last"), bytesOf("never"))) {
    if (found > 0) throw new Error("a key that has a value is inserted");
  }
  transaction.rollbackTo(savepoint);
  for (const op of batchOf(n)) {
    if (op.op === "deleteRange") transaction.deleteRange(op.from, op.to);
    else if (op.op === "delete") transaction.delete(op.key);
    else if (op.op === "put" && Buffer.compare(op.key, before.key) !== 0) {
      transaction.put(op.key, op.value);
    } else if (op.op === "put" && !(await transaction.insert(op.key, op.value))) {
      throw new Error(`batch ${n} is there`);
    }
  }
  await (await transaction.commit()).durable();
}

const LOADED = 150;
/** Keys of what is ingested: nothing else is written to them. */
export const LOAD = "load ";

/** What ingest `n` brings, in no order: more than one table holds, each row of `n` alone. */
export function loadOf(n: number): readonly IngestRow[] {
  return Array.from({ length: LOADED }, (_, i) => {
    const at = String((i * 7) % LOADED).padStart(3, "0");
    return { key: bytesOf(LOAD + at), value: bytesOf(loadedValue(n)) };
  });
}

function loadedValue(n: number): string {
  return `${n} ${FILLER.slice(0, 200)}`;
}

/**
 * The number of the ingest that rows are of, all of them; 0: there are none.
 *
 * @throws Violation
 */
export function loadIn(rows: ReadonlyMap<string, string>): number {
  if (rows.size === 0) return 0;
  const n = Number.parseInt([...rows.values()][0] ?? "", 10);
  must(rows.size === LOADED, `${rows.size} rows of ingest ${n} are there, of ${LOADED}`);
  for (const [key, value] of rows) must(value === loadedValue(n), `${key} is not of ingest ${n}`);
  return n;
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
