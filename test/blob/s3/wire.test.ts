import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import type { S3BlobStore } from "../../../src/blob/s3/store.ts";
import { pathsOf, textOf } from "../../contract/blob-store-checks.ts";
import { QUICK, refused, type ScriptedS3, scriptedS3 } from "./support.ts";

let s3: ScriptedS3;
let store: S3BlobStore;
let codes: ReadonlyMap<string, string>;

beforeEach(async () => {
  codes = new Map();
  s3 = await scriptedS3({
    minPartBytes: 1,
    maxListed: 3,
    refuses: (operation, key) => codes.get(`${operation} ${key}`) ?? codes.get(operation),
  });
  store = s3.heard();
});
afterEach(() => s3.close());

const UNAVAILABLE = { kind: "Unavailable", code: "BLOB_STORE_UNAVAILABLE" };

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield utf8(text);
}

describe("requests", () => {
  it("are as few as each operation says, over one connection", async () => {
    const costs: string[] = [];
    const cost = async (operation: Promise<unknown>): Promise<void> => {
      await operation;
      costs.push(s3.sent.splice(0).join(", "));
    };
    await cost(store.put("a", utf8("one"), "absent"));
    await cost(store.put("a", utf8("two")));
    await cost(store.putStream("b", pieces("th", "ree")));
    await cost(store.get("a"));
    await cost(store.getRange("a", 1, 1));
    await cost(store.getSuffix("a", 2));
    await cost(store.head("a"));
    await cost(store.list("a"));
    await cost(store.deleteMany(["a", "b"]));
    await cost(store.delete("a"));
    expect(costs).toEqual([
      ...["PutObject", "PutObject", "PutObject", "GetObject", "GetObject", "GetObject"],
      ...["HeadObject", "ListObjectsV2", "DeleteObjects", "DeleteObject"],
    ]);
    expect(s3.serving.connections()).toBe(1);
    // What fails or is empty takes a second look, and a large blob two requests besides its parts.
    await store.put("a", utf8("one"));
    s3.sent.splice(0);
    await cost(store.put("a", utf8("two"), "absent"));
    await cost(store.getRange("a", 0, 0));
    await cost(store.getRange("a", 9, 1));
    await cost(s3.heard({ partBytes: 2 }).put("b", utf8("12345")));
    expect(costs.slice(10)).toEqual([
      "PutObject condition, HeadObject",
      "HeadObject",
      "GetObject range, HeadObject",
      "CreateMultipartUpload, UploadPart, UploadPart, UploadPart, CompleteMultipartUpload",
    ]);
  });

  it("end by themselves where nothing is answered", async () => {
    s3.always({ fault: "silent", applied: false });
    const impatient = s3.heard({ maxFailures: 1, timeouts: QUICK });
    await expect(impatient.get("a")).rejects.toMatchObject(UNAVAILABLE);
    await expect(impatient.put("a", utf8("x"))).rejects.toMatchObject({ kind: "Unknown" });
    await expect(impatient.delete("a")).rejects.toMatchObject({ kind: "Unknown" });
    expect(s3.sent).toEqual([
      ...["GetObject silent", "GetObject silent", "PutObject silent", "PutObject silent"],
      ...["HeadObject silent", "DeleteObject silent", "DeleteObject silent"],
    ]);
  });

  it("end where bytes keep coming but the whole does not", async () => {
    s3.always({ fault: "delayed", ms: 5_000, applied: "after" });
    const timeouts = { idleMs: 60_000, wholeMs: 80, callMs: 60 };
    await expect(s3.heard({ timeouts }).get("a")).rejects.toMatchObject(UNAVAILABLE);
    expect(s3.sent).toEqual(["GetObject silent"]);
  });

  it("that never left are certain not to be applied", async () => {
    await s3.serving.close();
    await expect(s3.heard({ maxFailures: 1 }).put("a", utf8("x"), "absent")).rejects.toMatchObject(
      UNAVAILABLE,
    );
    expect(s3.sent).toEqual(["PutObject unsent", "PutObject unsent"]);
  });
});

