import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createMetrics } from "../../src/base/metrics.ts";
import { Streams } from "../../src/server/streams.ts";
import { requestText } from "../http/support.ts";

const PIECE = "x".repeat(65_536);

/** A server of one endless stream, and how much of it was made. */
async function endless(stallMs: number) {
  const metrics = createMetrics();
  const streams = new Streams(metrics, { stallMs });
  const open = () => metrics.samples("firn_http_streams")[0]?.value;
  const made = { pieces: 0, buffered: 0 };
  const server = createServer((_request, response) => {
    async function* pieces() {
      for (;;) {
        made.pieces++;
        made.buffered = Math.max(made.buffered, response.writableLength);
        yield PIECE;
      }
    }
    const ended = streams.open(response);
    void streams.send(response, { status: 200, headers: {}, pieces: pieces() }, ended, []);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    streams.drain();
    server.closeAllConnections();
    server.close();
  });
  return { made, streams, open, port: (server.address() as AddressInfo).port };
}

test("a client that reads nothing stops the stream, costs a buffer, and is let go", async () => {
  const { made, open, port } = await endless(500);
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => undefined);
  socket.write(requestText("GET", "/"));
  const [first] = await once(socket, "data");
  expect(String(first)).toContain("200");
  socket.pause();
  await expect.poll(open, { timeout: 20_000 }).toBe(0);
  const { pieces } = made;
  // What the kernel takes is not ours; what waits in this process is one piece beside a buffer.
  expect(made.buffered).toBeLessThan(4 * PIECE.length);
  await new Promise((resolve) => setImmediate(resolve));
  expect(made.pieces).toBe(pieces);
});

test("a client that reads slowly gets everything in order until the drain", async () => {
  const { made, streams, port } = await endless(60_000);
  const socket = connect(port, "127.0.0.1");
  socket.write(requestText("GET", "/"));
  let bytes = 0;
  socket.on("data", (chunk) => {
    bytes += chunk.length;
  });
  await expect.poll(() => bytes, { timeout: 10_000 }).toBeGreaterThan(10 * PIECE.length);
  const closed = once(socket, "close");
  streams.drain();
  await closed;
  expect(bytes).toBeGreaterThanOrEqual((made.pieces - 1) * PIECE.length);
});
