import { afterAll, beforeAll, expect, test } from "vitest";
import { Node } from "./support.ts";

let node: Node;

beforeAll(async () => {
  node = await Node.open();
});
afterAll(() => node.close());

test("a load of whatever stands there is answered 304 where a table does, else 404", async () => {
  const namespace = await node.namespace("conditional");
  const table = await node.table(namespace, "t");
  const load = (path: string, tags: string) => node.get(path, { "if-none-match": tags });
  const any = await load(table, "*");
  expect([any.status, any.body.length]).toEqual([304, 0]);
  expect((await load(table, '"*"')).status).toBe(200);
  expect((await load(`${namespace}/tables/none`, "*")).status).toBe(404);
});

test("a rename to the same name is refused, since the target exists", async () => {
  const namespace = await node.namespace("renames");
  const table = await node.table(namespace, "t");
  const name = { namespace: ["renames"], name: "t" };
  const renamed = await node.post("/tables/rename", { source: name, destination: name });
  expect(renamed.status).toBe(409);
  expect(renamed.error().type).toBe("AlreadyExistsException");
  expect((await node.get(table)).status).toBe(200);
});