describe("requests that fail", () => {
  it("are sent again where the failure passes, and no other", async () => {
    await store.put("a", utf8("x"));
    for (const [fault, reason] of [
      [{ fault: "torn", share: 0.5 }, "silent"],
      [refused("500 InternalError"), "broken"],
      [refused("503 SlowDown"), "throttled"],
      [refused("429 TooManyRequests"), "throttled"],
      [refused("400 RequestTimeout"), "broken"],
    ] as const) {
      s3.sent.splice(0);
      s3.next(["GET", fault]);
      expect(await textOf(store, "a")).toBe("x");
      expect(s3.sent).toEqual([`GetObject ${reason}`, "GetObject"]);
    }
    s3.sent.splice(0);
    s3.next(["GET", refused("400 InvalidRequest")]);
    await expect(store.get("a")).rejects.toMatchObject({ code: "BLOB_STORE_REFUSED" });
    s3.next(["GET", refused("403 AccessDenied")]);
    await expect(store.get("a")).rejects.toMatchObject({
      kind: "Unavailable",
      code: "BLOB_STORE_DENIED",
    });
    expect(s3.sent).toEqual(["GetObject refused", "GetObject denied"]);
    s3.always(refused("503 SlowDown"));
    await expect(s3.heard({ maxFailures: 1 }).get("a")).rejects.toMatchObject({
      kind: "Overloaded",
      code: "BLOB_STORE_OVERLOADED",
      context: { retryAfterMs: 1_000 },
    });
  });

  it("to a bucket that is gone do not say that a blob is absent", async () => {
    s3.service.model.buckets.clear();
    const missing = { kind: "Unavailable", code: "BLOB_BUCKET_MISSING" };
    await expect(store.get("a")).rejects.toMatchObject(missing);
    await expect(store.list("")).rejects.toMatchObject(missing);
    await expect(store.put("a", utf8("x"))).rejects.toMatchObject(missing);
  });
});

describe("what is stored", () => {
  it("carries its digest, which is checked on its way in and out", async () => {
    await store.put("a", utf8("whole"));
    const stored = s3.bucket.get("a");
    expect(stored?.headers["x-amz-meta-firn-sha256"]).toMatch(/^[0-9a-f]{64}$/);
    expect(stored?.checksums).toHaveProperty("x-amz-checksum-sha256");
    s3.bucket.set("a", { ...stored!, body: utf8("whale") });
    await expect(store.get("a")).rejects.toMatchObject({ kind: "Corrupt", code: "BLOB_CORRUPT" });
    // What others wrote has no digest of ours.
    s3.bucket.set("b", { ...stored!, body: utf8("theirs"), headers: {} });
    expect(await textOf(store, "b")).toBe("theirs");
  });

  it("is encrypted as it was asked for", async () => {
    const headersOf = async (encryption: Parameters<typeof s3.heard>[0]) => {
      const asking = s3.heard({ ...encryption, partBytes: 3 });
      await asking.put("a", utf8("x"));
      await asking.put("b", utf8("in parts"));
      return ["a", "b"].map((key) => {
        const headers = Object.entries(s3.bucket.get(key)?.headers ?? {});
        return headers
          .filter(([name]) => name.startsWith("x-amz-server"))
          .map(([, value]) => value);
      });
    };
    expect(await headersOf({})).toEqual([[], []]);
    expect(await headersOf({ encryption: { kind: "s3" } })).toEqual([["AES256"], ["AES256"]]);
    const kms = ["aws:kms", "key-1", "true"];
    expect(await headersOf({ encryption: { kind: "kms", keyId: "key-1" } })).toEqual([
      expect.arrayContaining(kms),
      expect.arrayContaining(kms),
    ]);
  });

  it("is under its prefix alone, and keys that are not paths are left out", async () => {
    const below = s3.heard({ prefix: "x/y/" });
    await below.put("a", utf8("below"));
    await store.put("a", utf8("above"));
    for (const key of ["x/y/", "x/y/b/", "x/y/c//d", "x/y/../e"]) {
      s3.bucket.set(key, s3.bucket.get("a")!);
    }
    await below.put("z", utf8("last"));
    expect(await textOf(below, "a")).toBe("below");
    // Three keys a page, of which some do not count: a short page would end the list early.
    expect(await below.list("", { limit: 2 })).toHaveLength(2);
    expect(await pathsOf(below, "", 2)).toEqual(["a", "z"]);
    await below.deleteMany(["a", "z"]);
    expect(s3.bucket.get("a")?.body).toEqual(Buffer.from("above"));
    const long = "l".repeat(1_022);
    await expect(below.put(long, utf8("x"))).rejects.toMatchObject({
      kind: "Invalid",
      code: "BLOB_PATH_UNSUPPORTED",
    });
    expect((await store.put(long, utf8("x"))).outcome).toBe("stored");
  });

  it("is not read where it is larger than what is taken", async () => {
    await store.put("a", utf8("12345"));
    const small = s3.heard({ maxGetBytes: 4 });
    await expect(small.get("a")).rejects.toMatchObject({ kind: "Invalid", code: "BLOB_TOO_LARGE" });
    expect(utf8Text((await small.getRange("a", 0, 4))!.bytes)).toBe("1234");
  });
});

