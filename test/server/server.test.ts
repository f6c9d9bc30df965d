import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { createMetrics } from "../../src/base/metrics.ts";
import { ask, header, parseAnswer, requestText, scripted, serving } from "../http/support.ts";

/** A service whose config waits until it is let go. */
function held() {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const { service } = scripted({
    config: async () => {
      entered.resolve();
      await released.promise;
      return { catalog: "default", defaults: {}, overrides: {} };
    },
  });
  return { service, entered: entered.promise, release: () => released.resolve() };
}

function collect(port: number, sent: string) {
  const chunks: Buffer[] = [];
  const socket = connect(port, "127.0.0.1", () => socket.write(sent));
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  return { socket, closed, text: () => Buffer.concat(chunks).toString() };
}

describe("a stop", () => {
  it("lets what is under way finish, then closes the connection and the port", async () => {
    const { service, entered, release } = held();
    const running = await serving(service);
    const { port } = running;
    const idle = collect(port, "");
    const keepAlive = { Connection: "keep-alive" };
    const { closed, text } = collect(port, requestText("GET", "/iceberg/v1/config", keepAlive));
    await entered;
    const stopped = running.server.stop();
    let ended = false;
    void stopped.then(() => {
      ended = true;
    });
    await idle.closed;
    await expect(ask(port, "GET", "/livez")).rejects.toThrow();
    expect(ended).toBe(false);
    release();
    await closed;
    await stopped;
    expect(parseAnswer(text()).status).toBe(200);
    expect(text()).toMatch(/^connection: close\r$/im);
    await running.server.stop();
  });

  it("does not wait for ever", async () => {
    const { service, entered, release } = held();
    const running = await serving(service, { drainMs: 20 });
    const { closed, text } = collect(running.port, requestText("GET", "/iceberg/v1/config"));
    await entered;
    await running.server.stop();
    await closed;
    expect(text()).toBe("");
    release();
  });

  it("still serves what comes in on an open connection, but is not ready", async () => {
    const { service, entered, release } = held();
    const running = await serving(service);
    const keepAlive = { Connection: "keep-alive" };
    const first = requestText("GET", "/iceberg/v1/config", keepAlive);
    const { socket, closed, text } = collect(running.port, first);
    await entered;
    const stopped = running.server.stop();
    socket.write(requestText("GET", "/readyz", keepAlive));
    release();
    await closed;
    await stopped;
    const [config, ready] = text().split(/(?=HTTP\/1\.1 )/);
    expect(parseAnswer(config ?? "").status).toBe(200);
    // The first answer closes the connection, so a second one is either 503 or never sent.
    if (ready !== undefined) expect(parseAnswer(ready).status).toBe(503);
  });
});

describe("probes", () => {
  it("tell living from being ready", async () => {
    let reachable = false;
    await using running = await serving(scripted().service, {
      ready: async () => {
        if (!reachable) throw new FirnError("Unavailable", "STORE_UNAVAILABLE", "no store");
      },
    });
    expect((await ask(running.port, "GET", "/livez")).status).toBe(200);
    expect((await ask(running.port, "GET", "/readyz")).status).toBe(503);
    reachable = true;
    expect((await ask(running.port, "GET", "/readyz")).status).toBe(200);
  });

  it("count requests by template, so that no name becomes a label", async () => {
    const metrics = createMetrics();
    await using running = await serving(scripted().service, { metrics });
    const { port } = running;
    await ask(port, "GET", "/iceberg/v1/namespaces/secret-name");
    await ask(port, "GET", "/iceberg/v1/default/namespaces/other-name");
    await ask(port, "GET", "/secret-path");
    await ask(port, "PROPFIND", "/iceberg/v1/secret-path");
    const { body, status } = await ask(port, "GET", "/metrics");
    expect(status).toBe(200);
    const template = "/iceberg/v1/{prefix}/namespaces/{namespace}";
    expect(body).toContain(
      `firn_http_requests_total{route="${template}",method="GET",status="200"} 2`,
    );
    expect(body).toContain(
      'firn_http_requests_total{route="unmatched",method="GET",status="404"} 1',
    );
    expect(body).toContain(
      'firn_http_requests_total{route="unmatched",method="other",status="404"} 1',
    );
    expect(body).toContain(
      `firn_http_request_duration_seconds_count{route="${template}",method="GET"} 2`,
    );
    expect(body).not.toMatch(/secret|other-name/);
  });
});

describe("request ids", () => {
  it("are the caller's if sane, else new, and go to service, answer and log", async () => {
    const ids: string[] = [];
    const { service } = scripted({
      config: async ({ requestId }) => {
        ids.push(requestId);
        return { catalog: "default", defaults: {}, overrides: {} };
      },
    });
    await using running = await serving(service);
    const { port, logs } = running;
    const sent = await ask(port, "GET", "/iceberg/v1/config", { "X-Request-Id": "trace-1.a:b" });
    expect(header(sent, "X-Request-Id")).toBe("trace-1.a:b");
    for (const bad of ["a b", 'x"y', "x".repeat(200), "\u00e4"]) {
      const minted = await ask(port, "GET", "/iceberg/v1/config", { "X-Request-Id": bad });
      expect(header(minted, "X-Request-Id")).toMatch(/^[0-9a-f]{24}-[0-9a-z]+$/);
    }
    expect(ids[0]).toBe("trace-1.a:b");
    expect(new Set(ids).size).toBe(5);
    const line = logs.map((text) => JSON.parse(text)).find((log) => log.requestId === ids[0]);
    expect(line).toMatchObject({ level: "info", method: "GET", status: 200 });
  });

  it("lead from a failed answer to its cause, which only the log shows", async () => {
    const { service } = scripted({
      config: async () => {
        throw new TypeError("secret cause");
      },
    });
    await using running = await serving(service);
    const answer = await ask(running.port, "GET", "/iceberg/v1/config", { "X-Request-Id": "r1" });
    expect([answer.status, header(answer, "X-Firn-Error")]).toEqual([500, "INTERNAL"]);
    expect(answer.body).not.toContain("secret");
    const line = running.logs.map((text) => JSON.parse(text)).find((log) => log.level === "error");
    expect(line).toMatchObject({ requestId: "r1", code: "INTERNAL" });
    expect(line.stack).toContain("secret cause");
  });
});

it("a port that is taken is said so", async () => {
  await using running = await serving(scripted().service);
  await expect(serving(scripted().service, {}, running.port)).rejects.toMatchObject({
    kind: "Unavailable",
    code: "LISTEN_FAILED",
  });
});
