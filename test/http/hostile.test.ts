import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { JsonValue } from "../../src/base/json.ts";
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
} from "./support.ts";

const missing = async (_ctx: unknown, { namespace }: { readonly namespace: readonly string[] }) => {
  throw new FirnError("NotFound", "NAMESPACE_NOT_FOUND", "no such namespace", {
    namespace: namespace.join("."),
  });
};
const { service } = scripted({ loadNamespace: missing, namespaceExists: missing });
let running: Running;

beforeAll(async () => {
  running = await serving(service, { requestMs: 400 });
});
afterAll(() => running.server.stop());

/** Every refusal is 4xx, typed, with the status as its code and our own code in the header. */
function expectRefused(what: string, answer: RawAnswer, status?: number): void {
  expect([what, Math.trunc(answer.status / 100)]).toEqual([what, 4]);
  if (status !== undefined) expect([what, answer.status]).toEqual([what, status]);
  expect([what, header(answer, "X-Firn-Error")]).toEqual([
    what,
    expect.stringMatching(/^[A-Z_]+$/),
  ]);
  if (header(answer, "Content-Type") === "application/problem+json") {
    expect([what, JSON.parse(answer.body)]).toMatchObject([what, { status: answer.status }]);
    return;
  }
  expect([what, header(answer, "Content-Type")]).toEqual([what, "application/json"]);
  expect([what, JSON.parse(answer.body)]).toEqual([
    what,
    { error: { message: expect.any(String), type: expect.any(String), code: answer.status } },
  ]);
}

async function refused(method: string, target: string, status: number, headers = {}, body = "") {
  const answer = await ask(running.port, method, target, headers, body);
  expectRefused(`${method} ${target.slice(0, 80)} ${body.slice(0, 60)}`, answer, status);
  return answer;
}

describe("paths", () => {
  it("with bad escapes are refused", async () => {
    for (const part of ["%", "%zz", "%ff", "%c0%af", "%ed%a0%80", "a%1F", "%1F%1F"]) {
      await refused("GET", `/iceberg/v1/namespaces/${part}`, 400);
      await refused("GET", `/iceberg/v1/namespaces?parent=a%1F${part}`, 400);
    }
    await refused("GET", "/iceberg/v1/%ff/namespaces", 400);
    await refused("GET", "/iceberg/v1/namespaces/", 400);
    await refused("GET", "/%", 400);
  });

  it("of the longest namespace reach the catalog", async () => {
    const level = "%C3%A4".repeat(127);
    const path = Array.from({ length: 32 }, () => level).join("%1F");
    const answer = await refused("GET", `/iceberg/v1/namespaces/${path}`, 404);
    expect(header(answer, "X-Firn-Error")).toBe("NAMESPACE_NOT_FOUND");
    await refused("GET", `/iceberg/v1/namespaces/${path}%1Fx`, 400);
    await refused("GET", `/iceberg/v1/namespaces/${"a".repeat(70_000)}`, 431);
  });

  it("that lead nowhere are 404, methods that do not exist 405", async () => {
    for (const path of ["/iceberg", "/iceberg/", "/iceberg/v1", "/iceberg/v1/a/b/c", "/icebergs"]) {
      await refused("GET", path, 404);
    }
    await refused("GET", "/nothing", 404);
    await refused("GET", "/(a|b", 404);
    const answer = await refused("PUT", "/iceberg/v1/namespaces", 405);
    expect(answer.headerLines).toContain("Allow: GET, POST");
    for (const method of ["OPTIONS", "TRACE", "PATCH", "PROPFIND", "REPORT"]) {
      await refused(method, "/iceberg/v1/config", 405);
      await refused(method, "/iceberg/v1/nothing", 404);
    }
    await refused("POST", "/livez", 405);
    const head = await ask(running.port, "HEAD", "/iceberg/v1/namespaces/a");
    expect([head.status, head.body]).toEqual([404, ""]);
    expect(header(head, "X-Firn-Error")).toBe("NAMESPACE_NOT_FOUND");
  });

  it("with bad parameters are refused", async () => {
    for (const query of ["pageSize=0", "pageSize=1&pageSize=1", "pageToken=%", "parent=%1F"]) {
      await refused("GET", `/iceberg/v1/namespaces?${query}`, 400);
    }
    await refused("GET", "/iceberg/v1/namespaces/a/tables/t?snapshots=some", 400);
    await refused("DELETE", "/iceberg/v1/namespaces/a/tables/t?purgeRequested=1", 400);
  });
});

