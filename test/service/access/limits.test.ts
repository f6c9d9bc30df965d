import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMetrics } from "../../../src/base/metrics.ts";
import { Admission } from "../../../src/server/admission.ts";
import { PrincipalRates } from "../../../src/server/principal-rates.ts";
import type { Identity } from "../../../src/service/access/identity.ts";
import { scratchDirectory } from "../../support/open-iceberg.ts";
import { Team } from "./support.ts";

const who = (accountId: string, principalId: string) =>
  ({ accountId, principalId }) as unknown as Identity;

test("a principal has its rate, and takes nothing from the others", () => {
  let nowMs = 0;
  const rates = new PrincipalRates({ monotonicMs: () => nowMs }, 10);
  const isRefused = (identity: Identity): boolean => {
    try {
      rates.count(identity);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ kind: "Overloaded", code: "PRINCIPAL_RATE" });
      return true;
    }
  };
  const answers = (identity: Identity, count: number) =>
    Array.from({ length: count }, () => isRefused(identity)).filter((refused) => !refused).length;
  expect(answers(who("a", "ann"), 50)).toBe(10);
  expect(answers(who("a", "bob"), 50)).toBe(10);
  expect(answers(who("b", "ann"), 50)).toBe(10);
  nowMs += 500;
  expect(answers(who("a", "ann"), 50)).toBe(5);
  nowMs += 60_000;
  expect(answers(who("a", "ann"), 50)).toBe(10);
  const free = new PrincipalRates({ monotonicMs: () => 0 }, 0);
  for (let i = 0; i < 1_000; i++) free.count(who("a", "ann"));
});

test("a principal has half of the places, of reads and of writes", () => {
  const admission = new Admission({ inFlight: 4, bodyBytes: 1_000 }, createMetrics());
  const enter = (method: string, holder: string | undefined) => {
    const ticket = admission.enter({ method, headers: {} });
    ticket?.begin(holder);
    return ticket;
  };
  const first = enter("GET", "ann");
  enter("GET", "ann");
  expect(() => enter("GET", "ann")).toThrow(expect.objectContaining({ code: "OVERLOADED" }));
  enter("POST", "ann");
  enter("GET", "bob");
  first?.release();
  enter("GET", "ann");
  expect(() => enter("GET", "ann")).toThrow(expect.objectContaining({ code: "OVERLOADED" }));
  enter("GET", undefined);
});

test("a request over the rate is 429 with the time to wait", async () => {
  const team = await Team.open({ principalRate: 3 });
  const key = await team.principal("busy");
  const answers = [];
  for (let i = 0; i < 8; i++) answers.push(await team.ask(key, "GET", "/api/v1/me"));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers["retry-after"]).toBeDefined();
  await team.firn.close();
});

test("only a trusted proxy says whose address it is", async () => {
  for (const [trustedProxy, expected] of [
    [["127.0.0.0/8"], "203.0.113.9"],
    [[], "127.0.0.1"],
  ] as const) {
    const auditLog = join(scratchDirectory(), "audit");
    const team = await Team.open({ trustedProxy, auditLog, listen: { port: 0 } });
    const headers = {
      authorization: `Bearer firn_${"b2".repeat(10)}_${"x".repeat(43)}`,
      "x-forwarded-for": "198.51.100.1, 203.0.113.9",
    };
    const response = await fetch(`${team.firn.url}/api/v1/me`, { headers });
    expect(response.status).toBe(401);
    await team.firn.close();
    const [line = "{}"] = readFileSync(auditLog, "utf8").split("\n");
    expect(JSON.parse(line)).toMatchObject({ address: expected });
  }
});
