import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { askAtCost, costOf, expectLinear, expectShortTurns } from "../support/turns.ts";

/** Keeps this thread busy for so long, whatever else the machine does. */
function spin(ms: number): void {
  const began = process.threadCpuUsage();
  for (;;) {
    const { user, system } = process.threadCpuUsage(began);
    if (user + system >= ms * 1_000) return;
  }
}

async function spins(times: number, ms: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    spin(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("the measure of turns", () => {
  it("sees one long turn, wherever it stands", async () => {
    const { longestTurnMs } = await costOf(async () => {
      await spins(5, 5);
      spin(150);
      await spins(5, 5);
    });
    expect(longestTurnMs).toBeGreaterThanOrEqual(150);
    const cost = { longestTurnMs, cpuMs: 0 };
    await expect(expectShortTurns("long", cost, async () => cost)).rejects.toThrow();
    await expect(expectShortTurns("long", { ...cost, longestTurnMs: 251 })).rejects.toThrow();
    await expectShortTurns("long once", cost, async () => ({ ...cost, longestTurnMs: 100 }));
  });

  it("does not take many short turns for a long one", async () => {
    const cost = await costOf(() => spins(30, 10));
    expect(cost.cpuMs).toBeGreaterThanOrEqual(300);
    await expectShortTurns("short", cost);
  });

  it("tells linear work from quadratic work", async () => {
    const taking = (ms: number) => () => costOf(() => spin(ms));
    await expectLinear("linear", taking(50), taking(100));
    await expect(expectLinear("quadratic", taking(50), taking(200))).rejects.toThrow();
  });
});

describe("a request to an embedded server", () => {
  let firn: Firn;
  beforeAll(async () => {
    firn = await Firn.open({ profile: "memory", listen: { port: 0 } });
  });
  afterAll(() => firn.close());

  it("is answered in short turns", async () => {
    const created = await askAtCost(firn, "POST", "/namespaces", { namespace: ["a"] });
    expect(created.result.status).toBe(200);
    await expectShortTurns("create", created);
    const refused = await askAtCost(firn, "GET", "/namespaces/b");
    expect([refused.result.status, refused.result.code]).toEqual([404, "NAMESPACE_NOT_FOUND"]);
  });
});
