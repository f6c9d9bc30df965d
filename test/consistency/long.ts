/** Every claim, each with more rounds than in `npm test`. */
export const LONG = { rounds: 3, whole: true } as const;

/** `FIRN_TEST_SEEDS="7 8"` for others; the titles of the tests name theirs. */
export function seeds(): readonly number[] {
  return (process.env["FIRN_TEST_SEEDS"] ?? "1").split(" ").map(Number);
}
