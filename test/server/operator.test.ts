import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ShardReport } from "../../src/http/admin/shard-admin.ts";
import { columns, Firn, Schema } from "../../src/index.ts";
import { operatorTokenFile } from "../../src/runtime/operator-place.ts";
import { firnLsm, servedFrom } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

const SHARD = "/admin/v1/shards/system";
/** A slow machine is told how far a compaction has come. */
const ONLY_PROGRESS: unknown = expect.stringMatching(/^(?:\d+ s: wrote \d+ bytes .*\n)*$/);
const JSON_TYPE = { "Content-Type": "application/json" };

/** One command line, run in this process. */
function firn(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  return firnLsm(args, env);
}

async function open(dir: string): Promise<Firn> {
  const listen = { port: 0 };
  const opened = await Firn.open({ profile: "local", dir, listen, logLevel: "silent" });
  onTestFinished(() => opened.close());
  servedFrom(opened.url, dir);
  return opened;
}

/** `fetch` with the token of a directory. */
function fetchAs(dir: string): (url: string, init?: RequestInit) => Promise<Response> {
  const token = readFileSync(operatorTokenFile(dir), "latin1");
  return (url, init = {}) => {
    const headers = { ...(init.headers as object), Authorization: `Bearer ${token}` };
    return fetch(url, { ...init, headers });
  };
}

async function makeNamespaces(url: string, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const body = JSON.stringify({ namespace: [`n${i}`] });
    const answer = await fetch(`${url}/iceberg/v1/namespaces`, {
      method: "POST",
      headers: JSON_TYPE,
      body,
    });
    expect(answer.status).toBe(200);
  }
}

describe("an operator", () => {
  it("is shown the hot tables and indexes of every shard of a catalog", async () => {
    const dir = scratchDirectory();
    const server = await open(dir);
    const acme = server.catalog("acme");
    const space = await acme.createNamespace("s");
    await acme.createShard("hot");
    const schema = Schema.table({
      columns: { id: columns.int4(), v: columns.text() },
      primaryKey: ["id"],
    });
    const cold = await space.createTable("cold", schema);
    const wide = await space.createTable("wide", schema, { shard: "hot" });
    const one = await space.createTable("one", schema, { shard: "hot" });
    await wide.createIndex({ name: "by_v", parts: [{ column: "v" }] });
    await cold.put({ id: 1, v: "v" });
    for (let i = 0; i < 120; i++) {
      const rows = Array.from({ length: 40 }, (_, n) => ({ id: 40 * i + n, v: `v${n}` }));
      await wide.insert(...rows);
      await Promise.all(rows.slice(0, 20).map(() => one.put({ id: 7, v: "again" })));
    }
    const { out } = await firn({}, "hot", server.url ?? "");
    const [, writes = ""] = out.split("writes of shard acme.hot:");
    expect(writes).toMatch(/ % \d+\/s on at least \d+ keys: table s\.wide\n/);
    expect(writes).toMatch(/: index by_v of table s\.wide\n/);
    expect(writes).toMatch(/ on at least 1 key: table s\.one\n/);
    expect(out).toContain("writes of shard acme.default: too few operations\n");
    expect(out).not.toContain("s.cold");
  });

  it("compacts a shard beside its server, then without it, and learns of both", async () => {
    const dir = scratchDirectory();
    const server = await open(dir);
    const url = server.url ?? "";
    await makeNamespaces(url, 20);
    const fetch = fetchAs(dir);
    const asked = await fetch(`${url}${SHARD}/compaction`);
    expect([asked.status, asked.headers.get("X-Firn-Error")]).toEqual([
      404,
      "COMPACTION_NOT_FOUND",
    ]);
    const beside = await firn({}, "compact", url);
    expect(beside).toMatchObject({ exitCode: 0, errors: ONLY_PROGRESS });
    expect(beside.out).toMatch(/^before: 0 tables, .*\nafter: {2}1 tables, /);
    const report = await (await fetch(`${url}${SHARD}/compaction`)).json();
    expect(report).toMatchObject({ state: "done", before: { tables: 0 }, after: { tables: 1 } });
    expect((await firn({}, "hot", `${url}/`)).out).toContain("writes");

    const owned = await firn({}, "compact", dir);
    expect(owned.exitCode).toBe(1);
    expect(owned.errors).toContain("LSM_OWNED");
    await server.catalogs.create("other", `file://${dir}/other`);
    await server.close();
    const alone = await firn({ FIRN_LOG_LEVEL: "silent" }, "compact", dir);
    expect(alone).toMatchObject({ exitCode: 0, errors: ONLY_PROGRESS });
    expect(alone.out).toMatch(/after: {2}1 tables, .*0 in level 0, 1 sorted/);
    const again = await firn({ FIRN_DIR: dir, FIRN_PROFILE: "local" }, "compact");
    expect(again).toMatchObject({ exitCode: 0, errors: ONLY_PROGRESS });

    const back = await open(dir);
    const listed = await back.fetch(new Request("http://x/iceberg/v1/namespaces?pageSize=100"));
    expect(((await listed.json()) as { namespaces: unknown }).namespaces).toHaveLength(20);
  });

  it("hears what is wrong with a line, and what a server refuses", async () => {
    const dir = scratchDirectory();
    for (const [exitCode, code, ...args] of [
      [1, "LSM_NO_SHARD", "compact", dir],
      [1, "LSM_NO_SHARD", "compact", "--profile", "memory"],
      [1, "OPERATOR_UNREACHABLE", "compact", "http://127.0.0.1:9"],
      [1, "OPERATOR_UNREACHABLE", "hot", "http://127.0.0.1:9"],
      [2, "OPERATOR_URL_INVALID", "compact", "http://127.0.0.1:9/x"],
      [2, "OPERATOR_URL_INVALID", "hot", "somewhere"],
      [2, "", "compact", "http://127.0.0.1:9", "--port", "1"],
      [1, "OPERATOR_UNREACHABLE", "compact", "http://127.0.0.1:9", "--dir", dir],
      [2, "--prot", "compact", "--prot", "1"],
      [2, "extra", "compact", dir, "extra"],
    ] as const) {
      const told = await firn({}, ...args);
      expect([args, told.exitCode]).toEqual([args, exitCode]);
      expect(told.errors).toContain(code);
    }
  });
});

