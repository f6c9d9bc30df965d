import { expect, test } from "vitest";
import { idempotencyOf } from "../../src/http/idempotency.ts";

const KEY = "0199d8a0-0000-7000-8000-000000000001";

test("two requests of a key are the same in method, target and body, or not at all", () => {
  const endpoint = { method: "POST", template: "/v1/namespaces" } as Parameters<
    typeof idempotencyOf
  >[1];
  const target = (path: string, query: string) =>
    ({ path, query }) as unknown as Parameters<typeof idempotencyOf>[2];
  const hashOf = (path: string, query: string, body?: string) => {
    const { requestHash } = idempotencyOf(KEY, endpoint, target(path, query), bytesOf(body));
    return Buffer.from(requestHash).toString("hex");
  };
  const bytesOf = (body?: string) => (body === undefined ? undefined : Buffer.from(body));
  const first = hashOf("/a", "", "{}");
  expect(hashOf("/a", "", "{}")).toBe(first);
  expect(hashOf("/a", "", "{ }")).not.toBe(first);
  expect(hashOf("/a", "x=1", "{}")).not.toBe(first);
  expect(hashOf("/b", "", "{}")).not.toBe(first);
});
