import { EventEmitter } from "node:events";
import type { Server } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createMetrics } from "../../src/base/metrics.ts";
import { Connections } from "../../src/server/connections.ts";
import { ask, EDGE, type Running, scripted, serving } from "../http/support.ts";

/** Opens a connection. @returns it once it is open; it is closed with the test. */
function open({ port }: Running): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.once("connect", () => resolve(socket)).once("error", reject);
  });
}

function closed(socket: Socket): Promise<unknown> {
  socket.on("error", () => undefined);
  return new Promise((resolve) => socket.once("close", resolve));
}

test("connections beyond the limit are closed, and taken again when there is room", async () => {
  const edge = { ...EDGE, maxConnections: 2 };
  await using running = await serving(scripted().service, { edge });
  const [first] = [await open(running), await open(running)];
  await closed(await open(running));
  const metrics = () => ask(running.port, "GET", "/metrics");
  first?.destroy();
  await expect.poll(async () => (await metrics().catch(() => undefined))?.status).toBe(200);
  const { body } = await metrics();
  expect(body).toContain("firn_http_connections 2");
  expect(body).toMatch(/firn_http_connections_refused_total\{limit="all"\} [1-9]/);
});

test("connections are bounded per address, but for a trusted proxy's", () => {
  const trustedProxy = ["10.0.3.0/24", "fd00::1"];
  const limits = { ...EDGE, maxConnectionsPerAddress: 2, trustedProxy };
  const server = new EventEmitter();
  new Connections(server as Server, limits, createMetrics());
  const arrive = (remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress,
      destroyed: false,
      destroy: () => Object.assign(socket, { destroyed: true }),
    });
    server.emit("connection", socket);
    return socket;
  };
  const [first] = [arrive("10.0.2.1"), arrive("::ffff:10.0.2.1")];
  expect(arrive("10.0.2.1").destroyed).toBe(true);
  expect(arrive("10.0.2.2").destroyed).toBe(false);
  for (const proxy of ["10.0.3.9", "::ffff:10.0.3.9", "fd00::1"]) {
    const many = [1, 2, 3, 4].map(() => arrive(proxy).destroyed);
    expect([proxy, many]).toEqual([proxy, [false, false, false, false]]);
  }
  first?.emit("close");
  expect([arrive("10.0.2.1").destroyed, arrive("10.0.2.1").destroyed]).toEqual([false, true]);
});
