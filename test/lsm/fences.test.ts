import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { FirnError } from "../../src/base/error.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { LSM_DEFAULTS, type LsmTuning } from "../../src/lsm/options.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { SegmentWalStore } from "../../src/lsm/wal/segments.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { type DiskCall, type DiskScript, ModelledDisk } from "../support/modelled-disk.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const HOUR = 3_600_000;

type Kind = "segments" | "objects";

/**
 * One shard, opened again and again by processes that take each other for dead: rightly, or not,
 * since nothing may rest on it.
 */
class Shard {
  readonly clock: VirtualClock = new VirtualClock();
  readonly store: MemoryBlobStore = new MemoryBlobStore(this.clock);
  readonly #disk = new ModelledDisk();
  readonly #processes = new Processes();
  readonly #kind: Kind;
  #opened = 0;

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  open(script: DiskScript = () => {}, options: Partial<LsmTuning> = {}): Promise<Engine> {
    const { clock, store } = this;
    const prng = new SeededPrng(++this.#opened);
    const sizes = { segmentBytes: 65_536, sliceBytes: 8_192 };
    const wal =
      this.#kind === "objects"
        ? new ObjectWalStore(store, { clock, prng, prefix: "wal/" })
        : new SegmentWalStore(this.#disk.view(script), { clock, prng, ...sizes });
    return Engine.open({
      store,
      wal,
      clock,
      prng,
      merger: new InlineMerger(clock),
      node: this.#processes.start({ sight: () => "dead" }),
      forTests: { compaction: "manual", ...options },
    });
  }

  async logFiles(): Promise<number> {
    if (this.#kind === "objects") return (await this.store.list("wal/")).length;
    return (await this.#disk.list()).length;
  }
}

async function put(engine: Engine, key: string): Promise<void> {
  await engine.put(utf8(key), utf8(key), { durable: true });
}

async function has(engine: Engine, key: string): Promise<boolean> {
  const value = await engine.get(utf8(key));
  return value !== undefined && utf8Text(value) === key;
}

describe.each(["segments", "objects"] as const)("what an open leaves in a log of %s", (kind) => {
  it("is gone after the next one, where nothing was written", async () => {
    const shard = new Shard(kind);
    const first = await shard.open();
    await put(first, "a");
    await first.close();
    const files: number[] = [];
    for (let life = 0; life < 20; life++) {
      // Objects are deleted when they are old enough, and the newest one stays.
      await shard.clock.advance(2 * HOUR);
      const engine = await shard.open();
      expect(await has(engine, "a")).toBe(true);
      if (life % 2 === 0) await engine.close();
      files.push(await shard.logFiles());
    }
    expect(Math.max(...files)).toBeLessThanOrEqual(2);
  });

  it("does not grow with every process that ends before its first flush", async () => {
    const shard = new Shard(kind);
    const files: number[] = [];
    for (let life = 0; life < 5 * LSM_DEFAULTS.replayFiles; life++) {
      await shard.clock.advance(HOUR);
      const engine = await shard.open();
      await put(engine, `key ${life}`);
      // A flush that was begun at the open may come to its end; nothing else is asked for.
      await shard.clock.advance(0);
      files.push(await shard.logFiles());
    }
    expect(Math.max(...files)).toBeLessThanOrEqual(4 * LSM_DEFAULTS.replayFiles);
    const engine = await shard.open();
    for (let life = 0; life < files.length; life++) {
      expect(await has(engine, `key ${life}`)).toBe(true);
    }
  });
});

describe.each(["segments", "objects"] as const)(
  "a log of %s whose owner no manifest knows",
  (kind) => {
    it("is refused: newer states were lost, which another try would not bring back", async () => {
      const shard = new Shard(kind);
      await put(await shard.open(), "a");
      const before = (await shard.store.list("manifest/")).length;
      await put(await shard.open(), "b");
      const lost = (await shard.store.list("manifest/")).slice(before);
      await shard.store.deleteMany(lost.map(({ path }) => path));
      const refused = { kind: "Corrupt", code: "LSM_MANIFEST_LOST" };
      await expect(shard.open()).rejects.toMatchObject(refused);
    });
  },
);

/** Who writes although it was overtaken, during whose open; whether the second lets files go. */
const LATECOMERS = [
  ["the owner before", 0, 1, true],
  ["the owner before that", 0, 2, true],
  ["the owner before, which wrote nothing", 1, 2, true],
  ["one whose files its successor left behind", 0, 2, false],
] as const;
type Latecomer = readonly [writer: number, during: number, letsGo: boolean];

describe("the files of a log that are no longer needed", () => {
  /** Three lives; in the last but `during` somebody writes late, at the disk call `at`. */
  async function schedule([writer, during, letsGo]: Latecomer, at: number, when: DiskCall["when"]) {
    const shard = new Shard("segments");
    const engines: Engine[] = [];
    let acknowledged = false;
    let reached = false;
    for (let life = 0; life < 3; life++) {
      let calls = 0;
      const script: DiskScript = async (call) => {
        const goes = call.method === "remove" && call.name.endsWith(".wal");
        if (life === 1 && goes && !letsGo) throw new FirnError("Unavailable", "DISK_FAILED", "");
        if (life !== during || reached || call.when !== when || calls++ !== at) return;
        reached = true;
        await put(engines[writer]!, "late").then(
          () => {
            acknowledged = true;
          },
          (error: unknown) => expect(error).toMatchObject({ code: "WAL_FENCED" }),
        );
      };
      const engine = await shard.open(script);
      engines.push(engine);
      if (life > 0) continue;
      await put(engine, "a");
      await engine.flush();
      // Its log goes on in a file of its own by now.
      await shard.clock.advance(0);
    }
    const last = await shard.open();
    expect(await has(last, "a")).toBe(true);
    if (acknowledged) expect(await has(last, "late")).toBe(true);
    return { reached, acknowledged };
  }

  it.each(LATECOMERS)("go without letting a late write pass: %s", async (_who, ...late) => {
    const [writer, during] = late;
    const seen = { acknowledged: 0, refused: 0 };
    for (const when of ["before", "after"] as const) {
      for (let at = 0; ; at++) {
        const { reached, acknowledged } = await schedule(late, at, when);
        if (!reached) break;
        seen[acknowledged ? "acknowledged" : "refused"]++;
      }
    }
    // Before its successor's file stands the owner is the owner; whoever has one is overtaken.
    const owner = writer === during - 1;
    expect(seen.acknowledged > 0).toBe(owner);
    expect(seen.refused).toBeGreaterThan(10);
  });
});
