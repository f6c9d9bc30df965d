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
  });
}
