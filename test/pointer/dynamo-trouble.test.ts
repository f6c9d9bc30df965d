import { afterEach, describe, expect, test } from "vitest";
import { utf8Text } from "../../src/base/bytes.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { failureOf } from "../../src/pointer/dynamo/failure.ts";
import type { Batch, PointerOp } from "../../src/pointer/port.ts";
import { del, put } from "../contract/pointer-store-space.ts";
import { cancelled, Refused } from "../double/dynamo/refusal.ts";
import { operationOf } from "../double/dynamo/service.ts";
import { stingy, type Trouble, troublesOf } from "../double/dynamo/trouble.ts";
import {
  type DynamoWorld,
  type DynamoWorldOptions,
  openDynamoWorld,
  TABLE,
} from "../double/dynamo/world.ts";
import { type Fault, faulty } from "../double/faults.ts";
import type { Service } from "../double/server.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";

const worlds: DynamoWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

async function open(options: DynamoWorldOptions = {}): Promise<DynamoWorld> {
  const world = await openDynamoWorld(options);
  worlds.push(world);
  return world;
}

type Suffer = (index: number, troubles: Readonly<Record<string, Trouble>>) => Fault | undefined;

/** A store whose k-th request suffers what `fault` says. */
async function suffering(fault: Suffer, options: DynamoWorldOptions = {}): Promise<DynamoWorld> {
  return open({
    ...options,
    network: (handler, double): Service => {
      const troubles = troublesOf(double);
      const plan = (_request: unknown, _prng: unknown, index: number) => fault(index, troubles);
      return faulty(handler, new SeededPrng(1), plan).service;
    },
  });
}

const A = "/test/s/entities/by-id/a";
const B = "/test/s/entities/by-id/b";
const NAMES = "/test/s/entities/by-name";
const single: Batch = { writerId: "w", ops: [put(A)] };
const pair: Batch = { writerId: "w", ops: [put(A), put(B)] };
const BATCHES = { single, pair } as const;
type BatchName = keyof typeof BATCHES;

function trouble(name: string, applied = false): Suffer {
  return (_index, troubles) => {
    const refusal = troubles[name];
    return refusal && { fault: "refused", refusal, applied };
  };
}

function once(suffer: Suffer): Suffer {
  return (index, troubles) => (index === 0 ? suffer(index, troubles) : undefined);
}

describe("a write that is turned away", () => {
  const cases: readonly (readonly [string, BatchName])[] = [
    ["throttled", "single"],
    ["throttled", "pair"],
    ["over capacity", "single"],
    ["throttled in part", "pair"],
    ["contended", "single"],
    ["contended transaction", "pair"],
  ];
  test.each(cases)("%s: is sent again a few times, then overloaded (%s)", async (name, which) => {
    const batch = BATCHES[which];
    const { store, serving } = await suffering(trouble(name));
    const before = serving.requests();
    expect(await store.commit(batch)).toMatchObject({ outcome: "overloaded" });
    const sent = serving.requests() - before;
    expect(sent).toBeGreaterThan(1);
    expect(sent).toBeLessThan(8);
    const passing = await suffering(once(trouble(name)));
    expect(await passing.store.commit(batch)).toMatchObject({ outcome: "committed" });
  });
});

describe("a write whose fate is not told", () => {
  const cases: readonly (readonly [string, BatchName])[] = [
    "internal error",
    "unavailable",
    "unknown refusal",
    "bad gateway",
    "gateway timeout",
  ].flatMap((name) => [[name, "single"] as const, [name, "pair"] as const]);
  test.each(cases)("%s: is unknown, and not sent again here (%s)", async (name, which) => {
    const batch = BATCHES[which];
    for (const applied of [false, true]) {
      const { store, serving } = await suffering(once(trouble(name, applied)));
      const before = serving.requests();
      expect(await store.commit(batch)).toMatchObject({ outcome: "unknown" });
      expect(serving.requests() - before).toBe(1);
      expect((await store.get(A)).version).toBe(applied ? 1n : 0n);
    }
  });

  const broken: readonly Fault[] = [
    { fault: "unsent" },
    { fault: "lost" },
    { fault: "torn", share: 0.5 },
    { fault: "silent", applied: true },
    { fault: "late", lag: 3 },
  ];
  test.each(broken)("has an unknown outcome after a broken connection: $fault", async (fault) => {
    // A busy machine may take long to connect; what is not answered is silent all the same.
    const timeouts = { connectMs: 10_000, idleMs: 300, wholeMs: 20_000 };
    for (const batch of [single, pair]) {
      const options = { connection: { timeouts } };
      const { store } = await suffering((index) => (index === 0 ? fault : undefined), options);
      expect(await store.commit(batch)).toMatchObject({ outcome: "unknown" });
    }
  });

  test("in progress stays in doubt, whatever else the resends meet", async () => {
    const { store } = await suffering((index, troubles) =>
      trouble(index === 0 ? "in progress" : "throttled")(index, troubles),
    );
    expect(await store.commit(pair)).toMatchObject({ outcome: "unknown" });
    const names = ["TransactionInProgressException", "AccessDeniedException"];
    const refusing = await open({
      network: (_handler, double) => () => {
        const name = names.shift() ?? "";
        return double.refusal(new Refused(name, name));
      },
    });
    expect(await refusing.store.commit(pair)).toMatchObject({ outcome: "unknown" });
    expect(names).toEqual([]);
    const settled = await suffering(once(trouble("in progress", true)));
    expect(await settled.store.commit(pair)).toMatchObject({ outcome: "committed" });
    expect(await settled.store.getMany([A, B])).toMatchObject([{ version: 1n }, { version: 1n }]);
  });
});

