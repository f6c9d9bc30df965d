import { describe, expect, it } from "vitest";
import { FileAccessAudit } from "../../src/server/audit-file-access.ts";
import type { AuditEntry } from "../../src/server/audit-log.ts";
import type { Actor } from "../../src/service/actor.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const ACTOR: Actor = {
  requestId: "r1",
  principal: "jo",
  account: "acme",
  keyId: "k1",
  address: "10.0.0.1",
};
const TABLE = { catalog: "lake", namespace: ["a", "b"], table: "t" };

function audited() {
  const clock = new VirtualClock();
  const entries: AuditEntry[] = [];
  const audit = new FileAccessAudit({ record: (entry) => void entries.push(entry) }, clock);
  return { clock, entries, audit };
}

describe("access to files in the audit log", () => {
  it("has each set of credentials", () => {
    const { entries, audit } = audited();
    audit.lent(ACTOR, TABLE, "read");
    audit.lent(ACTOR, TABLE, "write");
    expect(entries).toEqual(
      ["read", "write"].map((mode) => ({
        ...ACTOR,
        issuer: undefined,
        operation: "vend",
        object: { catalog: "lake", namespace: "a.b", table: "t" },
        mode,
        decision: "allowed",
      })),
    );
  });

  it("has the first signature at once, and the sum of those of a minute", async () => {
    const { clock, entries, audit } = audited();
    audit.signed(ACTOR, TABLE, "read");
    expect(entries).toMatchObject([{ operation: "sign", requestId: "r1", reads: 1, writes: 0 }]);
    for (let i = 0; i < 1_000; i++) audit.signed(ACTOR, TABLE, i % 4 === 0 ? "write" : "read");
    expect(entries).toHaveLength(1);
    await clock.advance(60_000);
    expect(entries).toHaveLength(2);
    expect(entries[1]).toMatchObject({ principal: "jo", keyId: "k1", reads: 750, writes: 250 });
    expect(entries[1]).not.toHaveProperty("requestId");
    // Nothing more is told of a table that nothing is signed for.
    await clock.advance(600_000);
    expect(entries).toHaveLength(2);
    audit.signed(ACTOR, TABLE, "write");
    expect(entries[2]).toMatchObject({ reads: 0, writes: 1 });
  });

  it("sums no two tables, principals, keys, accounts or addresses together", () => {
    const { entries, audit } = audited();
    const actors = [
      ACTOR,
      { ...ACTOR, principal: "other" },
      { ...ACTOR, account: "globex" },
      { ...ACTOR, keyId: "k2" },
      { ...ACTOR, address: "10.0.0.2" },
    ];
    for (const actor of actors) audit.signed(actor, TABLE, "read");
    audit.signed(ACTOR, { ...TABLE, table: "t2" }, "read");
    expect(entries).toHaveLength(6);
    for (const actor of actors) audit.signed(actor, TABLE, "read");
    audit.close();
    expect(entries).toHaveLength(11);
  });

  it("loses none at its end, and keeps no more than so many", () => {
    const { entries, audit } = audited();
    const table = (i: number) => ({ ...TABLE, table: `t${i}` });
    for (let i = 0; i < 5_000; i++) {
      audit.signed(ACTOR, table(i), "read");
      audit.signed(ACTOR, table(i), "write");
    }
    // Written before the end: what waits is bounded.
    expect(10_000 - entries.length).toBeLessThanOrEqual(1_000);
    audit.close();
    const sum = (member: "reads" | "writes") =>
      entries.reduce((all, entry) => all + (entry[member] ?? 0), 0);
    expect([sum("reads"), sum("writes")]).toEqual([5_000, 5_000]);
    expect(entries).toHaveLength(10_000);
  });
});
