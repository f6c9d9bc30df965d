import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { largeMetadata } from "../support/large-metadata.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";
import { askAtCost, expectShortTurns } from "../support/turns.ts";

/** Requests of a few mebibytes that hold one long list: none keeps the event loop. */

const SCHEMA = { type: "struct", fields: [{ id: 1, name: "a", required: false, type: "long" }] };

let firn: Firn;
beforeAll(async () => {
  firn = await Firn.open({ profile: "memory", listen: { port: 0 } });
  await askAtCost(firn, "POST", "/namespaces", { namespace: ["a"] });
});
afterAll(() => firn.close());

/** Sends a request, whose answer has this status and code after short turns alone. */
async function answers(
  expected: readonly [status: number, code?: string],
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const ask = () => askAtCost(firn, method, path, body);
  const cost = await ask();
  const { status, code } = cost.result;
  expect([path, status, code]).toEqual([path, expected[0], expected[1]]);
  const isRefused = expected[0] >= 400;
  await expectShortTurns(`${method} ${path}`, cost, isRefused ? ask : undefined);
}

function listOf<T>(count: number, item: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, i) => item(i));
}

it("a transaction of 10,000 tables is refused before anything is done for them", async () => {
  const changes = listOf(10_000, (i) => ({
    identifier: { namespace: ["a"], name: `t${i}` },
    requirements: [],
    updates: [],
  }));
  const body = { "table-changes": changes };
  for (const path of ["/transactions/commit", "/transactions/commit?dry-run=true"]) {
    await answers([400, "TRANSACTION_TOO_LARGE"], "POST", path, body);
  }
});

const SET = { action: "set-properties", updates: { a: "b" } };

/** Lists that a commit may hold hundreds of thousands of, and what is answered. */
const COMMITS: Readonly<Record<string, readonly [body: () => object, status: number]>> = {
  requirements: [
    () => ({
      requirements: listOf(200_000, (i) => ({
        type: "assert-ref-snapshot-id",
        ref: `r${i}`,
        "snapshot-id": null,
      })),
      updates: [SET],
    }),
    200,
  ],
  "requirements of one id": [
    () => ({
      requirements: listOf(200_000, () => ({
        type: "assert-current-schema-id",
        "current-schema-id": 0,
      })),
      updates: [SET],
    }),
    200,
  ],
  removals: [
    () => ({
      requirements: [],
      updates: [{ action: "remove-properties", removals: listOf(400_000, (i) => `k${i}`) }],
    }),
    200,
  ],
  "ids of schemas": [
    () => ({
      requirements: [],
      updates: [{ action: "remove-schemas", "schema-ids": listOf(400_000, (i) => i + 1) }],
    }),
    200,
  ],
  properties: [
    () => ({
      requirements: [],
      updates: [{ action: "set-properties", updates: mapOf(60_000) }],
    }),
    200,
  ],
  "members of one object": [
    () => ({ requirements: [], updates: [], unknown: mapOf(300_000) }),
    400,
  ],
  "fields of a spec": [
    () => {
      const field = (i: number) => {
        return { "source-id": 1, name: `p${i}`, transform: `bucket[${i + 1}]` };
      };
      const spec = { fields: listOf(100_000, field) };
      return { requirements: [], updates: [{ action: "add-spec", spec }] };
    },
    400,
  ],
  "fields of a sort order": [
    () => {
      const field = { "source-id": 1, direction: "asc", "null-order": "nulls-first" };
      const each = (i: number) => ({ ...field, transform: `bucket[${i + 1}]` });
      const order = { "order-id": 1, fields: listOf(100_000, each) };
      return { requirements: [], updates: [{ action: "add-sort-order", "sort-order": order }] };
    },
    400,
  ],
  "entries of a summary": [() => ({ requirements: [], updates: [appended(mapOf(60_000))] }), 400],
  "entries of a summary, as many as may be": [
    () => ({ requirements: [], updates: [appended(mapOf(19_000))] }),
    200,
  ],
  "blobs of a statistics file": [
    () => {
      const numbers = { "snapshot-id": 1, "sequence-number": 1 };
      const blob = (i: number) => ({ type: "theta", ...numbers, fields: [i] });
      const statistics = {
        "snapshot-id": 1,
        "statistics-path": "s3://b/x",
        "file-size-in-bytes": 1,
        "file-footer-size-in-bytes": 1,
        "blob-metadata": listOf(150_000, blob),
      };
      return { requirements: [], updates: [{ action: "set-statistics", statistics }] };
    },
    200,
  ],
};

