import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Firn, FirnClient } from "../../../src/index.ts";
import { openTestIceberg } from "../../support/open-iceberg.ts";
import { type Running, requestText, scripted, serving } from "../support.ts";

const CHANGES = "/api/v1/changes";
const EVENTS = { Accept: "text/event-stream" };
/** Shortly before the test. */
const SINCE = new Date(Date.now() - 60_000).toISOString();
const START = `since=${SINCE}`;

interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: { readonly id: string; readonly operation: string } | undefined;
}

/** A stream as `fetch` gives it. */
class Stream {
  readonly response: Response;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  #text = "";
  lastId = "";

  constructor(response: Response) {
    this.response = response;
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "text/event-stream",
    ]);
    if (response.body === null) throw new Error("a stream has a body");
    this.#reader = response.body.getReader();
    onTestFinished(() => this.close());
  }

  /** The next block; undefined at the end. */
  async next(): Promise<ServerEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const lines = this.#text.slice(0, end).split("\n");
        this.#text = this.#text.slice(end + 2);
        const of = (name: string) =>
          lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        const [id, event, data] = [of("id"), of("event"), of("data")];
        this.lastId = id ?? this.lastId;
        return { id, event, data: data === undefined ? undefined : JSON.parse(data) };
      }
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }

  /** Operations of so many changes. */
  async changes(count: number): Promise<readonly string[]> {
    const found: string[] = [];
    while (found.length < count) {
      const block = await this.next();
      if (block === undefined) throw new Error("the stream has ended");
      if (block.data === undefined) continue;
      expect(block.event).toBe("change");
      found.push(block.data.operation);
    }
    return found;
  }

  async close(): Promise<void> {
    await this.#reader.cancel().catch(() => undefined);
  }
}

async function openFirn() {
  const firn = await Firn.open({ profile: "memory", logLevel: "silent", listen: { port: 0 } });
  onTestFinished(() => firn.close());
  const client = new FirnClient({ url: firn.url ?? "" });
  return { firn, client, url: `${firn.url}${CHANGES}` };
}

test("changes come as events, and Last-Event-ID resumes behind the last one", async () => {
  const { client, url } = await openFirn();
  const stream = new Stream(await fetch(`${url}?${START}`, { headers: EVENTS }));
  expect(new Set(await stream.changes(2))).toEqual(new Set(["create-account", "create-catalog"]));
  await client.call("createCatalog", { body: { name: "lake" } });
  expect(await stream.changes(1)).toEqual(["create-catalog"]);
  const at = { path: { catalog: "lake" } };
  await client.call("createNamespace", { ...at, body: { path: ["a"] } });
  expect(await stream.changes(1)).toEqual(["create-namespace"]);
  const { lastId } = stream;
  await stream.close();
  await client.call("dropNamespace", { path: { catalog: "lake", namespace: "a" } });
  const headers = { ...EVENTS, "Last-Event-ID": lastId };
  // It stands above what the URL of an `EventSource` still says.
  const resumed = new Stream(await fetch(`${url}?${START}`, { headers }));
  while (!(await resumed.changes(1)).includes("drop-namespace"));
  // A cursor of pages is the same thing.
  const page = await client.call("listChanges", { query: { after: lastId } });
  expect(page.items.map(({ operation }) => operation)).toContain("drop-namespace");
});

test("a stream that cannot begin is a problem document", async () => {
  const { url } = await openFirn();
  const problemOf = async (search: string, headers = {}) => {
    const response = await fetch(`${url}${search}`, { headers: { ...EVENTS, ...headers } });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const { code } = (await response.json()) as { readonly code: string };
    return [response.status, code];
  };
  expect(await problemOf("?since=2001-01-01T00:00:00Z")).toEqual([410, "HISTORY_GONE"]);
  expect(await problemOf("", { "Last-Event-ID": "forged" })).toEqual([400, "PAGE_TOKEN_INVALID"]);
  expect(await problemOf("?color=red")).toEqual([400, "REQUEST_INVALID"]);
  expect(await problemOf("?since=soon")).toEqual([400, "TIME_INVALID"]);
});

test("only who asks for events by name gets them", async () => {
  const { url } = await openFirn();
  for (const accept of ["*/*", "application/json", "text/event-stream;q=0", "text/html"]) {
    const response = await fetch(url, { headers: { Accept: accept } });
    expect([accept, response.headers.get("content-type")]).toEqual([accept, "application/json"]);
    await response.arrayBuffer();
  }
  const head = await fetch(url, { method: "HEAD", headers: EVENTS });
  expect(head.status).toBe(200);
});

