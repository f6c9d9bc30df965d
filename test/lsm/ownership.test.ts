import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { Engine } from "../../src/lsm/engine/engine.ts";
import { LSM_DEFAULTS, type LsmTuning } from "../../src/lsm/options.ts";
import type { NodeIdentity, TakeOver } from "../../src/lsm/ownership/owner.ts";
import { ObjectWalStore } from "../../src/lsm/wal/objects.ts";
import { SegmentWalStore } from "../../src/lsm/wal/segments.ts";
import { FaultyBlobStore } from "../support/faulty-blob-store.ts";
import { InlineMerger } from "../support/inline-merger.ts";
import { ModelledDisk } from "../support/modelled-disk.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { Processes } from "./support/worlds.ts";

const { leaseMs, takeoverWaitMs } = LSM_DEFAULTS;

/** One shard and the processes that want it, on a clock that tests turn. */
class Shard {
  readonly clock: VirtualClock = new VirtualClock();
  readonly processes: Processes = new Processes();
  readonly store: FaultyBlobStore;
  readonly #disk = new ModelledDisk();
  readonly #wal: "objects" | "segments";
  #opened = 0;

  constructor(wal: "objects" | "segments" = "objects") {
    this.#wal = wal;
    this.store = new FaultyBlobStore(new MemoryBlobStore(this.clock), () => undefined);
  }

  open(
    node: NodeIdentity,
    takeOver: TakeOver = "refuse",
    options: Partial<LsmTuning> = {},
  ): Promise<Engine> {
    const { clock, store } = this;
    const prng = new SeededPrng(++this.#opened);
    const wal =
      this.#wal === "objects"
        ? new ObjectWalStore(store, { clock, prng, prefix: "wal/" })
        : new SegmentWalStore(this.#disk, {
            clock,
            prng,
            segmentBytes: 65_536,
            sliceBytes: 65_536,
          });
    const merger = new InlineMerger(clock);
    return Engine.open({ store, wal, clock, prng, node, takeOver, merger, forTests: options });
  }
}

const put = (engine: Engine, key: string, value: string): Promise<unknown> =>
  Promise.resolve(engine.put(utf8(key), utf8(value), { durable: true }));
const read = async (engine: Engine, key: string): Promise<string | undefined> => {
  const value = await engine.get(utf8(key));
  return value && utf8Text(value);
};

describe("a second process", () => {
  it("is refused while the owner lives, and told who that is", async () => {
    const shard = new Shard();
    const owner = shard.processes.start();
    await shard.open(owner);
    shard.clock.skip(60_000);
    await expect(shard.open(shard.processes.start())).rejects.toMatchObject({
      kind: "Unavailable",
      code: "LSM_OWNED",
      context: { node: owner.node, host: owner.host, pid: owner.pid, sinceMs: 60_000 },
    });
  });

  it("does not wait for an owner that is dead, or has released the shard", async () => {
    const shard = new Shard();
    const first = shard.processes.start();
    await put(await shard.open(first), "a", "1");
    shard.processes.kill(first);
    const startMs = shard.clock.monotonicMs();
    const second = await shard.open(shard.processes.start());
    expect(await read(second, "a")).toBe("1");
    await second.close();
    const third = await shard.open(shard.processes.start());
    expect(await read(third, "a")).toBe("1");
    expect(shard.clock.monotonicMs()).toBe(startMs);
  });

  it("outwaits the lease where it takes the shard from somebody who may live", async () => {
    const shard = new Shard();
    await shard.open(shard.processes.start());
    const startMs = shard.clock.monotonicMs();
    await shard.clock.run(shard.open(shard.processes.start(), "takeover"));
    expect(shard.clock.monotonicMs() - startMs).toBe(takeoverWaitMs);
  });

  it("outwaits the lease of an owner that another one died while outwaiting", async () => {
    const shard = new Shard();
    const first = await shard.open(shard.processes.start());
    await put(first, "a", "1");
    const heir = shard.processes.start();
    shard.open(heir, "takeover").catch(() => undefined);
    await shard.clock.advance(1);
    shard.processes.kill(heir);
    const startMs = shard.clock.monotonicMs();
    const third = await shard.clock.run(shard.open(shard.processes.start()));
    // The first one answers on its own word until then.
    expect(shard.clock.monotonicMs() - startMs).toBe(takeoverWaitMs);
    expect(await read(third, "a")).toBe("1");
    // Once it has waited, whoever comes next need not.
    await put(third, "b", "2");
    await third.close();
    await shard.open(shard.processes.start());
    expect(shard.clock.monotonicMs() - startMs).toBe(takeoverWaitMs);
  });

  it("does not wait for one that has outwaited all before it, and is dead", async () => {
    const shard = new Shard();
    await shard.open(shard.processes.start());
    const heir = shard.processes.start();
    await shard.clock.run(shard.open(heir, "takeover"));
    shard.processes.kill(heir);
    const startMs = shard.clock.monotonicMs();
    await shard.clock.run(shard.open(shard.processes.start()));
    expect(shard.clock.monotonicMs()).toBe(startMs);
  });
});

