import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Node } from "./support.ts";

let node: Node;

beforeAll(async () => {
  node = await Node.open();
  await node.post("/namespaces", { namespace: ["ns"] });
});
afterAll(() => node.close());

const SCHEMA = { type: "struct", fields: [{ id: 1, name: "id", type: "long", required: false }] };

describe("a client that takes a table to another catalog", () => {
  it("is told its last metadata, which it can register again", async () => {
    await node.post("/namespaces/ns/tables", { name: "t", schema: SCHEMA });
    const commit = {
      requirements: [],
      updates: [{ action: "set-properties", updates: { a: "b" } }],
    };
    const last = (await node.post("/namespaces/ns/tables/t", commit)).json();
    const gone = await node.post("/namespaces/ns/tables/t/unregister", "");
    expect(gone.status).toBe(200);
    expect(gone.json()).toEqual({
      "metadata-location": last["metadata-location"],
      metadata: last.metadata,
    });
    const after = await node.post("/namespaces/ns/tables/t", commit);
    expect(after.error()).toMatchObject({ type: "NoSuchTableException", code: 404 });
    const back = await node.post("/namespaces/ns/register", {
      name: "t2",
      "metadata-location": last["metadata-location"],
    });
    expect(back.json().metadata).toEqual(last.metadata);
  });

  it("hears that a table is missing", async () => {
    for (const path of ["/namespaces/ns/tables/x", "/namespaces/no/tables/x"]) {
      const reply = await node.post(`${path}/unregister`, "");
      expect(reply.error()).toMatchObject({ type: "NoSuchTableException", code: 404 });
    }
  });
});

describe("a client that looks for functions", () => {
  it("finds none", async () => {
    const reply = await node.get("/namespaces/ns/functions");
    expect(reply.json()).toEqual({ identifiers: [], "next-page-token": null });
    const missing = await node.get("/namespaces/no/functions");
    expect(missing.error()).toMatchObject({ type: "NoSuchNamespaceException", code: 404 });
    const one = await node.get("/namespaces/ns/functions/f");
    expect(one.error()).toMatchObject({ type: "NoSuchFunctionException", code: 404 });
  });
});
