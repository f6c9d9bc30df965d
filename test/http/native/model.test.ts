import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as api from "../../../src/api/resources.ts";
import { Api, ENTRIES } from "./api.ts";
import { describeAccess } from "./suites/access.ts";
import { describeAccounts } from "./suites/accounts.ts";
import { describeConnectors } from "./suites/connectors.ts";
import { describeConstraints } from "./suites/constraints.ts";
import { describeImports } from "./suites/imports.ts";
import { describeLayouts } from "./suites/layouts.ts";
import { describeOtherTables } from "./suites/other-tables.ts";
import { describeStatistics } from "./suites/statistics.ts";
import { describeStorageProfiles } from "./suites/storage-profiles.ts";

const SCHEMA = { type: "struct", fields: [{ id: 1, name: "a", required: false, type: "long" }] };
const NS = "/catalogs/lake/namespaces";

let served: Api;

async function iceberg(method: string, path: string, body: unknown): Promise<unknown> {
  const response = await served.firn.fetch(
    new Request(`http://firn/iceberg/v1/lake${path}`, {
      method,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  if (response.status >= 300) throw new Error(text);
  return text === "" ? undefined : JSON.parse(text);
}

function snapshotOf(id: bigint, parent: bigint | undefined, sequence: number): unknown {
  const text = JSON.stringify({
    "sequence-number": sequence,
    "timestamp-ms": Date.now(),
    "manifest-list": "file:///nowhere/x.avro",
    summary: { operation: "append" },
    "schema-id": 0,
  });
  const above = parent === undefined ? "" : `"parent-snapshot-id":${parent},`;
  const ids = `"snapshot-id":${id},${above}`;
  return `{${ids}${text.slice(1)}`;
}

beforeAll(async () => {
  served = await Api.open();
});
afterAll(async () => {
  await served.firn.close();
});

describe("catalogs over HTTP", () => {
  it("creates, reads and lists catalogs", async () => {
    const made = await served.done<api.Catalog>("POST", "/catalogs", {
      name: "lake",
      description: "all of it",
      properties: { owner: "ann" },
    });
    expect(made).toMatchObject({ name: "lake", description: "all of it", version: "1" });
    expect(await served.done("GET", "/catalogs/lake")).toEqual(made);
    expect(await served.done("GET", `/catalogs/id:${made.id}`)).toEqual(made);
    const page = await served.done<api.Page<api.Summary>>("GET", "/catalogs");
    expect(page.items.map(({ name }) => name)).toEqual(["default", "lake"]);
    const first = await served.done<api.Page<api.Summary>>("GET", "/catalogs?pageSize=1");
    const token = first.nextPageToken ?? "";
    const next = await served.done<api.Page<api.Summary>>("GET", `/catalogs?pageToken=${token}`);
    expect([...first.items, ...next.items]).toEqual(page.items);
    expect((await served.refused("POST", "/catalogs", { name: "lake" })).code).toBe(
      "CATALOG_ALREADY_EXISTS",
    );
  });

  it("refuses a root that no setting allows", async () => {
    const request = { name: "open", defaultLocation: "file:///etc" };
    const problem = await served.refused("POST", "/catalogs", request);
    expect(problem).toMatchObject({ status: 400, code: "LOCATION_NOT_ALLOWED" });
    const further = { name: "open", allowedLocations: ["file:///etc"] };
    expect((await served.refused("POST", "/catalogs", further)).code).toBe("LOCATION_NOT_ALLOWED");
    expect((await served.refused("GET", "/catalogs/open")).status).toBe(404);
  });

  it("updates with masks, and only the version that was meant", async () => {
    const before = await served.done<api.Catalog>("GET", "/catalogs/lake");
    const patch = { description: "new", properties: { owner: null, tier: "gold" } };
    const only = "/catalogs/lake?updateMask=properties.tier";
    const masked = await served.done<api.Catalog>("PATCH", only, patch);
    expect(masked).toMatchObject({
      description: "all of it",
      properties: { owner: "ann", tier: "gold" },
      version: "2",
    });
    const stale = await served.refused("PATCH", "/catalogs/lake", patch, {
      "If-Match": before.etag,
    });
    expect(stale).toMatchObject({ status: 412, code: "PRECONDITION_FAILED" });
    expect(stale.context["etag"]).toBe(masked.etag);
    const whole = await served.done<api.Catalog>("PATCH", "/catalogs/lake", patch, {
      "If-Match": masked.etag,
    });
    expect(whole).toMatchObject({ description: "new", properties: { tier: "gold" } });
    const same = await served.done<api.Catalog>("PATCH", "/catalogs/lake", { description: "new" });
    expect(same.etag).toBe(whole.etag);
    const unknown = "/catalogs/lake?updateMask=description,color";
    expect((await served.refused("PATCH", unknown, patch)).code).toBe("UPDATE_MASK_INVALID");
  });

  it("answers 304 for what a client has", async () => {
    const { etag } = await served.done<api.Catalog>("GET", "/catalogs/lake");
    const again = await served.ask("GET", "/catalogs/lake", undefined, { "If-None-Match": etag });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect((await served.ask("HEAD", "/catalogs/lake")).status).toBe(200);
    expect((await served.ask("HEAD", "/catalogs/none")).status).toBe(404);
  });

  it("keeps what a catalog was", async () => {
    const path = "/catalogs/lake/versions";
    const page = await served.done<api.Page<api.Version>>("GET", `${path}?pageSize=2`);
    expect(page.items.map(({ resource }) => resource.version)).toEqual(["3", "2"]);
    expect(page.items[0]).toMatchObject({ operation: "update-catalog" });
    const rest = `${path}?pageToken=${page.nextPageToken}`;
    const last = await served.done<api.Page<api.Version>>("GET", rest);
    expect(last.items.map(({ resource }) => resource.version)).toEqual(["1"]);
    expect(last.nextPageToken).toBeUndefined();
    const first = await served.done<api.Catalog>("GET", "/catalogs/lake?at=1");
    expect(first.properties).toEqual({ owner: "ann" });
    const diff = await served.done<api.Diff>("GET", "/catalogs/lake:diff?from=1&to=3");
    expect(diff.changes).toEqual([
      { pointer: "/description", before: "all of it", after: "new" },
      { pointer: "/properties/owner", before: "ann" },
      { pointer: "/properties/tier", after: "gold" },
    ]);
    expect((await served.refused("GET", "/catalogs/lake?at=99")).status).toBe(404);
    const past = "/catalogs/lake?at=2001-01-01T00:00:00Z";
    expect([404, 410]).toContain((await served.refused("GET", past)).status);
  });
});

describe("namespaces over HTTP", () => {
  it("creates a namespace once for each key", async () => {
    const key = { "Idempotency-Key": "make-a" };
    const made = await served.done<api.Namespace>("POST", NS, { path: ["a"] }, key);
    const again = await served.ask("POST", NS, { path: ["a"] }, key);
    expect(again.body).toEqual(made);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const other = await served.refused("POST", NS, { path: ["b"] }, key);
    expect(other).toMatchObject({ status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
  });

  it("changes nothing by a dry run", async () => {
    const asked = `${NS}?dryRun=true`;
    expect(await served.done("POST", asked, { path: ["a", "dry"] })).toMatchObject({ name: "dry" });
    expect((await served.refused("GET", `${NS}/a.dry`)).code).toBe("NAMESPACE_NOT_FOUND");
    const taken = await served.refused("POST", asked, { path: ["a"] });
    expect(taken.code).toBe("NAMESPACE_ALREADY_EXISTS");
    await served.done("DELETE", `${NS}/a?dryRun=true`);
    await served.done("GET", `${NS}/a`);
    await served.done("PATCH", `${NS}/a?dryRun=true`, { description: "dry" });
    expect(await served.done("GET", `${NS}/a`)).toMatchObject({ description: "" });
  });

  it("nests, renames and protects namespaces", async () => {
    await served.done("POST", NS, { path: ["a", "b.c"], properties: { k: "v" } });
    const nested = await served.done<api.Namespace>("GET", `${NS}/a.b%2Ec`);
    expect(nested.path).toEqual(["a", "b.c"]);
    const below = await served.done<api.Page<api.Summary>>("GET", `${NS}?parent=a`);
    expect(below.items.map(({ path }) => path)).toEqual([["a", "b.c"]]);
    expect((await served.refused("POST", `${NS}/a:rename`, { path: ["z"] })).code).toBe(
      "NAMESPACE_HAS_CHILDREN",
    );
    const moved = await served.done<api.Namespace>("POST", `${NS}/id:${nested.id}:rename`, {
      path: ["d"],
    });
    expect(moved).toMatchObject({ id: nested.id, path: ["d"], version: "2" });
    await served.done("PATCH", `${NS}/d`, { protected: true });
    expect((await served.refused("DELETE", `${NS}/d`)).code).toBe("PROTECTED");
    await served.done("PATCH", `${NS}/d`, { protected: false });
    await served.done("GET", `${NS}/d/versions`);
    const diff = await served.done<api.Diff>("GET", `${NS}/d:diff?from=1`);
    expect(diff.changes.map(({ pointer }) => pointer)).toEqual(["/name", "/path"]);
  });
});

describe("tables over HTTP", () => {
  it("shows tables, their snapshots and what they were", async () => {
    await iceberg("POST", "/namespaces/a/tables", { name: "t", schema: SCHEMA });
    const table = await served.done<api.Table>("GET", `${NS}/a/tables/t`);
    expect(table).toMatchObject({ format: "ICEBERG", catalog: "lake", namespace: ["a"] });
    const ids = [9223372036854775001n, 9223372036854775003n] as const;
    for (const [i, id] of ids.entries()) {
      const parent = i === 0 ? undefined : ids[i - 1];
      const response = await served.firn.fetch(
        new Request("http://firn/iceberg/v1/lake/namespaces/a/tables/t", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body:
            `{"requirements":[],"updates":[{"action":"add-snapshot","snapshot":` +
            `${snapshotOf(id, parent, i + 1)}},{"action":"set-snapshot-ref","ref-name":"main",` +
            `"type":"branch","snapshot-id":${id}}]}`,
        }),
      );
      expect(response.status, await response.text()).toBe(200);
    }
    const at = `${NS}/a/tables/t/snapshots`;
    const page = await served.done<api.Page<api.Snapshot>>("GET", `${at}?pageSize=1`);
    expect(page.items[0]?.snapshotId).toBe(String(ids[1]));
    const next = `${at}?pageToken=${page.nextPageToken}`;
    const rest = await served.done<api.Page<api.Snapshot>>("GET", next);
    expect(rest.items.map(({ snapshotId }) => snapshotId)).toEqual([String(ids[0])]);
    expect(rest.nextPageToken).toBeUndefined();
    const one = await served.done<api.Snapshot>("GET", `${at}/${ids[1]}`);
    expect(one.parentSnapshotId).toBe(String(ids[0]));
    const current = await served.done<api.Snapshot>("GET", `${at}:resolve`);
    expect(current).toEqual(one);
    const asOf = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    expect(await served.done("GET", `${at}:resolve?asOf=${asOf}`)).toEqual(one);
    const ancestors = await served.done<{ items: api.Snapshot[] }>(
      "GET",
      `${at}/${ids[1]}/ancestors`,
    );
    expect(ancestors.items).toHaveLength(2);
    expect((await served.refused("GET", `${at}/17`)).code).toBe("SNAPSHOT_NOT_FOUND");
    expect((await served.refused("GET", `${at}/x`)).code).toBe("SNAPSHOT_ID_INVALID");
    const versions = await served.done<api.Page<api.Version>>("GET", `${NS}/a/tables/t/versions`);
    expect(versions.items).toHaveLength(3);
    const diff = await served.done<api.Diff>("GET", `${NS}/a/tables/t:diff?from=1`);
    expect(diff.changes.map(({ pointer }) => pointer)).toContain("/iceberg/currentSnapshotId");
  });

  it("describes, renames, drops and brings back tables", async () => {
    const at = `${NS}/a/tables`;
    const told = await served.done<api.Table>("PATCH", `${at}/t`, { description: "a table" });
    expect(told.description).toBe("a table");
    await served.done("PATCH", `${at}/t`, { protected: true });
    expect((await served.refused("DELETE", `${at}/t`)).code).toBe("PROTECTED");
    await served.done("PATCH", `${at}/t`, { protected: false });
    const moved = await served.done<api.Table>("POST", `${at}/t:rename`, {
      name: "u",
      namespace: ["d"],
    });
    expect(moved).toMatchObject({ id: told.id, name: "u", namespace: ["d"] });
    expect(await served.done("GET", `${NS}/d/tables/u`)).toEqual(moved);
    const names = await served.done<api.Page<api.Summary>>("GET", `${NS}/d/tables`);
    expect(names.items).toMatchObject([{ name: "u", format: "ICEBERG", etag: moved.etag }]);
    // By its id, also where the name leads to another one by now.
    const stale = await served.refused("DELETE", `${NS}/a/tables/id:${moved.id}`);
    expect(stale.code).toBe("TABLE_NOT_FOUND");
    await served.done("DELETE", `${NS}/d/tables/id:${moved.id}`, undefined, {
      "If-Match": moved.etag,
    });
    const dropped = await served.done<api.Page<api.Dropped>>("GET", "/dropped");
    expect(dropped.items.map(({ id }) => id)).toContain(moved.id);
    const back = await served.done<api.Dropped>("POST", `/dropped/${moved.id}:undrop`, {
      name: "back",
      parent: ["a"],
    });
    expect(back).toMatchObject({ id: moved.id, name: "back" });
    await served.done("GET", `${NS}/a/tables/back`);
  });
});

describeOtherTables(() => served);
describeAccounts(() => served);
describeAccess(() => served);
describeConnectors(() => served);
describeStorageProfiles(() => served);
describeStatistics(() => served);
describeConstraints(() => served);
describeLayouts(() => served);
describeImports(() => served);

describe("views, names, changes and jobs over HTTP", () => {
  it("shows, describes, renames and drops views", async () => {
    await iceberg("POST", "/namespaces/a/views", {
      name: "v",
      schema: SCHEMA,
      "view-version": {
        "version-id": 1,
        "schema-id": 0,
        "timestamp-ms": 1_700_000_000_000,
        summary: {},
        representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
        "default-namespace": ["a"],
      },
      properties: {},
    });
    const at = `${NS}/a/views`;
    await served.done("GET", `${at}/v:page`);
    expect(await served.done("GET", `${at}/v`)).toMatchObject({ type: "view", name: "v" });
    await served.done("PATCH", `${at}/v`, { description: "a view" });
    await served.done("POST", `${at}/v:rename`, { name: "w" });
    await served.done("GET", `${at}/w/versions`);
    const diff = await served.done<api.Diff>("GET", `${at}/w:diff?from=1`);
    expect(diff.changes.map(({ pointer }) => pointer)).toEqual(["/description", "/name"]);
    expect((await served.done<api.Page<api.Summary>>("GET", at)).items).toHaveLength(1);
    expect(await served.done("GET", "/resolve?name=lake.a.w")).toMatchObject({ type: "view" });
    await served.done("DELETE", `${at}/w`);
  });

  it("resolves full names", async () => {
    const of = async (name: string) =>
      (await served.done<api.Resource>("GET", `/resolve?name=${name}`)).type;
    expect(await of("lake")).toBe("catalog");
    expect(await of("lake.a")).toBe("namespace");
    expect(await of("lake.a.back")).toBe("table");
    expect((await served.refused("GET", "/resolve?name=lake.a.none")).code).toBe("NAME_NOT_FOUND");
    expect((await served.refused("GET", "/resolve?name=none.a")).code).toBe("CATALOG_NOT_FOUND");
  });

  it("tells every change once or more", async () => {
    const since = encodeURIComponent(new Date(Date.now() - 60_000).toISOString());
    const seen: string[] = [];
    let page = await served.done<api.ChangePage>("GET", `/changes?since=${since}&pageSize=5`);
    for (;;) {
      seen.push(...page.items.map(({ operation }) => operation));
      if (!page.hasMore) break;
      page = await served.done("GET", `/changes?pageSize=5&after=${page.cursor}`);
    }
    for (const operation of ["create-catalog", "update-catalog", "rename-table", "undrop-table"]) {
      expect(seen).toContain(operation);
    }
    const forged = await served.refused("GET", "/changes?after=AAAA");
    expect(forged.code).toBe("PAGE_TOKEN_INVALID");
  });

  it("shows jobs", async () => {
    const jobs: api.Job[] = [];
    for (let token = ""; ; ) {
      const page = await served.done<api.Page<api.Job>>("GET", `/jobs?pageSize=1${token}`);
      jobs.push(...page.items);
      if (page.nextPageToken === undefined) break;
      token = `&pageToken=${page.nextPageToken}`;
    }
    const { id } = jobs.find(({ kind }) => kind === "purge") ?? { id: "no purge" };
    expect(await served.done("GET", `/jobs/${id}`)).toMatchObject({ id, state: "waiting" });
    expect((await served.refused("POST", `/jobs/${id}:retry`)).code).toBe("JOB_NOT_DUE");
    expect((await served.refused("GET", "/jobs/none")).code).toBe("JOB_NOT_FOUND");
    const refused = await served.refused("POST", `/jobs/${id}:cancel`);
    expect(refused.code).toBe("JOB_NOT_CANCELLABLE");
  });

  it("drops a namespace with all that is in it, by a job", async () => {
    await served.done("POST", "/catalogs/lake/namespaces", { path: ["whole"] });
    await served.done("POST", "/catalogs/lake/namespaces", { path: ["whole", "part"] });
    const at = "/catalogs/lake/namespaces/whole";
    expect((await served.refused("DELETE", at)).code).toBe("NAMESPACE_NOT_EMPTY");
    const job = await served.done<api.Job>("DELETE", `${at}?recursive=true`);
    expect(job).toMatchObject({ kind: "delete", target: { type: "namespace" } });
    expect((await served.refused("GET", at)).code).toBe("NAMESPACE_NOT_FOUND");
    expect(await served.done("GET", `/jobs/${job.id}`)).toMatchObject({ id: job.id });
  });
});

describe("all of the table", () => {
  it("renames and drops catalogs", async () => {
    expect((await served.refused("DELETE", "/catalogs/lake")).code).toBe("CATALOG_NOT_EMPTY");
    await served.done("POST", "/catalogs", { name: "brief" });
    const renamed = await served.done<api.Catalog>("POST", "/catalogs/brief:rename", {
      name: "short",
    });
    const wrong = { "If-Match": '"1-nonsense"' };
    expect((await served.refused("DELETE", "/catalogs/short", undefined, wrong)).status).toBe(412);
    await served.done("DELETE", "/catalogs/short", undefined, { "If-Match": renamed.etag });
    expect((await served.refused("GET", "/catalogs/short")).status).toBe(404);
  });

  it("has done everything that the table has", async () => {
    await served.done("POST", "/shards/lake:create", { name: "hot" });
    await served.done("POST", "/shards/lake:create", { name: "cold" });
    await served.done("DELETE", "/shards/lake?shard=cold");
    for (const path of ["/info", "/me", "/shards", "/usage", "/node", "/advice?count=true"]) {
      await served.done("GET", path);
    }
    const { id } = await served.done<api.Resource>("GET", "/catalogs/lake");
    await served.done("POST", "/names:find", { things: [{ type: "catalog", id }] });
    await served.done("GET", "/search?q=a");
    await served.done("POST", "/sql", { statement: "select 1", catalog: "lake" });
    await served.done("POST", NS, { path: ["small"] });
    const create = "create table small.t (id int4 primary key)";
    await served.done("POST", "/sql", { statement: create, catalog: "lake" });
    const rows = `${NS}/small/tables/t/rows`;
    await served.done("POST", `${rows}:write`, { writes: [{ op: "put", row: { id: 1 } }] });
    await served.done("POST", `${rows}:get`, { keys: [{ id: 1 }] });
    await served.done("POST", `${rows}:scan`, {});
    await served.done("POST", `${rows}:check`, {});
    await served.done("POST", `${rows}:repair`, {});
    await served.done("POST", `${NS}/small/tables/t:move`, { shard: "hot" });
    await everyPattern(served, `${NS}/small`);
    await served.done("GET", "/home");
    await served.done("GET", "/catalogs/lake:page");
    const place = "/catalogs/lake/namespaces/paged";
    await served.done("POST", NS, { path: ["paged"] });
    await served.done("GET", `${place}:page`);
    const table = { name: "t", format: "OTHER", location: "file:///tmp/paged/t" };
    await served.done("POST", `${place}/tables`, table);
    await served.done("GET", `${place}/tables/t:page`);
    const never = ENTRIES.map(([name]) => name).filter((name) => !served.succeeded.has(name));
    // No job has failed here, so none can be tried again, and none is long enough to be cancelled;
    // logs of Delta tables lie on a disk: `test/service/delta.test.ts`.
    // Nodes of profile aws alone share shards: `test/service/shards/`.
    const shared = ["drainShard", "moveShard", "releaseShard"];
    // This server writes no audit log: `test/server/audit-read.test.ts`.
    const expected = ["cancelJob", "listAudit", "refreshTable", "retryJob", ...shared];
    expect(never.toSorted()).toEqual(expected.toSorted());
  });
});

/** Calls every operation of the patterns once. */
async function everyPattern(api: Api, ns: string): Promise<void> {
  const at = async (collection: string) => {
    await api.done("POST", `${ns}/${collection}`, { name: collection });
    return (verb: string, body: object) =>
      api.done("POST", `${ns}/${collection}/${collection}:${verb}`, body);
  };
  const leases = await at("leases");
  await leases("acquire", { name: "a", owner: "b", ttlMs: 60_000 });
  await leases("renew", { name: "a", fence: "1", ttlMs: 60_000 });
  await leases("get", { name: "a" });
  await leases("release", { name: "a", fence: "1" });
  const queues = await at("queues");
  await queues("enqueue", { payloads: [1, 2, 3] });
  const { tasks } = (await queues("claim", { max: 3 })) as unknown as {
    readonly tasks: readonly { readonly id: string; readonly fence: string }[];
  };
  const [first, second] = tasks.map(({ id, fence }) => ({ id, fence }));
  await queues("extend", { ...first, visibilityMs: 60_000 });
  await queues("ack", { ...first });
  await queues("nack", { ...second, maxAttempts: 1 });
  await api.done("GET", `${ns}/queues/queues/dead-tasks`);
  await queues("redrive", { id: second?.id });
  await queues("discard", { id: second?.id });
  await (await at("logs"))("append", { stream: "a", events: [1] });
  await api.done("GET", `${ns}/logs/logs/events`);
  const counters = await at("counters");
  await counters("add", { name: "a" });
  await counters("get", { name: "a" });
  await counters("fold", { name: "a" });
  const commands = await at("idempotency");
  const command = { scope: "a", key: "b", hash: "c" };
  await commands("reserve", { ...command, leaseMs: 60_000 });
  await commands("abandon", { ...command, fence: "1" });
  await commands("reserve", { ...command, leaseMs: 60_000 });
  await commands("complete", { ...command, fence: "2", reply: {} });
  await commands("forget", { scope: "a", key: "b" });
  const seen = await at("deduplication");
  const span = { ttlMs: 1_000, bucketMs: 1_000 };
  await seen("find-new", { keys: ["a"], ...span });
  await seen("drop-expired", span);
  const archives = await at("archives");
  await archives("run", { table: "archives", keepMs: 0, bucketMs: 1_000 });
  await api.done("GET", `${ns}/archives/archives/objects`);
  const links = await at("links");
  await links("add-node", { node: "a" });
  await links("link", { from: "a", to: "a" });
  await api.done("GET", `${ns}/links/links/linked?node=a&direction=to`);
  await links("unlink", { from: "a", to: "a" });
  await links("remove-node", { node: "a" });
  const configuration = await at("configurations");
  await configuration("set", { name: "a", value: 1 });
  await configuration("get", { name: "a" });
  await api.done("GET", `${ns}/configurations/configurations/changes`);
  await configuration("remove", { name: "a" });
}