function mapOf(entries: number): Readonly<Record<string, string>> {
  return Object.fromEntries(listOf(entries, (i) => [`k${i}`, "v"]));
}

function appended(summary: Readonly<Record<string, string>>): object {
  const snapshot = {
    "snapshot-id": 1,
    "sequence-number": 1,
    "timestamp-ms": 1_700_000_000_000,
    "manifest-list": "memory:///m.avro",
    summary: { ...summary, operation: "append" },
  };
  return { action: "add-snapshot", snapshot };
}

it.each(Object.entries(COMMITS))("a commit of many %s", async (name, [body, status]) => {
  const table = `t-${name.replaceAll(/[^a-z]/g, "-")}`;
  await askAtCost(firn, "POST", "/namespaces/a/tables", { name: table, schema: SCHEMA });
  const code = name === "members of one object" ? "JSON_TOO_LARGE" : "FIELD_INVALID";
  const expected: [number, string?] = status === 200 ? [status] : [status, code];
  await answers(expected, "POST", `/namespaces/a/tables/${table}`, body());
});

it("the properties of a namespace, removed by 400,000 names", async () => {
  const body = { removals: listOf(400_000, (i) => `k${i}`), updates: {} };
  await answers([400, "FIELD_INVALID"], "POST", "/namespaces/a/properties", body);
});

it("columns and identifier fields in the hundreds of thousands", async () => {
  const fields = listOf(120_000, (i) => ({
    id: i + 1,
    name: `c${i}`,
    required: true,
    type: "long",
  }));
  const schema = { type: "struct", fields, "identifier-field-ids": listOf(120_000, (i) => i + 1) };
  await answers([200], "POST", "/namespaces/a/tables", { name: "wide", schema });
  const commit = (one: string) => {
    const renamed = [...fields.slice(1), { ...fields[0], name: one }];
    return {
      requirements: [],
      updates: [{ action: "add-schema", schema: { ...schema, fields: renamed } }],
    };
  };
  await answers([200], "POST", "/namespaces/a/tables/wide?dry-run=true", commit("first"));
  await answers([200], "POST", "/namespaces/a/tables/wide", commit("first"));
  await answers([200], "POST", "/namespaces/a/tables/wide", { requirements: [], updates: [SET] });
});

const SNAPSHOTS = 80_000;

/** A metadata file of so many snapshots without more than they need. */
function manySnapshots(location: string): string {
  const bare = JSON.parse(largeMetadata(location, {}));
  const numbers = (i: number) => ({ "snapshot-id": i + 1, "timestamp-ms": 1_700_000_000_000 + i });
  const snapshots = listOf(SNAPSHOTS, (i) => ({
    ...numbers(i),
    "sequence-number": i + 1,
    "manifest-list": "s3://b/m.avro",
  }));
  return JSON.stringify({
    ...bare,
    "last-sequence-number": SNAPSHOTS,
    "current-snapshot-id": SNAPSHOTS,
    refs: { main: { "snapshot-id": SNAPSHOTS, type: "branch" } },
    snapshots,
    "snapshot-log": listOf(SNAPSHOTS, numbers),
  });
}

it("half of 80,000 snapshots expire in short turns", async () => {
  const directory = scratchDirectory();
  const path = join(directory, "metadata", "00001-x.metadata.json");
  mkdirSync(join(directory, "metadata"), { recursive: true });
  writeFileSync(path, manySnapshots(`file://${directory}`));
  const request = { name: "long", "metadata-location": `file://${path}` };
  await answers([200], "POST", "/namespaces/a/register", request);
  const table = "/namespaces/a/tables/long";
  await answers([200], "GET", `${table}?snapshots=refs`);
  const ids = listOf(SNAPSHOTS / 2, (i) => 2 * i + 1);
  const updates = [{ action: "remove-snapshots", "snapshot-ids": ids }];
  await answers([200], "POST", `${table}?dry-run=true`, { requirements: [], updates });
  await answers([200], "POST", table, { requirements: [], updates });
  await answers([200], "GET", `${table}?snapshots=refs`);
});
