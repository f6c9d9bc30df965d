import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { HttpPool } from "../../src/aws/http.ts";
import { S3BlobStore } from "../../src/blob/s3/store.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";

/** Answers the first request of a connection, and closes at the next. `told` counts what closed. */
const CLOSING_SERVER = `
  const { createServer } = require("node:tls");
  const { parentPort, workerData: { cert, key, told } } = require("node:worker_threads");
  const server = createServer({ cert, key }, (socket) => {
    let requests = 0;
    socket.on("error", () => {});
    socket.on("close", () => {
      Atomics.add(told, 0, 1);
      Atomics.notify(told, 0);
    });
    socket.on("data", () => {
      if (++requests > 1) socket.destroy();
      else socket.write("HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\n\\r\\n");
    });
  });
  server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;
/** For the other thread to close a connection. */
const CLOSE_MS = 20_000;
const CLOSES = 8;

const FOLDER = join(import.meta.dirname, "..", "fixtures", "tls");

const cert = readFileSync(join(FOLDER, "certificate.pem"), "utf8");
const key = readFileSync(join(FOLDER, "key.pem"), "utf8");

test("a store that nobody vouches for is sent nothing, until somebody does", async () => {
  const agents: (string | undefined)[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    agents.push(request.headers["user-agent"]);
    response.writeHead(404).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const failures: (string | undefined)[] = [];
  const { port } = server.address() as AddressInfo;
  const credentials = { accessKeyId: "AK", secretAccessKey: "secret" };
  const store = new S3BlobStore(
    {
      bucket: "lake",
      endpoint: `https://127.0.0.1:${port}`,
      region: "us-east-1",
      credentials,
      maxFailures: 0,
      transport: "direct",
    },
    {
      clock: new SystemClock(),
      prng: new SystemPrng(),
      onRequest: ({ failure }) => void failures.push(failure?.reason),
    },
  );
  const trusted = getCACertificates("default");
  try {
    await expect(store.put("a", new Uint8Array(1))).rejects.toMatchObject({ kind: "Unavailable" });
    expect([failures.splice(0), agents]).toEqual([["unsent"], []]);
    // What NODE_EXTRA_CA_CERTS names is one of these.
    setDefaultCACertificates([...trusted, cert]);
    expect(await store.head("a")).toBeUndefined();
    expect(await store.head("a")).toBeUndefined();
    expect(agents).toEqual(["firn", "firn"]);
  } finally {
    setDefaultCACertificates(trusted);
    store.close();
    server.close();
  }
});

test("what left whole before its connection closed is in doubt, however busy we were", async () => {
  const told = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(CLOSING_SERVER, { eval: true, workerData: { cert, key, told } });
  const trusted = getCACertificates("default");
  const pool = new HttpPool({ connections: 1, connectMs: CLOSE_MS, idleMs: CLOSE_MS });
  try {
    const [port] = (await once(worker, "message")) as [number];
    setDefaultCACertificates([...trusted, cert]);
    const origin = { secure: true, hostname: "127.0.0.1", port };
    const request = { method: "PUT", path: "/", headers: ["host", "here", "content-length", "0"] };
    const send = () => pool.exchange(origin, request, { signal: new AbortController().signal });
    // Node may have counted the write by then, once or twice: not each time.
    for (let closed = 0; closed < CLOSES; closed++) {
      await send();
      const broken = new Promise((resolve) => {
        setTimeout(() => void send().then(resolve, resolve));
        // In the same turn: by the next one the server has read the request and closed.
        setTimeout(() => Atomics.wait(told, 0, closed, CLOSE_MS));
      });
      expect(await broken).toMatchObject({ code: "ECONNRESET" });
      // The client may notice the close before the server's own event of it.
      Atomics.wait(told, 0, closed, CLOSE_MS);
      expect(Atomics.load(told, 0)).toBe(closed + 1);
    }
  } finally {
    setDefaultCACertificates(trusted);
    pool.close();
    await worker.terminate();
  }
});
