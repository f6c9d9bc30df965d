import type { IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { assertOwnPage, cookie } from "../../../src/http/cookies.ts";
import { Firn } from "../../../src/index.ts";
import { SystemPrng } from "../../../src/runtime/prng.ts";
import { parseIssuers } from "../../../src/service/access/issuer-config.ts";
import { IssuerTokens } from "../../../src/service/access/issuer-tokens.ts";
import { OidcSignIn, ownPath } from "../../../src/service/access/oidc-sign-in.ts";
import { SealedTexts } from "../../../src/service/access/sealed-texts.ts";
import { TestClock } from "../../../src/testing/test-clock.ts";
import { TestIssuer } from "./issuer.ts";
import { ADMIN_KEY, Team } from "./support.ts";

const SECRET = new Uint8Array(32).fill(7);
const OTHER = new Uint8Array(32).fill(8);
const SESSION = "__Host-firn-session";

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await TestIssuer.open();
});
afterAll(() => issuer.close());

describe("an ID token", () => {
  const asked = { name: "test", clientId: "console", nonce: "n-1" };
  const good = { sub: "ann", aud: "console", nonce: "n-1" };
  const verify = async (claims: object, header: object = { typ: "JWT" }, wanted = asked) => {
    const entries = parseIssuers([{ ...issuer.entry, jwksUri: `${issuer.url}/jwks` }]);
    const fetch = async () => ({ keys: [...issuer.publicKeys.values()] });
    const parts = { clock: new TestClock(Date.now()), fetch, onTrouble: () => undefined };
    const token = await issuer.sign(claims, header);
    return (await new IssuerTokens(entries, parts).verifyIdToken(token, wanted))?.name;
  };

  it("proves its subject to the client that asked for it", async () => {
    expect(await verify(good)).toBe("test/ann");
    const keycloaks = { ...good, typ: "ID", at_hash: "x" };
    expect(await verify(keycloaks, {})).toBeUndefined();
    expect(await verify(keycloaks, { typ: undefined })).toBe("test/ann");
    expect(await verify({ ...good, aud: ["console", "b"], azp: "console" })).toBe("test/ann");
  });

  it.each([
    ["another nonce", { ...good, nonce: "n-2" }],
    ["no nonce", { ...good, nonce: undefined }],
    ["another client", { ...good, aud: "firn" }],
    ["several clients, and none named", { ...good, aud: ["console", "firn"] }],
    ["another one named", { ...good, aud: ["console", "firn"], azp: "firn" }],
    ["a token of another kind", { ...good, typ: "Refresh" }],
    ["an old one", { ...good, exp: 1 }],
  ])("proves nothing with %s", async (_what, claims) => {
    expect(await verify(claims)).toBeUndefined();
  });

  it("proves nothing as an access token, or of another issuer than was asked", async () => {
    expect(await verify(good, { typ: "at+jwt" })).toBeUndefined();
    expect(await verify(good, {}, { ...asked, name: "other" })).toBeUndefined();
  });
});

describe("what waits for a provider", () => {
  it("is sealed: no other deployment or purpose opens it, and no change stays unseen", () => {
    const prng = new SystemPrng();
    const sealed = new SealedTexts([SECRET], "a", prng);
    const text = sealed.seal("{}");
    expect(sealed.open(text)).toBe("{}");
    expect(new SealedTexts([OTHER, SECRET], "a", prng).open(text)).toBe("{}");
    expect(new SealedTexts([OTHER], "a", prng).open(text)).toBeUndefined();
    expect(new SealedTexts([SECRET], "b", prng).open(text)).toBeUndefined();
    for (const at of [0, 14, 30]) {
      const bytes = Buffer.from(text, "base64url");
      bytes[at % bytes.length] = (bytes[at % bytes.length] as number) ^ 1;
      expect(sealed.open(bytes.toString("base64url"))).toBeUndefined();
    }
    for (const short of ["", "AA", "A".repeat(37)]) expect(sealed.open(short)).toBeUndefined();
  });

  it("leads to endpoints with https alone, of the issuer that was configured", async () => {
    const document = {
      issuer: "https://idp.example",
      authorization_endpoint: "https://idp.example/auth?tenant=1",
      token_endpoint: "https://idp.example/token",
    };
    const begin = async (more: object) => {
      const trouble: string[] = [];
      const signIn = new OidcSignIn({
        clock: new TestClock(0),
        prng: new SystemPrng(),
        secrets: [SECRET],
        client: {
          name: "test",
          issuer: "https://idp.example",
          clientId: "console",
          clientSecret: undefined,
          scope: "openid",
        },
        fetch: async () => ({ ...document, ...more }),
        post: async () => undefined,
        verify: async () => undefined,
        begin: async () => undefined,
        onTrouble: (reason) => trouble.push(reason),
      });
      const begun = await signIn
        .begin("https://firn.example/cb", "/console/")
        .catch((error) => error);
      return { ...begun, trouble };
    };
    const { location } = await begin({});
    const url = new URL(location);
    expect([url.origin, url.searchParams.get("tenant")]).toEqual(["https://idp.example", "1"]);
    expect(url.searchParams.get("redirect_uri")).toBe("https://firn.example/cb");
    for (const more of [
      { issuer: "https://evil.example" },
      { authorization_endpoint: "http://idp.example/auth" },
      { authorization_endpoint: "javascript:alert(1)" },
      { token_endpoint: undefined },
    ]) {
      const refused = await begin(more);
      expect([refused.kind, refused.code]).toEqual(["Unavailable", "SIGN_IN_UNAVAILABLE"]);
      expect(refused.trouble.length).toBe(1);
    }
  });

  it("comes back to a page of the console alone", () => {
    expect(ownPath("/console/c/lake?tab=x", "/console")).toBe("/console/c/lake?tab=x");
    expect(ownPath("/console/a/../b", "/console")).toBe("/console/b");
    for (const path of ["/console", "/console/%2e%2e/api", "//console/x", "/console/session/x"]) {
      expect(() => ownPath(path, "/console")).toThrow();
    }
  });
});

