import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { adminProtocol } from "../../src/http/admin/protocol.ts";
import { Framework } from "../../src/http/framework.ts";
import { IcebergProtocol } from "../../src/http/iceberg/protocol.ts";
import { probesProtocol } from "../../src/http/probes/protocol.ts";
import type { Accepted, Head, Protocol } from "../../src/http/protocol.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { createHttpServer } from "../../src/server/http-server.ts";
import { OperatorAccess } from "../../src/server/operator-access.ts";
import { FirnServer } from "../../src/server/server.ts";
import { ownerOf } from "../../src/server/target.ts";
import { DEFAULT_ACCOUNT } from "../../src/service/actor.ts";
import { UsageMeter } from "../../src/service/usage.ts";
import { EDGE, scripted } from "../http/support.ts";

const clock = new SystemClock();
const prng = new SeededPrng(1);
const log = pino({ level: "silent" });

function served(): Readonly<Record<string, Protocol>> {
  const framework = new Framework();
  const [metrics, ready] = [createMetrics(), async () => undefined];
  return {
    iceberg: new IcebergProtocol(scripted().service, clock),
    admin: adminProtocol(framework, { shards: [], authorize: () => undefined }),
    probes: probesProtocol(framework, {
      nodeId: "n",
      version: "1",
      metrics,
      ready,
      onUnready: () => undefined,
    }),
  };
}

describe("a path belongs to one protocol", () => {
  const paths: readonly (readonly [path: string, owner: string])[] = [
    ["/iceberg", "iceberg"],
    ["/iceberg/v1/config", "iceberg"],
    ["/iceberg/admin/v1", "iceberg"],
    ["/v1/namespaces", "iceberg"],
    ["/catalog/v1/config", "iceberg"],
    ["/api/catalog/v1/oauth/tokens", "iceberg"],
    ["/icebergs", "probes"],
    ["/v1", "probes"],
    ["/v2/config", "probes"],
    ["/admin/v1/shards/system", "admin"],
    ["/administer", "probes"],
    ["/", "probes"],
    ["/livez", "probes"],
    ["", "probes"],
  ];

  it.each(paths)("%s is of %s", (path, owner) => {
    const protocols = served();
    const found = ownerOf(Object.values(protocols), { path, query: "" });
    expect(Object.keys(protocols).find((name) => protocols[name] === found)).toBe(owner);
  });
});

/** A protocol that the server has never seen: it shouts what it is told. */
class Shouting implements Protocol {
  readonly owns: RegExp = /^\/shout/;
  readonly unlimited: RegExp = /^\/shout\/free$/;
  readonly forOperators: boolean = false;
  readonly logLevel = "debug";
  readonly bodies: string[] = [];

  accept({ method, target }: Head): Accepted {
    if (method === "PUT") throw new FirnError("Invalid", "TOO_LOUD", "not so loud");
    return {
      route: "/shout",
      operation: "POST /shout",
      writes: true,
      bodyBytes: 8,
      named: () => ({}),
      run: async ({ requestId }, body) => {
        const text = Buffer.from(body ?? []).toString();
        this.bodies.push(text);
        if (text === '"fail"') throw new FirnError("Unavailable", "HOARSE", "lost its voice");
        return { status: 200, headers: { "X-For": requestId }, body: target.path.toUpperCase() };
      },
    };
  }

  refuse(error: FirnError, _method: string, writes: boolean) {
    return { status: writes ? 418 : 419, headers: {}, body: `${error.code}!` };
  }

  overloaded() {
    return { status: 429, headers: {}, body: "HUSH!" };
  }
}

async function shoutingServer(maxInFlight: number): Promise<FirnServer> {
  const [metrics, shouting] = [createMetrics(), new Shouting()];
  const server = new FirnServer({
    protocols: [shouting, ...Object.values(served())],
    metrics,
    clock,
    prng,
    log,
    maxInFlight,
    usage: new UsageMeter(clock, DEFAULT_ACCOUNT),
    edge: EDGE,
    operators: new OperatorAccess(createHttpServer(), { dir: undefined, log, prng }),
  });
  onTestFinished(() => server.stop());
  return server;
}

async function ask(server: FirnServer, method: string, path: string, body?: string) {
  const headers = { host: "localhost", "content-type": "application/json", "x-request-id": "r1" };
  const sent = body === undefined ? undefined : Buffer.from(body);
  const { status, body: told } = await server.inject(method, path, headers, sent);
  return `${status} ${Buffer.from(told ?? []).toString()}`;
}

describe("a server knows a protocol by its port alone", () => {
  it("accepts, refuses and fails in the form of the protocol", async () => {
    const server = await shoutingServer(8);
    expect(await ask(server, "POST", "/shout/a", '"x"')).toBe("200 /SHOUT/A");
    expect(await ask(server, "PUT", "/shout/a", '"x"')).toBe("419 TOO_LOUD!");
    expect(await ask(server, "POST", "/shout/a", '"fail"')).toBe("418 HOARSE!");
  });

  it("reads no more of a body than its operation takes", async () => {
    const server = await shoutingServer(8);
    expect(await ask(server, "POST", "/shout/a", '"12345"')).toBe("200 /SHOUT/A");
    expect(await ask(server, "POST", "/shout/a", '"1234567"')).toBe("418 BODY_TOO_LARGE!");
  });

  it("answers overload in its form, and lets through what it exempts", async () => {
    const server = await shoutingServer(0);
    expect(await ask(server, "POST", "/shout/a", '"x"')).toBe("429 HUSH!");
    expect(await ask(server, "POST", "/shout/free", '"x"')).toBe("200 /SHOUT/FREE");
    expect(await ask(server, "GET", "/livez")).toMatch(/^200 /);
    expect(await ask(server, "GET", "/iceberg/v1/namespaces")).toMatch(/^429 .*SlowDown/);
    expect(await ask(server, "GET", "/iceberg/v1/config")).toMatch(/^200 /);
  });
});
