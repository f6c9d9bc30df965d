import { expect } from "vitest";
import type { SeededPrng } from "../../../src/base/prng.ts";
import { ENTRY } from "../../../src/lsm/format/cursor.ts";
import { END_OF_KEYS, type Key, type Sequence } from "../../../src/lsm/format/entry.ts";
import { type Fragment, RangeMap } from "../../../src/lsm/format/range-map.ts";
import { openSst } from "../../../src/lsm/format/sst.ts";
import { SstCursor } from "../../../src/lsm/format/sst-cursor.ts";
import { SstWriter } from "../../../src/lsm/format/sst-writer.ts";
import { mintUlid } from "../../../src/lsm/format/ulid.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import type { File } from "./merges.ts";
import { bytesOf, type Entry, inOrder, randomEntries } from "./model.ts";
import { WholeFile } from "./tables.ts";

const clock = new SleepIsTime();

/** Everything that was written, whatever lies in which table. */
export interface Writes {
  readonly entries: readonly Entry[];
  readonly ranges: readonly { readonly from: Key; readonly to: Key; readonly sequence: Sequence }[];
}

/** Some of the entries are turned into deletions of ranges, from their key to another's. */
export function writesOf(prng: SeededPrng, count: number): Writes {
  const all = randomEntries(prng, count, prng.float() < 0.5 ? 0 : 0.5).map((entry, i) => ({
    ...entry,
    sequence: i + 1,
  }));
  const entries: Entry[] = [];
  const ranges: Writes["ranges"][number][] = [];
  for (const entry of all) {
    const other = all[Math.floor(prng.float() * all.length)]?.key ?? "";
    const to = prng.float() < 0.2 ? END_OF_KEYS : other;
    const from = prng.float() < 0.2 ? "\0" : entry.key;
    if (prng.float() < 0.15 && from < to) {
      ranges.push({ from, to, sequence: entry.sequence });
    } else entries.push(entry);
  }
  return { entries, ranges };
}

/** Tables of adjacent ages, newest first. */
export function tablesOf(
  { entries, ranges }: Writes,
  count: number,
  prng: SeededPrng,
): readonly File[] {
  const files: File[] = [];
  const total = entries.length + ranges.length;
  const within = (age: number) => (one: { readonly sequence: Sequence }) =>
    Math.floor(((one.sequence - 1) / total) * count) === age;
  for (let age = count - 1; age >= 0; age--) {
    const map = new RangeMap();
    for (const { from, to, sequence } of ranges.filter(within(age))) map.add(from, to, sequence);
    files.push(...tableOf(entries.filter(within(age)), map.fragments(), prng));
  }
  return files;
}

export function tableOf(
  entries: readonly Entry[],
  ranges: readonly Fragment[],
  prng: SeededPrng,
): File[] {
  if (entries.length + ranges.length === 0) return [];
  const indexPartBytes = prng.float() < 0.5 ? 150 : 10_000;
  const writer = new SstWriter(mintUlid(clock, prng), { blockBytes: 200, indexPartBytes });
  for (const entry of inOrder(entries)) writer.append(bytesOf(entry));
  for (const range of ranges) writer.addRange(range);
  const meta = writer.finish();
  return [{ meta, bytes: Buffer.concat(writer.takeChunks()) }];
}

export interface Content {
  readonly entries: readonly Entry[];
  readonly ranges: readonly Fragment[];
}

export function contentOf({ meta, bytes }: File): Content {
  const opened = openSst(bytes, { id: meta.id, fileBytes: bytes.length });
  if (opened.state === "short") throw new Error("a whole file is never short");
  expect(opened.sst.stats).toEqual(meta.stats);
  const ranges = opened.sst.ranges?.fragments() ?? [];
  if (meta.stats.entries === 0) return { entries: [], ranges };
  const cursor = new SstCursor(opened.sst, new WholeFile(opened.sst, bytes));
  const entries: Entry[] = [];
  for (let step = cursor.first(); step === ENTRY; step = cursor.next()) {
    const { key, sequence, kind, operator, expiresAtMs } = cursor;
    entries.push({ key, sequence, kind, operator, expiresAtMs, value: cursor.value() });
  }
  return { entries, ranges };
}