describe("bodies", () => {
  const post = (body: string, headers = {}) =>
    ask(running.port, "POST", "/iceberg/v1/namespaces", headers, body);

  it("are JSON, and say so", async () => {
    const good = '{"namespace":["a"]}';
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
      expectRefused(type, await post(good, { "Content-Type": type }), 415);
    }
    for (const type of [
      "application/json, text/plain",
      "application/jsonx",
      "text/plain; application/json",
      ";",
    ]) {
      expectRefused(type, await post(good, { "Content-Type": type }), 415);
    }
    expectRefused("compressed", await post(good, { "Content-Encoding": "gzip" }), 415);
    const length = { "Content-Length": String(good.length) };
    const untyped = requestText("POST", "/iceberg/v1/namespaces", length) + good;
    expectRefused("no type", parseAnswer(await exchange(running.port, untyped)), 415);
    const typed = await post(good, { "Content-Type": "Application/JSON; charset=utf-8" });
    expect(typed.status).toBe(200);
  });

  it("that are not good JSON are refused", async () => {
    for (const body of [
      ...[
        "{",
        "nul",
        "[]",
        '"x"',
        "1",
        '{"namespace":["a"]}x',
        '{"a":1,"a":2}',
        "\u0000",
        "{}\u0000",
      ],
      ...[
        '{"__proto__":{"namespace":["a"]}}',
        '{"namespace":["\\ud800"]}',
        '\ufeff{"namespace":["a"]}',
      ],
      ...["[".repeat(100_000), `{"namespace":${"[".repeat(65)}${"]".repeat(65)}}`],
      ...[`{"namespace":[${"1,".repeat(100_001)}1]}`, `{"namespace":[${"9".repeat(100_000)}]}`],
      ...['{"namespace":[1e400]}', '{"namespace":["a"],"namespace":["b"]}'],
    ]) {
      expectRefused(body.slice(0, 40), await post(body), 400);
    }
    const badUtf8 = Buffer.concat([
      Buffer.from('{"namespace":["'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"]}'),
    ]);
    const head = requestText("POST", "/iceberg/v1/namespaces", {
      "Content-Type": "application/json",
      "Content-Length": String(badUtf8.length),
    });
    const answer = parseAnswer(
      await exchange(running.port, Buffer.concat([Buffer.from(head), badUtf8])),
    );
    expectRefused("bad utf-8", answer, 400);
    expectRefused("no body", await post("", { "Content-Type": "application/json" }), 400);
  });

  it("that are too large are refused before they are read", async () => {
    const headers = { "Content-Type": "application/json", "Content-Length": "99999999999" };
    const sent = requestText("POST", "/iceberg/v1/namespaces", headers);
    expectRefused("huge", parseAnswer(await exchange(running.port, sent)), 413);
  });

  it("that were refused unread and never come get no second answer", async () => {
    const keepAlive = { Connection: "keep-alive", "Content-Type": "application/json" };
    for (const [path, length] of [
      ["/iceberg/v1/namespaces", "99999999999"],
      ["/iceberg/v1/nothing", "10"],
    ] as const) {
      const headers = { ...keepAlive, "Content-Length": length };
      const raw = await exchange(running.port, requestText("POST", path, headers));
      expect([path, raw.split("HTTP/1.1 ").length - 1]).toEqual([path, 1]);
    }
  });

  it("that do not come in time are refused", async () => {
    const headers = { "Content-Type": "application/json", "Content-Length": "10" };
    const slow = requestText("POST", "/iceberg/v1/namespaces", headers);
    expectRefused("slow body", parseAnswer(await exchange(running.port, `${slow}{`)), 408);
    const head = await exchange(running.port, "GET /iceberg/v1/config HTTP/1.1\r\nHost: loc");
    expectRefused("slow head", parseAnswer(head), 408);
  });
});

/** A request that is right, and by its paths the members that are checked here. */
const BODIES: readonly { path: string; good: { [key: string]: JsonValue }; optional: string[] }[] =
  [
    {
      path: "/namespaces",
      good: { namespace: ["a"], properties: { k: "v" } },
      optional: ["properties"],
    },
    {
      path: "/namespaces/a/properties",
      good: { removals: ["a"], updates: { b: "c" } },
      optional: ["removals", "updates"],
    },
    {
      path: "/namespaces/a/tables",
      good: {
        name: "t",
        location: "file:///x",
        schema: {},
        "partition-spec": {},
        "write-order": {},
        "stage-create": false,
        properties: { k: "v" },
      },
      optional: ["location", "partition-spec", "write-order", "stage-create", "properties"],
    },
    {
      path: "/namespaces/a/register",
      good: { name: "t", "metadata-location": "file:///m.json", overwrite: true },
      optional: ["overwrite"],
    },
    {
      path: "/namespaces/a/tables/t",
      good: { requirements: [], updates: [], identifier: { namespace: ["a"], name: "t" } },
      optional: ["identifier"],
    },
    {
      path: "/tables/rename",
      good: {
        source: { namespace: ["a"], name: "t" },
        destination: { namespace: ["a"], name: "u" },
      },
      optional: [],
    },
    {
      path: "/namespaces/a/tables/t/metrics",
      good: {
        "report-type": "commit-report",
        "table-name": "t",
        "snapshot-id": 1,
        "sequence-number": 1,
        operation: "append",
        metrics: {},
        metadata: { k: "v" },
      },
      optional: ["metadata"],
    },
  ];

