import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ArchiveOperations } from "../../../src/api/archive-operations.ts";
import type { Reservation } from "../../../src/api/command-operations.ts";
import type { Lease } from "../../../src/api/lease-operations.ts";
import type { LogEvent } from "../../../src/api/log-operations.ts";
import type { ClaimedTask, DeadTask } from "../../../src/api/queue-operations.ts";
import { readEvents } from "../../../src/client/events.ts";
import { Api } from "./api.ts";

const NS = "/catalogs/lake/namespaces/ops";
const BIG = "12345678901234567890.10";

let api: Api;
let made = 0;
beforeAll(async () => {
  api = await Api.open();
  await api.done("POST", "/catalogs", { name: "lake" });
  await api.done("POST", "/catalogs/lake/namespaces", { path: ["ops"] });
});
afterAll(() => api.firn.close());

/** The path of a pattern's new table. */
async function make(collection: string): Promise<string> {
  const name = `t${++made}`;
  expect(await api.done("POST", `${NS}/${collection}`, { name })).toEqual({ name });
  return `${NS}/${collection}/${name}`;
}

const tableIn = (path: string): string => path.split("/").at(-1) ?? "";

async function codeOf(work: Promise<{ readonly status: number; readonly body: unknown }>) {
  const { status, body } = await work;
  return status < 300 ? "done" : `${status} ${(body as { readonly code: string }).code}`;
}

const codeAt = (path: string, body: unknown) => codeOf(api.ask("POST", path, body));
const times = (count: number) => Array.from({ length: count }, (_, i) => i);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("tables of patterns over HTTP", () => {
  it("are made once, and have the columns of their pattern", async () => {
    const leases = await make("leases");
    const name = tableIn(leases);
    expect(await codeAt(`${NS}/leases`, { name })).toBe("409 TABLE_ALREADY_EXISTS");
    expect(await codeAt("/catalogs/lake/namespaces/none/logs", { name })).toBe(
      "404 NAMESPACE_NOT_FOUND",
    );
    expect(await codeAt(`${NS}/queues/${name}:claim`, {})).toBe("400 PATTERN_TABLE_MISMATCH");
    expect(await codeAt(`${NS}/queues/none:claim`, {})).toBe("404 TABLE_NOT_FOUND");
    const table = await api.done<{ format: string }>("GET", `${NS}/tables/${name}`);
    expect(table.format).toBe("ROW");
  });
});

