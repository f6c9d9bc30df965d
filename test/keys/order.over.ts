import { test } from "vitest";
import { checkOrder } from "./order-check.ts";

const PARTS = 10;

test.each(Array.from({ length: PARTS }, (_, part) => part))(
  "keys of 400,000 pairs of tuples sort as they do, and come back (part %i of 10)",
  (part) => {
    checkOrder(400_000 / PARTS, part);
  },
);
