import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import type { S3BlobStore } from "../../../src/blob/s3/store.ts";
import type { Fault } from "../../double/faults.ts";
import { QUICK, refused, type ScriptedS3, scriptedS3 } from "./support.ts";

let s3: ScriptedS3;
let store: S3BlobStore;
let rival: S3BlobStore;

beforeEach(async () => {
  s3 = await scriptedS3({ minPartBytes: 1 });
  store = s3.heard();
  rival = s3.store();
});
afterEach(() => s3.close());

const UNKNOWN = { kind: "Unknown", code: "BLOB_WRITE_UNKNOWN" };
const standing = (): string => utf8Text(s3.bucket.get("a")?.body ?? utf8("nothing"));

/** What a put may suffer that was applied, whatever its caller hears. */
const APPLIED: readonly Fault[] = [
  { fault: "lost" },
  { fault: "torn", share: 0 },
  { fault: "silent", applied: true },
  { fault: "resent" },
  refused("500 InternalError", true),
  refused("503 SlowDown", true),
  refused("429 TooManyRequests", true),
  refused("409 ConditionalRequestConflict", true),
  refused("412 PreconditionFailed", true),
  refused("404 NoSuchKey", true),
  refused("403 AccessDenied", true),
  refused("400 InvalidRequest", true),
];
/** What it may suffer that was not. */
const NOT_APPLIED: readonly Fault[] = [
  { fault: "unsent" },
  { fault: "silent", applied: false },
  refused("500 InternalError"),
  refused("503 SlowDown"),
  refused("429 TooManyRequests"),
  refused("409 ConditionalRequestConflict"),
  refused("412 PreconditionFailed"),
];

function named(faults: readonly Fault[]): (readonly [string, Fault])[] {
  return faults.map((fault) => {
    const answer = fault.fault === "refused" ? ` ${fault.refusal.name}` : "";
    return [`${fault.fault}${answer}${"applied" in fault ? `, ${fault.applied}` : ""}`, fault];
  });
}

describe("a conditional put", () => {
  it.each(named(APPLIED))("that was applied is stored: %s", async (_name, fault) => {
    if (fault.fault === "silent") store = s3.heard({ timeouts: QUICK });
    s3.next(["PUT", fault]);
    const created = await store.put("a", utf8("one"), "absent");
    expect(created).toEqual({ outcome: "stored", etag: s3.bucket.get("a")?.etag });
    expect(standing()).toBe("one");
    expect(s3.sent.filter((operation) => operation.startsWith("PutObject"))).toHaveLength(1);
    s3.next(["PUT", fault]);
    const replaced = await store.put("a", utf8("two"), { etag: created.etag ?? "" });
    expect(replaced).toEqual({ outcome: "stored", etag: s3.bucket.get("a")?.etag });
    expect(standing()).toBe("two");
  });

  it.each(named(NOT_APPLIED))("that was not is sent again: %s", async (_name, fault) => {
    if (fault.fault === "silent") store = s3.heard({ timeouts: QUICK });
    s3.next(["PUT", fault], ["PUT", fault]);
    const { outcome, etag } = await store.put("a", utf8("one"), "absent");
    expect([outcome, standing()]).toEqual(["stored", "one"]);
    s3.next(["PUT", fault]);
    const { outcome: second } = await store.put("a", utf8("two"), { etag: etag ?? "" });
    expect([second, standing()]).toEqual(["stored", "two"]);
  });

  it.each(named([...APPLIED, ...NOT_APPLIED]))(
    "whose condition fails: %s",
    async (_name, fault) => {
      if (fault.fault === "silent") store = s3.heard({ timeouts: QUICK });
      const base = await rival.put("a", utf8("base"), "absent");
      s3.next(["PUT", fault]);
      const absent = await store.put("a", utf8("mine"), "absent");
      expect(absent).toEqual({ outcome: "failed", etag: base.etag });
      const theirs = await rival.put("a", utf8("theirs"), { etag: base.etag ?? "" });
      s3.next(["PUT", fault]);
      const stale = await store.put("a", utf8("mine"), { etag: base.etag ?? "" });
      expect(stale).toEqual({ outcome: "failed", etag: theirs.etag });
      expect(standing()).toBe("theirs");
    },
  );
});

describe("a conditional put that others overtake", () => {
  it("in doubt over a state older than what stands replaced stays in doubt", async () => {
    await rival.put("a", utf8("base"), "absent");
    s3.next(["PUT", { fault: "unsent" }]);
    await expect(store.put("a", utf8("x"), { etag: "older" })).rejects.toMatchObject(UNKNOWN);
    // Answered at once, the same is not a matter of doubt.
    const plain = await store.put("a", utf8("x"), { etag: "older" });
    expect(plain.outcome).toBe("failed");
  });

  it("in doubt that somebody went on from stays in doubt", async () => {
    // Ours is applied, its answer lost; before the look they replace it, knowing what they replace.
    s3.next(["PUT", { fault: "lost" }], ["HEAD", { fault: "reordered", ms: 5_000 }]);
    const ours = store.put("a", utf8("ours"), "absent");
    await expect.poll(() => standing()).toBe("ours");
    await expect.poll(() => s3.serving.requests()).toBe(2);
    await rival.put("a", utf8("theirs"), { etag: s3.bucket.get("a")?.etag ?? "" });
    await expect(ours).rejects.toMatchObject(UNKNOWN);
  });

  it("in doubt that somebody forestalled is refused, and cannot land any more", async () => {
    // Theirs says that it was written over nothing: so nothing of ours came before it.
    s3.next(["PUT", { fault: "late", lag: 100 }], ["HEAD", { fault: "reordered", ms: 5_000 }]);
    const ours = store.put("a", utf8("ours"), "absent");
    await expect.poll(() => s3.serving.requests()).toBe(2);
    const theirs = await rival.put("a", utf8("theirs"), "absent");
    expect(await ours).toEqual({ outcome: "failed", etag: theirs.etag });
    s3.settle();
    expect(standing()).toBe("theirs");
  });

  it("in doubt over what a stranger wrote stays in doubt", async () => {
    s3.next(["PUT", { fault: "unsent" }], ["HEAD", { fault: "reordered", ms: 5_000 }]);
    const ours = store.put("a", utf8("ours"), "absent");
    await expect.poll(() => s3.serving.requests()).toBe(2);
    // Without a condition, and so without a word on what it was written over.
    await rival.put("a", utf8("theirs"));
    await expect(ours).rejects.toMatchObject(UNKNOWN);
  });

  it("that lands late is applied once", async () => {
    s3.next(["PUT", { fault: "late", lag: 100 }]);
    const { etag = "" } = await store.put("a", utf8("one"), "absent");
    await store.put("a", utf8("two"), { etag });
    s3.settle();
    expect(standing()).toBe("two");
  });

  it("without an answer to the end is in doubt; with trouble for one, a look tells", async () => {
    const impatient = s3.heard({ maxFailures: 2 });
    s3.next(...Array(3).fill(["PUT", { fault: "unsent" }]));
    await expect(impatient.put("a", utf8("x"), "absent")).rejects.toMatchObject(UNKNOWN);
    s3.next(...Array(3).fill(["PUT", refused("500 InternalError")]));
    await expect(impatient.put("b", utf8("x"), "absent")).rejects.toMatchObject({
      kind: "Unavailable",
    });
    s3.next(...Array(3).fill(["PUT", refused("503 SlowDown")]));
    await expect(impatient.put("c", utf8("x"), "absent")).rejects.toMatchObject({
      kind: "Overloaded",
    });
  });
});
