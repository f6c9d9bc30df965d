import { afterAll, beforeAll, expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import { SERVICE_LIMITS } from "../../../src/service/limits.ts";
import { Node, SCHEMA } from "./support.ts";

let node: Node;
let namespace: string;

beforeAll(async () => {
  node = await Node.open();
  namespace = await node.namespace("limits");
});
afterAll(() => node.close());

function named(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `l${i}`);
}

function createAt(directory: string) {
  const location = node.locationOf(directory);
  return node.post(`${namespace}/tables`, { name: "far", schema: SCHEMA, location });
}

test.each([
  [
    "levels of a namespace",
    LIMITS.namespaceLevels,
    () => node.post("/namespaces", { namespace: named(33) }),
  ],
  [
    "levels in a path",
    LIMITS.namespaceLevels,
    () => node.get(`/namespaces/${named(33).join("%1F")}`),
  ],
  ["the bytes of a location", CATALOG_LIMITS.locationBytes, () => createAt("x".repeat(2_000))],
  [
    "directories over a location",
    SERVICE_LIMITS.locationLevels,
    () => createAt(named(80).join("/")),
  ],
  ["query parameters", 64, () => node.get(`/config?${named(70).join("=1&")}`)],
] as const)("a refusal of too much names the limit: %s", async (_, limit, send) => {
  const reply = await send();
  expect(reply.status).toBe(400);
  expect(reply.error().message).toMatch(new RegExp(`\\b${limit}\\b`));
});
