import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from "vitest";
import type { FirnError } from "../../../src/base/error.ts";
import { columns, Firn, type FirnOptions, Schema } from "../../../src/index.ts";

const EVENTS = Schema.table({
  columns: {
    id: columns.text(),
    type: columns.text(),
    ts: columns.int8(),
    note: columns.text().nullable(),
    seen: columns.bool().default(false),
  },
  primaryKey: ["id"],
  indexes: [{ name: "by_type", parts: [{ column: "type" }, { column: "ts", direction: "desc" }] }],
});

async function codeOf(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
    return "done";
  } catch (error) {
    return (error as FirnError).code;
  }
}

async function all<T>(rows: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

const PROFILES = ["memory", "local"] as const;

/** A database for each test of a group, which it may open again. */
function database(profile: (typeof PROFILES)[number]) {
  let dir: string;
  const held: { db: Firn; reopen: () => Promise<void> } = {
    db: undefined as never,
    reopen: async () => {
      await held.db.close();
      await open();
    },
  };
  const open = async (): Promise<void> => {
    const options: FirnOptions = profile === "memory" ? { profile } : { profile, dir };
    held.db = await Firn.open(options);
  };
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), "rows-test-"));
    await open();
  });
  afterEach(async () => {
    await held.db.close();
    await rm(dir, { recursive: true, force: true });
  });
  return held;
}

describe.each(PROFILES)("row tables of profile %s", (profile) => {
  const held = database(profile);

  it("are made, filled, read and dropped by name", async () => {
    const { db } = held;
    const events = await db
      .catalog("acme")
      .createNamespace("metrics")
      .createTable("events", EVENTS);
    await events.put({ id: "event:001", type: "click", ts: 1234567890n });
    await events.insert(
      { id: "event:002", type: "view", ts: 2n, note: "hi", seen: true },
      { id: "event:003", type: "click", ts: 3n },
    );
    const first = await events.get({ id: "event:001" });
    expect(first).toEqual({
      id: "event:001",
      type: "click",
      ts: 1234567890n,
      note: null,
      seen: false,
    });
    expectTypeOf(first?.ts).toEqualTypeOf<bigint | undefined>();
    expectTypeOf(first?.note).toEqualTypeOf<string | null | undefined>();
    expect(await events.get({ id: "event:009" })).toBeUndefined();
    expect(await codeOf(events.insert({ id: "event:002", type: "x", ts: 1n }))).toBe(
      "ROW_DUPLICATE",
    );
    const clicks = await all(events.scan({ index: 1, equal: ["click"], columns: ["id", "ts"] }));
    expect(clicks).toEqual([
      { id: "event:001", ts: 1234567890n },
      { id: "event:003", ts: 3n },
    ]);
    expect(await events.update({ id: "event:003" }, { seen: true })).toBe(true);
    expect(await events.delete({ id: "event:002" })).toBe(true);
    expect(await events.delete({ id: "event:002" })).toBe(false);
    expect((await all(events.scan({ reverse: true }))).map(({ id }) => id)).toEqual([
      "event:003",
      "event:001",
    ]);

    const metrics = db.catalog("acme").namespace("metrics");
    expect(await metrics.listTables()).toEqual(["events"]);
    expect(await codeOf(metrics.createTable("events", EVENTS))).toBe("TABLE_ALREADY_EXISTS");
    expect(await db.catalog("acme").listNamespaces()).toEqual(["metrics"]);
    await metrics.dropTable("events");
    expect(await metrics.listTables()).toEqual([]);
    const gone = metrics.table("events", EVENTS);
    expect(await codeOf(gone.get({ id: "event:001" }))).toBe("TABLE_NOT_FOUND");
    expect(await codeOf(db.catalog("acme").namespace("none").createTable("t", EVENTS))).toBe(
      "NAMESPACE_NOT_FOUND",
    );
  });

  it("of one name have rows of their own, and undrop brings them back", async () => {
    const { db } = held;
    const metrics = await db.catalog("acme").createNamespace("metrics");
    const old = await metrics.createTable("events", EVENTS);
    await old.put({ id: "old", type: "a", ts: 1n });
    await metrics.dropTable("events");
    const next = await metrics.createTable("events", EVENTS);
    expect(await all(next.scan())).toEqual([]);
    await next.put({ id: "next", type: "a", ts: 1n });
    const { items } = await db.dropped.list({ limit: 10 });
    await db.dropped.undrop(items[0]?.id as string, { name: "old_events" });
    const back = metrics.table("old_events", EVENTS);
    expect(await back.get({ id: "old" })).toMatchObject({ id: "old" });
    expect(await metrics.listTables()).toEqual(["events", "old_events"]);
  });
});

describe.each(PROFILES)("row tables as tables of the catalog, profile %s", (profile) => {
  const held = database(profile);

  it("show up in the native API with their columns, and hide from Iceberg", async () => {
    const { db } = held;
    const metrics = await db.catalog("acme").createNamespace("metrics");
    await metrics.createTable("events", EVENTS);
    const ask = async (path: string): Promise<Response> =>
      await db.fetch(new Request(`http://firn${path}`));
    const at = "/api/v1/catalogs/acme/namespaces/metrics/tables";
    expect(await (await ask(at)).json()).toMatchObject({
      items: [{ name: "events", format: "ROW" }],
    });
    const table = (await (await ask(`${at}/events`)).json()) as Record<string, unknown>;
    expect(table).toMatchObject({ name: "events", format: "ROW" });
    expect(table["columns"]).toMatchObject([
      { name: "id", type: "text", nullable: false, fieldId: 1 },
      { name: "type", type: "text", nullable: false },
      { name: "ts", type: "int8" },
      { name: "note", type: "text", nullable: true },
      { name: "seen", type: "bool" },
    ]);
    const iceberg = await ask("/iceberg/v1/acme/namespaces/metrics/tables");
    expect(await iceberg.json()).toMatchObject({ identifiers: [] });
    const findings = [];
    for await (const finding of db.check()) findings.push(finding);
    expect(findings).toEqual([]);
  });

  it("go with their namespace and catalog where that is asked for", async () => {
    const { db } = held;
    const metrics = await db.catalog("acme").createNamespace("metrics");
    await metrics.createTable("events", EVENTS);
    await db
      .catalog("acme")
      .createNamespace("metrics", "daily")
      .createTable("kv", Schema.keyValue());
    expect(await codeOf(db.catalog("acme").dropNamespace("metrics"))).toBe("NAMESPACE_NOT_EMPTY");
    await db.catalog("acme").dropNamespace("metrics", { recursive: true });
    expect(await db.catalog("acme").listNamespaces()).toEqual([]);
    await db.dropCatalog("acme", { recursive: true });
    expect(await db.listCatalogs()).toEqual(["default"]);
  });

  it.runIf(profile === "local")("survive a restart", async () => {
    const { db } = held;
    const made = await db.catalog("acme").createNamespace("metrics").createTable("events", EVENTS);
    await made.put({ id: "kept", type: "a", ts: 1n });
    await held.reopen();
    const events = held.db.catalog("acme").namespace("metrics").table("events", EVENTS);
    expect(await events.get({ id: "kept" })).toMatchObject({ ts: 1n });
  });
});