describe("deletes", () => {
  it("of which one was not answered are in doubt, whatever came after it", async () => {
    const impatient = s3.heard({ maxFailures: 1 });
    const [lost, slow] = [{ fault: "lost" }, refused("503 SlowDown")] as const;
    for (const end of [slow, refused("403 AccessDenied")]) {
      s3.next(["DELETE", lost], ["DELETE", end]);
      await expect(impatient.delete("a")).rejects.toMatchObject({ kind: "Unknown" });
    }
    s3.next(["DELETE", slow], ["DELETE", slow]);
    await expect(impatient.delete("a")).rejects.toMatchObject({ kind: "Overloaded" });
  });

  it("of many report what could not be deleted, and try again what may", async () => {
    for (const path of ["a", "b", "c"]) await store.put(path, utf8("x"));
    s3.sent.splice(0);
    codes = new Map([["DeleteObject b", "AccessDenied"]]);
    // Others are gone, so that "nothing happened" would not be true.
    await expect(store.deleteMany(["a", "b", "c"])).rejects.toMatchObject({
      kind: "Unknown",
      code: "BLOB_WRITE_UNKNOWN",
      context: { path: "b", code: "AccessDenied" },
    });
    expect(await pathsOf(store)).toEqual(["b"]);
    await expect(store.deleteMany(["b"])).rejects.toMatchObject({
      kind: "Unavailable",
      code: "BLOB_STORE_DENIED",
      context: { path: "b" },
    });
    await store.put("a\u0001", utf8("x"));
    await expect(store.deleteMany(["b", "a\u0001"])).rejects.toMatchObject({ kind: "Unknown" });
    expect(await pathsOf(store)).toEqual(["b"]);
    codes = new Map([["DeleteObject b", "InternalError"]]);
    s3.sent.splice(0);
    const deleted = store.deleteMany(["a", "b"]);
    await expect.poll(() => s3.sent.length).toBeGreaterThan(1);
    codes = new Map();
    await deleted;
    expect(await pathsOf(store)).toEqual([]);
  });

  it("reach keys that XML cannot hold", async () => {
    const paths = ["a\u0001", "b\r\nc", "d\ufffe", "e&<>\"'"];
    for (const path of paths) await store.put(path, utf8(path));
    expect(await pathsOf(store)).toEqual([...paths].sort());
    await store.deleteMany(paths);
    expect(await pathsOf(store)).toEqual([]);
  });
});

const TWO_PARTS = utf8("12345678");
const heard = () => s3.heard({ partBytes: 5 });

describe("uploads in parts", () => {
  it("hold their condition, and leave nothing where it fails", async () => {
    const first = await heard().put("a", TWO_PARTS, "absent");
    expect(first).toEqual({ outcome: "stored", etag: expect.stringMatching(/-2$/) });
    const failed = { outcome: "failed", etag: first.etag };
    expect(await heard().put("a", TWO_PARTS, "absent")).toEqual(failed);
    expect(await heard().put("a", TWO_PARTS, { etag: "other" })).toEqual(failed);
    expect((await heard().put("a", utf8("87654321"), { etag: first.etag! })).outcome).toBe(
      "stored",
    );
    expect(s3.bucket.uploads.size).toBe(0);
  });

  it("get over what fails on the way, and tell their own end from another's", async () => {
    s3.next(["PUT", refused("500 InternalError")], ["POST", { fault: "lost" }]);
    // The first POST begins the upload; its second try is the one that counts.
    expect((await heard().put("a", TWO_PARTS, "absent")).outcome).toBe("stored");
    const script = heard();
    s3.next(["POST", { fault: "delayed", ms: 0, applied: "before" }], ["POST", { fault: "lost" }]);
    const stored = await script.put("b", TWO_PARTS, "absent");
    expect(stored).toEqual({ outcome: "stored", etag: s3.bucket.get("b")?.etag });
    expect(utf8Text(s3.bucket.get("b")!.body)).toBe("12345678");
  });

  it("that cannot be completed are given up, so that nothing is in doubt", async () => {
    const begun = ["POST", { fault: "delayed", ms: 0, applied: "before" }] as const;
    const silent = ["POST", { fault: "silent", applied: false }] as const;
    s3.next(begun, silent, silent);
    const impatient = s3.heard({ partBytes: 5, maxFailures: 1, timeouts: QUICK });
    await expect(impatient.put("a", TWO_PARTS, "absent")).rejects.toMatchObject(UNAVAILABLE);
    expect(s3.bucket.uploads.size).toBe(0);
    expect(await pathsOf(store)).toEqual([]);
  });

  it("that can be neither completed nor given up stay in doubt", async () => {
    const begun = ["POST", { fault: "delayed", ms: 0, applied: "before" }] as const;
    const silent = ["POST", { fault: "late", lag: 1_000 }] as const;
    const kept = ["DELETE", refused("500 InternalError")] as const;
    s3.next(begun, silent, silent, kept, kept);
    const impatient = s3.heard({ partBytes: 5, maxFailures: 1 });
    await expect(impatient.put("a", TWO_PARTS, "absent")).rejects.toMatchObject({
      kind: "Unknown",
    });
  });
});

