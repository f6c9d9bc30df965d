import { Agent, type IncomingMessage, request as send } from "node:http";
import { afterEach, expect, it } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { type Fault, type FaultKind, faulty, type Plan, seededPlan } from "./faults.ts";
import { type Handler, type Request, type Response, type Serving, serve } from "./server.ts";

let agent = new Agent({ keepAlive: true });
let open: Serving | undefined;

afterEach(async () => {
  agent.destroy();
  agent = new Agent({ keepAlive: true });
  await open?.close();
  open = undefined;
});

/** A service that keeps what it was sent, in order, and answers how many that makes. */
function notebook() {
  const lines: string[] = [];
  const handler: Handler = ({ body }) => {
    lines.push(utf8Text(body));
    return { status: 200, headers: {}, body: utf8(`${lines.length} lines`) };
  };
  return { lines, handler };
}

const busy = {
  name: "busy",
  answer: (): Response => ({ status: 503, headers: {}, body: utf8("busy") }),
};

/** Serves a notebook whose k-th request suffers the k-th fault. */
async function suffering(...faults: readonly (Fault | undefined)[]) {
  const { lines, handler } = notebook();
  const plan: Plan = (_request, _prng, index) => faults[index];
  const network = faulty(handler, new SeededPrng(1), plan);
  open = await serve(network.service);
  return { lines, network, url: open.url };
}

/** `status body`, or how it broke. */
function post(url: string, text: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
    const options = { method: "POST", agent, ...(signal === undefined ? {} : { signal }) };
    const outgoing = send(url, options, (incoming: IncomingMessage) => {
      const chunks: Uint8Array[] = [];
      incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      incoming.on("error", failed);
      incoming.on("end", () =>
        resolve(`${incoming.statusCode} ${utf8Text(Buffer.concat(chunks))}`),
      );
    });
    outgoing.on("error", failed);
    outgoing.end(text);
  });
}

it("hands a handler the request as it stood on the wire, over connections that stay", async () => {
  const seen: Request[] = [];
  open = await serve((request) => {
    seen.push(request);
    return { status: 201, headers: { "x-a": "b" }, body: utf8("ok") };
  });
  for (let i = 0; i < 3; i++)
    expect(await post(`${open.url}/a%2Fb/?c=d%20e&f`, "x")).toBe("201 ok");
  expect(seen[0]).toMatchObject({
    method: "POST",
    path: "/a%2Fb/",
    query: { c: "d e", f: "" },
    body: Buffer.from("x"),
  });
  expect(seen[0]?.headers["host"]).toBe(new URL(open.url).host);
  expect(open.connections()).toBe(1);
  expect(open.requests()).toBe(3);
});

it("loses requests and answers, and says neither", async () => {
  const { lines, url } = await suffering({ fault: "unsent" }, { fault: "lost" });
  expect(await post(url, "one")).toBe("ECONNRESET");
  expect(lines).toEqual([]);
  expect(await post(url, "two")).toBe("ECONNRESET");
  expect(lines).toEqual(["two"]);
});

it("keeps silent until the client gives up", async () => {
  for (const applied of [true, false]) {
    const { lines, network, url } = await suffering({ fault: "silent", applied });
    const control = new AbortController();
    network.onRequest = () => setImmediate(() => control.abort());
    expect(await post(url, "one", control.signal)).toBe("ABORT_ERR");
    expect(lines).toEqual(applied ? ["one"] : []);
    await open?.close();
  }
});

it("applies late, twice, twice on the spot, and what is left when it is told to", async () => {
  const { lines, network, url } = await suffering(
    { fault: "late", lag: 2 },
    { fault: "duplicated", lag: 9 },
    { fault: "resent" },
  );
  expect(await post(url, "one")).toBe("ECONNRESET");
  expect(await post(url, "two")).toBe("200 1 lines");
  expect(await post(url, "three")).toBe("200 4 lines");
  expect(lines).toEqual(["two", "one", "three", "three"]);
  expect(network.held).toBe(1);
  network.settle();
  expect(lines.at(-1)).toBe("two");
  expect(network.held).toBe(0);
});

it("lets one request overtake another, and delays", async () => {
  const { lines, network, url } = await suffering(
    { fault: "reordered", ms: 10_000 },
    { fault: "delayed", ms: 1, applied: "before" },
    { fault: "delayed", ms: 1, applied: "after" },
  );
  const arrived = new Promise<void>((resolve) => {
    network.onRequest = () => resolve();
  });
  const first = post(url, "one");
  await arrived;
  expect(await post(url, "two")).toBe("200 1 lines");
  expect(await first).toBe("200 2 lines");
  expect(await post(url, "three")).toBe("200 3 lines");
  expect(lines).toEqual(["two", "one", "three"]);
});

it("tears answers and gives answers of trouble, applied or not", async () => {
  const { lines, url } = await suffering(
    { fault: "torn", share: 0.5 },
    { fault: "torn", share: 0 },
    { fault: "refused", refusal: busy, applied: true },
    { fault: "refused", refusal: busy, applied: false },
  );
  expect(await post(url, "one")).toBe("ECONNRESET");
  expect(await post(url, "two")).toBe("ECONNRESET");
  expect(await post(url, "three")).toBe("503 busy");
  expect(await post(url, "four")).toBe("503 busy");
  expect(lines).toEqual(["one", "two", "three"]);
});

it("decides by seed, and in the end of every kind that it was told to", () => {
  const weights: Record<FaultKind, number> = {
    unsent: 1,
    lost: 1,
    silent: 1,
    delayed: 1,
    reordered: 1,
    duplicated: 1,
    resent: 1,
    late: 1,
    torn: 1,
    refused: 1,
  };
  const request: Request = { method: "GET", path: "/", query: {}, headers: {}, body: utf8("") };
  const draw = (seed: number, rate: number) => {
    const prng = new SeededPrng(seed);
    const plan = seededPlan({ rate, weights, refusals: [busy] });
    return Array.from({ length: 300 }, (_, i) => plan(request, prng, i));
  };
  expect(draw(7, 0.5)).toEqual(draw(7, 0.5));
  expect(draw(8, 0.5)).not.toEqual(draw(7, 0.5));
  expect(draw(7, 0).every((fault) => fault === undefined)).toBe(true);
  const kinds = new Set(draw(7, 1).map((fault) => fault?.fault));
  expect(kinds).toEqual(new Set(Object.keys(weights)));
});
