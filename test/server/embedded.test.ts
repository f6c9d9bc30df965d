import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { Reports } from "../../src/catalog/reports.ts";
import { Firn } from "../../src/index.ts";

const SCHEMA = {
  type: "struct",
  fields: [{ id: 1, name: "id", required: true, type: "long" }],
};

function post(path: string, body: unknown): Request {
  return new Request(`http://firn${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function withTable(firn: Firn): Promise<string> {
  const namespace = await firn.fetch(post("/iceberg/v1/namespaces", { namespace: ["ns"] }));
  expect(namespace.status).toBe(200);
  const table = { name: "t", schema: SCHEMA };
  const created = await firn.fetch(post("/iceberg/v1/namespaces/ns/tables", table));
  expect(created.status).toBe(200);
  const { "metadata-location": location } = (await created.json()) as Record<string, string>;
  return String(location).replace(/^file:\/\//, "");
}

describe("an embedded Firn", () => {
  it("serves without a socket, and takes its files with it", async () => {
    const firn = await Firn.open({ profile: "memory" });
    expect(firn.url).toBeUndefined();
    const file = await withTable(firn);
    expect(existsSync(file)).toBe(true);
    const url = "http://firn/iceberg/v1/namespaces/ns/tables/t";
    const loaded = await firn.fetch(new Request(url));
    expect(loaded.status).toBe(200);
    const etag = String(loaded.headers.get("ETag"));
    const again = await firn.fetch(new Request(url, { headers: { "If-None-Match": etag } }));
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const head = await firn.fetch(new Request(url, { method: "HEAD" }));
    expect([head.status, await head.text()]).toEqual([204, ""]);
    const ref = { catalog: "default", namespace: ["ns"], table: "t" };
    expect(await firn.snapshots.list(ref, { limit: 10 })).toEqual([]);
    await expect(firn.snapshots.current(ref)).rejects.toMatchObject({ kind: "NotFound" });
    const report = {
      "report-type": "commit-report",
      "table-name": "t",
      "snapshot-id": 1,
      "sequence-number": 1,
      operation: "append",
      metrics: {},
    };
    const told = await firn.fetch(post("/iceberg/v1/namespaces/ns/tables/t/metrics", report));
    expect(told.status).toBe(204);
    await expect.poll(() => firn.reports.list(ref)).toHaveLength(1);
    expect((await firn.reports.list(ref)).map((each) => JSON.parse(each.report))).toEqual([report]);
    const missing = await firn.fetch(new Request(`${url}-not`, { method: "HEAD" }));
    expect([missing.status, await missing.text()]).toEqual([404, ""]);
    await firn.close();
    await firn.close();
    expect(existsSync(file)).toBe(false);
  });

  it("closes whole after a defect that nobody waited for, which is counted", async () => {
    const firn = await Firn.open({ profile: "memory", logLevel: "silent" });
    const file = await withTable(firn);
    vi.spyOn(Reports.prototype, "add").mockRejectedValueOnce(new TypeError("a defect"));
    const table = "/iceberg/v1/namespaces/ns/tables/t";
    const report = {
      "report-type": "commit-report",
      "table-name": "t",
      "snapshot-id": 1,
      "sequence-number": 1,
      operation: "append",
      metrics: {},
    };
    expect((await firn.fetch(post(`${table}/metrics`, report))).status).toBe(204);
    const defects = async () => (await firn.fetch(new Request("http://firn/metrics"))).text();
    await expect.poll(defects).toMatch(/^firn_background_defects_total 1$/m);
    await firn.close();
    expect(existsSync(file)).toBe(false);
    await expect(firn.fetch(new Request("http://firn/livez"))).rejects.toMatchObject({
      code: "SERVER_STOPPED",
    });
  });

  it("brings back what was dropped", async () => {
    await using firn = await Firn.open({ profile: "memory" });
    await withTable(firn);
    const url = "http://firn/iceberg/v1/namespaces/ns/tables/t";
    const drop = await firn.fetch(new Request(`${url}?purgeRequested=true`, { method: "DELETE" }));
    expect(drop.status).toBe(204);
    const { items } = await firn.dropped.list();
    expect(items).toMatchObject([{ type: "table", name: "t", purgeRequested: true }]);
    await firn.dropped.undrop(items[0]?.id ?? "", { name: "u" });
    const back = await firn.fetch(new Request(url.replace(/t$/, "u")));
    expect(back.status).toBe(200);
    expect(await firn.dropped.list()).toEqual({ items: [] });
  });

  it("leaves files where it was told to put them", async () => {
    const warehouse = await mkdtemp(join(tmpdir(), "firn-test-"));
    try {
      await using firn = await Firn.open({ warehouse });
      const file = await withTable(firn);
      expect(file.startsWith(warehouse)).toBe(true);
      await firn.close();
      expect(existsSync(file)).toBe(true);
    } finally {
      await rm(warehouse, { recursive: true });
    }
  });
});

describe("an embedded Firn with options", () => {
  it("listens where it was told to, beside another one", async () => {
    await using first = await Firn.open({ listen: { port: 0 } });
    await using second = await Firn.open({ listen: { port: 0 } });
    expect(first.url).not.toBe(second.url);
    await withTable(first);
    const load = (firn: Firn) => fetch(`${firn.url}/iceberg/v1/namespaces/ns/tables/t`);
    expect((await load(first)).status).toBe(200);
    expect((await load(second)).status).toBe(404);
    const port = Number(new URL(String(first.url)).port);
    await expect(Firn.open({ listen: { port } })).rejects.toMatchObject({ code: "LISTEN_FAILED" });
  });

  it("makes the catalogs it was told of, and more on demand", async () => {
    await using firn = await Firn.open({ catalog: "lake" });
    await firn.catalogs.create("pond/1");
    expect([...(await firn.catalogs.list())].sort()).toEqual(["default", "lake", "pond/1"]);
    const config = await firn.fetch(new Request("http://firn/iceberg/v1/config?warehouse=pond/1"));
    const { overrides } = (await config.json()) as { overrides: Record<string, string> };
    const { prefix } = overrides;
    const listed = await firn.fetch(new Request(`http://firn/iceberg/v1/${prefix}/namespaces`));
    expect(await listed.json()).toEqual({ namespaces: [], "next-page-token": null });
    const unknown = await firn.fetch(new Request("http://firn/iceberg/v1/config?warehouse=sea"));
    expect([unknown.status, unknown.headers.get("X-Firn-Error")]).toEqual([
      404,
      "CATALOG_NOT_FOUND",
    ]);
  });

  it("refuses options that it does not know", async () => {
    const options = { prot: 1, listen: { host: "0.0.0.0" } };
    await expect(Firn.open(options)).rejects.toMatchObject({ code: "SETTINGS_INVALID" });
  });

  it.each([
    [{ profil: "memory" }, "profile"],
    [{ port: 1 }, "listen: { port"],
    [{ host: "localhost" }, "listen: { host"],
    [{ listen: { prot: 1 } }, "port"],
    [{ listen: { dir: "/x" } }, "beside listen"],
    [{ listen: 8181 }, "listen: { port"],
    [{ listen: { port: "x" } }, "listen.port"],
    [{ lisen: { port: 1 } }, "listen"],
  ])("refuses %j, and says what was meant", async (options, advice) => {
    const opened = Firn.open(options as object);
    await expect(opened).rejects.toMatchObject({ code: "SETTINGS_INVALID" });
    await expect(opened).rejects.toThrow(advice);
  });
});
