import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { acceptsGzip, Compressor } from "../../src/http/compress.ts";
import { HTTP_LIMITS } from "../../src/http/limits.ts";
import { LOCATION, loaded, scripted, serving } from "./support.ts";

const LARGE = [Buffer.from(`{"x":"${"ab".repeat(HTTP_LIMITS.compressFromBytes)}"}`)];
const TABLE = "/iceberg/v1/default/namespaces/a/tables/t";

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => {
        const { statusCode: status = 0, headers: received } = response;
        resolve({ status, headers: received, body: Buffer.concat(pieces) });
      });
    });
    sent.on("error", reject).end();
  });
}

async function serve(isLoopback: boolean, metadata = LARGE): Promise<string> {
  const { service } = scripted({ loadTable: async () => loaded({ metadata }) });
  const { server, url } = await serving(service, { isLoopback: () => isLoopback });
  onTestFinished(() => server.stop());
  return `${url}${TABLE}`;
}

it("a client on another machine gets a large answer compressed, its ETag intact", async () => {
  const url = await serve(false);
  const plain = await get(url);
  const packed = await get(url, { "accept-encoding": "br, gzip" });
  expect(plain.headers).toMatchObject({ vary: "Accept-Encoding", etag: '"v1"' });
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(plain.body.toString()).toContain(LOCATION);
  expect(packed.headers).toMatchObject({ "content-encoding": "gzip", vary: "Accept-Encoding" });
  expect(packed.headers["etag"]).toBe(plain.headers["etag"]);
  expect(packed.body.length).toBeLessThan(plain.body.length / 10);
  expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
});

it("a client on this machine, one that refuses gzip, and a small answer: as they are", async () => {
  const accepts = { "accept-encoding": "gzip" };
  const near = await get(await serve(true), accepts);
  expect(near.headers["content-encoding"]).toBeUndefined();
  expect(near.headers["vary"]).toBeUndefined();
  const refused = await get(await serve(false), { "accept-encoding": "gzip;q=0" });
  expect(refused.headers["content-encoding"]).toBeUndefined();
  const small = await get(await serve(false, [Buffer.from("{}")]), accepts);
  expect(small.headers["content-encoding"]).toBeUndefined();
});

it("an answer that is to go out as it is stays so, however large", () => {
  const answer = { status: 200, headers: {}, body: Buffer.concat(LARGE) } as const;
  const asIs = { ...answer, asIs: true } as const;
  expect(new Compressor().fit(asIs, "gzip")).toBe(asIs);
  expect(new Compressor().fit(answer, undefined)).not.toBe(answer);
});

it("one body under one ETag is compressed once", async () => {
  const compressor = new Compressor();
  const answer = { status: 200, headers: { ETag: '"e"' }, body: LARGE };
  const [one, two] = await Promise.all([
    compressor.fit(answer, "gzip"),
    compressor.fit(answer, "gzip"),
  ]);
  expect(two.body).toBe(one.body);
  expect((await compressor.fit(answer, "gzip")).body).toBe(one.body);
  // Another config under the same ETag is another body.
  const other = { ...answer, body: [...LARGE, Buffer.from(" ")] };
  expect((await compressor.fit(other, "gzip")).body).not.toBe(one.body);
});

it.each([
  ["gzip", true],
  ["GZIP;q=0.5, br", true],
  ["*", true],
  ["*;q=0, gzip", true],
  ["gzip;q=0, *", false],
  ["gzip; q=0.000", false],
  ["br, deflate", false],
  ["", false],
  [undefined, false],
])("an Accept-Encoding of %s is answered with %s", (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});
