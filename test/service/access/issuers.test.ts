import { createHmac } from "node:crypto";
import { exportSPKI, importJWK, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Firn } from "../../../src/index.ts";
import { parseIssuers } from "../../../src/service/access/issuer-config.ts";
import { IssuerTokens } from "../../../src/service/access/issuer-tokens.ts";
import { TestClock } from "../../../src/testing/test-clock.ts";
import { TestIssuer } from "./issuer.ts";
import { ADMIN_KEY, Team } from "./support.ts";

/** Every identity gets 404 there. */
const WHERE = "/iceberg/v1/nothing";
const TABLES = "/iceberg/v1/default/namespaces/w/tables";

let issuer: TestIssuer;
let team: Team;
beforeAll(async () => {
  issuer = await TestIssuer.open();
  await issuer.addKey("second", "ES256");
  const issuers = await issuer.config([
    issuer.entry,
    {
      ...issuer.entry,
      name: "other",
      issuer: `${issuer.url}/other`,
      jwksUri: `${issuer.url}/jwks`,
    },
  ]);
  team = await Team.open({ issuers });
  await team.namespace("w");
  await team.table("w", "t");
});
afterAll(async () => {
  await team.firn.close();
  await issuer.close();
});

async function status(token: string, path = WHERE): Promise<number> {
  return (await team.ask(token, "GET", path)).status;
}

describe("tokens of issuers", () => {
  it("sign in, with the rights that were granted to their subject and roles", async () => {
    const token = await issuer.sign();
    expect(await status(token)).toBe(404);
    expect(await status(token, `${TABLES}/t`)).toBe(404);
    // Granted before the principal ever signed in.
    await team.grant("test/ann", ["read-metadata"], { catalog: "default", namespace: ["w"] });
    const ann = await issuer.sign({ sub: "ann" });
    expect(await status(ann, `${TABLES}/t`)).toBe(200);
    await team.admin("POST", "/api/v1/roles", { name: "test:readers" });
    await team.grant("test:readers", ["read-metadata"], { catalog: "default", namespace: ["w"] });
    const reader = await issuer.sign({ sub: "b", realm_access: { roles: ["readers", "x y"] } });
    expect(await status(reader, `${TABLES}/t`)).toBe(200);
    const es256 = await issuer.sign({ sub: "ann" }, { alg: "ES256" }, "second");
    expect(await status(es256, `${TABLES}/t`)).toBe(200);
  });

  it("cannot name a role or principal of this server, or of another issuer", async () => {
    await team.admin("POST", "/api/v1/roles", { name: "local-readers" });
    await team.grant("local-readers", ["read-metadata"], { catalog: "default", namespace: ["w"] });
    for (const claims of [
      { sub: "c", realm_access: { roles: ["local-readers", "everyone", "admin"] } },
      { sub: "admin" },
      {
        iss: `${issuer.url}/other`,
        sub: "ann",
        realm_access: { roles: ["readers", "local-readers"] },
      },
    ]) {
      const token = await issuer.sign(claims);
      expect([claims, await status(token, `${TABLES}/t`)]).toEqual([claims, 404]);
    }
  });

  it("end with a suspension of their principal", async () => {
    await team.grant("test/sue", ["see"], {});
    const token = await issuer.sign({ sub: "sue" });
    expect(await status(token)).toBe(404);
    await team.admin("PATCH", "/api/v1/principals/test%2Fsue", { suspended: true });
    expect(await status(token)).toBe(401);
  });

  it("are exchanged for tokens that carry their roles, and no others", async () => {
    const subject = await issuer.sign({ sub: "x", realm_access: { roles: ["readers"] } });
    const access_token = await team.exchange(subject, "jwt");
    expect(await status(access_token, `${TABLES}/t`)).toBe(200);
  });
});