describe("a request with a cookie", () => {
  const isOwn = (method: string, headers: object) => {
    try {
      assertOwnPage(method, headers as IncomingHttpHeaders);
      return true;
    } catch {
      return false;
    }
  };

  it("is of a page of this server, and a change says so", () => {
    const origin = "https://firn.example";
    expect(isOwn("GET", {})).toBe(true);
    expect(isOwn("GET", { "sec-fetch-site": "none" })).toBe(true);
    expect(isOwn("POST", { origin })).toBe(true);
    expect(isOwn("DELETE", { origin, "sec-fetch-site": "same-origin" })).toBe(true);
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      expect(isOwn(method, {})).toBe(false);
      expect(isOwn(method, { origin: "null" })).toBe(false);
    }
    for (const site of ["cross-site", "same-site", "", "other"]) {
      for (const method of ["GET", "POST"]) {
        expect(isOwn(method, { origin, "sec-fetch-site": site })).toBe(false);
      }
    }
  });

  it("has the cookie of this name alone", () => {
    const read = (sent: string) => cookie({ cookie: sent }, SESSION);
    expect(read(`a=b; ${SESSION}=x.y; c=d`)).toBe("x.y");
    for (const sent of ["", SESSION, `${SESSION}=`, `x${SESSION}=a`, `${SESSION}x=a`, "a=b"]) {
      expect(read(sent)).toBeUndefined();
    }
  });
});

describe("a server without a provider", () => {
  it("has none to sign in at, and takes no cookie that it did not make", async () => {
    const team = await Team.open();
    const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
      team.firn.fetch(new Request(`http://firn${path}`, { method, headers }));
    expect(await (await ask("GET", "/console/session")).json()).toEqual({ provider: null });
    for (const path of ["start", "callback?code=a&state=b", "nothing"]) {
      expect((await ask("GET", `/console/session/${path}`)).status).toBe(404);
    }
    expect((await ask("GET", "/console/session/end")).status).toBe(405);
    const { accessToken } = await tokenOf(team);
    for (const value of [ADMIN_KEY, accessToken, "x"]) {
      const { status } = await ask("GET", "/api/v1/me", { cookie: `${SESSION}=${value}` });
      expect(status).toBe(401);
    }
    await team.firn.close();
  });

  it("asks nobody who they are in mode none: a cookie changes nothing", async () => {
    const firn = await Firn.open({ profile: "memory", logLevel: "silent" });
    const cookie = `${SESSION}=x`;
    const body = JSON.stringify({ name: "lake" });
    const headers = { cookie, "content-type": "application/json" };
    const made = await firn.fetch(
      new Request("http://firn/api/v1/catalogs", { method: "POST", headers, body }),
    );
    expect([made.status, made.headers.has("Firn-Session")]).toEqual([201, false]);
    const end = new Request("http://firn/console/session/end", { method: "POST", headers });
    expect((await firn.fetch(end)).status).toBe(405);
    await firn.close();
  });
});

async function tokenOf(team: Team): Promise<{ readonly accessToken: string }> {
  const form = { grant_type: "client_credentials", client_secret: ADMIN_KEY };
  const response = await team.firn.fetch(
    new Request("http://firn/iceberg/v1/oauth/tokens", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form).toString(),
    }),
  );
  const { access_token: accessToken } = (await response.json()) as { access_token: string };
  return { accessToken };
}
