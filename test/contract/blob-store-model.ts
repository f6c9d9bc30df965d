import fc from "fast-check";
import { expect } from "vitest";
import { compareUtf8 } from "../../src/base/bytes.ts";
import type { BlobStore } from "../../src/blob/port.ts";
import { type BlobCapabilities, type BlobCheck, pathsOf } from "./blob-store-checks.ts";

const PATHS = ["a/x", "a/y", "a/x-", "b", "b.c", "\u{1f600}", "\u{e000}/z", `${"n".repeat(190)}/q`];

type Operation = ReturnType<typeof operationOn> extends fc.Arbitrary<infer T> ? T : never;

function operationOn(paths: readonly string[]) {
  const path = fc.constantFrom(...paths);
  const content = fc.uint8Array({ maxLength: 20 });
  return fc.oneof(
    fc.record({ op: fc.constant("put" as const), path, content }),
    fc.record({ op: fc.constant("absent" as const), path, content }),
    // The condition names the etag of the n-th write so far, so that it is often stale.
    fc.record({ op: fc.constant("etag" as const), path, content, write: fc.nat(5) }),
    fc.record({ op: fc.constant("stream" as const), path, content, cut: fc.nat(20) }),
    fc.record({ op: fc.constant("delete" as const), path }),
    fc.record({ op: fc.constant("deleteMany" as const), paths: fc.array(path) }),
  );
}

interface Model {
  readonly blobs: Map<string, { bytes: Uint8Array; etag: string }>;
  /** Etags of the writes so far, the newest first. */
  readonly etags: string[];
}

/** Any sequence of operations answers and leaves what a plain map would. */
export function modelCheck(capabilities: BlobCapabilities): BlobCheck {
  const { raceRounds = 100, isOrderEncoded = false } = capabilities;
  const paths = isOrderEncoded ? PATHS.filter((path) => /^[a-z/.-]*$/u.test(path)) : PATHS;
  const sequence = fc.array(operationOn(paths), { minLength: 1, maxLength: 25 });
  return async (store) => {
    const property = fc.asyncProperty(sequence, async (operations) => {
      await store.deleteMany(PATHS);
      const model: Model = { blobs: new Map(), etags: [] };
      for (const operation of operations) {
        await step(store, model, operation);
        await compare(store, model);
      }
    });
    await fc.assert(property, { numRuns: Math.min(40, raceRounds) });
  };
}

async function step(store: BlobStore, model: Model, operation: Operation): Promise<void> {
  switch (operation.op) {
    case "delete":
      await store.delete(operation.path);
      model.blobs.delete(operation.path);
      return;
    case "deleteMany":
      await store.deleteMany(operation.paths);
      for (const gone of operation.paths) model.blobs.delete(gone);
      return;
    default:
      await put(store, model, operation);
  }
}

async function put(
  store: BlobStore,
  model: Model,
  operation: Extract<Operation, { content: Uint8Array }>,
): Promise<void> {
  const bytes = operation.content;
  const found = model.blobs.get(operation.path)?.etag;
  const expected = operation.op === "etag" ? (model.etags[operation.write] ?? "none") : undefined;
  const result = await send(store, operation, expected);
  const fails =
    (operation.op === "absent" && found !== undefined) ||
    (operation.op === "etag" && found !== expected);
  if (fails) {
    expect(result).toEqual({ outcome: "failed", etag: found });
    return;
  }
  expect(result.outcome).toBe("stored");
  model.blobs.set(operation.path, { bytes, etag: result.etag ?? "" });
  model.etags.unshift(result.etag ?? "");
}

function send(
  store: BlobStore,
  operation: Extract<Operation, { content: Uint8Array }>,
  expected: string | undefined,
) {
  const { path: at, content: bytes } = operation;
  switch (operation.op) {
    case "put":
      return store.put(at, bytes);
    case "absent":
      return store.put(at, bytes, "absent");
    case "etag":
      return store.put(at, bytes, { etag: expected ?? "none" });
    case "stream":
      return store.putStream(at, inTwo(bytes, operation.cut));
  }
}

async function* inTwo(bytes: Uint8Array, cut: number): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, cut);
  yield bytes.subarray(cut);
}

async function compare(store: BlobStore, model: Model): Promise<void> {
  expect(await pathsOf(store, "", 3)).toEqual([...model.blobs.keys()].sort(compareUtf8));
  for (const at of PATHS) {
    const expected = model.blobs.get(at);
    const got = await store.get(at);
    expect(got && Buffer.from(got.bytes)).toEqual(expected && Buffer.from(expected.bytes));
    expect(got?.etag).toBe(expected?.etag);
  }
}