test("a condition that failed beside a conflict of transactions is not a verdict", async () => {
  const reasons = [{ Code: "ConditionalCheckFailed" }, { Code: "TransactionConflict" }];
  const { store } = await open({
    network: (_handler, double) => () => double.refusal(cancelled(reasons)),
  });
  expect(await store.commit(pair)).toMatchObject({ outcome: "overloaded" });
});

describe("a resend", () => {
  test("of a transaction that was applied is answered as the first was", async () => {
    const { store, clock } = await suffering((index) =>
      index === 0 ? { fault: "lost" } : undefined,
    );
    const batch: Batch = { writerId: "w", ops: [put(A), del(B, 0n)] };
    expect(await store.commit(batch)).toMatchObject({ outcome: "unknown" });
    // A second later the tombstone would be another one, and the request with it.
    await clock.advance(1_000);
    const again = await store.commit(batch);
    expect(again).toEqual({
      outcome: "committed",
      versions: new Map([
        [A, 1n],
        [B, 1n],
      ]),
    });
  });

  test("after the life of its token meets what the first has made", async () => {
    const { store, clock } = await suffering((index) =>
      index === 0 ? { fault: "lost" } : undefined,
    );
    expect(await store.commit(pair)).toMatchObject({ outcome: "unknown" });
    await clock.advance(600_000);
    const again = await store.commit(pair);
    expect(again).toMatchObject({
      outcome: "conflict",
      failed: [
        { writerId: "w", version: 1n },
        { writerId: "w", version: 1n },
      ],
    });
  });

  test("with other operations is another transaction", async () => {
    const { store } = await open();
    expect(await store.commit(pair)).toMatchObject({ outcome: "committed" });
    const next: PointerOp[] = [put(A, 1n), put(B, 1n)];
    expect(await store.commit({ ...pair, ops: next })).toMatchObject({ outcome: "committed" });
  });
});

