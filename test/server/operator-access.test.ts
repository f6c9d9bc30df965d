import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SeededPrng } from "../../src/base/prng.ts";
import { OperatorClient } from "../../src/http/admin/client.ts";
import type { ShardAdmin } from "../../src/http/admin/shard-admin.ts";
import { Firn } from "../../src/index.ts";
import { abortAfter } from "../../src/runtime/clock.ts";
import {
  operatorFolder,
  operatorSocket,
  operatorTokenFile,
} from "../../src/runtime/operator-place.ts";
import { type Running, scripted, serving } from "../http/support.ts";
import { firnLsm } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";

const SHARD = "/admin/v1/shards/system";
const REPORT = { state: "as it is" };

/** A server with a shard, without an engine behind it. */
async function servingShard(dir: string | undefined, seed = 1): Promise<Running> {
  const shardAdmin = { name: "system", report: () => REPORT, stop: () => undefined };
  return serving(scripted().service, {
    dir,
    prng: new SeededPrng(seed),
    shards: [shardAdmin as unknown as ShardAdmin],
  });
}

/** One request over the socket. */
function askSocket(socketPath: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => {
        body += text;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on("error", reject)
      .end();
  });
}

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}

test("operators are served on the socket, and over TCP with the token alone", async () => {
  const dir = scratchDirectory();
  await using running = await servingShard(dir);
  const socket = operatorSocket(dir);
  expect(await askSocket(socket, SHARD)).toEqual({ status: 200, body: JSON.stringify(REPORT) });
  expect((await askSocket(socket, "/livez")).status).toBe(200);
  // It is for operators: what clients ask has another door.
  // Commands beside a server ask the catalog there.
  expect((await askSocket(socket, "/iceberg/v1/config")).status).toBe(200);
  const token = readFileSync(operatorTokenFile(dir), "latin1");
  const ask = (headers: Record<string, string>, path = SHARD, method = "GET") =>
    fetch(`${running.url}${path}`, { method, headers });
  expect((await ask({ Authorization: `Bearer ${token}` })).status).toBe(200);
  for (const headers of [
    {},
    ...["Bearer", `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, token],
  ].map((value) => (typeof value === "string" ? { Authorization: value } : value))) {
    const refused = await ask(headers);
    expect([headers, refused.status]).toEqual([headers, 401]);
    expect(refused.headers.get("X-Firn-Error")).toBe("OPERATOR_TOKEN_WRONG");
    expect(refused.headers.get("WWW-Authenticate")).toBe("Bearer");
  }
  // Before its body is read: none of it ever comes.
  const asked = await ask({ "Content-Type": "application/json" }, `${SHARD}/throttles`, "POST");
  expect(asked.status).toBe(401);
});

test("folder, socket and token are their user's alone, whatever stood there", async () => {
  const dir = scratchDirectory();
  const folder = operatorFolder(dir);
  mkdirSync(folder);
  writeFileSync(operatorTokenFile(dir), "t".repeat(64));
  chmodSync(folder, 0o777);
  chmodSync(operatorTokenFile(dir), 0o666);
  await using running = await servingShard(dir);
  expect([folder, operatorTokenFile(dir)].map(modeOf)).toEqual([0o700, 0o600]);
  // The token stays: several servers may share a directory.
  const headers = { Authorization: `Bearer ${"t".repeat(64)}` };
  expect((await fetch(`${running.url}${SHARD}`, { headers })).status).toBe(200);
});

test("a socket that was left is replaced, and the newest server has it", async () => {
  const dir = scratchDirectory();
  const socket = operatorSocket(dir);
  mkdirSync(operatorFolder(dir));
  // As a killed process leaves it: nobody listens, the name stands.
  const dead = createServer().listen(`${socket}-dead`);
  await new Promise((resolve) => dead.once("listening", resolve));
  linkSync(`${socket}-dead`, socket);
  await new Promise((resolve) => dead.close(resolve));
  const first = await servingShard(dir, 1);
  onTestFinished(() => first.server.stop());
  expect((await askSocket(socket, SHARD)).status).toBe(200);
  const second = await servingShard(dir, 2);
  onTestFinished(() => second.server.stop());
  // The end of the first one takes nothing from the second.
  await first.server.stop();
  expect((await askSocket(socket, SHARD)).status).toBe(200);
  await second.server.stop();
  expect(readdirSync(operatorFolder(dir))).toEqual(["token"]);
});

test("a file at the socket's place stays, and the token works", async () => {
  const dir = scratchDirectory();
  mkdirSync(operatorFolder(dir));
  writeFileSync(operatorSocket(dir), "mine");
  await using running = await servingShard(dir);
  expect(readFileSync(operatorSocket(dir), "latin1")).toBe("mine");
  expect(running.logs.join()).toContain("SOCKET_PATH_TAKEN");
  const token = readFileSync(operatorTokenFile(dir), "latin1");
  const client = new OperatorClient({ url: running.url, token }, "system", abortAfter);
  expect(await client.report()).toEqual(REPORT);
});

test("a path that is too long for a socket leaves the token", async () => {
  const dir = join(scratchDirectory(), "d".repeat(100));
  await using running = await servingShard(dir);
  expect(running.logs.filter((line) => line.includes("SOCKET_PATH_TOO_LONG"))).toHaveLength(1);
  const token = readFileSync(operatorTokenFile(dir), "latin1");
  const client = new OperatorClient({ url: running.url, token }, "system", abortAfter);
  expect(await client.report()).toEqual(REPORT);
  // The line names the server by its URL, and the directory for the token.
  expect(await firnLsm(["hot", running.url, "--dir", "/nowhere"])).toMatchObject({ exitCode: 1 });
});

test("without a directory that can be written they are off, which one line says", async () => {
  const dir = join(scratchDirectory(), "file");
  writeFileSync(dir, "");
  for (const at of [dir, undefined]) {
    await using running = await servingShard(at);
    const headers = { Authorization: `Bearer ${"0".repeat(64)}` };
    const refused = await fetch(`${running.url}${SHARD}`, { headers });
    expect([refused.status, refused.headers.get("X-Firn-Error")]).toEqual([403, "OPERATORS_OFF"]);
    const said = running.logs.filter((line) => line.includes("operators"));
    expect(said).toHaveLength(at === undefined ? 0 : 1);
  }
});

test("an embedded Firn makes nothing for operators unless it has a directory", async () => {
  const dir = scratchDirectory();
  const memory = await Firn.open({ dir, listen: { port: 0 }, logLevel: "silent" });
  onTestFinished(() => memory.close());
  const local = await Firn.open({ profile: "local", dir: join(dir, "a"), logLevel: "silent" });
  onTestFinished(() => local.close());
  expect(readdirSync(dir)).toEqual(["a"]);
  // It does not listen.
  expect(readdirSync(join(dir, "a"))).not.toContain("operator");
  const asked = await local.fetch(new Request(`http://x${SHARD}`));
  expect(asked.status).toBe(403);
});
