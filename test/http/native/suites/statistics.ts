import { describe, expect, it } from "vitest";
import type * as api from "../../../../src/api/resources.ts";
import type { Stats, StatsPut } from "../../../../src/api/statistics-operations.ts";
import type { Api } from "../api.ts";

const TABLE = "/catalogs/lake/namespaces/a/tables/back";
const LINES = { "Content-Type": "application/x-ndjson" };

/** The ids of the table's snapshots, newest first. */
export async function snapshotsOf(firn: Api): Promise<readonly string[]> {
  const page = await firn.done<api.Page<api.Snapshot>>("GET", `${TABLE}/snapshots`);
  return page.items.map(({ snapshotId }) => snapshotId);
}

const COLUMN = {
  target: { kind: "COLUMN", fieldId: 1 },
  rowCount: "9007199254740993",
  nullCount: "3",
  nanCount: "0",
  min: "1",
  max: '"z"',
  averageWidth: 7.5,
  distinct: { count: "120", exact: false, error: 0.02, theta: "AQID" },
  histogram: '{"bounds":[1,2]}',
  kll: "AAEC",
  producer: "spark 4.1",
  complete: false,
  coverage: 0.25,
  properties: { run: "17" },
};

/** Statistics of snapshots. Table `lake.a.back` is there, with snapshots. */
export function describeStatistics(served: () => Api): void {
  describe("statistics over HTTP", () => {
    puts(served);
    packs(served);
    waits(served);
    refuses(served);
  });
}

function puts(served: () => Api): void {
  it("puts, gets and deletes those of a target", async () => {
    const firn = served();
    const [newest = ""] = await snapshotsOf(firn);
    const at = `${TABLE}/snapshots/${newest}/stats`;
    const put = await firn.done<StatsPut>("PUT", at, COLUMN);
    expect(put).toMatchObject({ id: "column-0000000000000000001", version: "1", changed: true });
    const found = await firn.done<Stats>("GET", `${at}/${put.id}`);
    expect(found).toMatchObject({ ...COLUMN, id: put.id, snapshotId: newest, etag: put.etag });
    const same = await firn.done<StatsPut>("PUT", at, COLUMN);
    expect(same).toEqual({ ...put, changed: false });
    const more = await firn.done<StatsPut>("PUT", at, { ...COLUMN, rowCount: "5" });
    expect(more).toMatchObject({ version: "2", changed: true });
    const known = { "If-None-Match": more.etag };
    expect((await firn.ask("GET", `${at}/${put.id}`, undefined, known)).status).toBe(304);
    const stale = { "If-Match": put.etag };
    expect((await firn.refused("DELETE", `${at}/${put.id}`, undefined, stale)).status).toBe(412);
    await firn.done("DELETE", `${at}/${put.id}`, undefined, { "If-Match": more.etag });
    expect((await firn.refused("GET", `${at}/${put.id}`)).code).toBe("STATS_NOT_FOUND");
    const back = await firn.done<StatsPut>("PUT", at, COLUMN);
    // Versions go on behind a delete: no entity tag comes back.
    expect(back).toMatchObject({ version: "4", changed: true });
  });

  it("puts nothing in a dry run, and one thing under one key", async () => {
    const firn = served();
    const [newest = ""] = await snapshotsOf(firn);
    const at = `${TABLE}/snapshots/${newest}/stats`;
    const table = { target: { kind: "TABLE" }, rowCount: "7" };
    const dry = await firn.done<StatsPut>("PUT", `${at}?dryRun=true`, table);
    expect(dry.changed).toBe(true);
    expect((await firn.refused("GET", `${at}/table`)).code).toBe("STATS_NOT_FOUND");
    const key = { "Idempotency-Key": "stats-1" };
    const first = await firn.done<StatsPut>("PUT", at, table, key);
    const again = await firn.ask("PUT", at, table, key);
    expect(again.body).toEqual(first);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const other = await firn.refused("PUT", at, { ...table, rowCount: "8" }, key);
    expect(other.code).toBe("IDEMPOTENCY_KEY_REUSED");
  });
}

