import { expect, test } from "vitest";
import { changeOf } from "../../src/catalog/changes.ts";
import { encodeChange } from "../../src/catalog/codec/change.ts";
import type { ChangedKey } from "../../src/catalog/model.ts";

const STEP: ChangedKey = {
  key: "tables/by-id/t",
  versionFrom: 41n,
  versionTo: 42n,
  blobFrom: new Uint8Array(32).fill(2),
  blobTo: new Uint8Array(32).fill(3),
  deleted: false,
};

function stored(step: Partial<ChangedKey>): Uint8Array {
  const record = { requestId: "r", principal: "p", timeMs: 1, operation: "commit-table" };
  return encodeChange({ ...record, keys: [{ ...STEP, ...step }] });
}

test("a change record is read as it was written", () => {
  const { blobFrom, blobTo, ...said } = STEP;
  const [found] = changeOf(stored({})).keys;
  expect(found).toMatchObject(said);
  expect([found?.blobFrom, found?.blobTo].map((hash) => Buffer.from(hash ?? []))).toEqual(
    [blobFrom, blobTo].map((hash) => Buffer.from(hash ?? [])),
  );
  expect(changeOf(stored({ versionFrom: 0n, versionTo: 7n })).keys).toHaveLength(1);
});

test.each<readonly [string, Partial<ChangedKey>]>([
  ["a key of no family", { key: "stray/x" }],
  ["no key", { key: "" }],
  ["a key that is not percent-encoded as keys are", { key: "tables/by-id/%zz" }],
  ["a hash of another length", { blobTo: new Uint8Array(31) }],
  ["a hash of another length before", { blobFrom: new Uint8Array(1) }],
  ["a step back", { versionFrom: 42n, versionTo: 41n }],
  ["a step from below 0", { versionFrom: -1n, versionTo: 1n }],
])("a change record of %s is Corrupt", (_what, step) => {
  expect(() => changeOf(stored(step))).toThrow(expect.objectContaining({ kind: "Corrupt" }));
});