describe("tokens that prove nothing", () => {
  const nowS = Math.floor(Date.now() / 1_000);
  const claims: readonly (readonly [string, object])[] = [
    ["expired", { exp: nowS - 61 }],
    ["not yet valid", { nbf: nowS + 120 }],
    ["of another audience", { aud: "other" }],
    ["of no audience", { aud: undefined }],
    ["of no subject", { sub: undefined }],
    ["of an empty subject", { sub: "" }],
    ["of a subject with white space", { sub: "a b" }],
    ["of a long subject", { sub: "a".repeat(191) }],
    ["without an end", { exp: undefined }],
    ["an ID token of Keycloak", { typ: "ID" }],
    ["a refresh token of Keycloak", { typ: "Refresh" }],
    ["an ID token", { at_hash: "abc" }],
  ];
  it.each(claims)("are refused: %s", async (_, change) => {
    expect(await status(await issuer.sign(change))).toBe(401);
  });

  const headers: readonly (readonly [string, object])[] = [
    ["a key set elsewhere", { jku: "http://127.0.0.1:1/jwks" }],
    ["a certificate elsewhere", { x5u: "http://127.0.0.1:1/cert" }],
    ["its own key", { jwk: { kty: "oct", k: "AA" } }],
    ["another type", { typ: "logout+jwt" }],
  ];
  it.each(headers)("are refused when their header brings %s", async (_, change) => {
    expect(await status(await issuer.sign({}, change))).toBe(401);
  });

  it("are refused for an algorithm that is not the key's", async () => {
    const [header = "", payload = "", signature = ""] = (await issuer.sign()).split(".");
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const jwk = issuer.publicKeys.get("first") ?? {};
    const pem = await exportSPKI((await importJWK(jwk, "RS256")) as never);
    for (const secret of [pem, JSON.stringify(jwk), ""]) {
      const confused = `${encode({ alg: "HS256", typ: "at+jwt", kid: "first" })}.${payload}`;
      const mac = createHmac("sha256", secret).update(confused).digest("base64url");
      expect(await status(`${confused}.${mac}`)).toBe(401);
    }
    for (const alg of ["none", "None", "RS384", "PS256", "ES256", ""]) {
      const other = encode({ alg, typ: "at+jwt", kid: "first" });
      expect([alg, await status(`${other}.${payload}.${signature}`)]).toEqual([alg, 401]);
      expect([alg, await status(`${other}.${payload}.`)]).toEqual([alg, 401]);
    }
    expect(await status(`${header}.${payload}.${signature}x`)).toBe(401);
    const critical = await new SignJWT({ iss: issuer.url, aud: "firn", sub: "jo" })
      .setExpirationTime("1h")
      .setProtectedHeader({ alg: "RS256", kid: "first", crit: ["b64"], b64: true })
      .sign(issuer.privateKeys.get("first") as never);
    expect(await status(critical)).toBe(401);
  });

  it("cost no fetch for an unknown issuer, and one a minute for unknown keys", async () => {
    await status(await issuer.sign());
    const before = issuer.fetches;
    const forged = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImZpcnN0In0";
    for (const iss of ["http://elsewhere", `${issuer.url}/`, issuer.url.toUpperCase(), ""]) {
      const payload = Buffer.from(JSON.stringify({ iss, sub: "a" })).toString("base64url");
      expect(await status(`${forged}.${payload}.AA`)).toBe(401);
    }
    expect(issuer.fetches).toBe(before);
  });
});

const trouble: string[] = [];
afterEach(() => trouble.splice(0));

function verifier(clock: TestClock, entry: object, fetch: (url: string) => Promise<unknown>) {
  const onTrouble = (_: string, reason: string) => trouble.push(reason);
  return new IssuerTokens(parseIssuers([entry]), { clock, fetch, onTrouble });
}

