import { describe, expect, it } from "vitest";
import { IdSource } from "../../../src/base/ids.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { MemoryBlobStore } from "../../../src/blob/memory.ts";
import { KEY_FAMILIES } from "../../../src/catalog/keys.ts";
import { ShardOwners } from "../../../src/catalog/shard-owners.ts";
import { Engine, type NodeIdentity, ObjectWalStore } from "../../../src/lsm/index.ts";
import { MemoryPointerStore } from "../../../src/pointer/memory.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { ShardElsewhere } from "../../../src/service/shards/shard-elsewhere.ts";
import { SharedShards } from "../../../src/service/shards/shared-shards.ts";
import { FaultyPointerStore } from "../../support/faulty-pointer-store.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const SHARD = "s";
const PREFIX = "shards/s/";
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Nodes over one store of objects and one of pointers, in memory. */
class World {
  readonly clock = new VirtualClock();
  readonly blobs = new MemoryBlobStore(this.clock);
  readonly pointers = new MemoryPointerStore({ families: KEY_FAMILIES, clock: this.clock });
  readonly silent = new Set<string>();
  readonly events: string[] = [];
  readonly probes: string[] = [];
  readonly #prng = new SeededPrng(7);
  /** Awaited by a node between its claim and the fence. */
  beforeOpen: (node: string) => Promise<void> = async () => {};

