import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADMIN_KEY, Team } from "./support.ts";

let team: Team;
beforeEach(async () => {
  team = await Team.open({ accessStaleness: "0" });
});
afterEach(() => team.firn.close());

const PRINCIPALS = "/api/v1/principals";
const ON_ACCOUNT = { privileges: ["admin"] };

/** What an administrator asks for that ends another one, or itself. */
type End = (key: string, name: string) => Promise<{ status: number; body: { code?: unknown } }>;

const ENDS: Readonly<Record<string, End>> = {
  delete: (key, name) => team.ask(key, "DELETE", `${PRINCIPALS}/${name}`),
  suspend: (key, name) => team.ask(key, "PATCH", `${PRINCIPALS}/${name}`, { suspended: true }),
  revoke: (key, principal) =>
    team.ask(key, "POST", "/api/v1/grants:revoke", { principal, ...ON_ACCOUNT }),
};

/** Administrators who can sign in. */
async function left(keys: readonly string[]): Promise<number> {
  const answers = await Promise.all(keys.map((key) => team.ask(key, "GET", PRINCIPALS)));
  return answers.filter(({ status }) => status === 200).length;
}

describe("two administrators who end each other at once", () => {
  for (const [how, end] of Object.entries(ENDS)) {
    it(`leave one: ${how}`, async () => {
      for (let round = 0; round < 5; round++) {
        await team.firn.close();
        team = await Team.open({ accessStaleness: "0" });
        const other = await team.principal("other");
        await team.grant("other", ["admin"]);
        const answers = await Promise.all([end(ADMIN_KEY, "other"), end(other, "admin")]);
        expect(await left([ADMIN_KEY, other])).toBe(1);
        const refused = answers.filter(({ status }) => status >= 300);
        expect(refused).toHaveLength(1);
        // Or the refused one had lost its rights by then.
        if (refused[0]?.status === 409) expect(refused[0].body.code).toBe("LAST_ADMIN");
        else expect([401, 403]).toContain(refused[0]?.status);
      }
    });
  }
});

describe("an administrator by a role", () => {
  let boss: string;
  beforeEach(async () => {
    boss = await team.principal("boss");
    await team.admin("POST", "/api/v1/roles", { name: "admins" });
    await team.grant("admins", ["admin"]);
    await team.admin("POST", "/api/v1/roles/admins/members", { principal: "boss" });
    expect((await team.ask(boss, "DELETE", `${PRINCIPALS}/admin`)).status).toBe(204);
  });

  it("stays while it is the last one", async () => {
    const asked: readonly [string, string, object?][] = [
      ["DELETE", "/api/v1/roles/admins/members/boss"],
      ["DELETE", `${PRINCIPALS}/admins`],
      ["DELETE", `${PRINCIPALS}/boss`],
      ["PATCH", `${PRINCIPALS}/boss`, { suspended: true }],
      ["POST", "/api/v1/grants:revoke", { principal: "admins", ...ON_ACCOUNT }],
    ];
    for (const [method, path, body] of asked) {
      const { status, body: told } = await team.ask(boss, method, path, body);
      expect([path, status, told["code"]]).toEqual([path, 409, "LAST_ADMIN"]);
    }
    expect(await left([boss])).toBe(1);
  });

  it("goes when there is another one", async () => {
    const made = await team.ask(boss, "POST", PRINCIPALS, { name: "next" });
    expect(made.status).toBe(201);
    const grant = { principal: "next", ...ON_ACCOUNT };
    expect((await team.ask(boss, "POST", "/api/v1/grants", grant)).status).toBe(200);
    const gone = await team.ask(boss, "DELETE", "/api/v1/roles/admins/members/boss");
    expect(gone.status).toBe(204);
    expect((await team.ask(boss, "GET", PRINCIPALS)).status).toBe(403);
  });
});
