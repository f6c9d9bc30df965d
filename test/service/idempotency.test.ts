import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Actor } from "../../src/service/actor.ts";
import type { LoadedTable } from "../../src/service/requests.ts";
import { ACTOR, testStores } from "../support/open-catalog.ts";
import { commitOf, openTestIceberg, SCHEMA } from "../support/open-iceberg.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const NS = { catalog: "c", namespace: ["a"] } as const;

function keyed(n: number, hash = 1): Actor {
  const key = `0199d8a0-0000-7000-8000-${String(n).padStart(12, "0")}`;
  const requestHash = new Uint8Array(32).fill(hash);
  return { ...ACTOR, idempotency: { key, requestHash, replayed: false } };
}

function pathOf(table: LoadedTable): string {
  return (table.metadataLocation ?? "").slice("file://".length);
}

async function twoNodes() {
  const stores = testStores({ clock: new SleepIsTime() });
  const first = await openTestIceberg(stores);
  const ports = { ...stores, prng: testStores({ seed: 2 }).prng };
  const second = await openTestIceberg(ports, first.directory);
  await first.iceberg.createNamespace(ACTOR, NS, {});
  return { first, second };
}

test("two concurrent requests with one key both get the outcome of the applied one", async () => {
  const { first, second } = await twoNodes();
  for (let i = 0; i < 20; i++) {
    const request = { name: `t${i}`, schema: SCHEMA, properties: {}, stageCreate: false };
    const nodes = [first.iceberg, second.iceberg];
    const created = await Promise.all(
      nodes.map((iceberg) => iceberg.createTable(keyed(100 + i), NS, request)),
    );
    expect(created[0]?.metadataLocation).toBe(created[1]?.metadataLocation);
    const ref = { ...NS, table: `t${i}` };
    const commit = commitOf([{ action: "set-properties", updates: { k: "1" } }]);
    const done = await Promise.all(
      nodes.map((iceberg) => iceberg.commitTable(keyed(200 + i), ref, commit)),
    );
    expect(done[0]).toEqual(done[1]);
    const path = pathOf(done[0] as LoadedTable);
    expect(existsSync(path)).toBe(true);
    expect(readdirSync(join(path, ".."))).toHaveLength(2);
    const next = commitOf([{ action: "set-properties", updates: { k: "2" } }]);
    const change = { namespace: NS.namespace, table: `t${i}`, ...next };
    await Promise.all(
      nodes.map((iceberg) => iceberg.commitTransaction(keyed(300 + i), "c", [change])),
    );
    const loaded = await first.iceberg.loadTable(ACTOR, ref, { snapshots: "all" });
    expect(loaded).not.toBe("not-modified");
    expect(readdirSync(join(path, "..")).length).toBe(3);
  }
});

test.each(["table", "view"] as const)(
  "a %s whose file vanishes is let go under any key",
  async (type) => {
    const { iceberg, catalog } = await openTestIceberg();
    await iceberg.createNamespace(ACTOR, NS, {});
    const name = "x";
    const metadataLocation = await (async () => {
      if (type === "table") {
        const request = { name, schema: SCHEMA, properties: {}, stageCreate: false };
        return (await iceberg.createTable(ACTOR, NS, request)).metadataLocation ?? "";
      }
      const version = {
        "version-id": 1,
        "timestamp-ms": 1,
        "schema-id": 0,
        summary: {},
        "default-namespace": ["a"],
        representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
      };
      const request = { name, schema: { ...SCHEMA, "schema-id": 0 }, version, properties: {} };
      return (await iceberg.createView(ACTOR, NS, request)).metadataLocation;
    })();
    const relations = type === "table" ? catalog.tables : catalog.views;
    if (type === "table") {
      await iceberg.dropTable(ACTOR, { ...NS, table: name }, { purgeRequested: false });
    } else await iceberg.dropView(ACTOR, { ...NS, view: name });
    // It goes just after the batch that names it, as a purge would take it.
    const path = metadataLocation.slice("file://".length);
    const create = relations.create.bind(relations) as (...args: unknown[]) => Promise<unknown>;
    Object.defineProperty(relations, "create", {
      value: async (...args: unknown[]) => {
        const done = await create(...args);
        renameSync(path, `${path}.away`);
        return done;
      },
    });
    const request = { name, metadataLocation, overwrite: false };
    const registered =
      type === "table"
        ? iceberg.registerTable(keyed(1), NS, request)
        : iceberg.registerView(keyed(1), NS, request);
    await expect(registered).rejects.toMatchObject({ code: "METADATA_FILE_MISSING" });
    await expect(relations.find({ catalog: "c", path: ["a"], name })).rejects.toMatchObject({
      kind: "NotFound",
    });
  },
);

