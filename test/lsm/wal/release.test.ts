import { expect, test } from "vitest";
import { SeededPrng } from "../../../src/base/prng.ts";
import { diskFault } from "../../../src/lsm/disk/fault.ts";
import { SegmentReader } from "../../../src/lsm/wal/reader.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";
import { appendTexts, batch, openWal, textsOf } from "./support.ts";

const SIZES = { segmentBytes: 65_536, sliceBytes: 16_384 };
const nameOf = (id: number): string => `${String(id).padStart(20, "0")}.wal`;

function storeOn(disk: ModelledDisk): SegmentWalStore {
  return new SegmentWalStore(disk, {
    clock: new SleepIsTime(),
    prng: new SeededPrng(1),
    ...SIZES,
  });
}

test("a segment that cannot be released keeps the fence behind it", async () => {
  const disk = new ModelledDisk();
  const written = Promise.withResolvers<void>();
  const slow = disk.view(({ method, name, when }) => {
    // Its bytes are on the disk, and it does not know yet.
    const late = method === "write" && name === nameOf(1) && when === "after" && armed;
    return late ? written.promise : undefined;
  });
  let armed = false;
  const old = await openWal(storeOn(slow), 1);
  await appendTexts(old.wal, ["a"]);
  let refused = 0;
  const failing = disk.view(({ method, name, when }) => {
    if (method !== "remove" || name !== nameOf(1) || when !== "before" || refused++ > 0) return;
    const error = Object.assign(new Error("refused"), { code: "EIO", syscall: "unlink" });
    throw diskFault(error, name);
  });
  const { wal } = await openWal(storeOn(failing), 2);
  armed = true;
  const appending = old.wal.append([batch(2, "b")]);
  await appendTexts(wal, ["c"]);
  await wal.roll();
  await expect(wal.release(3)).rejects.toMatchObject({ code: "DISK_FAILED" });
  // The one that fences the first owner stays at least as long as what that one writes to.
  const names = await disk.list();
  expect(names.includes(nameOf(1)) && !names.includes(nameOf(2))).toBe(false);
  await appendTexts(wal, ["d"]);
  await wal.roll();
  await wal.release(4);
  expect(refused).toBe(2);
  expect(await disk.list()).not.toContain(nameOf(1));
  expect(await disk.list()).not.toContain(nameOf(2));
  written.resolve();
  await expect(appending).rejects.toMatchObject({ kind: "Unknown", code: "WAL_FENCED" });
});

test("no reader is handed what an overtaken writer wrote while its segment goes", async () => {
  const disk = new ModelledDisk();
  const late = Promise.withResolvers<void>();
  let isLate = false;
  const slow = disk.view(({ method, name, when }) => {
    return isLate && method === "write" && name === nameOf(1) && when === "before"
      ? late.promise
      : undefined;
  });
  const old = await openWal(storeOn(slow), 1);
  await appendTexts(old.wal, ["a"]);
  isLate = true;
  const appending = old.wal.append([batch(2, "overtaken")]);
  const { wal } = await openWal(storeOn(disk), 2);
  late.resolve();
  await expect(appending).rejects.toMatchObject({ kind: "Unknown", code: "WAL_FENCED" });
  await appendTexts(wal, ["b"]);
  await wal.roll();
  // The segment that says where the first one ends goes between two looks of the reader.
  const reading = disk.view(async ({ method, when }) => {
    if (method === "list" && when === "before") await wal.release(3);
  });
  const { groups } = await new SegmentReader(reading).read(1);
  expect(textsOf([...groups])).toEqual([]);
});

test("at no moment of a roll does a mark leave out what was acknowledged before it", async () => {
  const disk = new ModelledDisk();
  const seen = new Set<number>();
  const watched = disk.view(() => {
    if (rolling) seen.add(log.wal.lowWater(1));
  });
  let rolling = false;
  const log = await openWal(storeOn(watched), 1);
  await appendTexts(log.wal, ["a"], ["b"]);
  rolling = true;
  await log.wal.roll();
  rolling = false;
  // Of sequence 2, which is in the first segment, whatever else is under way.
  expect([...seen]).toEqual([1]);
  expect(log.wal.lowWater(2)).toBe(2);
});

test("at no moment of a roll does a mark name a segment that a power cut takes away", async () => {
  const disk = new ModelledDisk();
  const found: { readonly file: number; readonly left: ModelledDisk }[] = [];
  const watched = disk.view(() => {
    if (!rolling) return;
    const file = log.wal.lowWater(2);
    for (let seed = 1; seed <= 8; seed++) {
      found.push({ file, left: disk.afterCut(new SeededPrng(seed)) });
    }
  });
  let rolling = false;
  const log = await openWal(storeOn(watched), 1);
  await appendTexts(log.wal, ["a"], ["b"]);
  rolling = true;
  await log.wal.roll();
  rolling = false;
  expect(found.length).toBeGreaterThan(0);
  found.push({ file: log.wal.lowWater(2), left: disk.afterCut(new SeededPrng(9)) });
  expect(found.at(-1)?.file).toBe(2);
  // Both sequences are in tables by now, and their manifest says where the log goes on.
  for (const { file, left } of found) {
    const { wal } = await openWal(storeOn(left), 2, { file, sequence: 2 });
    expect(wal.stats().lastSequence).toBe(2);
  }
});
