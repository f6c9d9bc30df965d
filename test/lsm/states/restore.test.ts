import { describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { FirnError } from "../../../src/base/error.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import { int64Bytes, int64Of } from "../../../src/lsm/read/operators.ts";
import type { KeepReplaced } from "../../../src/lsm/tools/restore.ts";
import { verifyShard } from "../../../src/lsm/tools/verify.ts";
import { ObjectReader } from "../../../src/lsm/wal/reader.ts";
import { type Fault, FaultyBlobStore } from "../../support/faulty-blob-store.ts";
import { dyingStore } from "../support/every-call.ts";
import { readOne, TimedShard } from "../support/timed-shard.ts";

const KEY = utf8("key 07");
const COUNT = utf8("count");
const KEEP: KeepReplaced = { nameOf: (sequence) => `replaced-${sequence}`, ttlMs: undefined };

async function add(shard: TimedShard, engine: Engine, value: string): Promise<number> {
  const ops = [
    { op: "put", key: KEY, value: utf8(value) },
    { op: "merge", key: COUNT, operator: "add", value: int64Bytes(1n) },
  ] as const;
  const written = await shard.run(Promise.resolve(engine.write(ops, { durable: true })));
  return written.sequence;
}

async function state(shard: TimedShard, engine: Engine): Promise<string> {
  const count = await shard.run(Promise.resolve(engine.get(COUNT)));
  return `${await shard.run(readOne(engine))} ${count === undefined ? 0 : int64Of(count)}`;
}

async function findings(shard: TimedShard): Promise<readonly unknown[]> {
  const { store, clock } = shard;
  const found: unknown[] = [];
  const wal = new ObjectReader(store, "wal/");
  for await (const one of verifyShard({ store, prefix: "", clock, wal })) found.push(one);
  return found;
}

/** A checkpoint of state "1 0", then "2 1" in tables, then "3 2" and "4 3" in the log alone. */
async function prepare(
  shard: TimedShard,
): Promise<{ readonly log: number; readonly last: number }> {
  const engine = await shard.open({ gcMinAgeMs: 0 });
  await shard.flush(engine, "1");
  await shard.run(engine.checkpoint("one"));
  await add(shard, engine, "2");
  await shard.run(engine.compact());
  await shard.run(engine.collectGarbage());
  const log = await add(shard, engine, "3");
  const last = await add(shard, engine, "4");
  return { log, last };
}

describe("a restore", () => {
  it("to a checkpoint is the newest state, and sequences go on", async () => {
    const shard = new TimedShard();
    const { last } = await prepare(shard);
    const reader = await shard.read({ follow: { pollMs: 0 } }, { gcMinAgeMs: 0 });
    const restored = await shard.run(shard.restore({ checkpoint: "one" }));
    expect(restored).toMatchObject({ sequence: 50, replaced: last });
    await shard.run(reader.refresh());
    expect(reader.sequence).toBe(last + 1);
    expect(utf8Text((await shard.run(Promise.resolve(reader.get(KEY)))) as Uint8Array)).toBe("1");
    await shard.run(reader.close());
    const engine = await shard.open({ gcMinAgeMs: 0 });
    expect([engine.lastSequence, await state(shard, engine)]).toEqual([last + 1, "1 0"]);
    expect(await add(shard, engine, "5")).toBe(last + 3);
    await shard.run(engine.compact());
    await shard.run(engine.collectGarbage());
    const heir = await shard.open({ gcMinAgeMs: 0 });
    expect(await state(shard, heir)).toBe("5 1");
    expect(await findings(shard)).toEqual([]);
  });

  it("to a sequence that the log alone holds brings that into tables", async () => {
    const shard = new TimedShard();
    const { log, last } = await prepare(shard);
    const restored = await shard.run(shard.restore({ sequence: log }));
    expect(restored).toMatchObject({ sequence: log, replaced: last });
    const engine = await shard.open({ gcMinAgeMs: 0 });
    expect(await state(shard, engine)).toBe("3 2");
    // What it replaced is a state of the past, as long as log and manifests are there.
    const back = await shard.read({ at: { sequence: last } }, { gcMinAgeMs: 0 });
    expect(utf8Text((await shard.run(Promise.resolve(back.get(KEY)))) as Uint8Array)).toBe("4");
    await shard.run(back.close());
    expect(await findings(shard)).toEqual([]);
  });

  it("can be taken back, where the state before it is kept", async () => {
    const shard = new TimedShard();
    await prepare(shard);
    const engine = await shard.open({ gcMinAgeMs: 0 });
    await shard.run(engine.checkpoint("before"));
    await shard.run(engine.close());
    await shard.run(shard.restore({ checkpoint: "one" }));
    await shard.run(shard.restore({ checkpoint: "before" }));
    const heir = await shard.open({ gcMinAgeMs: 0 });
    expect(await state(shard, heir)).toBe("4 3");
    expect(heir.checkpoints().map(({ name }) => name)).toEqual(["one", "before"]);
  });

  it("fences whoever writes the shard; a state that is gone changes nothing", async () => {
    const shard = new TimedShard();
    await prepare(shard);
    const engine = await shard.open({ gcMinAgeMs: 0 });
    const epoch = engine.stats().epoch;
    const gone = { kind: "NotFound", code: "LSM_HISTORY_GONE" };
    await expect(shard.run(shard.restore({ sequence: 3 }))).rejects.toMatchObject(gone);
    const missing = { code: "LSM_CHECKPOINT_NOT_FOUND" };
    await expect(shard.run(shard.restore({ checkpoint: "two" }))).rejects.toMatchObject(missing);
    expect(await shard.newest()).toMatchObject({ writerEpoch: epoch });
    expect(await state(shard, engine)).toBe("4 3");
    await shard.run(shard.restore({ checkpoint: "one" }));
    const late = Promise.resolve(engine.put(KEY, utf8("late"), { durable: true }));
    await expect(shard.run(late)).rejects.toMatchObject({ code: "WAL_FENCED" });
    const heir = await shard.open({ gcMinAgeMs: 0 });
    expect(await state(shard, heir)).toBe("1 0");
  });
});

describe("a restore and what it replaces", () => {
  it("keeps what it replaces, all that the log alone held of it among it", async () => {
    const shard = new TimedShard();
    const { last } = await prepare(shard);
    const restored = await shard.run(shard.restore({ checkpoint: "one" }, {}, shard.store, KEEP));
    const kept = { name: `replaced-${last}`, sequence: last, expiresAtMs: undefined };
    expect(restored).toMatchObject({ sequence: 50, replaced: last, kept });
    const engine = await shard.open({ gcMinAgeMs: 0 });
    expect(await state(shard, engine)).toBe("1 0");
    await add(shard, engine, "5");
    await shard.run(engine.compact());
    await shard.run(engine.collectGarbage());
    expect(engine.checkpoints()[1]).toEqual(restored.kept);
    await shard.run(engine.close());
    const back = await shard.run(shard.restore({ sequence: last }));
    expect(back).toMatchObject({ sequence: last, replaced: last + 3, kept: undefined });
    expect(await state(shard, await shard.open({ gcMinAgeMs: 0 }))).toBe("4 3");
    expect(await findings(shard)).toEqual([]);
  });

  it("changes nothing where what it replaces cannot be kept", async () => {
    const shard = new TimedShard();
    const { last } = await prepare(shard);
    const engine = await shard.open({ gcMinAgeMs: 0 });
    await shard.run(engine.checkpoint(`replaced-${last}`));
    const tables = await shard.names("sst/");
    for (const [keep, code] of [
      [KEEP, "LSM_CHECKPOINT_EXISTS"],
      [{ nameOf: () => "", ttlMs: undefined }, "LSM_CHECKPOINT_INVALID"],
      [{ nameOf: () => "a", ttlMs: 0.5 }, "LSM_CHECKPOINT_INVALID"],
    ] as const) {
      const refused = shard.run(shard.restore({ checkpoint: "one" }, {}, shard.store, keep));
      await expect(refused).rejects.toMatchObject({ code });
    }
    expect(await shard.names("sst/")).toEqual(tables);
    const heir = await shard.open({ gcMinAgeMs: 0 });
    expect(await state(shard, heir)).toBe("4 3");
    expect(heir.checkpoints()).toHaveLength(2);
  });

  it.each(["before", "after"] as const)(
    "that ends at any call, %s it is applied, leaves the old state or the new one",
    async (applied) => {
      const outcomes = new Map<string, number>();
      for (let at = 0, wasMet = true; wasMet; at++) {
        const shard = new TimedShard();
        const { log } = await prepare(shard);
        const { store, died, met } = dyingStore(shard.store, at, applied);
        const keep = at % 2 === 0 ? undefined : KEEP;
        const restoring = shard.restore({ sequence: log }, {}, store, keep);
        await shard.run(Promise.race([restoring, died]));
        wasMet = met();
        const found = await opened(shard, keep);
        outcomes.set(found, (outcomes.get(found) ?? 0) + 1);
      }
      expect([...outcomes.keys()].sort()).toEqual(["3 2", "4 3"]);
      expect(outcomes.get("4 3")).toBeGreaterThan(10);
    },
  );

  it.each<Fault>([
    { fault: "answerLost" },
    { fault: "notSent" },
    { fault: "refused" },
    { fault: "late", lands: "release" },
  ])("is told as it was, whichever call suffers %j", async (fault) => {
    for (let at = 0, met = true; met; at++) {
      const shard = new TimedShard();
      const { log } = await prepare(shard);
      met = false;
      const store = new FaultyBlobStore(shard.store, (index, method) => {
        if (index !== at) return undefined;
        met = true;
        return fault.fault === "late" && !method.startsWith("put") ? undefined : fault;
      });
      const outcome = await shard.run(
        shard.restore({ sequence: log }, {}, store, KEEP).then(
          () => "restored",
          (error: unknown) => (error instanceof FirnError ? error.kind : String(error)),
        ),
      );
      await store.releaseAll();
      const found = await opened(shard, KEEP);
      const due = { restored: ["3 2"], Unavailable: ["4 3"], Unknown: ["3 2", "4 3"] }[outcome];
      expect([at, outcome, due?.includes(found)]).toEqual([at, outcome, true]);
    }
  });
});

/** The state that the next owner finds, under which it goes on as ever; and the one before it. */
async function opened(shard: TimedShard, keep: KeepReplaced | undefined): Promise<string> {
  const engine = await shard.open({ gcMinAgeMs: 0 });
  const found = await state(shard, engine);
  const kept = engine.checkpoints().filter(({ name }) => name !== "one");
  expect(kept).toHaveLength(keep !== undefined && found === "3 2" ? 1 : 0);
  await add(shard, engine, "last");
  await shard.run(engine.compact());
  await shard.run(engine.collectGarbage());
  const heir = await shard.open({ gcMinAgeMs: 0 });
  const count = Number(found.split(" ")[1]);
  expect(await state(shard, heir)).toBe(`last ${count + 1}`);
  expect(await findings(shard)).toEqual([]);
  for (const { name } of kept) {
    const before = await shard.read({ checkpoint: name }, { gcMinAgeMs: 0 });
    expect(await shard.run(Promise.resolve(before.get(KEY)))).toEqual(utf8("4"));
    await shard.run(before.close());
  }
  return found;
}