describe("uploads in parts of any source", () => {
  it("are given up where the source or a part fails", async () => {
    const failure = new Error("the source broke");
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield TWO_PARTS;
      yield TWO_PARTS;
      throw failure;
    }
    await expect(heard().putStream("a", broken())).rejects.toBe(failure);
    s3.always(undefined);
    s3.next(["PUT", refused("403 AccessDenied")]);
    let ended = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield TWO_PARTS;
      } finally {
        ended = true;
      }
    }
    await expect(heard().putStream("a", endless())).rejects.toMatchObject({
      code: "BLOB_STORE_DENIED",
    });
    expect(ended).toBe(true);
    expect(s3.bucket.uploads.size).toBe(0);
    expect(await pathsOf(store)).toEqual([]);
    // Also where the upload does not even begin.
    ended = false;
    s3.next(["POST", refused("403 AccessDenied")]);
    await expect(heard().putStream("a", endless())).rejects.toMatchObject({
      code: "BLOB_STORE_DENIED",
    });
    expect(ended).toBe(true);
  });

  it("begin with the first byte above one part, and end at any", async () => {
    const one = ["PutObject"];
    const upload = (parts: number) => [
      "CreateMultipartUpload",
      ...Array.from({ length: parts }, () => "UploadPart"),
      "CompleteMultipartUpload",
    ];
    const requests = [one, one, one, upload(2), upload(2), upload(3)];
    for (const [i, bytes] of [0, 4, 5, 6, 10, 11].entries()) {
      const text = "0123456789a".slice(0, bytes);
      for (const put of [
        () => heard().put("a", utf8(text)),
        () => heard().putStream("a", pieces(...text)),
      ]) {
        s3.sent.splice(0);
        const { etag } = await put();
        expect(s3.sent).toEqual(requests[i]);
        expect(await textOf(store, "a")).toBe(text);
        expect(await store.head("a")).toMatchObject({ size: bytes, etag });
        expect((await store.getRange("a", bytes, 5))?.bytes.length).toBe(0);
        const last = await store.getSuffix("a", 1);
        expect(utf8Text(last!.bytes)).toBe(text.slice(-1));
      }
    }
  });
});

describe("the other ends", () => {
  it("see what they are sent: quotes, addresses and signatures", async () => {
    const accounts = new Map([["test", "secret"]]);
    const signed = await scriptedS3({ accounts });
    try {
      const good = { accessKeyId: "test", secretAccessKey: "secret" };
      const strict = signed.heard({ credentials: good });
      const tricky = "a b/%2F/é+'()*!&=";
      const { etag = "" } = await strict.put(tricky, utf8("x"));
      expect(await textOf(strict, tricky)).toBe("x");
      expect(await pathsOf(strict, "a b/")).toEqual([tricky]);
      const bare = signed.heard({ credentials: good, quoteEtags: false });
      expect((await bare.put(tricky, utf8("y"), { etag })).outcome).toBe("stored");
      expect(signed.seen.at(-1)?.headers["if-match"]).toBe(etag);
      expect((await strict.put(tricky, utf8("z"), { etag })).outcome).toBe("failed");
      expect(signed.seen.at(-2)?.headers["if-match"]).toBe(`"${etag}"`);
      const bad = signed.heard({ credentials: { ...good, secretAccessKey: "wrong" } });
      await expect(bad.get("a")).rejects.toMatchObject({
        code: "BLOB_STORE_DENIED",
        context: { code: "SignatureDoesNotMatch" },
      });
      const stranger = signed.heard({ credentials: { ...good, accessKeyId: "stranger" } });
      await expect(stranger.get("a")).rejects.toMatchObject({ code: "BLOB_STORE_DENIED" });
    } finally {
      await signed.close();
    }
  });

  it("must be named rightly", () => {
    const { heard } = s3;
    for (const wrong of [{ bucket: "" }, { prefix: "a" }, { prefix: "/a/" }]) {
      expect(() => heard(wrong)).toThrow(expect.objectContaining({ code: "S3_OPTIONS_INVALID" }));
    }
  });
});
