import { test } from "vitest";
import { checkOrder } from "./order-check.ts";

test("keys sort as their tuples do, and come back", () => {
  checkOrder(4_000);
});
