import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ColumnFigures, Health, Layout } from "../../../../src/api/layout-operations.ts";
import type * as api from "../../../../src/api/resources.ts";
import { HOSTILE_AVRO } from "../../../support/hostile-avro.ts";
import { plantTable } from "../../../support/planted-table.ts";
import type { Api } from "../api.ts";

const NS = "/catalogs/default/namespaces";
type Version = "v1" | "v2";
type Columns = api.Page<ColumnFigures> & { readonly complete: boolean };

type Register = (version: Version, name: string) => Promise<string>;

/** What the manifests of tables tell, against what PyIceberg said when it wrote them. */
export function describeLayouts(served: () => Api): void {
  describe("layouts, columns and health of tables that PyIceberg wrote", () => {
    let directory: string;

    async function registered(version: Version, name: string): Promise<string> {
      const root = join(directory, name);
      const location = plantTable(version, root);
      const body = JSON.stringify({ name, "metadata-location": location });
      const url = "http://firn/iceberg/v1/namespaces/laid/register";
      const headers = { "Content-Type": "application/json" };
      const response = await served().firn.fetch(
        new Request(url, { method: "POST", headers, body }),
      );
      if (response.status !== 200) throw new Error(await response.text());
      return `${NS}/laid/tables/${name}`;
    }

    beforeAll(async () => {
      directory = mkdtempSync(join(tmpdir(), "firn-layouts-"));
      await served().done("POST", NS, { path: ["laid"] });
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));
    reads(served, registered);
    refuses(served, registered);
  });
}

function reads(served: () => Api, registered: Register): void {
  it.each(["v1", "v2"] as const)("agrees with every snapshot's summary, %s", async (version) => {
    const firn = served();
    const table = await registered(version, version);
    const { items } = await firn.done<api.Page<api.Snapshot>>("GET", `${table}/snapshots`);
    expect(items).toHaveLength(4);
    for (const { snapshotId, summary } of items) {
      const path = `${table}/layout?snapshot=${snapshotId}`;
      const layout = await firn.done<Layout>("GET", path);
      const { data, sizes, partitions, formats } = layout;
      expect(layout).toMatchObject({ snapshotId, complete: true, morePartitions: false });
      expect([String(data.files), data.bytes, data.rows]).toEqual([
        summary["total-data-files"],
        summary["total-files-size"],
        summary["total-records"],
      ]);
      expect(sizes[0]).toEqual({
        fromBytes: "0",
        toBytes: "8388608",
        files: data.files,
        bytes: data.bytes,
      });
      expect(formats).toEqual([{ format: "PARQUET", files: data.files }]);
      const rows = partitions.reduce((sum, partition) => sum + Number(partition.rows), 0);
      expect(rows).toBe(Number(data.rows));
    }
    const current = await firn.done<Layout>("GET", `${table}/layout`);
    expect(current.snapshotId).toBe(items[0]?.snapshotId);
    expect(current.partitions.map(({ values }) => values)).toEqual([
      [{ name: "s", value: "b" }],
      [{ name: "s", value: "c" }],
    ]);
    expect(current.manifests).toMatchObject({ count: 4, read: 4, ofDeletes: 0 });
  });

  it("tells nulls, sizes and bounds of columns, page by page", async () => {
    const firn = served();
    const table = await registered("v2", "columns");
    const first = await firn.done<Columns>("GET", `${table}/columns?pageSize=1`);
    const rest = `${table}/columns?pageSize=1&pageToken=${first.nextPageToken}`;
    const last = await firn.done<Columns>("GET", rest);
    expect(last.nextPageToken).toBeUndefined();
    const common = { files: 2, values: "2", nulls: "0", nans: "0", required: false };
    expect([...first.items, ...last.items]).toMatchObject([
      { fieldId: 1, name: "id", type: "long", ...common, lower: "3", upper: "4" },
      { fieldId: 2, name: "s", type: "string", ...common, lower: "b", upper: "c" },
    ]);
    expect(Number(first.items[0]?.bytes)).toBeGreaterThan(0);
  });

  it("finds nothing wrong with a small table, and says what a broken one misses", async () => {
    const firn = served();
    const table = await registered("v1", "sick");
    const { items } = await firn.done<api.Page<api.Snapshot>>("GET", `${table}/snapshots`);
    expect(await firn.done<Health>("GET", `${table}/health`)).toMatchObject({
      snapshotId: items[0]?.snapshotId,
      complete: true,
      snapshots: 4,
      findings: [],
    });
    const [before] = items.slice(1);
    rmSync(new URL(before?.manifestList ?? ""));
    const asked = `${table}/layout?snapshot=${before?.snapshotId}`;
    const problem = await firn.refused("GET", asked);
    expect(problem).toMatchObject({ status: 404, code: "MANIFEST_MISSING" });
    expect(problem.context["location"]).toBe(before?.manifestList);
  });
}

function refuses(served: () => Api, registered: Register): void {
  it("names snapshots that are not there, and tables of other formats", async () => {
    const firn = served();
    const table = await registered("v1", "plain");
    const none = await firn.refused("GET", `${table}/layout?snapshot=17`);
    expect(none).toMatchObject({ status: 404, code: "SNAPSHOT_NOT_FOUND" });
    const huge = await firn.refused("GET", `${table}/columns?snapshot=9223372036854775808`);
    expect(huge).toMatchObject({ status: 400, code: "SNAPSHOT_ID_INVALID" });
    await firn.done("POST", `${NS}/laid/tables`, { name: "other", format: "HUDI" });
    for (const what of ["layout", "columns", "health"]) {
      const problem = await firn.refused("GET", `${NS}/laid/tables/other/${what}`);
      expect(problem).toMatchObject({ status: 404, code: "TABLE_NOT_ICEBERG" });
    }
  });

  it("refuses hostile manifests, and says which file is at fault", async () => {
    const firn = served();
    const table = await registered("v2", "hostile");
    const snapshots = `${table}/snapshots?pageSize=1`;
    const { items } = await firn.done<api.Page<api.Snapshot>>("GET", snapshots);
    const location = items[0]?.manifestList ?? "";
    for (const [what, bytes] of HOSTILE_AVRO) {
      writeFileSync(new URL(location), bytes());
      const problem = await firn.refused("GET", `${table}/layout`);
      expect([what, problem.status]).toEqual([what, 400]);
      expect(problem.code).toMatch(/^(?:MANIFEST_INVALID|WORK_TOO_L\w+)$/);
      expect(problem.context["location"]).toBe(location);
    }
    const { complete, findings } = await firn.done<Health>("GET", `${table}/health`);
    expect(complete).toBe(false);
    expect(findings[0]).toMatchObject({ code: "UNREADABLE_FILES", facts: { location } });
  }, 60_000);
}
