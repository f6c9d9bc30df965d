import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Node } from "./support.ts";

let node: Node;

beforeAll(async () => {
  node = await Node.open();
  await node.post("/namespaces", { namespace: ["duck"] });
  const schema = { type: "struct", fields: [{ id: 1, name: "id", type: "long", required: false }] };
  for (const name of ["a", "b"]) await node.post("/namespaces/duck/tables", { name, schema });
});
afterAll(() => node.close());

function change(name: string, requirements: readonly unknown[] = []) {
  const updates = [{ action: "set-properties", updates: { seen: "yes" } }];
  return { identifier: { namespace: ["duck"], name }, requirements, updates };
}

async function seen(name: string): Promise<unknown> {
  return (await node.get(`/namespaces/duck/tables/${name}`)).json().metadata.properties.seen;
}

describe("a client that commits every change as a transaction", () => {
  it("is answered without a body, with or without the prefix", async () => {
    for (const prefix of ["", "/default"]) {
      const reply = await node.post(`${prefix}/transactions/commit`, {
        "table-changes": [change("a"), change("b")],
      });
      expect(reply.status).toBe(204);
    }
    expect([await seen("a"), await seen("b")]).toEqual(["yes", "yes"]);
  });

  it("hears of a failed requirement as of any commit's", async () => {
    const failing = [{ type: "assert-current-schema-id", "current-schema-id": 9 }];
    const reply = await node.post("/transactions/commit", {
      "table-changes": [change("a"), change("b", failing)],
    });
    expect(reply.status).toBe(409);
    expect(reply.error()).toMatchObject({ type: "CommitFailedException", code: 409 });
  });

  it("hears which table is missing", async () => {
    const reply = await node.post("/transactions/commit", { "table-changes": [change("none")] });
    expect(reply.status).toBe(404);
    expect(reply.error()).toEqual({
      message: "Table does not exist: duck.none",
      type: "NoSuchTableException",
      code: 404,
    });
  });

  it.each([
    ["no list", {}],
    ["no identifier", { "table-changes": [{ requirements: [], updates: [] }] }],
    ["no updates", { "table-changes": [{ ...change("a"), updates: undefined }] }],
    ["a table twice", { "table-changes": [change("a"), change("a")] }],
    [
      "more than a batch",
      { "table-changes": Array.from({ length: 99 }, (_, i) => change(`t${i}`)) },
    ],
    ["a list that is none", { "table-changes": {} }],
  ])("is told what is wrong with a body: %s", async (_what, body) => {
    const reply = await node.post("/transactions/commit", body);
    expect(reply.status).toBe(400);
    expect(reply.error()).toMatchObject({ type: "BadRequestException", code: 400 });
  });
});
