import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { columns, Firn, type NamespaceScope, Schema } from "../../src/index.ts";
import { codeOf } from "./support.ts";

const ORDERS = Schema.table({
  columns: { id: columns.text(), state: columns.text() },
  primaryKey: ["id"],
});
let dir: string;
let db: Firn;

const namespace = (): NamespaceScope => db.catalog("acme").namespace("ops");

async function reopen(): Promise<void> {
  await db.close();
  db = await Firn.open({ profile: "local", dir });
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "patterns-test-"));
  db = await Firn.open({ profile: "local", dir });
  await db.catalog("acme").createNamespace("ops");
});
afterEach(async () => {
  await db.close();
  await rm(dir, { recursive: true, force: true });
});

describe("patterns of an embedded Firn", () => {
  it("keep their state in tables of the namespace, over a restart", async () => {
    const { patterns } = namespace();
    const both = await Promise.all([patterns.queue("jobs"), patterns.queue("jobs")]);
    for (const queue of both) await queue.enqueue([{ n: 1 }]);
    await (await patterns.log("events")).append("case-1", ["opened"]);
    await (await patterns.counters("hits")).add("home", 3);
    const week = { ttlMs: 604_800_000, bucketMs: 86_400_000 };
    expect(await (await patterns.deduplication("seen", week)).first(["a"])).toEqual([true]);
    await reopen();
    const again = namespace().patterns;
    expect(await (await again.queue("jobs")).claim({ max: 9 })).toHaveLength(2);
    expect(await (await again.log("events")).read("case-1")).toMatchObject([{ event: "opened" }]);
    expect(await (await again.counters("hits")).get("home")).toBe(3n);
    expect(await (await again.deduplication("seen", week)).first(["a"])).toEqual([false]);
    expect(await namespace().listTables()).toEqual(["events", "hits", "jobs", "seen"]);
    const leases = await again.leases("jobs");
    const acquiring = leases.acquire("x", { owner: "a", ttlMs: 1_000 });
    expect(await codeOf(acquiring)).toBe("PATTERN_TABLE_MISMATCH");
  });

  it("stand in one transaction with rows of other tables", async () => {
    const orders = await namespace().createTable("orders", ORDERS);
    const leases = await namespace().patterns.leases("leases");
    const commands = await namespace().patterns.idempotency("commands");
    const old = await leases.acquire("shipping", { owner: "a", ttlMs: 1_000 });
    const now = await leases.acquire("shipping", { owner: "a", ttlMs: 60_000 });
    const ship = (fence: bigint) =>
      orders.transaction(async (tx) => {
        await orders.in(tx).put({ id: "1", state: "shipped" });
        await leases.requireFence(tx, "shipping", fence);
        expect(await orders.in(tx).get({ id: "1" })).toEqual({ id: "1", state: "shipped" });
      });
    expect(await codeOf(ship(old.fence))).toBe("LEASE_LOST");
    expect(await orders.get({ id: "1" })).toBeUndefined();
    await ship(now.fence);
    const command = { scope: "orders", key: "create-2", hash: "h" };
    const create = () =>
      commands.run(command, async (tx) => {
        await orders.in(tx).insert({ id: "2", state: "new" });
        const ids: string[] = [];
        for await (const { id } of orders.in(tx).scan()) ids.push(id);
        return ids;
      });
    expect(await create()).toEqual(["1", "2"]);
    await reopen();
    const later = await namespace().patterns.idempotency("commands");
    expect(await later.run(command, async () => ["never"])).toEqual(["1", "2"]);
  });

  it("archive old rows of a table to files below its warehouse", async () => {
    const events = await namespace().createTable(
      "events",
      Schema.table({
        columns: { at: columns.timestamp(), id: columns.int4() },
        primaryKey: ["at", "id"],
      }),
    );
    await events.insert({ at: 1n, id: 1 }, { at: 2n, id: 2 }, { at: 2n ** 62n, id: 3 });
    const archive = await namespace().patterns.archive("events_archive");
    const span = { keepMs: 86_400_000, bucketMs: 86_400_000 };
    const { objects, isDone } = await archive.run("events", span);
    expect([isDone, objects]).toMatchObject([true, [{ bucket: 0n, part: 1n, rows: 2n }]]);
    const lines = gunzipSync(await readFile(new URL(objects[0]?.location ?? ""))).toString();
    expect(lines.split("\n").filter((line) => line !== "")).toHaveLength(2);
    await reopen();
    const again = await namespace().patterns.archive("events_archive");
    expect(await again.objects()).toEqual(objects);
    expect(await codeOf(again.run("none", span))).toBe("TABLE_NOT_FOUND");
  });
});
