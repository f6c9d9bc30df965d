import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { Admission, type Ticket } from "../../src/server/admission.ts";
import {
  ask,
  exchange,
  header,
  parseAnswer,
  type RawAnswer,
  type Running,
  requestText,
  scripted,
  serving,
} from "../http/support.ts";

const LIMIT = 2;
const READ = "/iceberg/v1/namespaces/a";
const WRITE = "/iceberg/v1/namespaces";
const BODY = '{"namespace":["a"]}';

/** A server whose reads and creates of namespaces wait until they are let go. */
async function held() {
  const released = Promise.withResolvers<void>();
  const { service, seen } = scripted({
    loadNamespace: async (_ctx, { namespace }) => {
      await released.promise;
      return { namespace, properties: {} };
    },
    createNamespace: async (_ctx, { namespace }, properties) => {
      await released.promise;
      return { namespace, properties };
    },
  });
  const running = await serving(service, { maxInFlight: LIMIT });
  const entered = (n: number) => expect.poll(() => seen.length).toBe(n);
  return { running, entered, release: () => released.resolve() };
}

function expectShed(answer: RawAnswer): void {
  expect(answer.status).toBe(429);
  expect(header(answer, "X-Firn-Error")).toBe("OVERLOADED");
  expect(Number(header(answer, "Retry-After"))).toBeGreaterThan(0);
  expect(JSON.parse(answer.body)).toMatchObject({
    error: { code: 429, type: "SlowDownException" },
  });
}

function reads({ port }: Running, count: number): Promise<RawAnswer>[] {
  return Array.from({ length: count }, () => ask(port, "GET", READ));
}

test("what exceeds the limit is refused at once, and served again when there is room", async () => {
  const { running, entered, release } = await held();
  await using _ = running;
  const { port } = running;
  const served = reads(running, LIMIT);
  await entered(LIMIT);
  expectShed(await ask(port, "GET", READ));
  expect((await ask(port, "HEAD", READ)).status).toBe(429);
  // Writes have places of their own, until they too are all taken.
  const writes = [1, 2].map(() => ask(port, "POST", WRITE, {}, BODY));
  await entered(2 * LIMIT);
  expectShed(await ask(port, "POST", WRITE, {}, BODY));
  for (const path of ["/livez", "/readyz", "/metrics", "/iceberg/v1/config"]) {
    expect([path, (await ask(port, "GET", path)).status]).toEqual([path, 200]);
  }
  const metrics = (await ask(port, "GET", "/metrics")).body;
  expect(metrics).toContain('firn_http_in_flight{kind="read"} 2');
  expect(metrics).toContain('firn_http_shed_total{kind="read"} 2');
  release();
  const statuses = (await Promise.all([...served, ...writes])).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200, 200]);
  expect((await ask(port, "GET", READ)).status).toBe(200);
});

test("a write is refused before its body comes, and before anything of it is judged", async () => {
  const { running, entered, release } = await held();
  await using _ = running;
  const writes = [1, 2].map(() => ask(running.port, "POST", WRITE, {}, BODY));
  await entered(LIMIT);
  const headers = { "Content-Type": "text/nonsense", "Content-Length": "1000" };
  const bodiless = requestText("POST", `${WRITE}/%zz/tables`, headers);
  expectShed(parseAnswer(await exchange(running.port, bodiless)));
  release();
  await Promise.all(writes);
});

test("work goes on for a client that went away, and so does its place", async () => {
  const { running, entered, release } = await held();
  await using _ = running;
  const sockets = Array.from({ length: LIMIT }, () => {
    const socket = connect(running.port, "127.0.0.1", () => socket.write(requestText("GET", READ)));
    return socket;
  });
  await entered(LIMIT);
  const gone = sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve)));
  for (const socket of sockets) socket.destroy();
  await Promise.all(gone);
  expectShed(await ask(running.port, "GET", READ));
  release();
  await expect.poll(async () => (await ask(running.port, "GET", READ)).status).toBe(200);
});

test("silent bodies, however large they claim to be, keep no write out", async () => {
  await using running = await serving(scripted().service, { maxInFlight: 1 });
  const length = String(LIMITS.bodyBytes);
  const headers = { "Content-Type": "application/json", "Content-Length": length };
  const head = requestText("POST", WRITE, { ...headers, Expect: "100-continue" });
  // Told to go on: the server waits for their bodies by then.
  const silent = await Promise.all(Array.from({ length: 8 }, () => openSilent(running.port, head)));
  expect((await ask(running.port, "POST", WRITE, {}, BODY)).status).toBe(200);
  for (const socket of silent) socket.destroy();
});

/** Sends a head. @returns the connection once the server has answered something to it. */
function openSilent(port: number, head: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(head));
    socket.once("data", () => resolve(socket)).once("error", reject);
  });
}

test("bodies are counted as they come, and a place is taken by what has come whole", () => {
  const limits = { inFlight: 1, bodyBytes: LIMITS.bodyBytes };
  const admission = new Admission(limits, createMetrics());
  const asks = (method: string, length?: number) =>
    admission.enter({
      method,
      headers: length === undefined ? {} : { "content-length": String(length) },
    });
  const enter = (method: string, length?: number): Ticket => {
    const ticket = asks(method, length);
    if (ticket === undefined) throw new Error("refused, where there was room");
    return ticket;
  };
  const overloaded = expect.objectContaining({ kind: "Overloaded", code: "OVERLOADED" });
  // Announced is not come: any number of them may wait for their bodies.
  const [first, second] = [1, 2, 3, 4].map(() => enter("POST", LIMITS.bodyBytes)) as Ticket[];
  first?.count(LIMITS.bodyBytes - 4);
  // What cannot be taken now is refused by its head; what is too large anyway needs no room.
  expect(asks("POST", 5)).toBeUndefined();
  enter("POST", LIMITS.bodyBytes + 1).release();
  const unknown = enter("POST");
  unknown.count(4);
  expect(() => second?.count(1)).toThrow(overloaded);
  second?.release();
  first?.begin();
  expect(() => unknown.begin()).toThrow(overloaded);
  unknown.release();
  expect(asks("POST", 1)).toBeUndefined();
  enter("GET").begin();
  expect(asks("GET")).toBeUndefined();
  first?.hold();
  first?.release();
  expect(asks("POST")).toBeUndefined();
  first?.release();
  expect(() => first?.release()).toThrow();
  enter("POST", LIMITS.bodyBytes).begin();
});

test("a body in chunks is served, whatever it adds up to within the limit", async () => {
  await using running = await serving(scripted().service);
  const headers = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
  const chunks = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
  const sent = requestText("POST", WRITE, headers) + chunks;
  expect(parseAnswer(await exchange(running.port, sent)).status).toBe(200);
});