describe("a second process that stands by", () => {
  it("stands by until the owner is gone", async () => {
    const shard = new Shard();
    const owner = shard.processes.start();
    await put(await shard.open(owner), "a", "1");
    let open = false;
    const waiting = shard.open(shard.processes.start(), "standby").then((engine) => {
      open = true;
      return engine;
    });
    await shard.clock.advance(600_000);
    expect(open).toBe(false);
    shard.processes.kill(owner);
    expect(await read(await shard.clock.run(waiting), "a")).toBe("1");
  });

  it.each([
    ["refuse", 0],
    ["standby", 1],
  ] as const)(
    "that cannot see the owner asks it (%s), and counts silence",
    async (mode, answers) => {
      const shard = new Shard();
      await shard.open(shard.processes.start({ url: "http://owner" }));
      let asked = 0;
      const stranger = shard.processes.start({
        sight: () => "unseen",
        answers: async () => ++asked <= answers,
      });
      const startMs = shard.clock.monotonicMs();
      await shard.clock.run(shard.open(stranger, mode));
      expect(asked).toBe(answers + 3);
      expect(shard.clock.monotonicMs() - startMs).toBeGreaterThan(takeoverWaitMs);
    },
  );

  it("that cannot see the owner is refused when it answers, or cannot be asked", async () => {
    const shard = new Shard();
    await shard.open(shard.processes.start({ url: "http://owner" }));
    const sight = () => "unseen" as const;
    for (const options of [{ sight }, { sight, answers: async () => true }]) {
      const stranger = shard.processes.start(options);
      await expect(shard.open(stranger)).rejects.toMatchObject({ code: "LSM_OWNED" });
    }
  });
});

describe("an owner that drains", () => {
  it("is waited for by who would be refused, and serves until it is closed", async () => {
    const shard = new Shard();
    const owner = await shard.open(shard.processes.start());
    await put(owner, "a", "1");
    await owner.drain();
    const next = shard.open(shard.processes.start());
    await shard.clock.advance(5_000);
    await put(owner, "a", "2");
    expect(await read(owner, "a")).toBe("2");
    await owner.close();
    const startMs = shard.clock.monotonicMs();
    expect(await read(await shard.clock.run(next), "a")).toBe("2");
    // It was released: nobody's lease is outwaited.
    expect(shard.clock.monotonicMs() - startMs).toBeLessThan(takeoverWaitMs);
  });

  it("is not waited for without end", async () => {
    const shard = new Shard();
    const owner = shard.processes.start();
    await (await shard.open(owner)).drain();
    const next = shard.open(shard.processes.start());
    const context = { node: owner.node };
    const refused = expect(next).rejects.toMatchObject({ code: "LSM_OWNED", context });
    await shard.clock.advance(20_000);
    await refused;
  });

  it("does not say so once it was overtaken", async () => {
    const shard = new Shard();
    const old = await shard.open(shard.processes.start());
    const fresh = await shard.clock.run(shard.open(shard.processes.start(), "takeover"));
    await expect(old.drain()).rejects.toMatchObject({ code: "LSM_FENCED" });
    await put(fresh, "a", "1");
  });
});

describe.each(["objects", "segments"] as const)("two writers on a log of %s", (kind) => {
  it("the fenced one gets a typed error, and nothing acknowledged is lost", async () => {
    const shard = new Shard(kind);
    const old = await shard.open(shard.processes.start());
    await put(old, "a", "1");
    const fresh = await shard.clock.run(shard.open(shard.processes.start(), "takeover"));
    await expect(shard.clock.run(put(old, "b", "2"))).rejects.toMatchObject({ code: "WAL_FENCED" });
    const fenced = { kind: "Unavailable", code: "LSM_FENCED" };
    expect(() => old.get(utf8("a"))).toThrow(expect.objectContaining(fenced));
    expect(() => old.put(utf8("c"), utf8("3"))).toThrow(expect.objectContaining(fenced));
    await old.close();
    await put(fresh, "d", "4");
    expect(await read(fresh, "a")).toBe("1");
    expect(await read(fresh, "b")).toBeUndefined();
    expect(await read(fresh, "d")).toBe("4");
  });

  it("a fenced owner publishes no table", async () => {
    const shard = new Shard(kind);
    const old = await shard.open(shard.processes.start());
    await put(old, "a", "1");
    const fresh = await shard.clock.run(shard.open(shard.processes.start(), "takeover"));
    await expect(shard.clock.run(old.flush())).rejects.toMatchObject({ code: "LSM_FENCED" });
    await fresh.flush();
    expect(fresh.stats().tree.l0Tables).toBe(1);
    expect(await read(fresh, "a")).toBe("1");
  });
});

