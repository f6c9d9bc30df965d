import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, test } from "vitest";
import { S3BlobStore } from "../../src/blob/s3/store.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";

const FOLDER = join(import.meta.dirname, "..", "fixtures", "tls");

test("a store that nobody vouches for is sent nothing, until somebody does", async () => {
  const cert = readFileSync(join(FOLDER, "certificate.pem"), "utf8");
  const key = readFileSync(join(FOLDER, "key.pem"), "utf8");
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
      ...{ bucket: "lake", endpoint: `https://127.0.0.1:${port}`, region: "us-east-1" },
      ...{ credentials, maxFailures: 0, transport: "lean" },
    },
    {
      ...{ clock: new SystemClock(), prng: new SystemPrng() },
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
