import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inOnePiece, lengthOf, utf8Text } from "../../src/base/bytes.ts";
import { atOnce } from "../../src/base/steps.ts";
import { ChunkedList, type Part } from "../../src/iceberg/chunked-list.ts";
import { Fragment } from "../../src/iceberg/fragment.ts";
import * as shared from "../../src/iceberg/metadata.ts";
import type { TableMetadata } from "../../src/iceberg/model.ts";
import { Printer } from "../../src/iceberg/printer.ts";
import { SnapshotList } from "../../src/iceberg/snapshot-list.ts";
import { printTableMetadata } from "./printed.ts";
import { append, commit, newTable } from "./support.ts";

const LONG = "é".repeat(500);

let made = 0;

function part(text: string = LONG): Part {
  return { fragment: new Fragment({ id: made++, text }) };
}

function parts(count: number): readonly Part[] {
  return Array.from({ length: count }, () => part());
}

function pieces(list: readonly Part[] | ChunkedList<Part>): readonly Uint8Array[] {
  const printer = new Printer();
  atOnce(printer.list(list));
  return printer.finish();
}

function printed(list: readonly Part[] | ChunkedList<Part>): string {
  return utf8Text(inOnePiece(pieces(list)));
}

/** What a print is to be, by what each part says. */
function plain(list: readonly Part[]): string {
  return `[${list.map(({ fragment }) => fragment.text).join(",")}]`;
}

/** Makes a list out of an earlier one, whichever that is. */
const changes = fc.record({
  of: fc.nat(),
  lose: fc.array(fc.nat({ max: 400 }), { maxLength: 4 }),
  drop: fc.oneof(fc.constant(0), fc.nat({ max: 150 })),
  add: fc.nat({ max: 90 }),
  /** Whether it is printed, and its bytes so made, before others are made of it. */
  print: fc.boolean(),
});

/** A list beside the array that it has to be. */
interface Pair {
  readonly list: ChunkedList<Part>;
  readonly array: readonly Part[];
}

function changed({ list, array }: Pair, drop: number, lose: readonly number[], add: number): Pair {
  const lost = new Set(lose);
  const stays = (_: Part, index: number) => !lost.has(index);
  let next = list.drop(drop).filter(stays);
  const more = parts(add);
  for (const one of more) next = next.append(one);
  return { list: next, array: [...array.slice(drop).filter(stays), ...more] };
}

function expectSame({ list, array }: Pair): void {
  expect(list.toArray()).toEqual(array);
  expect([...list]).toEqual(array);
  expect(list).toHaveLength(array.length);
  for (const index of [0, 1, 63, 64, 65, 130, -1, -2, -array.length, array.length, 1_000]) {
    expect(list.at(index)).toBe(array.at(index));
  }
  for (const count of [1, 2, 65, 1_000]) expect(list.tail(count)).toEqual(array.slice(-count));
  expect(list.tail(0)).toEqual([]);
  expect(printed(list)).toBe(plain(array));
}

describe("lists in chunks", () => {
  it("hold and print what an array would, whatever lists they were made from", () => {
    const counts = fc.constantFrom(0, 1, 63, 64, 65, 127, 128, 129, 192, 300);
    fc.assert(
      fc.property(counts, fc.array(changes, { maxLength: 10 }), (count, steps) => {
        const array = parts(count);
        const pairs: Pair[] = [{ list: ChunkedList.of(array), array }];
        for (const { of, lose, drop, add, print } of steps) {
          const base = pairs[of % pairs.length];
          if (base === undefined) continue;
          const next = changed(base, drop, lose, add);
          pairs.push(next);
          if (print) expectSame(next);
          const lacked = next.array.filter((one) => !base.array.includes(one));
          expect(next.list.notShared(base.list).flatMap(({ items }) => items)).toEqual(
            expect.arrayContaining(lacked),
          );
        }
        // A later list must not have changed an earlier one, or what it prints.
        for (const pair of pairs) expectSame(pair);
      }),
      { numRuns: 40 },
    );
  });

  it("stay as few chunks as the parts need, however often some are lost", () => {
    let pair: Pair = { list: ChunkedList.of(parts(2_000)), array: [] };
    for (let round = 0; round < 200; round++) {
      const list = pair.list.filter((_, index) => index % 97 !== round % 97);
      pair = { list, array: [] };
    }
    expect(pair.list.length).toBeGreaterThan(100);
    expect(pair.list.chunks.length).toBeLessThan(2 + pair.list.length / 16);
  });

  it.each([10, 500])("share the bytes of what stays, parts of %s characters", (length) => {
    const part = (): Part => ({ fragment: new Fragment({ id: made++, text: "é".repeat(length) }) });
    const array = Array.from({ length: 1_000 }, part);
    const list = ChunkedList.of(array);
    const before = new Set(pieces(list));
    const newBytes = (next: ChunkedList<Part>) =>
      lengthOf(pieces(next).filter((piece) => !before.has(piece)));
    const whole = lengthOf(pieces(list));
    expect(newBytes(list.append(part()))).toBeLessThan(whole / 5);
    expect(newBytes(list.drop(1))).toBeLessThan(whole / 4);
    expect(newBytes(list.filter((_, i) => i !== 500))).toBeLessThan(whole / 4);
  });

  it("lie in the same memory, whatever grows behind them or is lost before them", () => {
    let list = ChunkedList.of(parts(40));
    const memory = new Set<ArrayBufferLike>();
    for (let i = 0; i < 400; i++) {
      list = list.append(part()).drop(1);
      for (const piece of pieces(list)) if (piece.length > LONG.length) memory.add(piece.buffer);
    }
    // A print of a text of its own would take new memory each time.
    expect(memory.size).toBeLessThan(40);
  });
});

