import { test } from "vitest";
import { checkOrder } from "./order-check.ts";

test("keys of 400,000 pairs of tuples sort as they do, and come back", () => {
  checkOrder(400_000);
});