describe("a read", () => {
  test("asks for what is there now, whichever it is", async () => {
    const asked = new Map<string, boolean>();
    const { store } = await open({
      network: (handler) => (request) => {
        const body = JSON.parse(utf8Text(request.body));
        const inBatch = body.RequestItems?.[TABLE]?.ConsistentRead;
        asked.set(operationOf(request), (body.ConsistentRead ?? inBatch) === true);
        return handler(request);
      },
    });
    await store.get(A);
    await store.getMany([A, B]);
    await store.list(NAMES);
    for await (const item of store.sweep("/test/")) expect(item).toBeUndefined();
    const reads = ["BatchGetItem", "GetItem", "Query", "Scan"];
    expect([...asked].toSorted()).toEqual(reads.map((operation) => [operation, true]));
  });

  test("is sent again until it is answered", async () => {
    const { store } = await suffering((index, troubles) => {
      const names = ["internal error", "throttled", "bad gateway"];
      return trouble(names[index % 4] ?? "")(index, troubles);
    });
    await store.get(A);
    await store.getMany([A, B]);
    expect(await store.list(NAMES)).toEqual([]);
    for await (const item of store.sweep("/test/")) expect(item).toBeUndefined();
  });

  test("is given up in the end", async () => {
    const { store } = await suffering(trouble("unavailable"));
    const gone = { kind: "Unavailable", code: "POINTERS_UNAVAILABLE" };
    await expect(store.get(A)).rejects.toMatchObject(gone);
    await expect(store.list(NAMES)).rejects.toMatchObject(gone);
  });

  test("goes on over answers that hold less than was asked for", async () => {
    const { store } = await open({ network: (handler) => stingy(handler, new SeededPrng(7)) });
    const leaves = Array.from({ length: 260 }, (_, i) => `n${String(i).padStart(3, "0")}`);
    const keys = leaves.map((leaf) => `${NAMES}/${leaf}`);
    for (let at = 0; at < keys.length; at += LIMITS.batchOps) {
      const ops = keys.slice(at, at + LIMITS.batchOps).map((key) => put(key));
      await store.commit({ writerId: "w", ops });
    }
    for (let i = 0; i < keys.length; i += 3) {
      await store.commit({ writerId: "w", ops: [del(keys[i] ?? "", 1n)] });
    }
    const alive = keys.filter((_, i) => i % 3 !== 0);
    expect((await store.list(NAMES)).map(({ key }) => key)).toEqual(alive);
    const page = await store.list(NAMES, { limit: 5, after: "n001" });
    expect(page.map(({ key }) => key)).toEqual(alive.slice(1, 6));
    const found = await store.getMany(keys);
    expect(found.map(({ key, state, version }) => ({ key, state, version }))).toEqual(
      keys.map((key, i) =>
        i % 3 === 0 ? { key, state: "absent", version: 2n } : { key, state: "live", version: 1n },
      ),
    );
    const swept: string[] = [];
    for await (const { key } of store.sweep(`${NAMES}/n1`)) swept.push(key);
    expect(swept.toSorted()).toEqual(keys.filter((key) => key.startsWith(`${NAMES}/n1`)));
  });

  test("a page among the dead costs few requests", async () => {
    const { store, serving } = await open();
    const leaves = Array.from({ length: 400 }, (_, i) => `n${String(i).padStart(3, "0")}`);
    for (let at = 0; at < leaves.length; at += LIMITS.batchOps) {
      const ops = leaves.slice(at, at + LIMITS.batchOps).map((leaf) => del(`${NAMES}/${leaf}`, 0n));
      await store.commit({ writerId: "w", ops });
    }
    await store.commit({ writerId: "w", ops: [put(`${NAMES}/z`)] });
    const before = serving.requests();
    expect(await store.list(NAMES, { limit: 1 })).toMatchObject([{ key: `${NAMES}/z` }]);
    expect(serving.requests() - before).toBeLessThan(10);
  });
});

describe("an error of a connection", () => {
  test.each(["connect", "getaddrinfo"])("by %s says that nothing was sent", (syscall) => {
    for (const code of ["ECONNREFUSED", "ETIMEDOUT", "EHOSTUNREACH"]) {
      const error = Object.assign(new Error("system call failed"), { code, syscall });
      expect(failureOf(error)).toMatchObject({ failure: "unreachable" });
      expect(failureOf(new AggregateError([error, error]))).toMatchObject({
        failure: "unreachable",
      });
    }
  });

  test.each(["read", "write"])("by %s says nothing, whatever its code", (syscall) => {
    for (const code of ["ECONNRESET", "EHOSTUNREACH", "ENETUNREACH"]) {
      const error = Object.assign(new Error("system call failed"), { code, syscall });
      expect(failureOf(error)).toMatchObject({ failure: "doubt" });
      const connecting = Object.assign(new Error("refused"), { syscall: "connect" });
      expect(failureOf(new AggregateError([connecting, error]))).toMatchObject({
        failure: "doubt",
      });
    }
  });
});

test("connections are kept, and no more of them than allowed", async () => {
  const { store, serving } = await open({ connection: { connections: 4 } });
  const before = serving.connections();
  for (let i = 0; i < 10; i++) await store.get(A);
  expect(serving.connections() - before).toBe(1);
  await Promise.all(Array.from({ length: 40 }, () => store.get(A)));
  expect(serving.connections() - before).toBeLessThanOrEqual(4);
});

describe("a table that cannot be used", () => {
  test("is said to be missing, for reads and writes", async () => {
    const { store, double } = await open();
    const missing = { kind: "Unavailable", code: "DYNAMODB_TABLE_MISSING" };
    double.tables.forget();
    await expect(store.get(A)).rejects.toMatchObject(missing);
    await expect(store.commit(single)).rejects.toMatchObject(missing);
  });

  test("is said to be out of reach when nothing listens", async () => {
    const { store, serving } = await open();
    await serving.close();
    const gone = { kind: "Unavailable", code: "POINTERS_UNREACHABLE" };
    await expect(store.commit(single)).rejects.toMatchObject(gone);
    await expect(store.get(A)).rejects.toMatchObject(gone);
  });

  test("refuses credentials by name of the operation", async () => {
    const denied = new Set(["PutItem", "Query"]);
    const { store } = await open({ denied });
    const refused = { kind: "Unavailable", code: "DYNAMODB_DENIED" };
    await expect(store.commit(single)).rejects.toMatchObject(refused);
    await expect(store.list(NAMES)).rejects.toMatchObject(refused);
    expect(await store.get(A)).toMatchObject({ version: 0n });
  });
});

