import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { namespaceName } from "../../src/index.ts";
import type { Fixture } from "../../src/testing/fixture.ts";
import { TestFirn } from "../../src/testing/test-firn.ts";

const LAKE = join(import.meta.dirname, "fixtures", "lake.json");
const GLACIER = { catalog: "lake", namespace: "glacier" };
const CORES = { ...GLACIER, table: "cores" };

async function names(firn: TestFirn): Promise<readonly string[]> {
  const { items } = await firn.client.call("listTables", { path: GLACIER });
  return items.map(({ name }) => name);
}

describe("TestFirn", () => {
  it("loads a whole catalog from a file, and goes back to it", async () => {
    await using firn = await TestFirn.open({ fixture: LAKE });
    expect(await names(firn)).toEqual(["cores", "sites"]);
    const { client } = firn;
    const catalog = await client.call("getCatalog", { path: { catalog: "lake" } });
    expect(catalog.properties).toEqual({ owner: "ann" });
    const views = await client.call("listViews", { path: GLACIER });
    expect(views.items.map(({ name }) => name)).toEqual(["deep"]);
    const archive = { catalog: "lake", namespace: namespaceName(["glacier", "archive"]) };
    expect((await client.call("getNamespace", { path: archive })).path).toHaveLength(2);
    const loaded = await firn.fetch(
      new Request("http://firn/iceberg/v1/lake/namespaces/glacier/tables/cores"),
    );
    const { metadata } = (await loaded.json()) as { metadata: { schemas: { fields: object[] }[] } };
    expect(metadata.schemas[0]?.fields).toMatchObject([
      { name: "depth", required: true, type: "long" },
      { name: "density", required: false, type: "double" },
    ]);
    await client.call("dropTable", { path: CORES });
    await firn.load({ catalogs: [{ name: "other" }] });
    expect(await names(firn)).toEqual(["sites"]);
    await firn.reset();
    // The same client: what a test has set up once stays in use.
    expect(await names(firn)).toEqual(["cores", "sites"]);
    const { items } = await client.call("listCatalogs", {});
    expect(items.map(({ name }) => name)).toEqual(["default", "lake"]);
  });

  it("stands still in time until the test moves it, and jobs run then", async () => {
    await using firn = await TestFirn.open({ fixture: LAKE, now: "2030-05-01T12:00:00Z" });
    const { client } = firn;
    const table = await client.call("getTable", { path: CORES });
    expect(table.createdAt).toBe("2030-05-01T12:00:00.000Z");
    await client.call("dropTable", { path: CORES });
    await firn.advance("6d");
    expect((await client.call("listDropped", {})).items).toHaveLength(1);
    expect(firn.now.toISOString()).toBe("2030-05-07T12:00:00.000Z");
    await firn.advance("2d");
    expect((await client.call("listDropped", {})).items).toEqual([]);
    await firn.reset();
    expect(firn.now.toISOString()).toBe("2030-05-01T12:00:00.000Z");
  });

  it("answers the same for the same seed", async () => {
    const told = async (seed: number): Promise<string> => {
      await using firn = await TestFirn.open({ fixture: LAKE, seed });
      const table = await firn.client.call("getTable", { path: CORES });
      return JSON.stringify([table.id, table.etag, table.iceberg?.uuid]);
    };
    const first = await told(7);
    expect(await told(7)).toBe(first);
    expect(await told(8)).not.toBe(first);
  });

  it("listens on a free port, which a reset keeps", async () => {
    await using firn = await TestFirn.open({ listen: true });
    const { url } = firn;
    expect((await fetch(`${url}/iceberg/v1/config`)).status).toBe(200);
    await firn.reset();
    expect(firn.url).toBe(url);
    expect((await fetch(`${url}/iceberg/v1/config`)).status).toBe(200);
  });

  it("names the entry of a fixture that is wrong, and leaves nothing open", async () => {
    const wrong = (fixture: object) => TestFirn.open({ fixture: fixture as Fixture });
    const table = { name: "t", schema: { a: "lnog" } };
    for (const [fixture, says] of [
      [{ catalogs: {} }, "/catalogs: must be a list"],
      [{ catalogs: [{ name: "lake", color: "red" }] }, "/catalogs/0/color: "],
      [
        { catalogs: [{ name: "lake", namespaces: [{ path: "a", tables: [table] }] }] },
        "/catalogs/0/namespaces/0/tables/0: ",
      ],
    ] as const) {
      await expect(wrong(fixture)).rejects.toMatchObject({
        code: "FIXTURE_INVALID",
        message: expect.stringContaining(`invalid at ${says}`),
      });
    }
    await expect(TestFirn.open({ fixture: "/nowhere.json" })).rejects.toMatchObject({
      code: "FIXTURE_UNREADABLE",
    });
    await expect(TestFirn.open({ now: "soon" })).rejects.toMatchObject({
      code: "TEST_OPTIONS_INVALID",
    });
  });

  it("opens within milliseconds of CPU time", async () => {
    await (await TestFirn.open()).close();
    const before = process.cpuUsage();
    const times = 10;
    for (let i = 0; i < times; i++) await (await TestFirn.open({ fixture: LAKE })).close();
    const { user, system } = process.cpuUsage(before);
    const msEach = (user + system) / 1_000 / times;
    console.log(`open, load a fixture, close: ${msEach.toFixed(1)} ms CPU`);
    expect(msEach).toBeLessThan(250);
  });
});
