import { describe, expect, it } from "vitest";
import type * as api from "../../../../src/api/resources.ts";
import type { Api } from "../api.ts";

const SNOW = { name: "snow", description: "the other tenant", tags: { team: "ice" } };

/** Accounts, as an operator sees them. */
export function describeAccounts(served: () => Api): void {
  describe("accounts over HTTP", () => {
    it("creates, reads and lists them", async () => {
      const firn = served();
      const key = { "Idempotency-Key": "make-snow" };
      const made = await firn.done<api.Account>("POST", "/accounts", SNOW, key);
      expect(made).toMatchObject({ ...SNOW, type: "account", version: "1" });
      expect(await firn.done("POST", "/accounts", SNOW, key)).toEqual(made);
      expect(await firn.done("GET", "/accounts/snow")).toEqual(made);
      expect(await firn.done("GET", `/accounts/id:${made.id}`)).toEqual(made);
      const page = await firn.done<api.Page<api.Summary>>("GET", "/accounts");
      expect(page.items.map(({ name, type }) => [name, type])).toEqual([
        ["default", "account"],
        ["snow", "account"],
      ]);
      expect((await firn.refused("POST", "/accounts", SNOW)).code).toBe("ACCOUNT_ALREADY_EXISTS");
      expect((await firn.refused("GET", "/accounts/none")).code).toBe("ACCOUNT_NOT_FOUND");
      const dry = { name: "thaw" };
      await firn.done("POST", "/accounts?dryRun=true", dry);
      expect((await firn.refused("GET", "/accounts/thaw")).code).toBe("ACCOUNT_NOT_FOUND");
    });

    it("makes an administrator, and suspends and resumes", async () => {
      const firn = served();
      const admin = { principal: "boss" };
      const made = await firn.done<{ key: string }>("POST", "/accounts/snow/admins", admin);
      expect(made.key).toMatch(/^firn_/);
      expect((await firn.refused("POST", "/accounts/none/admins", admin)).code).toBe(
        "ACCOUNT_NOT_FOUND",
      );
      for (const suspended of [true, true, false]) {
        const now = await firn.done<api.Account>("PATCH", "/accounts/snow", { suspended });
        expect(now.suspended).toBe(suspended);
      }
      const kept = await firn.refused("PATCH", "/accounts/default", { suspended: true });
      expect([kept.status, kept.code]).toEqual([409, "ACCOUNT_KEPT"]);
    });

    it("describes and tags them, and only the version that was meant", async () => {
      const firn = served();
      const before = await firn.done<api.Account>("GET", "/accounts/snow");
      const patch = { description: "melted", tags: { team: null, tier: "gold" } };
      const changed = await firn.done<api.Account>("PATCH", "/accounts/snow", patch, {
        "If-Match": before.etag,
      });
      expect(changed).toMatchObject({ description: "melted", tags: { tier: "gold" } });
      const late = await firn.refused("PATCH", "/accounts/snow", patch, {
        "If-Match": before.etag,
      });
      expect(late).toMatchObject({ status: 412, code: "PRECONDITION_FAILED" });
      const same = await firn.done<api.Account>("PATCH", "/accounts/snow", patch);
      expect(same.etag).toBe(changed.etag);
      const secret = await firn.refused("PATCH", "/accounts/snow", { tags: { password: "x" } });
      expect(secret.code).toBe("PROPERTY_SECRET");
      const own = await firn.done<api.Account>("PATCH", "/accounts/default", {
        tags: { owner: "ann" },
      });
      expect(own).toMatchObject({ name: "default", tags: { owner: "ann" } });
    });

    it("drops an empty one, one with all in it by a job, and never its own", async () => {
      const firn = served();
      const made = await firn.done<api.Account>("POST", "/accounts", { name: "sleet" });
      await firn.done("PATCH", "/accounts/sleet", { protected: true });
      expect(await firn.refused("DELETE", "/accounts/sleet")).toMatchObject({
        status: 409,
        code: "PROTECTED",
      });
      await firn.done("PATCH", "/accounts/sleet", { protected: false });
      await firn.done("DELETE", "/accounts/sleet?dryRun=true");
      await firn.done("DELETE", "/accounts/sleet");
      expect((await firn.refused("GET", "/accounts/sleet")).code).toBe("ACCOUNT_NOT_FOUND");
      const back = await firn.done("POST", `/dropped/${made.id}:undrop`, {});
      expect(back).toMatchObject({ type: "account", name: "sleet" });
      const job = await firn.done<api.Job>("DELETE", "/accounts/sleet?recursive=true");
      expect(job).toMatchObject({ kind: "delete" });
      expect(await firn.refused("DELETE", "/accounts/default?recursive=true")).toMatchObject({
        status: 409,
        code: "ACCOUNT_IN_USE",
      });
    });
  });
}