test("a stop ends streams without waiting for them", async () => {
  const { firn, url } = await openFirn();
  const stream = new Stream(await fetch(url, { headers: EVENTS }));
  await stream.next();
  const closed = firn.close();
  while ((await stream.next()) !== undefined);
  await closed;
});

/** A server over a node, with bounds of the test's. */
async function bounded(options: Parameters<typeof serving>[1]): Promise<Running> {
  const { model } = await openTestIceberg();
  const running = await serving(scripted().service, { model, ...options });
  onTestFinished(() => running[Symbol.asyncDispose]());
  return running;
}

test("streams are bounded in number, and take no place of other requests", async () => {
  const { url, port } = await bounded({ streams: { most: 2 }, maxInFlight: 1 });
  const open = () => fetch(`${url}${CHANGES}`, { headers: EVENTS });
  const streams = [new Stream(await open()), new Stream(await open())];
  const refused = await open();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: "STREAMS_FULL" });
  expect((await fetch(`${url}${CHANGES}`)).status).toBe(200);
  const figures = async () => (await fetch(`${url}/metrics`)).text();
  expect(await figures()).toContain("firn_http_streams 2");
  expect(await figures()).toContain("firn_http_streams_refused_total 1");
  await streams[0]?.close();
  await expect.poll(figures).toContain("firn_http_streams 1");
  new Stream(await open());
  // The same for a client that breaks its connection off.
  await streams[1]?.close();
  const socket = connect(port, "127.0.0.1");
  socket.write(requestText("GET", CHANGES, EVENTS));
  await once(socket, "data");
  await expect.poll(figures).toContain("firn_http_streams 2");
  socket.destroy();
  await expect.poll(figures).toContain("firn_http_streams 1");
});

test("a stream outlives the bound of a whole request", async () => {
  const { url, port } = await bounded({ requestMs: 100 });
  const stream = new Stream(await fetch(`${url}${CHANGES}?${START}`, { headers: EVENTS }));
  await stream.next();
  // Requests that stall are refused in the meantime, one after the other.
  for (let i = 0; i < 3; i++) {
    const socket = connect(port, "127.0.0.1");
    socket.write("POST /iceberg/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nContent-Le");
    let heard = "";
    socket.on("data", (chunk) => (heard += chunk));
    await once(socket, "close");
    expect(heard).toContain("408");
  }
  expect((await fetch(`${url}/metrics`)).status).toBe(200);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain("firn_http_streams 1");
});

/** A proxy that a test can cut. */
async function proxyTo(port: number) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, cut };
}

test("a watch goes on where it was when its connection is lost", async () => {
  const { firn, client } = await openFirn();
  const proxy = await proxyTo(Number(new URL(firn.url ?? "").port));
  const ended = new AbortController();
  const watch = new FirnClient({ url: proxy.url }).watch({
    since: SINCE,
    signal: ended.signal,
  });
  const seen: string[] = [];
  let cursor = "";
  for (let i = 0; i < 4; i++) {
    await client.call("createCatalog", { body: { name: `c${i}` } });
    while (seen.length < i + 3) {
      const { value } = await watch.next();
      if (value === undefined) throw new Error("the watch has ended");
      seen.push(value.change.id);
      cursor = value.cursor;
    }
    if (i < 3) proxy.cut();
  }
  expect(new Set(seen).size).toBe(6);
  ended.abort();
  expect((await watch.next()).done).toBe(true);
  await client.call("createCatalog", { body: { name: "later" } });
  const later = client.watch({ after: cursor });
  // The feed may repeat what shares a minute with it.
  for await (const { change } of later) if (!seen.includes(change.id)) break;
});

test("a watch that cannot go on throws", async () => {
  const { client } = await openFirn();
  const watch = client.watch({ since: "2001-01-01T00:00:00Z" });
  await expect(watch.next()).rejects.toMatchObject({ problem: { code: "HISTORY_GONE" } });
});

test("a watch works in process, and its end frees the stream", async () => {
  const { firn, client } = await openFirn();
  const inside = new FirnClient({ url: "http://firn", fetch: (request) => firn.fetch(request) });
  for await (const { change } of inside.watch({ since: SINCE })) {
    expect(change.operation).toMatch(/^create-/);
    break;
  }
  const figures = async () => (await firn.fetch(new Request("http://firn/metrics"))).text();
  await expect.poll(figures).toContain("firn_http_streams 0");
  await client.call("getInfo", {});
});
