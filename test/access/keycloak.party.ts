import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Team } from "../service/access/support.ts";

/* Keycloak signs tokens for service accounts of the realm in `keycloak-realm.json`. */

const KEYCLOAK = process.env["FIRN_TEST_KEYCLOAK"];
const ISSUER = `${KEYCLOAK}/realms/firn`;
const TABLE = "/iceberg/v1/default/namespaces/w/tables/t";

let directory: string;
let team: Team;

async function tokenOf(client: string): Promise<string> {
  const secret = { client_id: client, client_secret: `the-secret-of-${client}` };
  const body = new URLSearchParams({ grant_type: "client_credentials", ...secret });
  const url = `${ISSUER}/protocol/openid-connect/token`;
  const response = await fetch(url, { method: "POST", body });
  const { access_token } = (await response.json()) as { access_token: string };
  expect([response.status, access_token?.split(".").length]).toEqual([200, 3]);
  return access_token;
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
}

describe.skipIf(KEYCLOAK === undefined)("Keycloak", () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "firn-keycloak-"));
    const file = join(directory, "issuers.json");
    const roles = { rolesClaim: "realm_access.roles", account: "default" };
    const entry = { name: "corp", issuer: ISSUER, audiences: ["firn"], ...roles };
    await writeFile(file, JSON.stringify([entry]));
    team = await Team.open({ issuers: file });
    await team.namespace("w");
    await team.table("w", "t");
  });
  afterAll(async () => {
    await team.firn.close();
    await rm(directory, { recursive: true });
  });

  it("issues tokens of service accounts, whose principal is the subject", async () => {
    const token = await tokenOf("etl");
    const { sub, aud } = claimsOf(token);
    expect([aud].flat()).toContain("firn");
    expect((await team.ask(token, "GET", TABLE)).status).toBe(404);
    await team.grant(`corp/${sub}`, ["read-metadata"], { catalog: "default", namespace: ["w"] });
    expect((await team.ask(token, "GET", TABLE)).status).toBe(200);
    expect((await team.ask(token, "DELETE", TABLE)).status).toBe(403);
  });

  it("names roles of the realm, which hold what was granted to them", async () => {
    const token = await tokenOf("etl");
    expect((await team.ask(token, "GET", "/api/v1/catalogs/default/namespaces")).status).toBe(200);
    await team.admin("POST", "/api/v1/roles", { name: "corp:analysts" });
    await team.grant("corp:analysts", ["drop"], { catalog: "default", namespace: ["w"] });
    expect((await team.ask(token, "DELETE", TABLE)).status).toBe(204);
  });

  it("sends no audience without a mapper: such a token is refused", async () => {
    const token = await tokenOf("unmapped");
    expect([claimsOf(token)["aud"]].flat()).not.toContain("firn");
    expect((await team.ask(token, "GET", TABLE)).status).toBe(401);
  });

  it("gives tokens that the token endpoint exchanges for its own", async () => {
    const subject = await tokenOf("etl");
    const access_token = await team.exchange(subject, "access_token");
    const me = await team.ask(access_token, "GET", "/api/v1/me");
    expect(me.status).toBe(200);
    expect(JSON.stringify(me.body)).toContain(`corp/${claimsOf(subject)["sub"]}`);
  });
});