describe("an operator of a running server", () => {
  it("holds writes below a prefix back, and lets them go", async () => {
    const dir = scratchDirectory();
    const server = await open(dir);
    const url = server.url ?? "";
    const line = ["throttle", url, "--prefix", "/accounts/", "--writes-per-second"];
    expect(await firn({}, ...line, "0", "--for", "60")).toMatchObject({ exitCode: 0, errors: "" });
    const body = JSON.stringify({ namespace: ["held"] });
    const create = () =>
      fetch(`${url}/iceberg/v1/namespaces`, { method: "POST", headers: JSON_TYPE, body });
    const held = create();
    const throttles = async () =>
      ((await (await fetchAs(dir)(`${url}${SHARD}`)).json()) as ShardReport).throttles;
    await expect.poll(async () => (await throttles())[0]?.refused).toBeGreaterThan(0);
    expect(await throttles()).toMatchObject([{ prefix: "/accounts/", writesPerSecond: 0 }]);
    expect((await firn({}, "hot", url)).out).toContain('"/accounts/"');
    expect((await firn({}, ...line, "1", "--for", "0")).exitCode).toBe(0);
    expect(await throttles()).toEqual([]);
    expect((await held).status).toBe(200);
    const wrong = await firn({}, ...line, "1", "--for", "99999999");
    expect(wrong.exitCode).toBe(1);
    expect(wrong.errors).toContain("LSM_THROTTLE_INVALID");
  });

  it("sends the token and JSON, and nothing else is understood", async () => {
    const dir = scratchDirectory();
    const server = await open(dir);
    const url = server.url ?? "";
    const fetch = fetchAs(dir);
    const post = (headers: Record<string, string>, body: string, path = "/compaction") =>
      fetch(`${url}${SHARD}${path}`, { method: "POST", headers, body });
    const answers = [
      [403, await post({ ...JSON_TYPE, Origin: "http://elsewhere" }, "{}")],
      [415, await post({ "Content-Type": "text/plain" }, "{}")],
      [415, await post({ "Content-Type": "application/x-www-form-urlencoded" }, "a=b")],
      [415, await post(JSON_TYPE, "null")],
      [400, await post(JSON_TYPE, "{")],
      [400, await post(JSON_TYPE, '{"prefix":1}', "/throttles")],
      [400, await post(JSON_TYPE, '{"__proto__":{"prefix":"a"}}', "/throttles")],
      [
        400,
        await post(
          JSON_TYPE,
          '{"prefix":"\\\\n","writesPerSecond":1,"forSeconds":1}',
          "/throttles",
        ),
      ],
      [415, await post({ "Content-Type": "text/plain" }, '{"name":"a"}', "/checkpoints")],
      [400, await post(JSON_TYPE, '{"name":1}', "/checkpoints")],
      [400, await post(JSON_TYPE, '{"name":"a","ttlMs":"1"}', "/checkpoints")],
      [400, await post(JSON_TYPE, '{"name":"a","ttlMs":-1}', "/checkpoints")],
      [415, await fetch(`${url}${SHARD}/checkpoints`, { method: "DELETE" })],
      [405, await fetch(`${url}${SHARD}/checkpoints`, { method: "PUT" })],
      [415, await post({ "Content-Type": "text/plain" }, '{"from":1}', "/changes")],
      [405, await fetch(`${url}${SHARD}/changes`)],
      [404, await fetch(`${url}/admin/v1/shards/other`)],
      [404, await fetch(`${url}/admin/v1/shards`)],
      [404, await fetch(`${url}${SHARD}/other`)],
      [405, await fetch(`${url}${SHARD}/compaction`, { method: "DELETE" })],
      [405, await fetch(`${url}${SHARD}/throttles`)],
      [200, await fetch(`${url}${SHARD}`)],
    ] as const;
    for (const [status, answer] of answers) {
      expect([answer.url, answer.status]).toEqual([answer.url, status]);
    }
    const { status } = await fetch(`${url}${SHARD}/compaction`);
    expect(status).toBe(404);
    const memory = await Firn.open({ logLevel: "silent" });
    onTestFinished(() => memory.close());
    expect((await memory.fetch(new Request(`http://x${SHARD}`))).status).toBe(403);
  });
});
