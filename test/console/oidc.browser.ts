import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair } from "jose";
import { Provider } from "oidc-provider";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN_KEY, type ClockedServer, openClockedServer } from "../access/clocked-server.ts";
import { makeCertificate } from "../support/certificate.ts";
import { CHROMIUM } from "../support/chromium.ts";

/* A real OpenID Connect provider signs users in, in a real browser, over TLS. */

const CLIENT = { client_id: "firn-console", client_secret: "s/+:".repeat(10) };
const SESSION = "__Host-firn-session";
const PENDING = "__Host-firn-sign-in";

let directory: string;
let provider: Server;
let issuer: string;
let firn: ClockedServer;
let browser: Browser;

interface Asked {
  readonly status: number;
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A request that is no browser's: the certificate vouches for itself. */
async function ask(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: object,
): Promise<Asked> {
  const sent = request(`${firn.url}${path}`, {
    method,
    rejectUnauthorized: false,
    headers: { ...(body && { "content-type": "application/json" }), ...headers },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
  const answer = await text(response);
  const isJson = answer.startsWith("{");
  const { code } = isJson ? (JSON.parse(answer) as { code?: string }) : {};
  return { status: response.statusCode ?? 0, code, headers: response.headers };
}

const admin = async (path: string, body: object, method = "POST"): Promise<void> => {
  const headers = { authorization: `Bearer ${ADMIN_KEY}` };
  const { status, code } = await ask(method, `/api/v1${path}`, headers, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${code}`);
};

async function openProvider(redirectUri: string): Promise<void> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: "rsa", alg: "RS256", use: "sig" };
  const oidc = new Provider(issuer, {
    jwks: { keys: [key] },
    cookies: { keys: ["k".repeat(32)] },
    clients: [{ ...CLIENT, redirect_uris: [redirectUri] }],
    claims: { openid: ["sub", "groups"] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, groups: accountId === "ann" ? ["readers", "none"] : [] }),
    }),
    pkce: { required: () => true },
  } as object);
  provider.on("request", oidc.callback());
}

async function page(): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  // The provider's own pages ask for these.
  await context.route("https://fonts.googleapis.com/**", (route) => route.abort());
  const opened = await context.newPage();
  opened.setDefaultTimeout(20_000);
  return opened;
}

/** At the provider, as people do it: who one is, and that one agrees. */
async function signInAs(on: Page, name: string, path = "/c/lake"): Promise<void> {
  await on.goto(`${firn.url}/console${path}`);
  await on.getByRole("button", { name: "Sign in with corp" }).click();
  await on.locator("input[name=login]").fill(name);
  await on.locator("input[name=password]").fill("any");
  await on.locator("button[type=submit]").click();
  await on.getByRole("button", { name: "Continue" }).click();
  await on.waitForURL(`${firn.url}/console${path}`);
  await on.getByText(`Signed in as corp/${name}`).waitFor();
}

const cookieOf = async (context: BrowserContext, name: string) =>
  (await context.cookies(firn.url)).find((one) => one.name === name);

/** Of a session that is signed in. */
async function sessionOf(name: string): Promise<{ readonly on: Page; readonly token: string }> {
  const on = await page();
  await signInAs(on, name);
  return { on, token: (await cookieOf(on.context(), SESSION))?.value ?? "" };
}

describe.skipIf(CHROMIUM === undefined)("signing in with OpenID Connect", () => {
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "firn-oidc-"));
    provider = createServer();
    provider.listen(0, "127.0.0.1");
    await once(provider, "listening");
    issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const { cert, key } = makeCertificate("firn");
    const [tlsCert, tlsKey] = [join(directory, "cert.pem"), join(directory, "key.pem")];
    const issuers = join(directory, "issuers.json");
    const entry = { name: "corp", issuer, audiences: ["urn:firn"], account: "default" };
    await Promise.all([
      writeFile(tlsCert, cert),
      writeFile(tlsKey, key),
      writeFile(issuers, JSON.stringify([{ ...entry, rolesClaim: "groups" }])),
    ]);
    firn = await openClockedServer({
      issuers,
      tlsCert,
      tlsKey,
      oidcIssuer: "corp",
      oidcClientId: CLIENT.client_id,
      oidcClientSecret: CLIENT.client_secret,
    });
    await openProvider(`${firn.url}/console/session/callback`);
    await admin("/catalogs", { name: "lake" });
    await admin("/catalogs/lake/namespaces", { path: ["glacier"] });
    await admin("/roles", { name: "corp:readers" });
    const privileges = ["read-metadata", "create"];
    await admin("/grants", { principal: "corp:readers", privileges, catalog: "lake" });
    browser = await chromium.launch({ executablePath: CHROMIUM ?? "", args: ["--no-sandbox"] });
  });
  afterAll(async () => {
    await browser?.close();
    await firn?.close();
    provider?.closeAllConnections();
    provider?.close();
    await rm(directory, { recursive: true, force: true });
  });

  opensSessions();
  endsSessions();
  refusesForgeries();
  guardsCookies();
});

function opensSessions(): void {
  test("a user signs in, reads a page, and stays signed in; no script sees a token", async () => {
    const on = await page();
    const asked: URL[] = [];
    const policies = new Set<string | undefined>();
    const elsewhere: string[] = [];
    on.on("request", (sent) => {
      asked.push(new URL(sent.url()));
      const isOfPage = !sent.isNavigationRequest() && sent.frame().url().startsWith(firn.url);
      if (isOfPage && !sent.url().startsWith(firn.url)) elsewhere.push(sent.url());
    });
    on.on("response", (answer) => {
      if (answer.url().startsWith(`${firn.url}/console/c/`)) {
        policies.add(answer.headers()["content-security-policy"]);
      }
    });
    await signInAs(on, "ann");
    await on.getByRole("link", { name: "glacier" }).waitFor();
    const authorize = asked.find((url) => url.pathname === "/auth")?.searchParams;
    expect(authorize?.get("code_challenge_method")).toBe("S256");
    expect(authorize?.get("code_challenge")).toMatch(/^[\w-]{43}$/);
    expect(authorize?.get("state")).toMatch(/^[\w-]{43}$/);
    expect(authorize?.get("nonce")).toMatch(/^[\w-]{43}$/);
    expect(elsewhere).toEqual([]);
    expect(policies.size).toBe(1);
    expect([...policies][0]).toMatch(
      /^default-src 'none'; script-src 'self'; .*form-action 'self'/,
    );

    expect(await cookieOf(on.context(), SESSION)).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: "Strict",
      path: "/",
      domain: "127.0.0.1",
    });
    expect(await cookieOf(on.context(), PENDING)).toBeUndefined();
    expect(
      await on.evaluate(
        "JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])",
      ),
    ).toBe('["",{},{}]');
    await on.reload();
    await on.getByText("Signed in as corp/ann").waitFor();
    await on.getByRole("link", { name: "glacier" }).waitFor();
    expect(await on.getByText("everyone who reaches").count()).toBe(0);
    await on.context().close();
  });

  test("a user without rights is signed in, and refused", async () => {
    const on = await page();
    await signInAs(on, "bob");
    await on.getByRole("alert").getByText("CATALOG_NOT_FOUND").waitFor();
    expect(await on.getByText("glacier").count()).toBe(0);
    await on.context().close();
  });

  test("a user who does not sign in at the provider comes back without a session", async () => {
    const on = await page();
    await on.goto(`${firn.url}/console/c/lake`);
    await on.getByRole("button", { name: "Sign in with corp" }).click();
    await on.getByRole("link", { name: "Cancel" }).click();
    await on.waitForURL(`${firn.url}/console/c/lake`);
    await on.getByRole("button", { name: "Sign in with corp" }).waitFor();
    expect(await cookieOf(on.context(), SESSION)).toBeUndefined();
    await on.context().close();
  });
}

function endsSessions(): void {
  test("a sign-out ends the session, also for who kept the cookie", async () => {
    const { on, token } = await sessionOf("ann");
    const cookie = `${SESSION}=${token}`;
    expect((await ask("GET", "/api/v1/me", { cookie })).status).toBe(200);
    await on.getByRole("button", { name: "Sign out" }).click();
    await on.getByLabel("API key").waitFor();
    expect(await cookieOf(on.context(), SESSION)).toBeUndefined();
    expect((await ask("GET", "/api/v1/me", { cookie })).status).toBe(401);
    await on.reload();
    await on.getByLabel("API key").waitFor();
    expect(await on.getByText("glacier").count()).toBe(0);
    await on.context().close();
  });

  test("a session expires, and with it what is shown", async () => {
    const { on, token } = await sessionOf("ann");
    await on.getByRole("link", { name: "glacier" }).waitFor();
    await fetch(`${firn.clockUrl}?ms=299000`, { method: "POST" });
    const cookie = `${SESSION}=${token}`;
    expect((await ask("GET", "/api/v1/me", { cookie })).status).toBe(200);
    await fetch(`${firn.clockUrl}?ms=2000`, { method: "POST" });
    expect((await ask("GET", "/api/v1/me", { cookie })).status).toBe(401);
    await on.getByRole("link", { name: "Settings" }).click();
    await on.getByLabel("API key").waitFor();
    await on.context().close();
  });

  test("a principal that is suspended is out at once", async () => {
    const { on, token } = await sessionOf("cat");
    const cookie = `${SESSION}=${token}`;
    expect((await ask("GET", "/api/v1/me", { cookie })).status).toBe(200);
    await admin("/grants", { principal: "corp/cat", privileges: ["see"], catalog: "lake" });
    await admin("/principals/corp%2Fcat", { suspended: true }, "PATCH");
    expect((await ask("GET", "/api/v1/me", { cookie })).status).toBe(401);
    await on.context().close();
  });
}

/** A sign-in up to the answer of the provider, which the browser does not follow. */
async function answerFor(on: Page): Promise<URL> {
  await on.goto(`${firn.url}/console/session/start?to=/console/`);
  await on.locator("input[name=login]").fill("ann");
  await on.locator("input[name=password]").fill("any");
  await on.locator("button[type=submit]").click();
  await on.getByRole("button", { name: "Continue" }).waitFor();
  // With the cookies of the browser, step by step.
  const { request: own } = on.context();
  const agreed = { form: { prompt: "consent" }, maxRedirects: 0 };
  let step = await own.post((await on.locator("form").getAttribute("action")) ?? "", agreed);
  for (;;) {
    const next = new URL(step.headers()["location"] ?? "", issuer);
    if (next.origin === firn.url) return next;
    step = await own.get(next.href, { maxRedirects: 0 });
  }
}

const statusOf = async (on: Page, url: URL): Promise<readonly [number, string]> => {
  const answer = await on.goto(url.href);
  const body = (await answer?.text()) ?? "";
  return [answer?.status() ?? 0, body.startsWith("{") ? JSON.parse(body).code : ""];
};

function refusesForgeries(): void {
  test("an answer that this browser did not ask for opens no session", async () => {
    const on = await page();
    const answer = await answerFor(on);
    const other = await page();
    // An attacker's code in the browser of a victim, who has begun nothing.
    expect(await statusOf(other, answer)).toEqual([403, "SIGN_IN_STATE_INVALID"]);
    const forged = new URL(answer);
    forged.searchParams.set("state", "A".repeat(43));
    expect(await statusOf(on, forged)).toEqual([403, "SIGN_IN_STATE_INVALID"]);
    const mixed = new URL(answer);
    mixed.searchParams.set("iss", "https://evil.example");
    expect(await statusOf(on, mixed)).toEqual([403, "SIGN_IN_STATE_INVALID"]);
    const [kept] = (await on.context().cookies(firn.url)).filter(({ name }) => name === PENDING);
    for (const value of ["AAAA", `${kept?.value.slice(0, -4)}AAAA`]) {
      await other.context().addCookies([{ ...(kept as NonNullable<typeof kept>), value }]);
      expect(await statusOf(other, answer)).toEqual([403, "SIGN_IN_STATE_INVALID"]);
    }
    expect(await cookieOf(other.context(), SESSION)).toBeUndefined();
    expect(await cookieOf(on.context(), SESSION)).toBeUndefined();
    // None of these has spoilt the answer that was asked for.
    expect((await statusOf(on, answer))[0]).toBe(200);
    expect(await cookieOf(on.context(), SESSION)).toBeDefined();
    await other.context().close();
    await on.context().close();
  });

  test("an answer opens one session, and its code no other one", async () => {
    const on = await page();
    const answer = await answerFor(on);
    const kept = await on.context().cookies(firn.url);
    expect((await statusOf(on, answer))[0]).toBe(200);
    await on.context().clearCookies();
    await on.context().addCookies(kept.filter(({ name }) => name === PENDING));
    expect(await statusOf(on, answer)).toEqual([403, "SIGN_IN_STATE_INVALID"]);
    const again = await answerFor(on);
    again.searchParams.set("code", answer.searchParams.get("code") ?? "");
    expect(await statusOf(on, again)).toEqual([401, "SIGN_IN_REFUSED"]);
    expect(await cookieOf(on.context(), SESSION)).toBeUndefined();
    await on.context().close();
  });

  test("an answer that comes too late opens none", async () => {
    const on = await page();
    const answer = await answerFor(on);
    await fetch(`${firn.clockUrl}?ms=600000`, { method: "POST" });
    expect(await statusOf(on, answer)).toEqual([403, "SIGN_IN_STATE_INVALID"]);
    await on.context().close();
  });

  test.each([
    "https://evil.example/console/",
    "//evil.example/console/",
    "/\\evil.example/console/",
    "/console/../../api/v1/me",
    "/\t/evil.example/console/",
    "/api/v1/me",
    "/console/session/end",
    "/consoles/",
    "javascript:alert(1)",
    "",
  ])("a sign-in does not lead to %j", async (to) => {
    const path = `/console/session/start?to=${encodeURIComponent(to)}`;
    const { status, code, headers } = await ask("GET", path);
    expect([status, code]).toEqual([400, "RETURN_PATH_INVALID"]);
    expect([headers["location"], headers["set-cookie"]]).toEqual([undefined, undefined]);
  });
}

function guardsCookies(): void {
  test("a cookie changes nothing without the origin of a page of this server", async () => {
    const { on, token } = await sessionOf("ann");
    const cookie = `${SESSION}=${token}`;
    const make = (name: string, headers: object) =>
      ask("POST", "/api/v1/catalogs/lake/namespaces", { cookie, ...headers }, { path: [name] });
    expect(await make("a", {})).toMatchObject({ status: 403, code: "ORIGIN_REQUIRED" });
    expect(await make("a", { origin: "null" })).toMatchObject({ status: 403 });
    expect(await make("a", { origin: "https://evil.example" })).toMatchObject({
      status: 403,
      code: "ORIGIN_NOT_ALLOWED",
    });
    const site = { "sec-fetch-site": "same-site" };
    expect(await make("a", { origin: firn.url, ...site })).toMatchObject({ status: 403 });
    expect(await make("a", { origin: firn.url })).toMatchObject({ status: 201 });
    expect(await ask("GET", "/api/v1/me", { cookie, ...site })).toMatchObject({
      status: 403,
      code: "ORIGIN_REQUIRED",
    });
    const end = "/console/session/end";
    expect((await ask("POST", end, { cookie })).code).toBe("ORIGIN_REQUIRED");
    expect((await ask("GET", "/api/v1/me", { cookie })).status).toBe(200);
    await on.context().close();
  });

  test("a session is good for the native API alone, and nothing else for a session", async () => {
    const { on, token } = await sessionOf("ann");
    const cookie = `${SESSION}=${token}`;
    const bearer = { authorization: `Bearer ${token}` };
    expect((await ask("GET", "/api/v1/me", bearer)).status).toBe(401);
    const config = "/iceberg/v1/config?warehouse=lake";
    expect((await ask("GET", config, { cookie })).status).toBe(401);
    expect((await ask("GET", config, { authorization: `Bearer ${ADMIN_KEY}` })).status).toBe(200);
    expect((await ask("GET", "/api/v1/me", { cookie: `${SESSION}=${ADMIN_KEY}` })).status).toBe(
      401,
    );
    const parts = token.split(".");
    const forged = `${SESSION}=${[parts[0], parts[1], "A".repeat(43)].join(".")}`;
    expect((await ask("GET", "/api/v1/me", { cookie: forged })).status).toBe(401);
    // Who sends a credential of its own is judged by that one.
    const wrong = { cookie, authorization: "Bearer wrong" };
    expect((await ask("GET", "/api/v1/me", wrong)).status).toBe(401);
    await on.context().close();
  });
}
