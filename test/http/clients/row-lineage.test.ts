import { afterAll, beforeAll, expect, it } from "vitest";
import {
  appendText,
  commitText,
  digits,
  fileText,
  metadataText,
  Node,
  SCHEMA,
  snapshotText,
} from "./support.ts";

const BIG = "9007199254740993";

let node: Node;

beforeAll(async () => {
  node = await Node.open();
});
afterAll(() => node.close());

async function tableOf(namespace: string, version: string): Promise<string> {
  const ns = await node.namespace(namespace);
  return node.table(ns, "t", { properties: { "format-version": version } });
}

/** What Spark writes with a deletion vector, its counts as texts. */
const SUMMARY = `{"operation":"overwrite","added-dvs":"1","added-position-deletes":"2",
  "total-position-deletes":"2","engine-name":"spark","iceberg-version":"Apache Iceberg 1.11.0"}`;

it("row lineage of a commit is kept, counted on, and answered by every load", async () => {
  const table = await tableOf("kept", "3");
  expect(digits((await node.get(table)).body, "next-row-id")).toEqual(["0"]);
  const first = snapshotText("1", 1, {
    "first-row-id": "0",
    "added-rows": BIG,
    "key-id": '"k1"',
    "x-unknown": "1.0",
  });
  await node.must(node.post(table, commitText(appendText(first, "1"))));
  const second = snapshotText("2", 2, {
    "parent-snapshot-id": "1",
    "first-row-id": BIG,
    "added-rows": "7",
  }).replace('{"operation":"append"}', SUMMARY);
  const committed = await node.must(node.post(table, commitText(appendText(second, "2"))));
  const text = metadataText(committed.body);
  expect(digits(text, "first-row-id")).toEqual(["0", BIG]);
  expect(digits(text, "added-rows")).toEqual([BIG, "7"]);
  expect(digits(text, "next-row-id")).toEqual(["9007199254741000"]);
  expect(text).toContain('"key-id":"k1"');
  expect(text).toContain('"x-unknown":1.0');
  expect(JSON.parse(text).snapshots[1].summary).toEqual(JSON.parse(SUMMARY));
  expect(metadataText((await node.get(table)).body)).toBe(text);
  expect(await fileText(committed.json()["metadata-location"])).toBe(text);
  const refs = metadataText((await node.get(`${table}?snapshots=refs`)).body);
  expect(digits(refs, "first-row-id")).toEqual([BIG]);
});

it("rows that another writer numbered meanwhile conflict", async () => {
  const table = await tableOf("stale", "3");
  const append = (id: string, sequence: number, firstRowId: string) =>
    node.post(
      table,
      commitText(
        appendText(
          snapshotText(id, sequence, { "first-row-id": firstRowId, "added-rows": "10" }),
          id,
        ),
      ),
    );
  await node.must(append("1", 1, "0"));
  const stale = await append("2", 2, "5");
  expect([stale.status, stale.error().type]).toEqual([409, "CommitFailedException"]);
  await node.must(append("2", 2, "10"));
  const without = commitText(appendText(snapshotText("3", 3), "3"));
  expect((await node.post(table, without)).status).toBe(400);
});

it("a table becomes version 3 by a commit, and counts rows from then on", async () => {
  const table = await tableOf("upgraded", "2");
  expect((await node.get(table)).body).not.toContain("next-row-id");
  const upgrade = '{"action":"upgrade-format-version","format-version":3}';
  const upgraded = await node.must(node.post(table, commitText([upgrade])));
  expect(digits(upgraded.body, "format-version")).toEqual(["3"]);
  expect(digits(upgraded.body, "next-row-id")).toEqual(["0"]);
  const back = '{"action":"upgrade-format-version","format-version":2}';
  expect((await node.post(table, commitText([back]))).status).toBe(400);
});

it("types and defaults of version 3 are taken there, and only there", async () => {
  const schema = {
    ...SCHEMA,
    fields: [
      ...SCHEMA.fields,
      { id: 2, name: "v", type: "variant", required: false },
      { id: 3, name: "ns", type: "timestamp_ns", required: false },
      { id: 4, name: "d", type: "int", required: true, "initial-default": 7, "write-default": 8 },
    ],
  };
  const ns = await node.namespace("types");
  const make = (name: string, version: string) =>
    node.post(`${ns}/tables`, { name, schema, properties: { "format-version": version } });
  expect((await make("two", "2")).status).toBe(400);
  const made = await node.must(make("three", "3"));
  expect(made.json().metadata.schemas[0].fields).toMatchObject(schema.fields);
});

it("encryption keys are added, answered and removed", async () => {
  const table = await tableOf("encrypted", "3");
  const key = { "key-id": "k", "encrypted-key-metadata": "AAEC", "encrypted-by-id": "kms" };
  const add = JSON.stringify({ action: "add-encryption-key", "encryption-key": key });
  await node.must(node.post(table, commitText([add])));
  expect((await node.get(table)).json().metadata["encryption-keys"]).toEqual([key]);
  const remove = '{"action":"remove-encryption-key","key-id":"k"}';
  const removed = await node.must(node.post(table, commitText([remove])));
  expect(removed.json().metadata["encryption-keys"] ?? []).toEqual([]);
});