  owners(pointers: PointerStore = this.pointers): ShardOwners {
    const { clock } = this;
    return new ShardOwners({
      pointers,
      clock,
      prng: this.#prng,
      ids: new IdSource(clock, this.#prng),
    });
  }

  node(name: string, pointers?: PointerStore): SharedShards {
    const { clock, blobs } = this;
    const identity: NodeIdentity = {
      node: name,
      host: name,
      pid: 1,
      bootId: name,
      url: "",
      sight: (owner) => (owner.node === name ? "dead" : "unseen"),
    };
    return new SharedShards({
      clock,
      owners: this.owners(pointers),
      self: { node: name, host: name, url: `http://${name}`, pid: 1, bootId: name },
      open: async () => {
        await this.beforeOpen(name);
        return await Engine.open({
          store: blobs,
          clock,
          prng: this.#prng,
          prefix: PREFIX,
          node: identity,
          takeOver: "takeover",
          wal: new ObjectWalStore(blobs, { clock, prng: this.#prng, prefix: `${PREFIX}wal/` }),
          options: { compaction: "manual" },
        });
      },
      answers: async ({ node }) => {
        this.probes.push(node);
        return !this.silent.has(node);
      },
      onEvent: (_shard, event, epoch) => this.events.push(`${event} ${epoch}`),
    });
  }
}

async function put(engine: Engine, key: string): Promise<void> {
  await engine.write([{ op: "put", key: bytes(key), value: bytes(key) }], { durable: true });
}

async function has(engine: Engine, key: string): Promise<boolean> {
  return (await engine.get(bytes(key))) !== undefined;
}

const begin = (...names: readonly string[]) => {
  const world = new World();
  const nodes = names.map((name) => world.node(name));
  const run = <T>(work: Promise<T>): Promise<T> => world.clock.run(work);
  const engineOf = (node: SharedShards): Promise<Engine> =>
    run((async () => await node.of(SHARD).engine())());
  const pointer = async () => await run(world.owners().get(SHARD));
  /** Where a node would send a request. */
  const sentTo = async (node: SharedShards) => {
    const thrown = await engineOf(node).catch((error: unknown) => error);
    if (!(thrown instanceof ShardElsewhere)) throw thrown;
    return thrown.pointer;
  };
  return {
    world,
    nodes: nodes as [SharedShards, SharedShards, SharedShards],
    run,
    engineOf,
    pointer,
    sentTo,
  };
};

describe("a shard that several nodes share", () => {
  it("is the first node's that wants it; others are told whose", async () => {
    const {
      nodes: [a, b],
      engineOf,
      sentTo,
      pointer,
    } = begin("a", "b");
    await put(await engineOf(a), "k");
    expect((await sentTo(b)).owner).toMatchObject({ node: "a", epoch: 1, state: "OPEN" });
    expect(await engineOf(a)).toBe(await engineOf(a));
    expect((await pointer()).owner?.epoch).toBe(1);
  });

  it("is one node's of those that want a free one at once", async () => {
    const { world, nodes, run, pointer } = begin("a", "b", "c");
    const settled = await run(
      Promise.allSettled(nodes.map(async (node) => await node.of(SHARD).engine())),
    );
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(world.events).toEqual(["claimed 1"]);
    expect((await pointer()).owner?.epoch).toBe(1);
  });

  it("is deleted by its owner alone, when that has it open no more", async () => {
    const {
      nodes: [a, b],
      run,
      engineOf,
      pointer,
    } = begin("a", "b");
    const engine = await engineOf(a);
    await put(engine, "k");
    let cleared = 0;
    const clear = async (): Promise<void> => {
      expect(() => engine.subscribe(1)).toThrow();
      expect((await pointer()).owner?.state).toBe("FREE");
      cleared++;
    };
    await expect(run(b.remove(SHARD, clear))).rejects.toBeInstanceOf(ShardElsewhere);
    expect(cleared).toBe(0);
    await run(a.remove(SHARD, clear));
    expect(cleared).toBe(1);
    expect((await pointer()).owner).toBeUndefined();
  });

  it("stays with an owner that answers, however often others ask", async () => {
    const {
      world,
      nodes: [a, b],
      run,
      engineOf,
      sentTo,
    } = begin("a", "b");
    await engineOf(a);
    const seen = await sentTo(b);
    expect(await run(b.doubt(SHARD, seen))).toBe("alive");
    expect(world.events).toEqual(["claimed 1"]);
  });

  it("changes its owner once where two nodes find the same one dead", async () => {
    const {
      world,
      nodes: [a, b, c],
      run,
      engineOf,
      sentTo,
      pointer,
    } = begin("a", "b", "c");
    await put(await engineOf(a), "acknowledged");
    const [ofB, ofC] = [await sentTo(b), await sentTo(c)];
    world.silent.add("a");
    const told = await run(Promise.all([b.doubt(SHARD, ofB), c.doubt(SHARD, ofC)]));
    expect([...told].sort()).toEqual(["changed", "taken"]);
    expect(world.events).toEqual(["claimed 1", "taken over 2"]);
    const { owner } = await pointer();
    const [winner, loser] = owner?.node === "b" ? [b, c] : [c, b];
    expect(await has(await engineOf(winner), "acknowledged")).toBe(true);
    expect((await sentTo(loser)).owner.node).toBe(owner?.node);
  });
});

describe("a takeover", () => {
  it("is not taken over where its owner changed while it was probed", async () => {
    const {
      world,
      nodes: [a, b],
      run,
      engineOf,
      sentTo,
    } = begin("a", "b");
    await engineOf(a);
    const seen = await sentTo(b);
    world.silent.add("a");
    const doubting = b.doubt(SHARD, seen);
    const draining = a.of(SHARD).drain();
    expect(await run(Promise.all([doubting, draining]))).toEqual(["changed", undefined]);
    expect(world.events).toEqual(["claimed 1", "released 1"]);
    await engineOf(b);
    expect(world.events.at(-1)).toBe("claimed 2");
  });

  it("needs three missed probes in a row", async () => {
    const {
      world,
      nodes: [a, b],
      run,
      engineOf,
      sentTo,
    } = begin("a", "b");
    await engineOf(a);
    const seen = await sentTo(b);
    world.silent.add("a");
    const doubting = b.doubt(SHARD, seen);
    void world.clock.sleep(700).then(() => world.silent.delete("a"));
    expect(await run(doubting)).toBe("alive");
    expect(world.probes).toHaveLength(3);
    expect(world.events).toEqual(["claimed 1"]);
  });

  it("fences an owner that stood still, which then sends requests on", async () => {
    const {
      world,
      nodes: [a, b],
      run,
      engineOf,
      sentTo,
    } = begin("a", "b");
    const old = await engineOf(a);
    await run(put(old, "before"));
    const seen = await sentTo(b);
    world.silent.add("a");
    expect(await run(b.doubt(SHARD, seen))).toBe("taken");
    const engine = await engineOf(b);
    await expect(run(put(old, "late"))).rejects.toMatchObject({ code: /FENCED/ });
    expect([await has(engine, "before"), await has(engine, "late")]).toEqual([true, false]);
    expect((await sentTo(a)).owner).toMatchObject({ node: "b", epoch: 2 });
    await run(put(engine, "after"));
  });
});

describe("a node that ends half way", () => {
  it("stays with its new owner when one goes on that stood still before its fence", async () => {
    const {
      world,
      nodes: [a, b],
      run,
      engineOf,
      pointer,
      sentTo,
    } = begin("a", "b");
    const held = Promise.withResolvers<void>();
    world.beforeOpen = async (node) => {
      if (node === "a") await held.promise;
    };
    const claiming = (async () => await a.of(SHARD).engine())().catch((error: unknown) => error);
    const seen = await sentTo(b);
    expect(seen.owner).toMatchObject({ node: "a", state: "OPEN" });
    world.silent.add("a");
    expect(await run(b.doubt(SHARD, seen))).toBe("taken");
    const first = await engineOf(b);
    await run(put(first, "acknowledged"));
    held.resolve();
    // It fences the new owner, finds that the shard is not its own, and lets go.
    expect(await run(claiming)).toBeInstanceOf(ShardElsewhere);
    await run(put(first, "k")).catch(() => undefined);
    const again = await engineOf(b);
    await run(put(again, "after"));
    expect(await has(again, "acknowledged")).toBe(true);
    expect((await pointer()).owner).toMatchObject({ node: "b", epoch: 2 });
    expect(world.events).toEqual(["claimed 1", "taken over 2"]);
  });

  it("is taken over from a node that died while it drained", async () => {
    const {
      world,
      nodes: [a, b],
      run,
      engineOf,
      pointer,
      sentTo,
    } = begin("a", "b");
    await run(put(await engineOf(a), "acknowledged"));
    const { version, owner } = await pointer();
    if (owner === undefined) throw new Error("the shard has no owner");
    const draining = { ...owner, state: "DRAINING" } as const;
    await run(world.owners().replace(SHARD, { version, owner }, draining));
    const seen = await sentTo(b);
    expect(await run(b.doubt(SHARD, seen))).toBe("alive");
    world.silent.add("a");
    expect(await run(b.doubt(SHARD, seen))).toBe("taken");
    expect(await has(await engineOf(b), "acknowledged")).toBe(true);
    expect((await pointer()).owner).toMatchObject({ node: "b", epoch: 2, state: "OPEN" });
  });

  it("goes to the node that it is drained for, and to no other", async () => {
    const {
      world,
      nodes: [a, b, c],
      run,
      engineOf,
      sentTo,
    } = begin("a", "b", "c");
    await run(put(await engineOf(a), "k"));
    await run(a.of(SHARD).drain(b.self));
    expect((await sentTo(c)).owner).toMatchObject({ node: "b", state: "FREE" });
    expect(await has(await engineOf(b), "k")).toBe(true);
    expect(world.events).toEqual(["claimed 1", "released 1", "claimed 2"]);
  });
});

describe("a shard at the end of a node, and behind a bad network", () => {
  it("is drained at the end of a node, which takes it no more", async () => {
    const {
      nodes: [a, b],
      run,
      engineOf,
      pointer,
    } = begin("a", "b");
    await run(put(await engineOf(a), "k"));
    await run(a.close());
    expect((await pointer()).owner).toMatchObject({ node: "", epoch: 1, state: "FREE" });
    await expect(engineOf(a)).rejects.toMatchObject({ code: "SHARD_CLOSING" });
    expect(await has(await engineOf(b), "k")).toBe(true);
  });

  it.each(["notSent", "answerLost"] as const)(
    "survives %s at every call of a takeover",
    async (fault) => {
      for (let at = 0; ; at++) {
        const world = new World();
        const run = <T>(work: Promise<T>): Promise<T> => world.clock.run(work);
        const a = world.node("a");
        const engine = await run((async () => await a.of(SHARD).engine())());
        await run(put(engine, "acknowledged"));
        let calls = 0;
        const faulty = new FaultyPointerStore(world.pointers, () =>
          calls++ === at ? { fault } : undefined,
        );
        const b = world.node("b", faulty);
        world.silent.add("a");
        const take = async (): Promise<Engine> => {
          for (;;) {
            try {
              return await b.of(SHARD).engine();
            } catch (error) {
              if (error instanceof ShardElsewhere) {
                await b.doubt(SHARD, error.pointer).catch(() => undefined);
                b.of(SHARD).forget();
              }
              await world.clock.sleep(100);
            }
          }
        };
        const taken = await run(take());
        expect(await has(taken, "acknowledged")).toBe(true);
        const { owner } = await run(world.owners().get(SHARD));
        expect(owner).toMatchObject({ node: "b", epoch: 2, state: "OPEN" });
        if (calls <= at) break;
        expect(at).toBeLessThan(50);
      }
    },
  );
});
