import { describeBroken, describeClaims } from "./suite.ts";

/** `FIRN_TEST_SEEDS="7 8"` for others; the titles of the tests name theirs. */
const SEEDS = (process.env["FIRN_TEST_SEEDS"] ?? "1").split(" ").map(Number);

for (const seed of SEEDS) describeClaims({ seed, rounds: 3, whole: true });
describeBroken({ seed: SEEDS[0] ?? 1, rounds: 1, whole: true });