describe("the keys of an issuer", () => {
  it("are asked for once a minute at most, whatever key ids tokens name", async () => {
    const clock = new TestClock(Date.now());
    let fetches = 0;
    const entry = { ...issuer.entry, jwksUri: `${issuer.url}/jwks` };
    const tokens = verifier(clock, entry, async () => {
      fetches++;
      return { keys: [...issuer.publicKeys.values()] };
    });
    const [, payload] = (await issuer.sign()).split(".");
    const unknown = (kid: string) => {
      const header = Buffer.from(JSON.stringify({ alg: "RS256", kid })).toString("base64url");
      return `${header}.${payload}.AA`;
    };
    for (let i = 0; i < 10_000; i += 100) {
      const batch = Array.from({ length: 100 }, (_, j) => unknown(`k${i + j}`));
      await Promise.all(batch.map((each) => tokens.verify(each)));
    }
    expect(fetches).toBe(1);
    clock.advance(40_000);
    await tokens.verify(unknown("late"));
    expect(fetches).toBe(1);
    clock.advance(20_000);
    await tokens.verify(unknown("late"));
    expect(fetches).toBe(2);
    // A key that is known is no reason to ask, and verifies at once.
    expect(await tokens.verify(await issuer.sign())).toMatchObject({ name: "test/jo" });
    expect(fetches).toBe(2);
  });

  it("are kept for a day while they cannot be read, and no longer", async () => {
    const clock = new TestClock(Date.now());
    let isUp = true;
    const tokens = verifier(clock, { ...issuer.entry, jwksUri: `${issuer.url}/jwks` }, async () => {
      if (!isUp) throw new Error("down");
      return { keys: [...issuer.publicKeys.values()] };
    });
    const sign = () => issuer.sign({ exp: Math.floor(clock.nowMs() / 1_000) + 600 });
    expect(await tokens.verify(await sign())).toBeDefined();
    isUp = false;
    clock.advance(86_399_000);
    expect(await tokens.verify(await sign())).toBeDefined();
    expect(trouble).toEqual(["down"]);
    clock.advance(61_000);
    expect(await tokens.verify(await sign())).toBeUndefined();
  });

  it("that left its set verify nothing once it was read again", async () => {
    const clock = new TestClock(Date.now());
    let keys = [...issuer.publicKeys.values()];
    const entry = { ...issuer.entry, jwksUri: `${issuer.url}/jwks` };
    const tokens = verifier(clock, entry, async () => ({ keys }));
    const sign = () => issuer.sign({ exp: Math.floor(clock.nowMs() / 1_000) + 600 });
    expect(await tokens.verify(await sign())).toBeDefined();
    keys = keys.filter(({ kid }) => kid !== "first");
    clock.advance(900_000);
    // The first one begins to read, those after it find what was read.
    await tokens.verify(await sign());
    await new Promise((resolve) => setImmediate(resolve));
    expect(await tokens.verify(await sign())).toBeUndefined();
  });
});

describe("a first administrator of an issuer", () => {
  const opened = (issuers: string, bootstrapAdmin: string) =>
    Firn.open({ auth: "required", issuers, bootstrapAdmin, logLevel: "silent" });
  const asks = async (firn: Firn, sub: string) => {
    const headers = { authorization: `Bearer ${await issuer.sign({ sub })}` };
    const url = "http://firn/api/v1/principals";
    const answer = await firn.fetch(new Request(url, { headers }));
    return { status: answer.status, json: (await answer.json()) as object };
  };

  it("is the only principal, without a key", async () => {
    const firn = await opened(await issuer.config([issuer.entry]), "test/ann");
    const { status, json } = await asks(firn, "ann");
    expect(status).toBe(200);
    const ann = expect.objectContaining({ name: "test/ann", kind: "EXTERNAL", keys: [] });
    expect(json).toEqual({ items: [ann] });
    expect((await asks(firn, "bob")).status).toBe(403);
    await firn.close();
  });

  it("is refused where the issuer could never sign them in", async () => {
    const refused = { code: "BOOTSTRAP_ADMIN_INVALID" };
    const file = await issuer.config([{ ...issuer.entry, account: "acme" }]);
    await expect(opened(file, "test/ann")).rejects.toMatchObject(refused);
    await expect(opened(file, "nobody/ann")).rejects.toMatchObject(refused);
  });
});