function packs(served: () => Api): void {
  it("packs a stream of lines, and lists by kind and by path", async () => {
    const firn = served();
    const [newest = ""] = await snapshotsOf(firn);
    const at = `${TABLE}/snapshots/${newest}/stats`;
    const columns = Array.from({ length: 60 }, (_, i) => ({
      target: { kind: "COLUMN", fieldId: 100 + i },
      nullCount: String(i),
    }));
    const files = Array.from({ length: 50 }, (_, i) => ({
      target: { kind: "FILE", path: `s3://b/${"d/".repeat(90)}${i}.parquet` },
      rowCount: String(i),
    }));
    const expression = { target: { kind: "EXPRESSION", engine: "spark", expression: "a + 1" } };
    const all = [...columns, expression, ...files];
    const text = all.map((one) => JSON.stringify(one)).join("\n");
    const key = { ...LINES, "Idempotency-Key": "stream-1" };
    const done = await firn.done<readonly StatsPut[]>("POST", `${at}:batch`, text, key);
    expect(done).toHaveLength(all.length);
    expect(done.every(({ changed }) => changed)).toBe(true);
    expect(await firn.done("POST", `${at}:batch`, text, key)).toEqual(done);
    const again = await firn.done<readonly StatsPut[]>("POST", `${at}:batch`, text, LINES);
    expect(again).toEqual(done.map((one) => ({ ...one, changed: false })));
    const listed: Stats[] = [];
    for (let token = ""; ; ) {
      const page = await firn.done<api.Page<Stats>>("GET", `${at}?kind=COLUMN&pageSize=25${token}`);
      listed.push(...page.items);
      if (page.nextPageToken === undefined) break;
      token = `&pageToken=${page.nextPageToken}`;
    }
    const ids = listed.map(({ target }) => (target.kind === "COLUMN" ? target.fieldId : -1));
    expect(ids).toEqual([1, ...columns.map(({ target }) => target.fieldId)]);
    const tables = await firn.done<api.Page<Stats>>("GET", `${at}?kind=TABLE`);
    expect(tables.items.map(({ id }) => id)).toEqual(["table"]);
    const kept = await firn.done<api.Page<Stats>>("GET", `${at}?kind=EXPRESSION`);
    expect(kept.items).toMatchObject([expression]);
    const byPath = `${TABLE}/snapshots/${newest}/file-stats`;
    const paths = await firn.done<api.Page<Stats>>("GET", `${byPath}?pageSize=1000`);
    expect(paths.items).toHaveLength(files.length);
    const path = files[7]?.target.path ?? "";
    const one = await firn.done<Stats>("GET", `${byPath}:resolve?path=${encodeURIComponent(path)}`);
    expect(one).toMatchObject({ ...files[7], snapshotId: newest });
    expect(await firn.done("GET", `${at}/${one.id}`)).toEqual(one);
    await firn.done("DELETE", `${at}/${one.id}`);
    const gone = await firn.refused("GET", `${byPath}:resolve?path=${encodeURIComponent(path)}`);
    expect(gone.code).toBe("STATS_NOT_FOUND");
  });

  it("names what is wrong with each line, and stores none of them", async () => {
    const firn = served();
    const [newest = ""] = await snapshotsOf(firn);
    const at = `${TABLE}/snapshots/${newest}/stats`;
    const good = { target: { kind: "COLUMN", fieldId: 999 } };
    const lines = [good, { color: 1 }, { target: { kind: "COLUMN", fieldId: -1 } }];
    const text = lines.map((one) => JSON.stringify(one)).join("\n");
    const problem = await firn.refused("POST", `${at}:batch`, text, LINES);
    expect(problem.code).toBe("REQUEST_INVALID");
    const pointers = problem.errors?.map(({ pointer }) => pointer?.split("/")[1]);
    expect(new Set(pointers)).toEqual(new Set(["1", "2"]));
    const twice = `${JSON.stringify(good)}\n${JSON.stringify(good)}`;
    expect((await firn.refused("POST", `${at}:batch`, twice, LINES)).code).toBe("STATS_INVALID");
    expect((await firn.refused("POST", `${at}:batch`, "", LINES)).code).toBe("REQUEST_INVALID");
    expect((await firn.refused("POST", `${at}:batch`, "{}\n{", LINES)).status).toBe(400);
    const none = await firn.refused("GET", `${at}/column-0000000000000000999`);
    expect(none.code).toBe("STATS_NOT_FOUND");
  });
}

function waits(served: () => Api): void {
  it("takes them before their snapshot, and answers them with it", async () => {
    const firn = served();
    const early = "4611686018427387904";
    const at = `${TABLE}/snapshots/${early}/stats`;
    await firn.done("PUT", at, { target: { kind: "TABLE" }, rowCount: "1" });
    for (const path of [`${at}/table`, at, `${TABLE}/snapshots/${early}/file-stats`]) {
      expect((await firn.refused("GET", path)).code).toBe("SNAPSHOT_NOT_FOUND");
    }
    const response = await firn.firn.fetch(
      new Request("http://firn/iceberg/v1/lake/namespaces/a/tables/back", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: `{"requirements":[],"updates":[{"action":"add-snapshot","snapshot":{
          "snapshot-id":${early},"sequence-number":9,"timestamp-ms":${Date.now()},
          "manifest-list":"file:///nowhere/y.avro","summary":{"operation":"append"}}}]}`,
      }),
    );
    expect(await response.text()).toContain(early);
    expect(await firn.done("GET", `${at}/table`)).toMatchObject({ rowCount: "1" });
    expect((await firn.done<api.Page<Stats>>("GET", at)).items).toHaveLength(1);
  });
}

function refuses(served: () => Api): void {
  it("refuses what cannot be", async () => {
    const firn = served();
    const [newest = ""] = await snapshotsOf(firn);
    const at = `${TABLE}/snapshots/${newest}/stats`;
    const refused = async (more: object) =>
      (await firn.refused("PUT", at, { target: { kind: "TABLE" }, ...more })).code;
    expect(await refused({ rowCount: "9223372036854775808" })).toBe("STATS_INVALID");
    expect(await refused({ rowCount: "-1" })).toBe("REQUEST_INVALID");
    expect(await refused({ kll: "not base64" })).toBe("STATS_INVALID");
    expect(await refused({ min: "{" })).toBe("STATS_INVALID");
    expect(await refused({ coverage: 2 })).toBe("REQUEST_INVALID");
    expect(await refused({ target: { kind: "FILE" } })).toBe("REQUEST_INVALID");
    expect(await refused({ target: { kind: "EXPRESSION", engine: "A/", expression: "a" } })).toBe(
      "REQUEST_INVALID",
    );
    const exact = { distinct: { count: "1", exact: true, error: 0.5 } };
    expect(await refused(exact)).toBe("STATS_INVALID");
    expect(await refused({ properties: { password: "hush" } })).toBe("PROPERTY_SECRET");
    const away = `${TABLE}x/snapshots/${newest}/stats`;
    const missing = await firn.refused("PUT", away, { target: { kind: "TABLE" } });
    expect(missing.code).toBe("TABLE_NOT_FOUND");
  });
}
