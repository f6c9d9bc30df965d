import { expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { Fuzzer } from "./fuzz/episodes.ts";
import { describeFinding } from "./fuzz/finding.ts";

/** Few in every test run; `npm run fuzz` sends as many as one likes. */
const REQUESTS = 600;

it("no request is answered 5xx, or left without a typed error", async () => {
  await using firn = await Firn.open({
    profile: "memory",
    logLevel: "silent",
    listen: { port: 0 },
  });
  const seed = Math.trunc(Math.random() * 2 ** 30);
  const fuzzer = new Fuzzer(Number(new URL(firn.url ?? "").port));
  const finding = await fuzzer.run(REQUESTS, seed);
  expect(finding === undefined ? `seed ${seed}` : describeFinding(finding)).toBe(`seed ${seed}`);
  // Requests that all fail at the door would prove nothing.
  const statuses = fuzzer.tally.statuses();
  for (const status of [200, 204, 400, 404, 409, 501]) {
    expect([seed, status, statuses.get(status) ?? 0]).toEqual([
      ...[seed, status],
      expect.toSatisfy((n) => n > 2),
    ]);
  }
});
