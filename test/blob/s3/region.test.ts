import { afterEach, expect, test } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { S3Options } from "../../../src/blob/s3/options.ts";
import { inItsRegion } from "../../../src/blob/s3/region.ts";
import { S3BlobStore } from "../../../src/blob/s3/store.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { BUCKET, type OpenedS3, openS3 } from "../../double/s3/open.ts";
import type { Handler } from "../../double/server.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const KEYS = { accessKeyId: "test", secretAccessKey: "secret" };

/** A bucket in a region, options that ask us-east-1 for it, and the requests that are sent. */
async function bucketIn(
  region: string,
  change: (handler: Handler) => Handler = (handler) => handler,
): Promise<{ readonly options: S3Options; readonly sent: string[]; readonly s3: OpenedS3 }> {
  const sent: string[] = [];
  const s3 = await openS3(
    { region, accounts: new Map([[KEYS.accessKeyId, KEYS.secretAccessKey]]) },
    ({ handler }) => {
      const changed = change(handler);
      return (request) => {
        sent.push(request.method);
        return changed(request);
      };
    },
  );
  closing.push(() => s3.close());
  const options: S3Options = {
    bucket: BUCKET,
    endpoint: s3.serving.url,
    region: "us-east-1",
    credentials: KEYS,
    timeouts: { idleMs: 500 },
    maxFailures: 1,
  };
  return { options, sent, s3 };
}

const COMPONENTS = { clock: new SystemClock(), prng: new SeededPrng(1) };

async function opened(options: S3Options): Promise<S3BlobStore> {
  const store = new S3BlobStore(await inItsRegion(options, COMPONENTS), COMPONENTS);
  closing.push(() => store.close());
  return store;
}

test.each([["us-east-1"], ["eu-central-1"]])(
  "a bucket in %s is used at the cost of one look",
  async (region) => {
    const { options, sent } = await bucketIn(region);
    const store = await opened(options);
    expect(sent).toEqual(["HEAD"]);
    await store.put("a/b", utf8("content"), "absent");
    expect(utf8Text((await store.get("a/b"))?.bytes ?? new Uint8Array())).toBe("content");
    expect(sent).toEqual(["HEAD", "PUT", "GET"]);
  },
);

test("without the look a bucket of another region is refused", async () => {
  const { options } = await bucketIn("eu-central-1");
  const store = new S3BlobStore(options, COMPONENTS);
  closing.push(() => store.close());
  await expect(store.get("a/b")).rejects.toMatchObject({ code: "BLOB_STORE_REFUSED" });
});

test("what a look is refused for otherwise, the first request tells", async () => {
  const { options } = await bucketIn("us-east-1");
  const stranger = { ...options, credentials: { ...KEYS, accessKeyId: "stranger" } };
  const store = await opened(stranger);
  await expect(store.get("a/b")).rejects.toMatchObject({ code: "BLOB_STORE_DENIED" });
});

test("where nobody answers the region stays unknown, and is asked again", async () => {
  let down = true;
  const unavailable = () => ({ status: 503, headers: {}, body: new Uint8Array() });
  const { options } = await bucketIn(
    "eu-central-1",
    (handler) => (request) => (down ? unavailable() : handler(request)),
  );
  await expect(inItsRegion(options, COMPONENTS)).rejects.toMatchObject({
    kind: expect.stringMatching(/^(?:Unavailable|Overloaded)$/) as string,
  });
  down = false;
  expect(await inItsRegion(options, COMPONENTS)).toMatchObject({ region: "eu-central-1" });
});