describe.each(["objects", "segments"] as const)("a reader on a log of %s", (kind) => {
  it("that misses what its successor has collected hears that it was overtaken", async () => {
    const shard = new Shard(kind);
    const options = { gcMinAgeMs: 0, leaseMs: 0, compaction: "manual" as const };
    const old = await shard.open(shard.processes.start(), "refuse", options);
    for (const value of ["1", "2"]) {
      await put(old, "a", value);
      await old.flush();
    }
    const scan = old.scan();
    const fresh = await shard.clock.run(shard.open(shard.processes.start(), "takeover", options));
    await shard.clock.run(fresh.compact());
    await fresh.collectGarbage();
    const overtaken = { kind: "Unavailable", code: "LSM_FENCED" };
    await expect(shard.clock.run(read(old, "a"))).rejects.toMatchObject(overtaken);
    await expect(async () => scan.next()).rejects.toMatchObject(overtaken);
    expect(old.failure).toMatchObject(overtaken);
    expect(await shard.clock.run(read(fresh, "a"))).toBe("2");
  });

  it("of a table that is gone while nobody overtook it hears of damage", async () => {
    const shard = new Shard(kind);
    const engine = await shard.open(shard.processes.start(), "refuse", { leaseMs: 0 });
    await put(engine, "a", "1");
    await engine.flush();
    for (const { path } of await shard.store.list("sst/")) await shard.store.delete(path);
    await expect(shard.clock.run(read(engine, "a"))).rejects.toMatchObject({
      kind: "Corrupt",
      code: "LSM_TABLE_MISSING",
    });
    expect(engine.failure).toBeUndefined();
  });
});

describe("the read lease", () => {
  it("costs nothing within its time, one look at the manifest after it", async () => {
    const shard = new Shard();
    const engine = await shard.open(shard.processes.start());
    await put(engine, "a", "1");
    const calls = shard.store.history.length;
    shard.clock.skip(leaseMs - 1);
    expect(engine.confirm()).toBeUndefined();
    expect(shard.store.history.length).toBe(calls);
    shard.clock.skip(1);
    await Promise.all([engine.confirm(), engine.confirm()]);
    expect(shard.store.history.slice(calls).map(({ method }) => method)).toEqual(["get"]);
    expect(engine.confirm()).toBeUndefined();
    expect(shard.store.history.length).toBe(calls + 1);
  });

  it("does not outlive a sleep of the machine", async () => {
    const shard = new Shard();
    const engine = await shard.open(shard.processes.start());
    shard.clock.jumpWall(leaseMs);
    const calls = shard.store.history.length;
    await engine.confirm();
    expect(shard.store.history.length).toBe(calls + 1);
  });

  it("begins when the shard was taken over, not when its log was read", async () => {
    const shard = new Shard();
    await shard.open(shard.processes.start());
    const taking = shard.open(shard.processes.start(), "takeover");
    await shard.clock.advance(takeoverWaitMs);
    const second = await taking;
    // A third one that came in meanwhile has waited as long, and may have acknowledged by now.
    const calls = shard.store.history.length;
    await second.confirm();
    expect(shard.store.history.length).toBe(calls + 1);
  });

  it("ends before a new owner answers anybody", async () => {
    const shard = new Shard();
    const old = await shard.open(shard.processes.start());
    await put(old, "a", "1");
    let open = false;
    const taking = shard.open(shard.processes.start(), "takeover").then((engine) => {
      open = true;
      return engine;
    });
    // The old one does not know yet: what it answers now is still the truth.
    await shard.clock.advance(leaseMs - 1);
    expect(old.confirm()).toBeUndefined();
    expect(open).toBe(false);
    await shard.clock.advance(1);
    expect(open).toBe(false);
    await expect(old.confirm()).rejects.toMatchObject({ code: "LSM_FENCED" });
    await shard.clock.run(taking);
  });

  it("waits for what was read to be durable", async () => {
    const shard = new Shard();
    const engine = await shard.open(shard.processes.start());
    const written = await engine.put(utf8("a"), utf8("1"));
    expect(engine.stats().durableSequence).toBeLessThan(written.sequence);
    await engine.confirm();
    expect(engine.stats().durableSequence).toBe(written.sequence);
  });
});
