import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendText, commitText, Node, SCHEMA, snapshotText } from "./support.ts";

let node: Node;

beforeAll(async () => {
  node = await Node.open();
});
afterAll(() => node.close());

describe("a client that commits", () => {
  it("is told to try again by 409, and by nothing else that it reads so", async () => {
    const table = await node.table(await node.namespace("conflicts"), "t");
    const first = snapshotText("1", 1);
    await node.must(node.post(table, commitText(appendText(first, "1"))));
    const stale = snapshotText("2", 1, { "parent-snapshot-id": "1" });
    for (const [updates, requirements] of [
      [[], ['{"type":"assert-table-uuid","uuid":"11111111-2222-4333-8444-555555555555"}']],
      [[], ['{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":2}']],
      [[], ['{"type":"assert-ref-snapshot-id","ref":"main","snapshot-id":null}']],
      [[], ['{"type":"assert-ref-snapshot-id","ref":"none","snapshot-id":1}']],
      [[], ['{"type":"assert-last-assigned-field-id","last-assigned-field-id":9}']],
      [[], ['{"type":"assert-current-schema-id","current-schema-id":9}']],
      [[], ['{"type":"assert-last-assigned-partition-id","last-assigned-partition-id":9}']],
      [[], ['{"type":"assert-default-spec-id","default-spec-id":9}']],
      [[], ['{"type":"assert-default-sort-order-id","default-sort-order-id":9}']],
      [appendText(stale, "2"), []],
    ] as const) {
      const lost = await node.post(table, commitText(updates, requirements));
      expect([updates, requirements, lost.status]).toEqual([updates, requirements, 409]);
      expect(lost.error()).toMatchObject({ type: "CommitFailedException", code: 409 });
    }
  });

  it.each([
    ["an unknown requirement", { requirements: [{ type: "assert-luck" }], updates: [] }],
    ["an unknown update", { requirements: [], updates: [{ action: "defragment" }] }],
    ["no requirements", { updates: [] }],
    ["no updates", { requirements: [] }],
    ["a schema that is not there", setTo("set-current-schema", "schema-id", 7)],
    ["a schema that was not added", setTo("set-current-schema", "schema-id", -1)],
    ["a spec that was not added", setTo("set-default-spec", "spec-id", -1)],
    ["an order that was not added", setTo("set-default-sort-order", "sort-order-id", -1)],
    ["a downgrade", setTo("upgrade-format-version", "format-version", 1)],
    ["a version that is none", setTo("upgrade-format-version", "format-version", 99)],
    ["another uuid", setTo("assign-uuid", "uuid", "11111111-2222-4333-8444-555555555555")],
    ["a snapshot without an id", setTo("add-snapshot", "snapshot", {})],
    ["a reference to nothing", setTo("set-snapshot-ref", "ref-name", "b")],
    ["a location elsewhere", setTo("set-location", "location", "file:///etc")],
    ["a location of another scheme", setTo("set-location", "location", "gopher://x/y")],
  ])("is refused for %s, and not told that the outcome is unknown", async (what, body) => {
    const table = await node.table(await node.namespace(what), "t");
    const before = (await node.get(table)).body;
    const refused = await node.post(table, body);
    expect(refused.status).toBe(400);
    expect(refused.error()).toMatchObject({ type: "BadRequestException", code: 400 });
    expect((await node.get(table)).body).toBe(before);
  });
});

describe("a client that commits under a key", () => {
  it("may send every change again under its key: it happens once", async () => {
    const ns = await node.namespace("keys");
    let keys = 0;
    const twice = async (method: string, path: string, body?: unknown) => {
      const headers = { "Idempotency-Key": `0195a2b4-7c3e-7d10-8f3a-2b6c9d1e4f0${keys++}` };
      const first = await node.send(method, path, body, headers);
      const again = await node.send(method, path, body, headers);
      expect(first.header("Idempotency-Replayed")).toBeUndefined();
      expect(again.header("Idempotency-Replayed")).toBe("true");
      expect([again.status, again.body]).toEqual([first.status, first.body]);
      return first;
    };
    const created = await twice("POST", `${ns}/tables`, { name: "t", schema: SCHEMA });
    expect(created.status).toBe(200);
    const updates = [{ action: "set-properties", updates: { key: "1" } }];
    const commit = { requirements: [], updates };
    expect((await twice("POST", `${ns}/tables/t`, commit)).status).toBe(200);
    const identifier = { namespace: ["keys"], name: "t" };
    const together = { "table-changes": [{ identifier, requirements: [], updates }] };
    expect((await twice("POST", "/transactions/commit", together)).status).toBe(204);
    const properties = { removals: ["none"], updates: { a: "b" } };
    expect((await twice("POST", `${ns}/properties`, properties)).json()).toEqual({
      updated: ["a"],
      removed: [],
      missing: ["none"],
    });
    const names = { source: identifier, destination: { namespace: ["keys"], name: "u" } };
    expect((await twice("POST", "/tables/rename", names)).status).toBe(204);
    expect((await twice("DELETE", `${ns}/tables/u`)).status).toBe(204);
    const missing = await twice("DELETE", `${ns}/tables/none`);
    expect(missing.error()).toMatchObject({ type: "NoSuchTableException", code: 404 });
  });

  it("hears that a key is another request's, or none at all", async () => {
    const ns = await node.namespace("reused");
    const headers = { "Idempotency-Key": "0195a2b4-7c3e-7d10-8f3a-2b6c9d1e4f51" };
    await node.post(`${ns}/tables`, { name: "t", schema: SCHEMA }, headers);
    const other = await node.post(`${ns}/tables`, { name: "u", schema: SCHEMA }, headers);
    expect(other.status).toBe(422);
    expect(other.error()).toMatchObject({ type: "UnprocessableEntityException", code: 422 });
    const updates = [{ action: "set-properties", updates: { key: "1" } }];
    const elsewhere = [
      await node.send("POST", `${ns}/tables/t`, { requirements: [], updates }, headers),
      await node.send("DELETE", `${ns}/tables/t`, undefined, headers),
      await node.send("POST", `${ns}/properties`, { removals: [], updates: { a: "b" } }, headers),
      await node.send("POST", "/namespaces", { namespace: ["reused2"] }, headers),
    ];
    for (const reply of elsewhere) {
      expect(reply.error()).toMatchObject({ type: "UnprocessableEntityException", code: 422 });
      expect(reply.header("Idempotency-Replayed")).toBeUndefined();
    }
    for (const key of ["no uuid", "0195a2b4-7c3e-4d10-8f3a-2b6c9d1e4f51", "x".repeat(4_000)]) {
      const bad = { "Idempotency-Key": key };
      const reply = await node.post(`${ns}/tables`, { name: "v", schema: SCHEMA }, bad);
      expect(reply.error()).toMatchObject({ type: "BadRequestException", code: 400 });
    }
  });
});

function setTo(action: string, member: string, value: unknown): object {
  const extra = action === "set-snapshot-ref" ? { type: "branch", "snapshot-id": 404 } : {};
  return { requirements: [], updates: [{ action, [member]: value, ...extra }] };
}
