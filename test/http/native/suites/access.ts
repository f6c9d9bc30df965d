import { describe, expect, it } from "vitest";
import type * as access from "../../../../src/api/access-operations.ts";
import type * as api from "../../../../src/api/resources.ts";
import type { Api } from "../api.ts";

/** Principals, roles and grants, as their manager sees them. */
export function describeAccess(served: () => Api): void {
  describe("principals, roles and grants over HTTP", () => {
    it("creates, describes, suspends and deletes principals", async () => {
      const firn = served();
      const made = await firn.done<access.PrincipalInfo>("POST", "/principals", { name: "etl" });
      expect(made).toMatchObject({ name: "etl", kind: "LOCAL", suspended: false, keys: [] });
      const patch = { description: "nightly", suspended: true };
      expect(await firn.done("PATCH", "/principals/etl", patch)).toMatchObject(patch);
      expect((await firn.refused("POST", "/principals", { name: "etl" })).code).toBe(
        "PRINCIPAL_ALREADY_EXISTS",
      );
      for (const name of ["a/b", "a:b", "", " a", "@a"]) {
        expect((await firn.refused("POST", "/principals", { name })).status).toBe(400);
      }
      await firn.done("DELETE", "/principals/etl");
      expect((await firn.refused("GET", "/principals/etl")).code).toBe("PRINCIPAL_NOT_FOUND");
    });

    it("shows a key once", async () => {
      const firn = served();
      await firn.done("POST", "/principals", { name: "bot" });
      const asked = { description: "ci", expiresAt: "2999-01-01T00:00:00Z" };
      const made = await firn.done<access.NewApiKey>("POST", "/principals/bot/keys", asked);
      expect(made.key).toMatch(/^firn_[0-9a-f]{20}_[\w-]{43}$/);
      const shown = await firn.done<access.PrincipalInfo>("GET", "/principals/bot");
      expect(shown.keys.map(({ id }) => id)).toEqual([made.id]);
      expect(JSON.stringify(shown)).not.toContain(made.key.slice(26));
      const past = { expiresAt: "2001-01-01T00:00:00Z" };
      const late = await firn.refused("POST", "/principals/bot/keys", past);
      expect(late.code).toBe("KEY_EXPIRY_INVALID");
      const rotate = `/principals/bot/keys/${made.id}:rotate`;
      const next = await firn.done<access.NewApiKey>("POST", rotate, {});
      expect(next).toMatchObject({ description: "ci" });
      expect(next.key).not.toBe(made.key);
      await firn.done("DELETE", `/principals/bot/keys/${made.id}`);
      const gone = await firn.refused("DELETE", `/principals/bot/keys/${made.id}`);
      expect(gone.code).toBe("KEY_NOT_FOUND");
    });

    it("grants to roles and their members", async () => {
      const firn = served();
      await firn.done("POST", "/principals", { name: "jo" });
      await firn.done("POST", "/roles", { name: "analysts" });
      await firn.done("POST", "/roles", { name: "okta:analysts" });
      const member = await firn.done("POST", "/roles/analysts/members", { principal: "jo" });
      expect(member).toMatchObject({ roles: ["analysts"] });
      const nested = await firn.refused("POST", "/roles/analysts/members", {
        principal: "okta:analysts",
      });
      expect(nested.code).toBe("ROLE_NESTED");
      expect((await firn.refused("POST", "/roles/analysts/keys", {})).status).toBe(404);
      const given = { principal: "analysts", privileges: ["read-metadata"], catalog: "default" };
      expect(await firn.done("POST", "/grants", given)).toMatchObject({ type: "catalog" });
      const asked = { principal: "jo", privilege: "read-metadata", catalog: "default" };
      const explained = await firn.done<access.Explained>("POST", "/access:explain", asked);
      expect(explained).toMatchObject({ allowed: true, held: ["see", "read-metadata"] });
      expect(explained.because).toHaveLength(1);
      const torn = { ...given, catalog: undefined, namespace: ["a"] };
      expect((await firn.refused("POST", "/grants", torn)).code).toBe("GRANT_OBJECT_INVALID");
      await firn.done("POST", "/grants:revoke", given);
      const left = await firn.done<api.Page<object>>("GET", "/grants?principal=analysts");
      expect(left.items).toEqual([]);
      await firn.done("DELETE", "/roles/analysts/members/jo");
      const page = await firn.done<api.Page<access.PrincipalInfo>>("GET", "/principals");
      expect(page.items.map(({ name }) => name)).toEqual([
        "analysts",
        "bot",
        "jo",
        "okta:analysts",
      ]);
    });
  });
}
