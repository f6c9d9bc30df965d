import { afterEach, expect, test } from "vitest";
import { HttpPool } from "../../src/aws/http.ts";
import { LeanWire } from "../../src/aws/lean.ts";
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
  readonly wire: LeanWire;
  readonly seen: Request[];
  readonly serving: Serving;
}

/** A service whose clock is `aheadMs` ahead of ours, and the wire to it. */
async function open(clock: VirtualClock, aheadMs = 0, sessionToken?: string): Promise<World> {
  const seen: Request[] = [];
  const serving = await serve((request) => {
    seen.push(request);
    const date = new Date(clock.nowMs() + aheadMs).toUTCString();
    return { status: 200, headers: { date }, body: new Uint8Array(0) };
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
  return { wire: new LeanWire({ source, pool, clock }), seen, serving };
}

async function send({ wire, seen }: World): Promise<Request | undefined> {
  const site = await wire.site();
  if (site === undefined) throw new Error("the sample is signed as we sign");
  const { signal } = new AbortController();
  const body = "é";
  const request = { method: "POST", path: "/", body, payloadSha256: sha256Hex(body) };
  await wire.send(site, { ...request, headers: [["x-b", "1"]] }, { signal });
  return seen.at(-1);
}

test("a request carries what it must, all of it signed", async () => {
  const world = await open(new VirtualClock(Date.UTC(2026, 0, 1)), 0, "token");
  const { headers } = (await send(world))!;
  expect(headers).toMatchObject({
    ...{ "x-amz-date": "20260101T000000Z", "x-amz-security-token": "token", "x-b": "1" },
    ...{ "content-length": "2", "x-amz-content-sha256": sha256Hex("é") },
    host: new URL(world.serving.url).host,
  });
  expect(headers["authorization"]).toContain(
    "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-b,",
  );
});

test("the date of a request is the service's, whatever ours says", async () => {
  const clock = new VirtualClock(0);
  const world = await open(clock, 3_600_000);
  expect((await send(world))?.headers["x-amz-date"]).toBe("19700101T000000Z");
  expect((await send(world))?.headers["x-amz-date"]).toBe("19700101T010000Z");
  await clock.advance(1_000);
  expect((await send(world))?.headers["x-amz-date"]).toBe("19700101T010001Z");
});
