import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inOnePiece, lengthOf, utf8Text } from "../../src/base/bytes.ts";
import { Fragment } from "../../src/iceberg/fragment.ts";
import * as shared from "../../src/iceberg/metadata.ts";
import type { TableMetadata } from "../../src/iceberg/model.ts";
import { type Part, Printer } from "../../src/iceberg/printer.ts";
import { printTableMetadata } from "./printed.ts";
import { append, commit, newTable } from "./support.ts";

/** Large enough that a few dozen of them fill several runs. */
const LONG = "é".repeat(2_000);

let made = 0;

function part(text: string = LONG): Part {
  return { fragment: new Fragment({ id: made++, text }) };
}

function pieces(parts: readonly Part[]): readonly Uint8Array[] {
  const printer = new Printer();
  printer.list(parts);
  return printer.finish();
}

/** What a print is to be, by what each part says. */
function plain(parts: readonly Part[]): string {
  return `[${parts.map(({ fragment }) => fragment.text).join(",")}]`;
}

/** Makes a list out of an earlier one, whichever that is. */
const changes = fc.record({
  of: fc.nat(),
  drop: fc.array(fc.nat({ max: 60 }), { maxLength: 4 }),
  roll: fc.nat({ max: 20 }),
  add: fc.nat({ max: 12 }),
  swap: fc.boolean(),
});

describe("the printer of lists", () => {
  it("prints what each part says, whatever lists the parts stood in before", () => {
    fc.assert(
      fc.property(fc.nat({ max: 60 }), fc.array(changes, { maxLength: 12 }), (count, steps) => {
        const lists: Part[][] = [Array.from({ length: count }, (_, i) => part(LONG.slice(i)))];
        for (const { of, drop, roll, add, swap } of steps) {
          const dropped = new Set(drop);
          const base = lists[of % lists.length] ?? [];
          const next = base.slice(roll).filter((_, i) => !dropped.has(i));
          for (let i = 0; i < add; i++) next.push(part(i % 3 === 0 ? "short" : LONG));
          if (swap) next.reverse();
          lists.push(next);
          expect(utf8Text(inOnePiece(pieces(next)))).toBe(plain(next));
        }
        for (const list of lists) expect(utf8Text(inOnePiece(pieces(list)))).toBe(plain(list));
      }),
      { numRuns: 60 },
    );
  });

  it("shares the bytes of what stays", () => {
    const parts = Array.from({ length: 200 }, () => part());
    const before = new Set(pieces(parts));
    const newBytes = (list: readonly Part[]) =>
      lengthOf(pieces(list).filter((piece) => !before.has(piece)));
    const whole = lengthOf(pieces(parts));
    expect(newBytes([...parts, part()])).toBeLessThan(whole / 8);
    expect(newBytes(parts.slice(1))).toBeLessThan(whole / 4);
    expect(newBytes(parts.filter((_, i) => i !== 100))).toBeLessThan(whole / 4);
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
    const fresh = <T extends Part>(parts: readonly T[]): readonly T[] =>
      parts.map((each) => ({ ...each, fragment: new Fragment(each.fragment.object) }));
    const snapshots = { ...table.snapshots, items: fresh(table.snapshots.items) };
    return printTableMetadata({
      ...table,
      snapshots: snapshots as TableMetadata["snapshots"],
      snapshotLog: fresh(table.snapshotLog),
      metadataLog: fresh(table.metadataLog),
    });
  }

  it("prints right for commits that expire different snapshots of one base", () => {
    const base = longTable(60);
    const without = (...indexes: readonly number[]) =>
      commit(base, [
        {
          action: "remove-snapshots",
          "snapshot-ids": indexes.map((i) => FIRST_ID + BigInt(i)),
        },
      ]);
    const versions = [base, without(7), without(8), without(0, 30), without(31), base];
    for (const table of versions) expect(printTableMetadata(table)).toBe(printedAnew(table));
    for (const table of versions) {
      const next = commit(table, append(table, FIRST_ID << 1n));
      expect(printTableMetadata(next)).toBe(printedAnew(next));
    }
  });

  it("is printed by what changed", () => {
    const base = longTable(200);
    const before = shared.printTableMetadata(base);
    const next = shared.printTableMetadata(commit(base, append(base, 1n)));
    const known = new Set(before);
    const fresh = next.filter((piece) => !known.has(piece));
    expect(lengthOf(fresh)).toBeLessThan(lengthOf(before) / 8);
  });
});
