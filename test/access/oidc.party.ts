import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Team } from "../service/access/support.ts";

/* A real OpenID Connect provider signs tokens: client credentials with a resource (RFC 8707). */

const RESOURCE = "urn:firn";
const CLIENT = { client_id: "etl", client_secret: "s".repeat(32) };

let server: Server;
let directory: string;
let team: Team;
let issuer: string;

async function keyPair(kid: string, alg: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: "sig" };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "firn-oidc-"));
  server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    jwks: { keys: [await keyPair("rsa", "RS256"), await keyPair("ec", "ES256")] },
    clients: [
      {
        ...CLIENT,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          scope: "read write",
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: 120,
          jwt: { sign: { alg: resource.endsWith(":es") ? "ES256" : "RS256" } },
        }),
      },
    },
    extraTokenClaims: () => ({ groups: ["analysts", "staff"] }),
  } as object);
  server.on("request", provider.callback());
  const file = join(directory, "issuers.json");
  const entry = {
    name: "corp",
    issuer,
    audiences: [RESOURCE, `${RESOURCE}:es`],
    rolesClaim: "groups",
    account: "default",
  };
  await writeFile(file, JSON.stringify([entry]));
  team = await Team.open({ issuers: file });
  await team.namespace("w");
  await team.table("w", "t");
});
afterAll(async () => {
  await team.firn.close();
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true });
});

async function tokenFor(resource: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: "client_credentials", ...CLIENT, resource });
  const response = await fetch(`${issuer}/token`, { method: "POST", body });
  const { access_token } = (await response.json()) as { access_token: string };
  expect([response.status, access_token?.split(".").length]).toEqual([200, 3]);
  return access_token;
}

const TABLE = "/iceberg/v1/default/namespaces/w/tables/t";

describe("oidc-provider", () => {
  it("issues tokens that sign in, with RSA and elliptic keys", async () => {
    await team.grant("corp/etl", ["read-metadata"], { catalog: "default", namespace: ["w"] });
    for (const resource of [RESOURCE, `${RESOURCE}:es`]) {
      const token = await tokenFor(resource);
      expect((await team.ask(token, "GET", TABLE)).status).toBe(200);
      expect((await team.ask(token, "DELETE", TABLE)).status).toBe(403);
    }
  });

  it("names roles by a claim, which hold what was granted to them", async () => {
    await team.admin("POST", "/api/v1/roles", { name: "corp:analysts" });
    await team.grant("corp:analysts", ["read-metadata"], { catalog: "default" });
    const token = await tokenFor(RESOURCE);
    expect((await team.ask(token, "GET", "/api/v1/catalogs/default")).status).toBe(200);
  });

  it("signs nothing for another audience that is taken here", async () => {
    expect((await team.ask(await tokenFor("urn:other"), "GET", TABLE)).status).toBe(401);
  });

  it("gives tokens that the token endpoint exchanges for its own", async () => {
    const access_token = await team.exchange(await tokenFor(RESOURCE), "access_token");
    expect((await team.ask(access_token, "GET", TABLE)).status).toBe(200);
  });
});
