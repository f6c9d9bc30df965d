import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { END, ENTRY } from "../../src/lsm/format/cursor.ts";
import { DELETE, EXPIRES, type Kind, keyOfBytes, MERGE, PUT } from "../../src/lsm/format/entry.ts";
import { LogReplay } from "../../src/lsm/memtable/log-replay.ts";
import { Memtable } from "../../src/lsm/memtable/memtable.ts";
import { fromOfBytes, toOfBytes } from "../../src/lsm/range.ts";
import { type BatchOp, encodeBatch } from "../../src/lsm/wal/batch.ts";

const NOTHING = new Uint8Array(0);

const key = fc.uint8Array({ minLength: 1, maxLength: 3 });
const value = fc.uint8Array({ maxLength: 60 });
const expiry = fc.option(fc.integer({ min: 1, max: 2 ** 40 }), { nil: undefined });
const written = fc.tuple(key, value, expiry).map(([k, v, expiresAtMs]) => {
  return { key: k, value: v, ...(expiresAtMs !== undefined && { expiresAtMs }) };
});
/** An ingest leaves nothing in a memtable. */
type MemtableOp = Exclude<BatchOp, { readonly op: "ingest" }>;

const anyOp: fc.Arbitrary<MemtableOp> = fc.oneof(
  written.map((fields) => ({ op: "put" as const, ...fields })),
  fc.tuple(written, fc.nat({ max: 255 })).map(([fields, operator]) => {
    return { op: "merge" as const, operator, ...fields };
  }),
  key.map((k) => ({ op: "delete" as const, key: k })),
  fc
    .tuple(key, key)
    .filter(([a, b]) => Buffer.compare(a, b) < 0)
    .map(([from, to]) => ({ op: "deleteRange" as const, from, to })),
);

/** The same, operation by operation. */
function add(memtable: Memtable, op: MemtableOp, sequence: number): void {
  if (op.op === "deleteRange") memtable.addRange(fromOfBytes(op.from), toOfBytes(op.to), sequence);
  else if (op.op === "delete") memtable.add(keyOfBytes(op.key), sequence, DELETE, NOTHING);
  else {
    const { expiresAtMs = 0 } = op;
    const kind = (op.op === "put" ? PUT : MERGE) | (expiresAtMs > 0 ? EXPIRES : 0);
    const operator = op.op === "merge" ? op.operator : 0;
    const extras = { operator, expiresAtMs };
    memtable.add(keyOfBytes(op.key), sequence, kind as Kind, op.value, extras);
  }
}

function contentOf(memtable: Memtable): unknown {
  const { keys, entries, deletions, rawBytes, minSequence, maxSequence } = memtable;
  const versions: unknown[] = [];
  const cursor = memtable.cursor();
  for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
    const { sequence, kind, operator, expiresAtMs } = cursor;
    const text = Buffer.from(cursor.value()).toString("hex");
    versions.push([cursor.key, sequence, kind, operator, expiresAtMs, text]);
  }
  const ranges = memtable.ranges?.fragments();
  const figures = { keys, entries, deletions, rawBytes, minSequence, maxSequence };
  return { ...figures, versions, ranges };
}

describe("a log that is replayed", () => {
  it("leaves what was written, of every kind", () => {
    const batches = fc.array(fc.array(anyOp, { minLength: 1, maxLength: 12 }), { maxLength: 12 });
    fc.assert(
      fc.property(batches, (all) => {
        const model = new Memtable();
        const replay = new LogReplay(1_048_576, 0);
        let sequence = 1;
        for (const ops of all) {
          const payload = encodeBatch(ops);
          const batch = { firstSequence: sequence, count: ops.length, payload };
          replay.add({ epoch: 1, batches: [batch] });
          for (const op of ops) add(model, op, sequence++);
          // What was read is gone when the next group comes.
          payload.fill(0xff);
        }
        expect(contentOf(replay.memtables[0] as Memtable)).toEqual(contentOf(model));
        expect(replay.lastSequence).toBe(sequence - 1);
      }),
      { numRuns: 200 },
    );
  });

  it("leaves no memtable of nothing behind an ingest, which no flush could write", () => {
    const payload = encodeBatch([{ op: "ingest", key: Buffer.alloc(16, 1) }]);
    const replay = new LogReplay(1, 0);
    replay.add({ epoch: 1, batches: [{ firstSequence: 1, count: 1, payload }] });
    expect(replay.memtables.map(({ isEmpty, frozen }) => [isEmpty, frozen])).toEqual([
      [true, false],
    ]);
    expect(replay.lastSequence).toBe(1);
  });

  it("takes nothing of a batch that is damaged", () => {
    const ops = ["a", "b", "c"].map((text): BatchOp => {
      return { op: "put", key: Buffer.from(text), value: Buffer.from("value") };
    });
    const good = encodeBatch(ops);
    const corrupt = expect.objectContaining({ kind: "Corrupt", code: "WAL_BATCH_CORRUPT" });
    for (const [bytes, count] of [
      [good.subarray(0, -1), 3],
      [good, 4],
      [good, 2],
      [Buffer.concat([good.subarray(0, 28), Buffer.of(9), good.subarray(29)]), 3],
    ] as const) {
      const memtable = new Memtable();
      expect(() => memtable.addPayload(bytes, count, 1)).toThrow(corrupt);
      expect([memtable.isEmpty, memtable.cursor().first()]).toEqual([true, END]);
      memtable.addPayload(good, 3, 1);
      expect(memtable.entries).toBe(3);
    }
  });
});