const WRONG: readonly JsonValue[] = [
  true,
  0,
  -1.5,
  1e21,
  "",
  "x",
  [],
  [[]],
  {},
  { a: {} },
  [0],
  [null],
];

function kindOf(value: JsonValue | undefined): string {
  return Array.isArray(value) ? "array" : typeof value;
}

describe.each(BODIES)("members of POST $path", ({ path, good, optional }) => {
  const post = (body: JsonValue) =>
    ask(running.port, "POST", `/iceberg/v1${path}`, {}, JSON.stringify(body));

  it("may be what they are meant to be", async () => {
    expect(Math.trunc((await post(good)).status / 100)).toBe(2);
    for (const name of optional) {
      expect([name, Math.trunc((await post({ ...good, [name]: null })).status / 100)]).toEqual([
        name,
        2,
      ]);
    }
    expect(Math.trunc((await post({ ...good, unknown: [1] })).status / 100)).toBe(2);
  });

  it.each(Object.keys(good))("%s is nothing else", async (name) => {
    for (const wrong of WRONG) {
      if (kindOf(wrong) === kindOf(good[name])) continue;
      const answer = await post({ ...good, [name]: wrong });
      expectRefused(`${name} = ${JSON.stringify(wrong)}`, answer, 400);
      expect(answer.body).toContain(name);
    }
    if (optional.includes(name)) return;
    const { [name]: _gone, ...rest } = good;
    expectRefused(`no ${name}`, await post(rest), 400);
    expectRefused(`null ${name}`, await post({ ...good, [name]: null }), 400);
  });
});

describe("members inside members", () => {
  it.each([
    ["/namespaces", { namespace: [] }],
    ["/namespaces", { namespace: [""] }],
    ["/namespaces", { namespace: [1] }],
    ["/namespaces", { namespace: Array.from({ length: 33 }, () => "a") }],
    ["/namespaces", { namespace: ["a"], properties: { k: 1 } }],
    ["/namespaces", { namespace: ["a"], properties: { k: null } }],
    ["/namespaces/a/properties", { removals: [1] }],
    ["/namespaces/a/properties", { updates: { k: {} } }],
    [
      "/tables/rename",
      { source: { namespace: ["a"] }, destination: { namespace: ["a"], name: "u" } },
    ],
    ["/namespaces/a/tables/t", { requirements: [{}], updates: [] }],
    ["/namespaces/a/tables/t", { requirements: [{ type: "assert-nothing" }], updates: [] }],
    ["/namespaces/a/tables/t", { requirements: [], updates: [{ action: "do-nothing" }] }],
    ["/namespaces/a/tables/t", { requirements: [], updates: [1] }],
  ])("%s refuses %j", async (path, body) => {
    const answer = await ask(running.port, "POST", `/iceberg/v1${path}`, {}, JSON.stringify(body));
    expectRefused(path, answer, 400);
  });
});

const CHUNKED = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };

describe("bytes that are no HTTP", () => {
  it.each([
    ["garbage", "\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n"],
    ["a header without colon", "GET / HTTP/1.1\r\nHost: localhost\r\nbad header\r\n\r\n"],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ],
    [
      "length and chunks",
      requestText("POST", "/", { "Content-Length": "1", "Transfer-Encoding": "chunked" }),
    ],
    ["a bad chunk", `${requestText("POST", "/iceberg/v1/namespaces", CHUNKED)}ZZ\r\n`],
    ["a space in the target", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
    ["a header too large", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(70_000)}\r\n\r\n`],
    ["a tunnel", "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\n\r\n"],
    ["no host", "GET /iceberg/v1/config HTTP/1.1\r\nConnection: close\r\n\r\n"],
    [
      "an unknown expectation",
      "GET /livez HTTP/1.1\r\nHost: localhost\r\nExpect: magic\r\nConnection: close\r\n\r\n",
    ],
  ])("%s is answered and the connection closed", async (_what, bytes) => {
    expectRefused(_what, parseAnswer(await exchange(running.port, bytes)));
  });

  it("behind a proper request do not spoil its answer", async () => {
    const sent = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n\u0000garbage\r\n\r\n";
    const raw = await exchange(running.port, sent);
    expect(parseAnswer(raw).status).toBe(200);
    expect(raw.lastIndexOf("HTTP/1.1 400")).toBeGreaterThan(0);
  });

  it("that end at once leave the server alive", async () => {
    await exchange(
      running.port,
      "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    expect((await ask(running.port, "GET", "/livez")).status).toBe(200);
  });
});
