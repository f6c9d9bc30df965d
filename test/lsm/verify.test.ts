import { describe, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import type { ShardFiles } from "../../src/lsm/manifest/shard-files.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { int64Bytes } from "../../src/lsm/read/operators.ts";
import { inspectLog, inspectShard, inspectTable } from "../../src/lsm/tools/inspect.ts";
import { type Verified, verifyShard } from "../../src/lsm/tools/verify.ts";
import type { Finding } from "../../src/lsm/tools/verify-table.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import type { WalReader, WalStore } from "../../src/lsm/wal/port.ts";
import { ObjectReader, SegmentReader } from "../../src/lsm/wal/reader.ts";
import { SegmentWalStore } from "../../src/lsm/wal/segments.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { ModelledDisk } from "../support/modelled-disk.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const OPTIONS: Partial<LsmTuning> = {
  blockBytes: 200,
  tableBytes: 3_000,
  compactionL0Tables: 3,
  compaction: "manual",
  gcMinAgeMs: 0,
};

const READS = new Set(["get", "getRange", "getSuffix", "head", "list"]);

/** The same store to those who must not change it. Others have their turn before each call. */
function readOnly(store: BlobStore): BlobStore {
  return new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      if (!READS.has(String(name))) throw new Error(`${String(name)} changes the store`);
      return async (...args: readonly unknown[]): Promise<unknown> => {
        await new Promise((resolve) => setImmediate(resolve));
        return await (found.apply(target, args) as Promise<unknown>);
      };
    },
  });
}

interface Shard {
  readonly store: MemoryBlobStore;
  readonly engine: Engine;
  readonly files: ShardFiles;
}

/** Two runs' worth of tables, one of level 0, and writes that are in the log alone. */
async function makeShard(log: "objects" | "segments", options = OPTIONS): Promise<Shard> {
  const clock = new SleepIsTime();
  const prng = new SeededPrng(3);
  const store = new MemoryBlobStore(clock);
  const ports = { clock, prng };
  const disk = new ModelledDisk();
  const sizes = { segmentBytes: 65_536, sliceBytes: 16_384 };
  const prefix = "s/wal/";
  const wal: WalStore =
    log === "objects"
      ? new ObjectWalStore(store, { ...ports, prefix })
      : new SegmentWalStore(disk, { ...ports, ...sizes });
  const reader: WalReader =
    log === "objects" ? new ObjectReader(readOnly(store), prefix) : new SegmentReader(disk);
  const engine = await Engine.open({
    store,
    clock,
    prng,
    forTests: options,
    wal,
    prefix: "s/",
    merger: new InlineMerger(clock),
    node: new Processes().start(),
  });
  await fill(engine, 0);
  await engine.flush();
  await fill(engine, 1);
  await engine.compact();
  await fill(engine, 2);
  await engine.flush();
  await engine.write([{ op: "put", key: utf8("in the log"), value: utf8("x") }], { durable: true });
  const files = { store: readOnly(store), prefix: "s/", wal: reader, clock };
  return { store, engine, files };
}

async function fill(engine: Engine, round: number): Promise<void> {
  for (let i = 0; i < 60; i++) {
    const key = utf8(`key ${(i * 7 + round) % 97}`);
    const expiresAtMs = 1_000_000 + i;
    if (i % 9 === 0) await engine.delete(key);
    else if (i % 11 === 0) await engine.merge(utf8("sum"), int64Bytes(1n), "add");
    else if (i % 13 === 0) await engine.merge(key, int64Bytes(1n), "max", { expiresAtMs });
    else if (i % 17 === 0) await engine.put(key, utf8("v"), { expiresAtMs });
    else if (i % 29 === 0) await engine.deleteRange(key, Buffer.concat([key, key]));
    else await engine.put(key, utf8(`${round}: ${"v".repeat(i)}`));
  }
}

async function verify(files: ShardFiles): Promise<{ findings: Finding[]; seen: Verified }> {
  const findings: Finding[] = [];
  const verifying = verifyShard(files);
  for (;;) {
    const { done, value } = await verifying.next();
    if (done === true) return { findings, seen: value };
    findings.push(value);
  }
}

async function overwrite(store: MemoryBlobStore, path: string, bytes: Uint8Array): Promise<void> {
  await store.put(path, bytes);
}

