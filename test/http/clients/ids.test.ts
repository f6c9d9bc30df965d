import { afterAll, beforeAll, expect, it } from "vitest";
import {
  appendText,
  commitText,
  digits,
  fileText,
  metadataText,
  Node,
  snapshotText,
} from "./support.ts";

/** Four ids of which JavaScript's numbers make two: a lost digit makes two snapshots one. */
const A = "9007199254740992";
const B = "9007199254740993";
const C = "9223372036854775806";
const D = "9223372036854775807";

let node: Node;

beforeAll(async () => {
  node = await Node.open();
});
afterAll(() => node.close());

/** A table with four snapshots, each the parent of the next: the last on main, one on a branch. */
async function history(name: string): Promise<string> {
  const table = await node.table(await node.namespace(name), "t");
  let parent = "";
  for (const [i, id] of [A, B, C, D].entries()) {
    const members = i === 0 ? {} : { "parent-snapshot-id": parent };
    const main = parent === "" ? "null" : parent;
    const held = `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":${main}}`;
    const updates = appendText(snapshotText(id, i + 1, members), id);
    await node.must(node.post(table, commitText(updates, [held])));
    parent = id;
  }
  return table;
}

function referTo(id: string, name: string, type: "branch" | "tag"): string {
  return `{"action":"set-snapshot-ref","ref-name":"${name}","type":"${type}","snapshot-id":${id}}`;
}

it("ids of snapshots, parents, logs and references keep every digit on the whole way", async () => {
  const table = await history("whole");
  const committed = await node.must(
    node.post(table, commitText([referTo(B, "audit", "tag"), referTo(C, "dev", "branch")])),
  );
  const text = metadataText(committed.body);
  expect(digits(text, "parent-snapshot-id")).toEqual([A, B, C]);
  expect(digits(text, "current-snapshot-id")).toEqual([D]);
  const refs = text.slice(text.indexOf('"refs":'), text.indexOf('"snapshots":'));
  expect(digits(refs, "snapshot-id").sort()).toEqual([B, C, D].sort());
  const snapshots = text.slice(text.indexOf('"snapshots":'), text.indexOf('"statistics":'));
  expect(digits(snapshots, "snapshot-id")).toEqual([A, B, C, D]);
  expect(digits(text.slice(text.indexOf('"snapshot-log":')), "snapshot-id")).toEqual([A, B, C, D]);

  const loaded = await node.get(table);
  expect(metadataText(loaded.body)).toBe(text);
  expect(await fileText(committed.json()["metadata-location"])).toBe(text);
  const cached = await node.get(table, { "If-None-Match": loaded.header("ETag") ?? "" });
  expect([cached.status, cached.body]).toEqual([304, ""]);
});

it("ids one apart are two ids to requirements, references and removals", async () => {
  const table = await history("apart");
  const held = (id: string) => `{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":${id}}`;
  expect((await node.post(table, commitText([], [held(C)]))).status).toBe(409);
  expect((await node.post(table, commitText([], [held(D)]))).status).toBe(200);
  const mismatch = (await node.post(table, commitText([], [held(C)]))).error().message;
  expect(mismatch).toContain(C);
  expect(mismatch).toContain(D);

  const nowhere = "9223372036854775805";
  expect((await node.post(table, commitText([referTo(nowhere, "x", "tag")]))).status).toBe(400);
  const removed = await node.must(
    node.post(table, commitText([`{"action":"remove-snapshots","snapshot-ids":[${A}]}`])),
  );
  const text = metadataText(removed.body);
  const snapshots = text.slice(text.indexOf('"snapshots":'), text.indexOf('"statistics":'));
  expect(digits(snapshots, "snapshot-id")).toEqual([B, C, D]);
  const refs = await node.get(`${table}?snapshots=refs`);
  const named = refs.body.slice(
    refs.body.indexOf('"snapshots":'),
    refs.body.indexOf('"statistics":'),
  );
  expect(digits(named, "snapshot-id")).toEqual([D]);
});

it("ids and sizes of statistics files keep every digit", async () => {
  const table = await history("statistics");
  const statistics = (id: string) =>
    `{"action":"set-statistics","snapshot-id":${id},"statistics":{"snapshot-id":${id},
    "statistics-path":"file:///x/${id}.puffin","file-size-in-bytes":${D},
    "file-footer-size-in-bytes":42,"blob-metadata":[{"type":"apache-datasketches-theta-v1",
    "snapshot-id":${id},"sequence-number":${C},"fields":[1]}]}}`;
  const partition = `{"action":"set-partition-statistics","partition-statistics":
    {"snapshot-id":${B},"statistics-path":"file:///x/p.parquet","file-size-in-bytes":${C}}}`;
  const updates = [statistics(A), statistics(B), partition];
  const { body } = await node.must(node.post(table, commitText(updates)));
  const both = body.slice(body.indexOf('"statistics":'), body.indexOf('"partition-statistics":'));
  expect(digits(both, "snapshot-id")).toEqual([A, A, B, B]);
  expect(digits(both, "file-size-in-bytes")).toEqual([D, D]);
  expect(digits(both, "sequence-number")).toEqual([C, C]);
  const parts = body.slice(
    body.indexOf('"partition-statistics":'),
    body.indexOf('"snapshot-log":'),
  );
  expect(digits(parts, "snapshot-id")).toEqual([B]);
  expect(digits(parts, "file-size-in-bytes")).toEqual([C]);

  const remove = `{"action":"remove-statistics","snapshot-id":${A}}`;
  const left = (await node.must(node.post(table, commitText([remove])))).body;
  const one = left.slice(left.indexOf('"statistics":'), left.indexOf('"partition-statistics":'));
  expect(digits(one, "snapshot-id")).toEqual([B, B]);
});

it("ids of a registered file are those of the file", async () => {
  const table = await history("registered");
  const loaded = await node.get(table);
  await node.must(node.delete(table));
  const location = loaded.json()["metadata-location"];
  const again = { name: "r", "metadata-location": location };
  const registered = await node.must(node.post("/namespaces/registered/register", again));
  expect(metadataText(registered.body)).toBe(metadataText(loaded.body));
  expect(digits(registered.body, "current-snapshot-id")).toEqual([D]);
});

it.each(["9223372036854775808", "-9223372036854775809", "1e3", "1.5", '"1"', "true"])(
  "%s is not an id",
  async (id) => {
    const table = await node.table(await node.namespace(`no id ${id}`), "t");
    const refused = await node.post(table, commitText(appendText(snapshotText(id, 1), id)));
    expect(refused.status).toBe(400);
    expect(refused.error().type).toBe("BadRequestException");
  },
);
