import { afterEach, describe, expect, test } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import type { S3Options } from "../../../src/blob/s3/options.ts";
import { S3BlobStore } from "../../../src/blob/s3/store.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import {
  type Handler,
  type Request,
  type Response,
  type Serving,
  serve,
} from "../../double/server.ts";
import { awsTransport } from "../../support/aws-transport.ts";

/* What no store should answer, and what stands between may: each by a server of its own. */

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const OURS = awsTransport() === "direct";
const components = { clock: new SystemClock(), prng: new SeededPrng(1) };

interface World {
  readonly store: BlobStore;
  readonly serving: Serving;
  readonly seen: string[];
}

async function against(handler: Handler, options: Partial<S3Options> = {}): Promise<World> {
  const seen: string[] = [];
  const serving = await serve((request) => {
    seen.push(request.method);
    return handler(request);
  });
  const store = new S3BlobStore(
    {
      bucket: "lake",
      endpoint: serving.url,
      region: "us-east-1",
      maxFailures: 1,
      credentials: { accessKeyId: "AK", secretAccessKey: "secret" },
      transport: awsTransport(),
      ...options,
    },
    components,
  );
  closing.push(serving.close, () => store.close());
  return { store, serving, seen };
}

function answer(
  status: number,
  body = "",
  headers: Readonly<Record<string, string>> = {},
): Response {
  return { status, headers, body: utf8(body) };
}

function refusing(status: number, code: string, headers: Readonly<Record<string, string>> = {}) {
  return ({ method }: Request): Response =>
    answer(status, method === "HEAD" ? "" : `<Error><Code>${code}</Code></Error>`, headers);
}

const PAGE = "<!doctype html><html><body><h1>We will be back</h1></body></html>";
const REFUSED = { kind: "Unavailable", code: "BLOB_STORE_REFUSED" };
const UNAVAILABLE = { kind: "Unavailable", code: "BLOB_STORE_UNAVAILABLE" };

describe("a redirection", () => {
  test.each([
    [301, "PermanentRedirect"],
    [307, "TemporaryRedirect"],
  ])("by %i is not followed, and says where the bucket is", async (status, code) => {
    const elsewhere = await against(() => answer(200, "theirs", { etag: '"e"' }));
    const headers = {
      location: `${elsewhere.serving.url}/lake/a`,
      "x-amz-bucket-region": "eu-west-3",
    };
    const { store } = await against(refusing(status, code, headers));
    const told = { ...REFUSED, context: { status, bucketRegion: "eu-west-3" } };
    await expect(store.get("a")).rejects.toMatchObject(told);
    await expect(store.head("a")).rejects.toMatchObject(told);
    await expect(store.put("a", utf8("x"), "absent")).rejects.toMatchObject(told);
    await expect(store.delete("a")).rejects.toMatchObject(told);
    await expect(store.list("")).rejects.toMatchObject(told);
    expect(elsewhere.seen).toEqual([]);
  });
});

describe("a page for people", () => {
  test("in place of an error is trouble that passes", async () => {
    let left = 1;
    const { store, seen } = await against(() =>
      left-- > 0 ? answer(502, PAGE, { "content-type": "text/html" }) : answer(200, "x"),
    );
    expect(utf8Text((await store.get("a"))!.bytes)).toBe("x");
    expect(seen).toEqual(["GET", "GET"]);
  });

  test("in place of a list is not an empty one", async () => {
    for (const body of [PAGE, "<Other/>"]) {
      const { store, seen } = await against(() => answer(200, body));
      await expect(store.list("")).rejects.toMatchObject(UNAVAILABLE);
      expect(seen).toEqual(["GET", "GET"]);
    }
  });
});

describe("a part of an object", () => {
  const BODY = "0123456789";
  const part = (from: number, to: number, told = `bytes ${from}-${to - 1}/${BODY.length}`) =>
    answer(206, BODY.slice(from, to), { "content-range": told, etag: '"e"' });

  test("is the one that was asked for", async () => {
    let given = part(2, 5);
    const { store } = await against(() => given);
    const range = async () => utf8Text((await store.getRange("a", 2, 3))!.bytes);
    const suffix = async () => utf8Text((await store.getSuffix("a", 3))!.bytes);
    expect(await range()).toBe("234");
    given = part(7, 10);
    expect(await suffix()).toBe("789");
    given = part(7, 10, "bytes 7-9/*");
    expect(await suffix()).toBe("789");
    for (const other of [
      ...[part(3, 6), part(0, 3), part(2, 6), part(2, 4, "bytes 2-4/10"), part(2, 5, "bytes 2-4")],
      part(0, 10),
    ]) {
      given = other;
      await expect(range()).rejects.toMatchObject(UNAVAILABLE);
      await expect(suffix()).rejects.toMatchObject(UNAVAILABLE);
    }
    // Nobody asked for one.
    await expect(store.get("a")).rejects.toMatchObject(UNAVAILABLE);
  });

  test("is empty where the object is, whatever a server calls that", async () => {
    const { store } = await against(() =>
      answer(206, "", { "content-range": "bytes 0--1/0", etag: '"e"' }),
    );
    expect((await store.getSuffix("a", 9))!.bytes).toHaveLength(0);
  });

  test("is cut from the whole where the store knows no parts", async () => {
    const { store } = await against(() => answer(200, BODY, { etag: '"e"' }));
    expect(utf8Text((await store.getRange("a", 2, 3))!.bytes)).toBe("234");
    expect(utf8Text((await store.getSuffix("a", 3))!.bytes)).toBe("789");
  });
});

describe.runIf(OURS)("a refusal of a HEAD by 400", () => {
  test.each([
    ["ExpiredToken", "BLOB_STORE_DENIED", ["HEAD", "GET"]],
    ["AuthorizationHeaderMalformed", "BLOB_STORE_REFUSED", ["HEAD", "GET"]],
    ["RequestTimeout", "BLOB_STORE_UNAVAILABLE", ["HEAD", "GET", "HEAD", "GET"]],
  ])("is told as the GET's that asks why: %s", async (code, told, requests) => {
    const { store, seen } = await against(refusing(400, code));
    const context = { operation: "HeadObject", code };
    await expect(store.head("a")).rejects.toMatchObject({ code: told, context });
    expect(seen).toEqual(requests);
  });

  test("is what it is where the GET is not refused", async () => {
    const { store } = await against(({ method }) =>
      method === "HEAD" ? answer(400) : answer(206, "x", { "content-range": "bytes 0-0/9" }),
    );
    await expect(store.head("a")).rejects.toMatchObject({ ...REFUSED, context: { code: "400" } });
  });
});
