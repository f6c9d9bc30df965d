import { describe, expect, it } from "vitest";
import { PRIVILEGES } from "../../src/api/privileges.ts";
import { LIMITS } from "../../src/base/limits.ts";
import { OPERATIONS, type Operation } from "../../src/http/iceberg/operations.ts";
import { IcebergProtocol } from "../../src/http/iceberg/protocol.ts";
import { matchPath } from "../../src/http/iceberg/router.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { ask, scripted, serving } from "./support.ts";

/** What a route fails to say about itself, or says falsely. */
function problems(operation: Partial<Operation>): readonly string[] {
  const { method, template = "", needs = [], writes, dryRuns, idempotency, limits } = operation;
  const isGet = method === "GET" || method === "HEAD";
  // Signs what a client sends to the store, and changes nothing here.
  const isRead = isGet || template.endsWith("/sign");
  const found: string[] = [];
  if (!template.startsWith("/v1/")) found.push("template");
  if (needs.length === 0 || needs.some((need) => !PRIVILEGES.includes(need))) found.push("needs");
  if (writes !== !isRead) found.push("writes");
  if (dryRuns === undefined || (dryRuns && !writes)) found.push("dryRuns");
  if (idempotency === undefined || (idempotency === "none") !== isRead) found.push("idempotency");
  if (limits?.bodyBytes !== (isGet ? 0 : LIMITS.bodyBytes)) found.push("limits");
  if (limits?.counted === undefined) found.push("counted");
  return found;
}

describe("the table of Iceberg operations", () => {
  it.each(OPERATIONS.map((each) => [`${each.method} ${each.template}`, each] as const))(
    "%s says what it needs and what bounds it",
    (_name, operation) => expect(problems(operation)).toEqual([]),
  );

  it("is refused if it lacks any of its members", () => {
    for (const name of ["template", "needs", "writes", "dryRuns", "idempotency", "limits"]) {
      const { [name as keyof Operation]: _gone, ...rest } = OPERATIONS[1] as Operation;
      expect(problems(rest), name).toContain(name);
    }
    const invented = ["fly"] as unknown as Operation["needs"];
    expect(problems({ ...(OPERATIONS[1] as Operation), needs: invented })).toEqual(["needs"]);
  });

  it("leads every template to its own operation", () => {
    for (const operation of OPERATIONS) {
      const path = operation.template.replaceAll(/\{(\w+)\}/g, "x-$1");
      expect(matchPath(operation.method, path)).toMatchObject({ found: "operation", operation });
    }
  });

  it("exempts from overload protection what it does not count, and nothing else", () => {
    const { unlimited } = new IcebergProtocol(scripted().service, new SystemClock());
    for (const { template, limits } of OPERATIONS) {
      const path = `/iceberg${template.replaceAll(/\{(\w+)\}/g, "x-$1")}`;
      expect([path, unlimited.test(path)]).toEqual([path, !limits.counted]);
    }
  });

  it("checks the form of a key also where nothing is replayed", async () => {
    const { service, seen } = scripted();
    await using running = await serving(service);
    const path = "/iceberg/v1/namespaces/a/tables/t/metrics";
    const wrong = await ask(running.port, "POST", path, { "Idempotency-Key": "x" }, "{}");
    expect(wrong.status).toBe(400);
    expect(seen).toEqual([]);
  });
});