describe.each(["objects", "segments"] as const)("verify, with a log of %s", (log) => {
  it("finds nothing in what was written, and has looked at all of it", async () => {
    const { files, engine } = await makeShard(log);
    const { findings, seen } = await verify(files);
    expect(findings).toEqual([]);
    const { tree } = engine.stats();
    expect(seen.tables).toBeGreaterThanOrEqual(tree.tables);
    expect(seen.entries).toBeGreaterThanOrEqual(tree.entries);
    expect(tree.tables).toBeGreaterThan(1);
    expect(seen.walGroups).toBeGreaterThan(0);
  });

  it("finds any flipped byte of any object, and names the file", async () => {
    const { store, files } = await makeShard(log);
    const paths = (await store.list("s/")).map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(8);
    // Objects of the log below the mark are read by nobody, and may go at any time.
    const needed = paths.filter((path) => !path.includes("/wal/"));
    for (const [index, path] of needed.entries()) {
      const { bytes } = (await store.get(path))!;
      for (let at = index % 13; at < bytes.length; at += 97) {
        const damaged = new Uint8Array(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ 0x10;
        await overwrite(store, path, damaged);
        const { findings } = await verify(files);
        expect(
          findings.map(({ file }) => file),
          `${path} ${at}`,
        ).toContain(path.includes("/gc/") ? "s/gc/" : path);
      }
      await overwrite(store, path, bytes);
    }
  });

  it("finds every damaged block of a table, by its offset", async () => {
    const { store, files } = await makeShard(log);
    const path = (await store.list("s/sst/"))[0]!.path;
    const lines = inspectTable(files, path.slice("s/sst/".length, -".sst".length), undefined);
    const offsets: number[] = [];
    for await (const line of lines) {
      const found = /block at (\d+)/.exec(line)?.[1];
      if (found !== undefined) offsets.push(Number(found));
    }
    expect(offsets.length).toBeGreaterThan(4);
    const bytes = new Uint8Array((await store.get(path))!.bytes);
    const hit = [offsets[1]!, offsets[3]!];
    for (const offset of hit) bytes[offset + 9] = (bytes[offset + 9] ?? 0) ^ 1;
    await overwrite(store, path, bytes);
    const { findings } = await verify(files);
    const here = findings.filter(({ file }) => file === path);
    expect(here.map(({ offset }) => offset)).toEqual(hit);
  });

  it("finds a table that is gone", async () => {
    const { store, files, engine } = await makeShard(log);
    expect(engine.stats().tree.l0Tables).toBe(1);
    const all = (await store.list("s/sst/")).map(({ path }) => path);
    for (const path of all) await store.delete(path);
    const { findings } = await verify(files);
    expect(new Set(findings.map(({ file }) => file))).toEqual(new Set(all));
  });

  it("finds nothing while an owner writes, compacts and collects", async () => {
    const { files, engine } = await makeShard(log, { ...OPTIONS, compaction: "auto" });
    const work = async (round: number): Promise<void> => {
      for (let flush = 0; flush < 4; flush++) {
        await fill(engine, round + flush);
        await engine.flush();
      }
      await engine.compact();
    };
    for (let round = 3; round < 11; round++) {
      const [{ findings }] = await Promise.all([verify(files), work(round)]);
      expect(findings).toEqual([]);
    }
    expect(engine.stats().gc.deletedFiles).toBeGreaterThan(10);
    await engine.close();
  });

  it("says that there is no shard where there is none", async () => {
    const { files } = await makeShard(log);
    await expect(verify({ ...files, prefix: "elsewhere/" })).rejects.toMatchObject({
      kind: "NotFound",
      code: "LSM_NO_SHARD",
    });
  });
});

async function textOf(lines: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const line of lines) text += `${line}\n`;
  return text;
}

describe.each(["objects", "segments"] as const)("inspect, with a log of %s", (log) => {
  it("names every table, and prints entries and groups in printable characters", async () => {
    const { store, files, engine } = await makeShard(log);
    await engine.put(Uint8Array.of(0, 10, 255, 34), utf8("\u001b[31m"), { durable: true });
    await engine.flush();
    await engine.put(Uint8Array.of(0, 27, 128), utf8("ü"), { durable: true });
    const whole = await textOf(inspectShard(files));
    const ids = (await store.list("s/sst/")).map(({ path }) => path.slice("s/sst/".length, -4));
    for (const id of ids) {
      expect(whole).toContain(id);
      const table = await textOf(inspectTable(files, id, undefined));
      const offset = Number(/block at (\d+)/.exec(table)?.[1]);
      expect(await textOf(inspectTable(files, id, offset))).toMatch(/ @\d+ (?:put|delete|merge)/);
    }
    const newest = (await files.wal.list()).at(-1)!;
    const group = await textOf(inspectLog(files, newest.id));
    expect(group).toContain('put "\\x00\\x1b\\x80" "\\xc3\\xbc"');
    expect(whole + group).toMatch(/^[\x20-\x7e\n]*$/);
  });

  it("says so where there is no such file", async () => {
    const { files } = await makeShard(log);
    const id = "01JD4Y0Q3Z8K6V5T2R1P0NMHGF";
    const missing = { code: "LSM_FILE_NOT_FOUND" };
    await expect(textOf(inspectTable(files, id, undefined))).rejects.toMatchObject(missing);
    await expect(textOf(inspectLog(files, 900))).rejects.toMatchObject(missing);
  });
});