describe("keys that are not an issuer's", () => {
  it.each(["/moved", "/huge", "/none"])("are not taken from %s", async (path) => {
    const file = await issuer.config([{ ...issuer.entry, jwksUri: `${issuer.url}${path}` }]);
    const firn = await Firn.open({
      auth: "required",
      bootstrapKey: ADMIN_KEY,
      issuers: file,
      logLevel: "silent",
    });
    const headers = { authorization: `Bearer ${await issuer.sign()}` };
    const url = "http://firn/iceberg/v1/config";
    expect((await firn.fetch(new Request(url, { headers }))).status).toBe(401);
    await firn.close();
  });

  it("of an unfit kind verify nothing", async () => {
    const [jwk] = issuer.publicKeys.values();
    const sets = [
      { ...jwk, use: "enc" },
      { ...jwk, alg: "RS512" },
      { ...jwk, key_ops: ["encrypt"] },
      { kty: "oct", kid: "first", k: "AAAA" },
      { ...jwk, n: "AQAB" },
    ];
    for (const key of sets) {
      const clock = new TestClock(Date.now());
      const tokens = verifier(clock, issuer.entry, async (url) =>
        url.endsWith("configuration")
          ? { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` }
          : { keys: [key] },
      );
      expect(await tokens.verify(await issuer.sign())).toBeUndefined();
    }
  });

  it("are not taken from a discovery document of another issuer", async () => {
    const clock = new TestClock(Date.now());
    const asked: string[] = [];
    const tokens = verifier(clock, issuer.entry, async (url) => {
      asked.push(url);
      return { issuer: "http://127.0.0.1:1", jwks_uri: `${issuer.url}/jwks` };
    });
    expect(await tokens.verify(await issuer.sign())).toBeUndefined();
    expect(asked).toEqual([`${issuer.url}/.well-known/openid-configuration`]);
    expect(trouble).toEqual(["its discovery document is of another issuer"]);
  });
});

describe("a file of issuers", () => {
  const good = { name: "a", issuer: "https://a", audiences: ["firn"], account: "default" };
  const wrong: readonly (readonly [string, unknown])[] = [
    ["no list", {}],
    ["an empty list", []],
    ["no object", [1]],
    ["an unknown member", [{ ...good, secret: "x" }]],
    ["a name with a slash", [{ ...good, name: "a/b" }]],
    ["no issuer", [{ ...good, issuer: undefined }]],
    ["plain http", [{ ...good, issuer: "http://a" }]],
    ["plain http for keys", [{ ...good, jwksUri: "http://a" }]],
    ["no audience", [{ ...good, audiences: [] }]],
    ["a shared secret", [{ ...good, algorithms: ["HS256"] }]],
    ["no signature", [{ ...good, algorithms: ["none"] }]],
    ["an e-mail as subject", [{ ...good, subjectClaim: "email" }]],
    ["no account", [{ ...good, account: undefined }]],
    ["two accounts", [{ ...good, accountClaim: "tid", accounts: { x: "default" } }]],
    ["a claim without accounts", [{ ...good, account: undefined, accountClaim: "tid" }]],
    ["two of one name", [good, { ...good, issuer: "https://b" }]],
    ["two of one issuer", [good, { ...good, name: "b" }]],
  ];
  it.each(wrong)("is refused with %s", (_, json) => {
    expect(() => parseIssuers(JSON.parse(JSON.stringify(json)))).toThrow(/--issuers/);
  });

  it("that cannot be read keeps the server from starting", async () => {
    const options = { auth: "required", issuers: "/nowhere/issuers.json" } as const;
    await expect(Firn.open(options)).rejects.toMatchObject({ code: "ISSUERS_INVALID" });
  });
});
