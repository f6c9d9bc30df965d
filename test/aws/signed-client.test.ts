import { afterEach, describe, expect, test } from "vitest";
import { type HttpAnswer, HttpPool } from "../../src/aws/http.ts";
import { SignedClient } from "../../src/aws/signed-client.ts";
import { Signer } from "../../src/aws/sigv4.ts";
import { sha256Hex } from "../../src/base/hash.ts";
import { type Request, type Serving, serve } from "../double/server.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const SCOPE = { region: "us-east-1", service: "dynamodb", escapePath: true };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface World {
  readonly wire: SignedClient;
  readonly seen: Request[];
  readonly serving: Serving;
}

interface Service {
  /** Of the service's clock before ours. */
  readonly aheadMs?: number;
  readonly sessionToken?: string;
  readonly statusOf?: (request: Request) => number;
}

/** A service, and the wire to it. */
async function open(clock: VirtualClock, service: Service = {}): Promise<World> {
  const { aheadMs = 0, sessionToken, statusOf = () => 200 } = service;
  const seen: Request[] = [];
  const serving = await serve((request) => {
    seen.push(request);
    const date = new Date(clock.nowMs() + aheadMs).toUTCString();
    return { status: statusOf(request), headers: { date }, body: new Uint8Array(0) };
  });
  const { hostname, port, host } = new URL(serving.url);
  const pool = new HttpPool({ connections: 2, connectMs: 5_000, idleMs: 5_000 });
  closing.push(() => pool.close(), serving.close);
  const credentials = { accessKeyId: "AK", secretAccessKey: "secret", sessionToken };
  const headers = { host, "x-amz-date": "20260101T000000Z" };
  const signed = Object.entries(headers);
  const sample = { method: "GET", path: "/", headers: signed, payloadSha256: "" };
  const authorization = new Signer({ ...SCOPE, credentials }).authorize(
    sample,
    headers["x-amz-date"],
  );
  const sampled = { protocol: "http:", hostname, port: Number(port), method: "GET", path: "/" };
  const source = {
    sample: async () => ({ ...sampled, headers: { ...headers, authorization } }),
    credentials: async () => credentials,
    escapePath: true,
  };
  return { wire: new SignedClient({ source, pool, clock }), seen, serving };
}

async function exchange({ wire }: World): Promise<HttpAnswer> {
  const { signal } = new AbortController();
  const endpoint = await wire.endpoint(signal);
  if (endpoint === undefined) throw new Error("the sample is signed as we sign");
  const body = "é";
  const request = { method: "POST", path: "/", body, payloadSha256: sha256Hex(body) };
  return wire.send(endpoint, { ...request, headers: [["x-b", "1"]] }, { signal });
}

async function send(world: World): Promise<Request | undefined> {
  await exchange(world);
  return world.seen.at(-1);
}

test("a request carries what it must, all of it signed", async () => {
  const world = await open(new VirtualClock(Date.UTC(2026, 0, 1)), { sessionToken: "token" });
  const { headers } = (await send(world))!;
  expect(headers).toMatchObject({
    "x-amz-date": "20260101T000000Z",
    "x-amz-security-token": "token",
    "x-b": "1",
    "content-length": "2",
    "x-amz-content-sha256": sha256Hex("é"),
    host: new URL(world.serving.url).host,
  });
  expect(headers["authorization"]).toContain(
    "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-b,",
  );
});

test("the date of a request is the service's, whatever ours says", async () => {
  const clock = new VirtualClock(0);
  const world = await open(clock, { aheadMs: 3_600_000 });
  expect((await send(world))?.headers["x-amz-date"]).toBe("19700101T000000Z");
  expect((await send(world))?.headers["x-amz-date"]).toBe("19700101T010000Z");
  await clock.advance(1_000);
  expect((await send(world))?.headers["x-amz-date"]).toBe("19700101T010001Z");
});

describe("a request that is refused with another date than its own", () => {
  const HOUR = 3_600_000;
  const dated = ({ headers }: Request): string => headers["x-amz-date"]?.slice(9, 11) ?? "";

  test.each([400, 401, 403])(
    "by %i goes out once more, dated as the service is",
    async (status) => {
      const statusOf = (request: Request) => (dated(request) === "01" ? 200 : status);
      const world = await open(new VirtualClock(0), { aheadMs: HOUR, statusOf });
      const answers = [await exchange(world), await exchange(world)];
      expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
      expect(world.seen.map(dated)).toEqual(["00", "01", "01"]);
    },
  );

  test("does so once: what is refused then is refused", async () => {
    const world = await open(new VirtualClock(0), { aheadMs: HOUR, statusOf: () => 403 });
    expect((await exchange(world)).status).toBe(403);
    expect(world.seen).toHaveLength(2);
    expect((await exchange(world)).status).toBe(403);
    expect(world.seen).toHaveLength(3);
  });

  test.each([404, 412, 500, 503])(
    "but by %i, which says nothing of dates, does not",
    async (status) => {
      const world = await open(new VirtualClock(0), { aheadMs: HOUR, statusOf: () => status });
      expect((await exchange(world)).status).toBe(status);
      expect(world.seen).toHaveLength(1);
    },
  );

  test("does not where it took long, and neither is the date believed", async () => {
    const clock = new VirtualClock(0);
    const told = clock.nowMs.bind(clock);
    let stoodMs = 0;
    clock.nowMs = () => told() + stoodMs;
    const world = await open(clock, {
      statusOf: () => {
        // The process stands still from here on, and then reads an answer of long ago.
        stoodMs = HOUR;
        return 403;
      },
    });
    expect((await exchange(world)).status).toBe(403);
    expect(world.seen.map(dated)).toEqual(["00"]);
    await exchange(world);
    expect(world.seen.map(dated)).toEqual(["00", "01"]);
  });
});

test("an endpoint that nobody finds is waited for as long as the signal lasts", async () => {
  const source = {
    sample: () => new Promise(() => {}),
    credentials: () => new Promise<never>(() => {}),
    escapePath: true,
  };
  const pool = new HttpPool({ connections: 1, connectMs: 5_000, idleMs: 5_000 });
  const wire = new SignedClient({ source, pool, clock: new VirtualClock(0) });
  const abort = new AbortController();
  const finding = wire.endpoint(abort.signal);
  abort.abort();
  const unsent = { name: "AbortError", syscall: "connect" };
  await expect(finding).rejects.toMatchObject(unsent);
  await expect(wire.endpoint(abort.signal)).rejects.toMatchObject(unsent);
});