describe("what expires", () => {
  test("a tombstone goes with the table's time to live, not before its life is over", async () => {
    const { store, double, clock } = await open();
    await store.commit({ writerId: "w", ops: [put(A), put(`${NAMES}/n`)] });
    await store.commit({ writerId: "w", ops: [del(A, 1n), del(`${NAMES}/n`, 1n)] });
    double.tables.expire();
    expect(await store.get(A)).toMatchObject({ state: "absent", version: 2n });
    await clock.advance(LIMITS.tombstoneLifeMs + 2_000);
    double.tables.expire();
    expect(await store.getMany([A, `${NAMES}/n`])).toEqual([
      { state: "absent", key: A, version: 0n },
      { state: "absent", key: `${NAMES}/n`, version: 0n },
    ]);
    await store.commit({ writerId: "w2", ops: [put(A)] });
    await clock.advance(LIMITS.tombstoneLifeMs);
    double.tables.expire();
    expect(await store.get(A)).toMatchObject({ state: "live", version: 1n });
  });

  test("a live pointer goes only where its family says so, after what it says", async () => {
    const lifeMs = LIMITS.receiptLifeMs;
    const families = TEST_FAMILIES.map((family) =>
      family.name === "receipt" ? { ...family, lifeMs } : family,
    );
    const { store, double, clock } = await open({ families });
    const receipt = "/test/s/receipts/op/k";
    await store.commit({ writerId: "w", ops: [put(A), put(receipt)] });
    await clock.advance(lifeMs);
    double.tables.expire();
    expect(await store.get(receipt)).toMatchObject({ state: "live", version: 1n });
    await clock.advance(LIMITS.clockSkewMs + 2_000);
    double.tables.expire();
    expect(await store.get(receipt)).toEqual({ state: "absent", key: receipt, version: 0n });
    expect(await store.get(A)).toMatchObject({ state: "live", version: 1n });
  });

  test("a tombstone that is applied late outlives readers that saw the name before", async () => {
    const { attemptMs, signatureLifeMs, clockSkewMs } = LIMITS;
    const lateMs = attemptMs + signatureLifeMs;
    let land: (() => void) | undefined;
    let holds = false;
    const { store, double, clock } = await open({
      network: (handler) => async (request) => {
        if (!holds) return { delivery: "answered", response: handler(request) };
        holds = false;
        land = () => void handler(request);
        return { delivery: "closed" };
      },
    });
    await store.commit({ writerId: "creator", ops: [put(A)] });
    holds = true;
    const dropped = await store.commit({ writerId: "dropper", ops: [del(A, 1n)] });
    expect(dropped).toMatchObject({ outcome: "unknown" });
    await clock.advance(lateMs);
    // Here a slow writer reads version 1; its request is then as late as the drop was.
    expect(await store.get(A)).toMatchObject({ state: "live", version: 1n });
    land?.();
    for (let passedMs = 0; passedMs < lateMs + 2 * clockSkewMs; passedMs += 60_000) {
      await clock.advance(60_000);
      double.tables.expire();
      const { version } = await store.get(A);
      const isGone = version === 0n || (await store.forget(A, version));
      if (isGone) await store.commit({ writerId: "anew", ops: [put(A)] });
    }
    const late = await store.commit({ writerId: "slow", ops: [put(A, 1n)] });
    expect(late).toMatchObject({ outcome: "conflict", failed: [{ state: "absent", version: 2n }] });
  });

  test("a late copy of a forget leaves what has begun anew alone", async () => {
    let late: (() => void) | undefined;
    const { store, clock } = await open({
      network: (handler) => (request) => {
        if (request.headers["x-amz-target"]?.endsWith("DeleteItem") === true) {
          late = () => void handler(request);
        }
        return handler(request);
      },
    });
    await store.commit({ writerId: "fence", ops: [del(A, 0n)] });
    await clock.advance(LIMITS.tombstoneLifeMs + 1);
    expect(await store.forget(A, 1n)).toBe(true);
    await store.commit({ writerId: "anew", ops: [put(A)] });
    late?.();
    expect(late).toBeDefined();
    expect(await store.get(A)).toMatchObject({ state: "live", version: 1n, writerId: "anew" });
  });
});