describe("a list of snapshots", () => {
  const FIRST_ID = 1n << 60n;
  const snapshots = (ids: readonly bigint[], timestampMs = 1) =>
    ids.map((id) => {
      const [one] = commit(newTable(), append(newTable(), id)).snapshots.items;
      if (one === undefined) throw new Error("nothing was appended");
      return { ...one, timestampMs };
    });

  it("finds what it holds, whatever other lists that grew out of the same one hold", () => {
    const ids = Array.from({ length: 6 }, (_, i) => FIRST_ID + BigInt(i));
    const all = snapshots(ids);
    const appends = fc.array(fc.tuple(fc.nat(), fc.nat({ max: ids.length - 1 })), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(appends, (steps) => {
        const lists = [SnapshotList.of(all.slice(0, 2))];
        for (const [of, which] of steps) {
          const list = lists[of % lists.length];
          const snapshot = all[which];
          if (list === undefined || snapshot === undefined || list.has(snapshot.snapshotId)) {
            continue;
          }
          lists.push(list.append(snapshot));
        }
        for (const list of lists) {
          const held = new Map(Array.from(list.items, (one) => [one.snapshotId, one]));
          for (const id of ids) expect(list.find(id)).toBe(held.get(id));
        }
        for (const a of lists) {
          for (const b of lists) {
            const lacked = [...a.items].filter((one) => ![...b.items].includes(one));
            expect(atOnce(a.lackingSteps(b))).toEqual(lacked);
          }
        }
      }),
    );
  });

  it("lacks one whose id came back with another time", () => {
    const ids = [FIRST_ID, FIRST_ID + 1n];
    const before = SnapshotList.of(snapshots(ids, 1));
    const after = SnapshotList.of(snapshots(ids, 2));
    expect(atOnce(after.lackingSteps(before))).toHaveLength(2);
    expect(atOnce(after.lackingSteps(after))).toHaveLength(0);
  });
});

describe("a table's history", () => {
  const FIRST_ID = 1n << 60n;

  function longTable(count: number): TableMetadata {
    let table = newTable();
    for (let i = 0; i < count; i++) {
      const more = { summary: { operation: "append", note: LONG.slice(i) } };
      table = commit(table, append(table, FIRST_ID + BigInt(i), more));
    }
    return table;
  }

  /** The same metadata with parts that were never printed before. */
  function printedAnew(table: TableMetadata): string {
    const fresh = <T extends Part>(list: Iterable<T>): readonly T[] =>
      Array.from(list, (each) => ({ ...each, fragment: new Fragment(each.fragment.object) }));
    return printTableMetadata({
      ...table,
      snapshots: SnapshotList.of(fresh(table.snapshots.items)),
      snapshotLog: ChunkedList.of(fresh(table.snapshotLog)),
      metadataLog: ChunkedList.of(fresh(table.metadataLog)),
    });
  }

  it("prints right for commits that expire different snapshots of one base", () => {
    const base = longTable(210);
    const without = (...indexes: readonly number[]) =>
      commit(base, [
        {
          action: "remove-snapshots",
          "snapshot-ids": indexes.map((i) => FIRST_ID + BigInt(i)),
        },
      ]);
    const versions = [base, without(7), without(8), without(0, 30), without(31, 100), base];
    for (const table of versions) expect(printTableMetadata(table)).toBe(printedAnew(table));
    for (const table of versions) {
      const next = commit(table, append(table, FIRST_ID << 1n));
      expect(printTableMetadata(next)).toBe(printedAnew(next));
    }
  });

  it("keeps in its snapshot log what follows the last gap", () => {
    const base = longTable(150);
    const ids = [3, 70].map((i) => FIRST_ID + BigInt(i));
    const next = commit(base, [{ action: "remove-snapshots", "snapshot-ids": ids }]);
    const kept = Array.from(next.snapshotLog, ({ snapshotId }) => snapshotId);
    expect(kept).toEqual(Array.from({ length: 79 }, (_, i) => FIRST_ID + BigInt(71 + i)));
  });

  it("is printed by what changed", () => {
    const base = longTable(600);
    const before = shared.printTableMetadata(base);
    const next = shared.printTableMetadata(commit(base, append(base, 1n)));
    const known = new Set(before);
    const fresh = next.filter((piece) => !known.has(piece));
    expect(lengthOf(fresh)).toBeLessThan(lengthOf(before) / 4);
  });
});