describe("leases over HTTP", () => {
  let leases: string;
  const acquire = (owner: string, ttlMs = 60_000) =>
    api.done<Lease>("POST", `${leases}:acquire`, { name: "job", owner, ttlMs });
  beforeEach(async () => {
    leases = await make("leases");
  });

  it("go to one of many racers; a stale fence is gone, a forged one is refused", async () => {
    const body = (owner: number) => ({ name: "job", owner: `w${owner}`, ttlMs: 60_000 });
    const told = await Promise.all(
      times(50).map((i) => api.ask("POST", `${leases}:acquire`, body(i))),
    );
    expect(told.filter(({ status }) => status === 200)).toHaveLength(1);
    const held = told.find(({ status }) => status === 409)?.body;
    expect(held).toMatchObject({ code: "LEASE_HELD", context: { owner: expect.any(String) } });
    expect((held as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(0);
    const { lease } = await api.done<{ lease: Lease }>("POST", `${leases}:get`, { name: "job" });
    expect(lease.fence).toBe("1");
    const again = await acquire(lease.owner);
    expect(again.fence).toBe("2");
    const renew = (fence: string) => codeAt(`${leases}:renew`, { name: "job", fence, ttlMs: 1 });
    expect(await renew("1")).toBe("410 LEASE_LOST");
    expect(await renew("3")).toBe("400 PATTERN_FENCE_INVALID");
    expect(await renew("9223372036854775808")).toBe("400 PATTERN_FENCE_INVALID");
    expect(await renew("-1")).toBe("400 PATTERN_FENCE_INVALID");
    expect(await renew("x")).toBe("400 REQUEST_INVALID");
    expect(await renew("2")).toBe("done");
    await pause(5);
    expect(await api.done("POST", `${leases}:get`, { name: "job" })).toEqual({ lease: null });
    expect((await acquire("other")).fence).toBe("3");
    const release = (fence: string) =>
      api.done("POST", `${leases}:release`, { name: "job", fence });
    expect(await release("2")).toEqual({ released: false });
    expect(await release("3")).toEqual({ released: true });
    expect((await acquire("third")).fence).toBe("4");
  });

  it("keep a stale holder from writing rows", async () => {
    const statement = "create table ops.guarded (k text primary key, fence int8)";
    await api.done("POST", "/sql", { statement, catalog: "lake" }).catch(() => {});
    const write = (fence: string, more = {}) =>
      codeAt(`${NS}/tables/guarded/rows:write`, {
        writes: [{ op: "put", row: { k: "job", fence } }],
        fences: [{ table: tableIn(leases), name: "job", fence, ...more }],
      });
    const holders = await Promise.all(times(8).map((i) => acquire(`w${i}`, 1).catch(() => null)));
    await pause(5);
    const newest = await acquire("last");
    const stale = holders.flatMap((lease) => (lease === null ? [] : [lease.fence]));
    expect(stale.length).toBeGreaterThan(0);
    const told = await Promise.all([...stale, newest.fence].map((fence) => write(fence)));
    expect(told).toEqual([...stale.map(() => "410 LEASE_LOST"), "done"]);
    expect(await write("99")).toBe("400 PATTERN_FENCE_INVALID");
    expect(await write(newest.fence, { table: "none" })).toBe("404 TABLE_NOT_FOUND");
    const { rows } = await api.done<{ rows: unknown }>("POST", `${NS}/tables/guarded/rows:get`, {
      keys: [{ k: "job" }],
    });
    expect(rows).toEqual([{ k: "job", fence: newest.fence }]);
  });
});

describe("queues over HTTP", () => {
  let queue: string;
  const claim = async (body: object = {}) =>
    (await api.done<{ tasks: readonly ClaimedTask[] }>("POST", `${queue}:claim`, body)).tasks;
  beforeEach(async () => {
    queue = await make("queues");
  });

  it("give each task to one of many workers, and acknowledge it once", async () => {
    const payloads = times(200).map((n) => ({ n }));
    await api.done("POST", `${queue}:enqueue`, { payloads });
    const done: number[] = [];
    const worker = async (): Promise<void> => {
      for (let tasks = await claim({ max: 7 }); tasks.length > 0; tasks = await claim({ max: 7 })) {
        for (const { id, fence, payload } of tasks) {
          const told = await api.done("POST", `${queue}:ack`, { id, fence });
          expect(told).toEqual({ acknowledged: true });
          done.push((payload as { n: number }).n);
        }
      }
    };
    await Promise.all(times(16).map(worker));
    expect(done.sort((a, b) => a - b)).toEqual(times(200));
  });

  it("refuse a claim that another has taken over, and one that was never given", async () => {
    const { ids } = await api.done<{ ids: readonly string[] }>("POST", `${queue}:enqueue`, {
      payloads: ["a"],
    });
    const [old] = await claim({ visibilityMs: 1 });
    await pause(5);
    const [now] = await claim();
    expect([old?.id, now?.id]).toEqual([ids[0], ids[0]]);
    const id = ids[0];
    for (const [verb, more] of [
      ["ack", {}],
      ["nack", {}],
      ["extend", { visibilityMs: 1_000 }],
    ] as const) {
      const at = `${queue}:${verb}`;
      expect(await codeAt(at, { id, fence: old?.fence, ...more })).toBe("410 QUEUE_CLAIM_LOST");
      expect(await codeAt(at, { id, fence: "7", ...more })).toBe("400 PATTERN_FENCE_INVALID");
    }
    expect(await codeAt(`${queue}:extend`, { ...ofClaim(now), visibilityMs: 60_000 })).toBe("done");
    const ack = () => api.done("POST", `${queue}:ack`, ofClaim(now));
    expect([await ack(), await ack()]).toEqual([{ acknowledged: true }, { acknowledged: false }]);
    expect(await codeAt(`${queue}:nack`, ofClaim(now))).toBe("404 QUEUE_TASK_NOT_FOUND");
  });

  it("keep dead letters, and payloads digit by digit", async () => {
    await api.ask("POST", `${queue}:enqueue`, `{"payloads":[{"big":${BIG}}]}`);
    const [task] = await claim();
    const nack = { ...ofClaim(task), maxAttempts: 1, reason: "bad" };
    expect(await codeAt(`${queue}:nack`, nack)).toBe("done");
    expect(await claim()).toEqual([]);
    const dead = await api.ask("GET", `${queue}/dead-tasks`);
    expect(dead.text).toContain(`"payload":{"big":${BIG}}`);
    const [letter] = (dead.body as { tasks: readonly DeadTask[] }).tasks;
    expect(letter).toMatchObject({ attempts: 1, reason: "bad" });
    const { id } = letter as DeadTask;
    const at = (verb: string) => api.done("POST", `${queue}:${verb}`, { id });
    expect(await at("redrive")).toEqual({ redriven: true });
    expect(await at("discard")).toEqual({ discarded: false });
    expect((await claim())[0]?.attempts).toBe(1);
  });

  it("answer with fewer tasks than asked for where payloads are large", async () => {
    const payload = "x".repeat(900_000);
    for (const _ of times(7)) await api.done("POST", `${queue}:enqueue`, { payloads: [payload] });
    expect(await claim({ max: 100 })).toHaveLength(5);
    expect(await claim({ max: 100 })).toHaveLength(2);
  });
});

function ofClaim(task: ClaimedTask | undefined) {
  return { id: task?.id, fence: task?.fence };
}

describe("logs over HTTP", () => {
  let log: string;
  const append = (stream: string, events: readonly unknown[], expectedVersion?: string) =>
    api.ask("POST", `${log}:append`, {
      stream,
      events,
      ...(expectedVersion && { expectedVersion }),
    });
  const read = async (query = "") =>
    (await api.done<{ events: readonly LogEvent[] }>("GET", `${log}/events${query}`)).events;
  beforeEach(async () => {
    log = await make("logs");
  });

  it("have no gaps under concurrency, and one winner for each expected version", async () => {
    const expecting = await Promise.all(times(20).map((i) => append("case", [i], "0")));
    const codes = await Promise.all(expecting.map((one) => codeOf(Promise.resolve(one))));
    expect(codes.filter((code) => code === "done")).toHaveLength(1);
    expect(codes.filter((code) => code === "409 LOG_VERSION_CONFLICT")).toHaveLength(19);
    await Promise.all(times(60).map((i) => append(`s${i % 3}`, [i, i])));
    const all = await read("?max=1000");
    expect(all.map(({ position }) => position)).toEqual(times(121).map((i) => String(i + 1)));
    for (const stream of ["s0", "s1", "s2"]) {
      const own = await read(`?stream=${stream}&max=1000`);
      expect(own.map(({ version }) => version)).toEqual(times(40).map((i) => String(i + 1)));
    }
    expect((await read("?stream=s1&after=38")).map(({ version }) => version)).toEqual(["39", "40"]);
  });

  it("are followed as server-sent events from any position, events digit by digit", async () => {
    await append("a", [1, 2]);
    await api.ask("POST", `${log}:append`, `{"stream":"b","events":[${BIG}]}`);
    const seen: string[] = [];
    const ended = new AbortController();
    const response = await api.firn.fetch(
      new Request(`http://firn/api/v1${log}/events?after=1`, {
        headers: { Accept: "text/event-stream" },
        signal: ended.signal,
      }),
    );
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    for await (const { data } of readEvents(response.body as ReadableStream<Uint8Array>)) {
      if (data !== undefined) seen.push(data);
      if (seen.length === 2) void append("a", [3]);
      if (seen.length === 3) break;
    }
    ended.abort();
    expect(seen[1]).toContain(`"event":${BIG}`);
    expect(seen.map((text) => JSON.parse(text).position)).toEqual(["2", "3", "4"]);
  });
});

describe("counters over HTTP", () => {
  it("add up to the acknowledged adds", async () => {
    const counters = await make("counters");
    const client = async (): Promise<void> => {
      for (const n of [undefined, "2", "-1"]) {
        const told = await codeAt(`${counters}:add`, { name: "hits", ...(n && { n }) });
        expect(told).toBe("done");
      }
    };
    await Promise.all(times(64).map(client));
    const get = (more = {}) => api.done("POST", `${counters}:get`, { name: "hits", ...more });
    expect(await get()).toEqual({ value: "128" });
    expect(await codeAt(`${counters}:fold`, { name: "hits" })).toBe("done");
    expect(await get({ maxAgeMs: 60_000 })).toEqual({ value: "128" });
    const most = { name: "full", n: "9223372036854775807" };
    expect(await codeAt(`${counters}:add`, most)).toBe("done");
    expect(await codeAt(`${counters}:add`, { name: "full", n: "9223372036854775808" })).toBe(
      "400 COUNTER_OVERFLOW",
    );
    expect(await codeAt(`${counters}:add`, { name: "full", n: "1e3" })).toBe("400 REQUEST_INVALID");
  });
});

describe("an idempotency store over HTTP", () => {
  it("gives a command to one caller, and all the same reply", async () => {
    const commands = await make("idempotency");
    const command = { scope: "pay", key: "1", hash: "h" };
    const reserve = (leaseMs = 60_000, more = {}) =>
      api.ask("POST", `${commands}:reserve`, { ...command, leaseMs, ...more });
    const told = await Promise.all(times(50).map(() => reserve(1)));
    const reserved = told.filter(({ status }) => status === 200);
    const first = reserved
      .map(({ body }) => body as Reservation)
      .find(({ fence }) => fence === "1") as Reservation;
    expect(first).toMatchObject({ state: "reserved", fence: "1", isTakenOver: false });
    await pause(5);
    const second = (await reserve()).body as Reservation;
    expect(second).toMatchObject({ state: "reserved", isTakenOver: true });
    expect(await codeOf(reserve())).toBe("409 IDEMPOTENCY_IN_PROGRESS");
    expect(await codeOf(reserve(1, { hash: "other" }))).toBe("400 IDEMPOTENCY_KEY_MISMATCH");
    const complete = (fence: string | undefined, reply: string) =>
      codeOf(
        api.ask(
          "POST",
          `${commands}:complete`,
          `${JSON.stringify({ ...command, fence }).slice(0, -1)},"reply":${reply}}`,
        ),
      );
    expect(await complete(first.fence, "0")).toBe("410 IDEMPOTENCY_LOST");
    expect(await complete("999", "0")).toBe("400 PATTERN_FENCE_INVALID");
    expect(await complete(second.fence, BIG)).toBe("done");
    const replies = await Promise.all(times(20).map(() => reserve()));
    for (const { text } of replies) expect(text).toBe(`{"state":"done","reply":${BIG}}`);
    const { scope, key } = command;
    const forget = () => api.done("POST", `${commands}:forget`, { scope, key });
    expect([await forget(), await forget()]).toEqual([{ forgotten: true }, { forgotten: false }]);
    const again = (await reserve()).body as Reservation;
    expect(await codeAt(`${commands}:abandon`, { ...command, fence: again.fence })).toBe("done");
    expect((await reserve()).body).toMatchObject({ state: "reserved", isTakenOver: true });
  });
});

describe("deduplication over HTTP", () => {
  it("tells one of many callers that a key is new", async () => {
    const seen = await make("deduplication");
    const span = { ttlMs: 604_800_000, bucketMs: 86_400_000 };
    const isNew = async (keys: readonly string[]) =>
      (await api.done<{ isNew: readonly boolean[] }>("POST", `${seen}:find-new`, { keys, ...span }))
        .isNew;
    const told = await Promise.all(times(40).map(() => isNew(["a", "b"])));
    expect(told.filter(([a]) => a)).toHaveLength(1);
    expect(told.filter(([, b]) => b)).toHaveLength(1);
    expect(await codeAt(`${seen}:drop-expired`, span)).toBe("done");
    expect(await isNew(["a", "c", "c"])).toEqual([false, true, false]);
    const other = { ...span, bucketMs: 3_600_000 };
    expect(await codeAt(`${seen}:find-new`, { keys: ["a"], ...other })).toBe(
      "400 PATTERN_VALUE_INVALID",
    );
    const wider = { ...span, bucketMs: 172_800_000 };
    expect(await codeAt(`${seen}:find-new`, { keys: ["a"], ...wider })).toBe(
      "400 DEDUPLICATION_WIDTH_MISMATCH",
    );
  });
});

describe("links over HTTP", () => {
  it("are found from both ends, and keep their nodes", async () => {
    const links = await make("links");
    const post = (verb: string, body: object) =>
      api.done<Readonly<Record<string, boolean>>>("POST", `${links}:${verb}`, body);
    for (const node of ["a", "b", "c"]) {
      expect(await post("add-node", { node })).toEqual({ added: true });
    }
    expect(await post("add-node", { node: "a" })).toEqual({ added: false });
    const ends = { from: "a", to: "b" };
    const told = await Promise.all(times(20).map(() => post("link", ends)));
    expect(told.filter(({ linked }) => linked)).toHaveLength(1);
    await post("link", { from: "a", to: "c" });
    const linked = (query: string) => api.done("GET", `${links}/linked?${query}`);
    expect(await linked("node=a&direction=from")).toEqual({ nodes: ["b", "c"] });
    expect(await linked("node=a&direction=from&after=b&max=1")).toEqual({ nodes: ["c"] });
    expect(await linked("node=b&direction=to")).toEqual({ nodes: ["a"] });
    expect(await codeAt(`${links}:remove-node`, { node: "b" })).toBe("409 LINKS_OPEN");
    expect(await codeAt(`${links}:link`, { from: "a", to: "d" })).toBe("404 LINK_NODE_NOT_FOUND");
    for (const query of ["node=a", "direction=to", "node=a&direction=up", "node=&direction=to"]) {
      const asked = api.ask("GET", `${links}/linked?${query}`);
      expect(await codeOf(asked), query).toMatch(/^400 /);
    }
    expect(await post("unlink", ends)).toEqual({ unlinked: true });
    expect(await post("unlink", ends)).toEqual({ unlinked: false });
    expect(await post("remove-node", { node: "b" })).toEqual({ removed: true });
    expect(await post("remove-node", { node: "b" })).toEqual({ removed: false });
  });
});

describe("a configuration over HTTP", () => {
  it("has one winner for each version, and tells changes digit by digit", async () => {
    const config = await make("configurations");
    const set = (name: string, value: string, more = "") =>
      api.ask("POST", `${config}:set`, `{"name":"${name}","value":${value}${more}}`);
    const get = (name: string, more: object = {}) =>
      api.ask("POST", `${config}:get`, { name, ...more });
    const told = await Promise.all(
      times(20).map((i) => codeOf(set("limit", `${i}`, ',"expectedVersion":"0"'))),
    );
    expect(told.filter((one) => one === "done")).toHaveLength(1);
    expect(told.filter((one) => one === "409 CONFIGURATION_CONFLICT")).toHaveLength(19);
    expect((await set("limit", BIG)).body).toEqual({ version: "2", revision: "2" });
    for (const maxAgeMs of [0, 60_000, 60_000, 60_000]) {
      const { text } = await get("limit", { maxAgeMs });
      expect(text).toContain(`"version":"2","revision":"2","at":"`);
      expect(text).toContain(`"value":${BIG}}}`);
    }
    await set("flag", "null");
    expect((await get("flag")).body).toMatchObject({ entry: { value: null } });
    const remove = () => api.done("POST", `${config}:remove`, { name: "flag" });
    expect([await remove(), await remove()]).toEqual([{ removed: true }, { removed: false }]);
    expect((await get("flag")).body).toEqual({ entry: null });
    const changes = (query: string) => api.ask("GET", `${config}/changes?${query}`);
    const { text, body } = await changes("");
    expect(text).toContain(`"isRemoved":false,"value":${BIG}}`);
    expect(body).toMatchObject({
      changes: [{ name: "limit" }, { name: "flag", version: "2", revision: "4", isRemoved: true }],
      revision: "4",
    });
    expect((await changes("after=4")).body).toEqual({ changes: [], revision: "4" });
    expect((await changes("max=1")).body).toMatchObject({ revision: "2" });
    expect(await codeOf(changes("after=x"))).toMatch(/^400 /);
    expect((await changes("after=9223372036854775807")).body).toMatchObject({ changes: [] });
  });
});

type ArchiveAnswer = ArchiveOperations["archiveRows"]["answer"];

describe("an archive over HTTP", () => {
  it("takes old rows of another table of the namespace to objects that can be read", async () => {
    const archive = await make("archives");
    const statement =
      "CREATE TABLE ops.events (at timestamptz, id int, PRIMARY KEY (at, id)); " +
      "INSERT INTO ops.events VALUES ('2020-01-01T10:00Z', 1), ('2020-01-01T11:00Z', 2), " +
      "('2020-01-02T10:00Z', 3), ('2999-01-01T10:00Z', 4)";
    await api.done("POST", "/sql", { statement, catalog: "lake" });
    const asked = { table: "events", keepMs: 86_400_000, bucketMs: 86_400_000, maxObjects: 1 };
    const run = () => api.done<ArchiveAnswer>("POST", `${archive}:run`, asked);
    const first = await run();
    expect(first).toMatchObject({ objects: [{ part: "1", rows: "2" }], isDone: false });
    expect(Number(first.objects[0]?.bucket)).toBe(Date.parse("2020-01-01"));
    await run();
    expect(await run()).toEqual({ objects: [], isDone: true });
    const list = (query: string) =>
      api.done<ArchiveAnswer>("GET", `${archive}/objects?${query}`).then((it) => it.objects);
    const objects = await list("");
    expect(objects.map(({ rows }) => rows)).toEqual(["2", "1"]);
    expect(await list(`afterBucket=${objects[0]?.bucket}&afterPart=1`)).toEqual(objects.slice(1));
    expect(await list(`afterBucket=${objects[0]?.bucket}`)).toEqual(objects.slice(1));
    expect(await list("max=1")).toEqual(objects.slice(0, 1));
    const left = await api.done<{ rows: unknown[] }>("POST", `${NS}/tables/events/rows:scan`, {});
    expect(left.rows).toMatchObject([{ id: 4 }]);
    expect(await codeAt(`${archive}:run`, { ...asked, table: "none" })).toBe("404 TABLE_NOT_FOUND");
    expect(await codeAt(`${archive}:run`, { ...asked, table: tableIn(archive) })).toBe("done");
    const leases = await make("leases");
    expect(await codeAt(`${archive}:run`, { ...asked, table: tableIn(leases) })).toBe(
      "400 ARCHIVE_TABLE_UNSUPPORTED",
    );
    const asLeases = api.ask("POST", `${leases.replace("/leases/", "/archives/")}:run`, asked);
    expect(await codeOf(asLeases)).toBe("400 PATTERN_TABLE_MISMATCH");
  });
});
