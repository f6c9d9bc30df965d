import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { LocalDisk } from "../../../src/lsm/disk/local.ts";
import { Engine } from "../../../src/lsm/engine/engine.ts";
import type { OpenOptions } from "../../../src/lsm/engine/open.ts";
import { ManifestObjects } from "../../../src/lsm/manifest/objects.ts";
import { cloneShard } from "../../../src/lsm/tools/clone.ts";
import { deleteShard } from "../../../src/lsm/tools/delete.ts";
import { inspectShard, inspectTable } from "../../../src/lsm/tools/inspect.ts";
import { verifyShard } from "../../../src/lsm/tools/verify.ts";
import { ObjectWalStore } from "../../../src/lsm/wal/objects.ts";
import type { WalStore } from "../../../src/lsm/wal/port.ts";
import { SegmentWalStore } from "../../../src/lsm/wal/segments.ts";
import { InlineMerger } from "../../support/inline-merger.ts";
import { KINDS, makeWorld, type World } from "../support/worlds.ts";

const OPTIONS = { gcMinAgeMs: 0, compaction: "manual", blockBytes: 200 } as const;
const INTO = "clones/a/";

async function fill(engine: Engine, value: string): Promise<void> {
  for (let i = 0; i < 40; i++) await engine.put(utf8(`key ${i}`), utf8(value));
  await engine.durable();
}

async function valuesOf(engine: Engine): Promise<ReadonlySet<string>> {
  const keys = Array.from({ length: 40 }, (_, i) => utf8(`key ${i}`));
  const values = await engine.getMany(keys);
  return new Set(values.map((value) => (value === undefined ? "" : utf8Text(value))));
}

/** A process that opens the clone; the one before is dead. */
async function openAt(
  { store, clock, prng, processes }: World,
  wal: WalStore,
  parts: Partial<OpenOptions> = {},
): Promise<Engine> {
  const node = processes.start({ sight: () => "dead" });
  const ports = { store, clock, prng, wal, node, merger: new InlineMerger(clock) };
  return await Engine.open({ ...ports, prefix: INTO, forTests: OPTIONS, ...parts });
}

async function linesOf(lines: AsyncGenerator<string>): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe.each(KINDS)("a clone over a $store store, log of $wal", (kind) => {
  it("has a log of its own, from the parent's sequence on", async () => {
    const world = makeWorld(kind);
    const directory = mkdtempSync(join(tmpdir(), "firn-clone-"));
    const { store, log, clock, prng } = world;
    try {
      const parent = await world.open({ forTests: OPTIONS });
      await fill(parent, "1");
      await parent.flush();
      await fill(parent, "2");
      const parts = { store, wal: log, clock, prng, forTests: OPTIONS };
      const { sequence } = await cloneShard(parts, INTO);
      expect(sequence).toBe(parent.lastSequence);
      await fill(parent, "3");
      await parent.compact();
      await parent.collectGarbage();
      const disk = new LocalDisk(join(directory, "wal"));
      const sizes = { segmentBytes: 262_144, sliceBytes: 65_536 };
      const wal =
        kind.wal === "objects"
          ? new ObjectWalStore(store, { clock, prng, prefix: `${INTO}wal/` })
          : new SegmentWalStore(disk, { clock, prng, ...sizes });
      const first = await openAt(world, wal);
      expect([first.lastSequence, await valuesOf(first)]).toEqual([sequence, new Set(["2"])]);
      await fill(first, "4");
      // It ends without a word: its log has what no table does.
      const second = await openAt(world, wal);
      expect([second.lastSequence, await valuesOf(second)]).toEqual([
        sequence + 40,
        new Set(["4"]),
      ]);
      const shard = { store, prefix: INTO, wal: wal.reader(), clock };
      const lines = await linesOf(inspectShard(shard));
      expect(lines.some((line) => line.includes("clone of the root of the store"))).toBe(true);
      const foreign = lines.find((line) => line.endsWith(", with the root of the store")) ?? "";
      const id = foreign.trim().slice(0, 26);
      expect((await linesOf(inspectTable(shard, id, undefined))).length).toBeGreaterThan(2);
      await second.compact();
      await second.collectGarbage();
      expect(second.stats().tree).toMatchObject({ foreignTables: 0, foreignBytes: 0 });
      await second.close();
      expect(await linesOf(verified(shard))).toEqual([]);
      expect(await valuesOf(parent)).toEqual(new Set(["3"]));
      await parent.collectGarbage();
      expect(parent.stats().states.clones).toBe(0);
      await parent.close();
      const node = world.processes.start({ sight: () => "dead" });
      const place = { store, prefix: INTO, wal, clock, prng, node, forTests: OPTIONS };
      for (let again = 0; again < 2; again++) {
        await deleteShard(place);
        // What fences its writers: two objects, or a segment.
        expect(await wal.reader().list()).toHaveLength(wal instanceof ObjectWalStore ? 2 : 1);
        expect(await store.list(`${INTO}sst/`)).toEqual([]);
        expect(await linesOf(verified(shard))).toEqual([]);
      }
      const gone = { kind: "NotFound", code: "LSM_SHARD_DELETED" };
      await expect(openAt(world, wal)).rejects.toMatchObject(gone);
      const told = await linesOf(inspectShard(shard));
      expect(told.some((line) => line.startsWith("  deleted 20"))).toBe(true);
    } finally {
      world.end();
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

async function* verified(shard: Parameters<typeof verifyShard>[0]): AsyncGenerator<string> {
  for await (const finding of verifyShard(shard)) yield JSON.stringify(finding);
}

it("finds its parent where manifests are kept elsewhere than with the tables", async () => {
  const world = makeWorld({ store: "memory", wal: "objects" });
  const { store, log, clock, prng } = world;
  const manifestsOf = (prefix: string) =>
    new ManifestObjects({ store, clock, prefix: `states/${prefix}`, gcMinAgeMs: 0 });
  const manifests = manifestsOf("");
  try {
    const parent = await world.open({ manifests, manifestsOf, forTests: OPTIONS });
    await fill(parent, "1");
    await parent.flush();
    await fill(parent, "2");
    const parts = { store, wal: log, clock, prng, manifests, manifestsOf, forTests: OPTIONS };
    await cloneShard(parts, INTO);
    expect((await manifests.latest())?.checkpoints).toMatchObject([{ kind: "clone" }]);
    expect((await store.list(`${INTO}manifest/`)).length).toBe(0);
    await fill(parent, "3");
    await parent.compact();
    const wal = new ObjectWalStore(store, { clock, prng, prefix: `${INTO}wal/` });
    const clone = await openAt(world, wal, { manifests: manifestsOf(INTO), manifestsOf });
    expect(await valuesOf(clone)).toEqual(new Set(["2"]));
    await clone.close();
    const unknown = openAt(world, wal, { manifests: manifestsOf(INTO) });
    await expect(unknown).rejects.toMatchObject({ code: "LSM_CLONE_UNFINISHED" });
  } finally {
    world.end();
  }
});
