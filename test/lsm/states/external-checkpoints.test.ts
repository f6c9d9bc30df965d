import { describe, expect, it } from "vitest";
import { utf8 } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { ExternalCheckpoints } from "../../../src/lsm/tools/external-checkpoints.ts";
import type { WalReader } from "../../../src/lsm/wal/port.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { type Fault, FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { TimedShard } from "../support/timed-shard.ts";

const KEY = utf8("key 07");

/** Those of a process that owns nothing. */
function unowned(
  { clock, store }: TimedShard,
  through: BlobStore = store,
  wal: WalReader = new ObjectReader(through, "wal/"),
): ExternalCheckpoints {
  const options = { gcMinAgeMs: 0 };
  return new ExternalCheckpoints({ store: through, wal, clock, prng: new SeededPrng(9), options });
}

/** A shard with a table, released by its owner. */
async function released(): Promise<TimedShard> {
  const shard = new TimedShard();
  const engine = await shard.open({ gcMinAgeMs: 0 });
  await shard.flush(engine, "1");
  await shard.run(engine.close());
  return shard;
}

/** Says that nobody has the shard open, as one that could not open it does. */
async function release(shard: TimedShard): Promise<void> {
  const { id, owner, ...state } = await shard.newest();
  const free = { ...state, owner: owner && { ...owner, state: "FREE" as const } };
  expect(await shard.run(shard.manifests.publish(free, id))).toBeDefined();
}

async function names(shard: TimedShard): Promise<readonly string[]> {
  return (await shard.newest()).checkpoints.map(({ name }) => name);
}

describe("a checkpoint by one who does not own the shard", () => {
  it("is made of a shard at rest, without an epoch, and kept by the next owner", async () => {
    const shard = await released();
    const { writerEpoch } = await shard.newest();
    const made = await shard.run(unowned(shard).create("one", undefined));
    expect(made).toMatchObject({ name: "one", sequence: 50 });
    expect((await shard.newest()).writerEpoch).toBe(writerEpoch);
    const engine = await shard.open({ gcMinAgeMs: 0 });
    await shard.flush(engine, "2");
    await shard.run(engine.compact());
    await shard.run(engine.collectGarbage());
    expect(engine.checkpoints()).toEqual([made]);
    const reader = await shard.read({ checkpoint: "one" }, { gcMinAgeMs: 0 });
    expect(await shard.run(Promise.resolve(reader.get(KEY)))).toEqual(utf8("1"));
    await shard.run(reader.close());
    // Beside the owner, who learns of it at the next look.
    await shard.run(unowned(shard).delete("one"));
    expect(await shard.run(unowned(shard).list())).toEqual([]);
    await shard.run(engine.collectGarbage());
    expect([engine.checkpoints(), await shard.names("sst/")]).toMatchObject([[], { length: 1 }]);
  });

  it("is the owner's affair where it has the shard open, or the log holds more", async () => {
    const shard = new TimedShard();
    const engine = await shard.open({ gcMinAgeMs: 0 });
    await shard.flush(engine, "1");
    expect(await shard.run(unowned(shard).create("one", undefined))).toBeUndefined();
    await shard.run(Promise.resolve(engine.put(KEY, utf8("2"), { durable: true })));
    await release(shard);
    expect(await shard.run(unowned(shard).create("one", undefined))).toBeUndefined();
    expect(await names(shard)).toEqual([]);
  });

  it("is not made where somebody came and went since the log was looked at", async () => {
    const shard = await released();
    const wal = new ObjectReader(shard.store, "wal/");
    const tail = wal.tail.bind(wal);
    wal.tail = async function* (from) {
      const isWhole = yield* tail(from);
      const engine = await shard.open({ gcMinAgeMs: 0 });
      await shard.run(Promise.resolve(engine.put(KEY, utf8("2"), { durable: true })));
      await release(shard);
      return isWhole;
    };
    expect(await unowned(shard, shard.store, wal).create("one", undefined)).toBeUndefined();
    expect(await names(shard)).toEqual([]);
  });

  it.each<Fault>([
    { fault: "answerLost" },
    { fault: "notSent" },
    { fault: "refused" },
    { fault: "late", lands: "release" },
  ])("is made and deleted as it was told, whichever call suffers %j", async (fault) => {
    for (const call of ["create", "delete"] as const) {
      let done = 0;
      for (let at = 0, met = true; met; at++) {
        const shard = await released();
        if (call === "delete") await shard.run(unowned(shard).create("one", undefined));
        met = false;
        const store = new FaultyBlobStore(shard.store, (index, method) => {
          if (index !== at) return undefined;
          met = true;
          return fault.fault === "late" && !method.startsWith("put") ? undefined : fault;
        });
        const checkpoints = unowned(shard, store);
        const work: Promise<unknown> =
          call === "create" ? checkpoints.create("one", 1_000_000) : checkpoints.delete("one");
        const outcome = await shard.run(
          work.then(
            () => "done",
            (error: unknown) => (error instanceof FirnError ? error.kind : String(error)),
          ),
        );
        await store.releaseAll();
        const isDone = (await names(shard)).length === (call === "create" ? 1 : 0);
        if (isDone) done++;
        const due = { done: [true], Unavailable: [false], Unknown: [true, false] }[outcome];
        expect([call, at, outcome, due?.includes(isDone)]).toEqual([call, at, outcome, true]);
      }
      expect(done).toBeGreaterThan(0);
    }
  });
});

describe("a checkpoint that another process made or deleted", () => {
  it("stands only where the newest state has it, looked at or not", async () => {
    const shard = await released();
    const engine = await shard.open({ gcMinAgeMs: 0 });
    await shard.run(engine.checkpoint("two"));
    await shard.run(unowned(shard).delete("two"));
    await shard.run(engine.checkpoint("two"));
    expect(await names(shard)).toEqual(["two"]);
    const exists = { kind: "AlreadyExists", code: "LSM_CHECKPOINT_EXISTS" };
    await expect(shard.run(engine.checkpoint("two"))).rejects.toMatchObject(exists);
  });

  it("is not judged by an owner that was overtaken and does not know", async () => {
    const shard = await released();
    const old = await shard.open({ gcMinAgeMs: 0 });
    await shard.run(old.checkpoint("old"));
    const owner = await shard.open({ gcMinAgeMs: 0 });
    await shard.run(owner.checkpoint("new"));
    await shard.run(owner.deleteCheckpoint("old"));
    const fenced = { kind: "Unavailable", code: "LSM_FENCED" };
    // Not `LSM_CHECKPOINT_NOT_FOUND`, and not `LSM_CHECKPOINT_EXISTS`.
    await expect(shard.run(old.deleteCheckpoint("new"))).rejects.toMatchObject(fenced);
    await expect(shard.run(old.checkpoint("old"))).rejects.toMatchObject(fenced);
    expect(await names(shard)).toEqual(["new"]);
  });
});