test("a staged create under a key is answered as before, of another body refused", async () => {
  const { first, second } = await twoNodes();
  const request = { name: "s", schema: SCHEMA, properties: {}, stageCreate: true };
  const [made, again, later] = [keyed(1), keyed(1), keyed(1)];
  const staged = await first.iceberg.createTable(made, NS, request);
  expect(made.idempotency?.replayed).toBe(false);
  expect(await second.iceberg.createTable(again, NS, request)).toEqual(staged);
  expect(again.idempotency?.replayed).toBe(true);
  const other = { ...keyed(1).idempotency!, requestHash: new Uint8Array(32).fill(2) };
  const reused = { kind: "Invalid", code: "IDEMPOTENCY_KEY_REUSED" };
  const asked = second.iceberg.createTable({ ...ACTOR, idempotency: other }, NS, request);
  await expect(asked).rejects.toMatchObject(reused);
  // Also when the table is there by now, and the warehouse elsewhere.
  await first.iceberg.createTable(ACTOR, NS, { ...request, stageCreate: false });
  await first.catalogs.moveRoot(ACTOR, "c", `file://${first.directory}/moved`);
  expect(await second.iceberg.createTable(later, NS, request)).toEqual(staged);
  const refused = { kind: "AlreadyExists", code: "TABLE_ALREADY_EXISTS" };
  for (const iceberg of [first.iceberg, second.iceberg]) {
    await expect(iceberg.createTable(keyed(2), NS, request)).rejects.toMatchObject(refused);
  }
});

test("of two requests of a key for two tables one happens, the other leaves no file", async () => {
  const { first, second } = await twoNodes();
  const nodes = [first.iceberg, second.iceberg] as const;
  const reused = { status: "rejected", reason: { code: "IDEMPOTENCY_KEY_REUSED" } };
  const warehouse = first.directory;
  const filesNow = () =>
    readdirSync(warehouse, { recursive: true }).filter((path) => String(path).endsWith(".json"));
  let files = 0;
  const oneOf = async (work: (iceberg: (typeof nodes)[number], i: number) => Promise<unknown>) => {
    const answers = await Promise.allSettled(nodes.map(work));
    const lost = answers.filter(({ status }) => status === "rejected");
    expect(lost).toMatchObject([reused]);
    expect(filesNow()).toHaveLength(++files);
    return answers.findIndex(({ status }) => status === "fulfilled");
  };
  for (let round = 0; round < 15; round++) {
    const names = [`a${round}`, `b${round}`];
    const requestOf = (name = "") => ({ name, schema: SCHEMA, properties: {}, stageCreate: false });
    const made = await oneOf((iceberg, i) =>
      iceberg.createTable(keyed(1_000 + round, i), NS, requestOf(names[i])),
    );
    await first.iceberg.createTable(ACTOR, NS, requestOf(names[1 - made]));
    files++;
    const commit = commitOf([{ action: "set-properties", updates: { k: "1" } }]);
    await oneOf((iceberg, i) =>
      iceberg.commitTable(keyed(2_000 + round, i), { ...NS, table: names[i] ?? "" }, commit),
    );
    const tables = names.map((table) => ({ namespace: NS.namespace, table, ...commit }));
    const later = { action: "set-properties", updates: { k: "2" } };
    await oneOf((iceberg, i) => {
      const ref = { ...NS, table: names[i] ?? "" };
      const key = keyed(3_000 + round, i);
      return i === 0
        ? iceberg.commitTable(key, ref, commitOf([later]))
        : iceberg.commitTransaction(key, "c", [{ ...tables[1]!, ...commitOf([later]) }]);
    });
  }
});

test("a key of a staged create is taken for everything else", async () => {
  const { first, second } = await twoNodes();
  const request = { name: "s", schema: SCHEMA, properties: {}, stageCreate: true };
  await first.iceberg.createTable(keyed(1), NS, request);
  const reused = { code: "IDEMPOTENCY_KEY_REUSED" };
  const whole = { ...request, stageCreate: false };
  for (const asked of [
    second.iceberg.createTable(keyed(1, 2), NS, { ...whole, name: "t" }),
    second.iceberg.createNamespace(keyed(1, 2), { ...NS, namespace: ["b"] }, {}),
  ]) {
    await expect(asked).rejects.toMatchObject(reused);
  }
  expect((await first.iceberg.listTables(ACTOR, NS, {})).items).toEqual([]);
});
