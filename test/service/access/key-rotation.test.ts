import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AccountId, PrincipalId } from "../../../src/base/ids.ts";
import { AccessTokens } from "../../../src/service/access/access-tokens.ts";
import {
  LONGEST_TOKEN_MS,
  SIGNS_AFTER_MS,
  SigningKeys,
} from "../../../src/service/access/signing-keys.ts";
import { ADMIN_KEY, type ClockedServer, openClockedServer } from "../../access/clocked-server.ts";
import { testStores } from "../../support/open-catalog.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const KEYS = "/api/v1/principals/etl/keys";
const NAMESPACES = "/iceberg/v1/default/namespaces";
const HOUR_MS = 3_600_000;

let server: ClockedServer;
beforeAll(async () => {
  server = await openClockedServer({ tokenLifetime: "24h" });
  await admin("POST", "/api/v1/principals", { name: "etl" });
  const on = { catalog: "default", privileges: ["read-metadata"] };
  await admin("POST", "/api/v1/grants", { principal: "etl", ...on });
});
afterAll(() => server.close());

async function ask(key: string | undefined, method: string, path: string, body?: object) {
  const headers = {
    "content-type": "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(server.url + path, init);
  const text = await response.text();
  const json = (text === "" ? {} : JSON.parse(text)) as Record<string, string>;
  return { status: response.status, body: json };
}

async function admin(method: string, path: string, body?: object) {
  const answer = await ask(ADMIN_KEY, method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

async function advance(ms: number): Promise<void> {
  await fetch(`${server.clockUrl}?ms=${ms}`, { method: "POST" });
}

async function tokenOf(key: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: "client_credentials", client_secret: key });
  const response = await fetch(`${server.url}/iceberg/v1/oauth/tokens`, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}

const works = async (credential: string): Promise<boolean> =>
  (await ask(credential, "GET", NAMESPACES)).status === 200;

describe("an API key is rotated", () => {
  let old: { id: string; key: string };
  beforeEach(async () => {
    old = (await admin("POST", KEYS, { description: "nightly" })) as unknown as typeof old;
  });

  it("and the old one goes on until every token of it has ended", async () => {
    const fresh = await admin("POST", `${KEYS}/${old.id}:rotate`, {});
    expect(fresh).toMatchObject({ description: "nightly" });
    expect(fresh["id"]).not.toBe(old.id);
    const token = await tokenOf(old.key);
    const made = fresh["key"] ?? "";
    await advance(LONGEST_TOKEN_MS - HOUR_MS);
    expect(await Promise.all([old.key, token, made].map(works))).toEqual([true, true, true]);
    await advance(HOUR_MS + 1_000);
    expect(await Promise.all([old.key, token, made].map(works))).toEqual([false, false, true]);
    const shown = (await admin("GET", "/api/v1/principals/etl")) as unknown as {
      keys: readonly { id: string }[];
    };
    expect(shown.keys.map(({ id }) => id)).toContain(old.id);
    // The next rotation removes what has expired.
    await admin("POST", `${KEYS}/${fresh["id"]}:rotate`, {});
    const left = (await admin("GET", "/api/v1/principals/etl")) as unknown as typeof shown;
    expect(left.keys.map(({ id }) => id)).not.toContain(old.id);
  });

  it("at times that are asked for: none that has passed, or is later than before", async () => {
    const now = Date.parse((await admin("POST", KEYS, {}))["createdAt"] ?? "");
    const at = (ms: number) => new Date(now + ms).toISOString();
    const soon = await admin("POST", KEYS, { expiresAt: at(HOUR_MS) });
    const asked = { oldExpiresAt: at(10 * HOUR_MS), expiresAt: at(20 * HOUR_MS) };
    const fresh = await admin("POST", `${KEYS}/${soon["id"]}:rotate`, asked);
    expect(fresh["expiresAt"]).toBe(at(20 * HOUR_MS));
    await advance(HOUR_MS + 1_000);
    expect(await Promise.all([soon["key"] ?? "", fresh["key"] ?? ""].map(works))).toEqual([
      false,
      true,
    ]);
    for (const wrong of [{ oldExpiresAt: at(0) }, { expiresAt: at(0) }]) {
      const refused = await ask(ADMIN_KEY, "POST", `${KEYS}/${old.id}:rotate`, wrong);
      expect([refused.status, refused.body["code"]]).toEqual([400, "KEY_EXPIRY_INVALID"]);
    }
    expect(await works(old.key)).toBe(true);
  });

  it("by an administrator of its account alone", async () => {
    const path = `${KEYS}/${old.id}:rotate`;
    const before = JSON.stringify(await admin("GET", "/api/v1/principals/etl"));
    const other = (await admin("POST", "/api/v1/principals/etl/keys", {}))["key"] ?? "";
    const ids = JSON.stringify(await admin("GET", "/api/v1/principals/etl"));
    expect(ids).not.toBe(before);
    const expected = [
      [undefined, 401],
      ["firn_0123456789_wrongwrongwrongwrongwrongwrongwrongwrong", 401],
      [`${old.key}x`, 401],
      // Its own principal, too: who may make keys of a principal may become it.
      [other, 403],
    ] as const;
    for (const [key, status] of expected) {
      expect([key, (await ask(key, "POST", path, {})).status]).toEqual([key, status]);
    }
    const absent = await ask(ADMIN_KEY, "POST", `${KEYS}/absent:rotate`, {});
    expect([absent.status, absent.body["code"]]).toEqual([404, "KEY_NOT_FOUND"]);
    const unknown = await ask(ADMIN_KEY, "POST", "/api/v1/principals/nobody/keys/x:rotate", {});
    expect([unknown.status, unknown.body["code"]]).toEqual([404, "PRINCIPAL_NOT_FOUND"]);
    expect(JSON.stringify(await admin("GET", "/api/v1/principals/etl"))).toBe(ids);
  });
});

describe("signing keys are rotated", () => {
  const SECRET = new Uint8Array(32).fill(1);
  const OTHER = new Uint8Array(32).fill(2);

  function deployment() {
    const clock = new VirtualClock();
    const stores = testStores({ clock });
    const node = (...secrets: [Uint8Array, ...Uint8Array[]]) =>
      new SigningKeys({ stores, secrets, tokenLifeMs: LONGEST_TOKEN_MS });
    const tokensOf = (keys: SigningKeys) => new AccessTokens({ keys, clock, prng: stores.prng });
    return { clock, node, tokensOf };
  }

  it("and tokens of the old one live until they end", async () => {
    const { clock, node, tokensOf } = deployment();
    const [serving, operator] = [node(SECRET), node(SECRET)];
    const tokens = tokensOf(serving);
    const claims = () => ({
      account: "01890000-0000-7000-8000-000000000001" as AccountId,
      principal: "01890000-0000-7000-8000-000000000002" as PrincipalId,
      sinceMs: clock.nowMs(),
      expiresAtMs: clock.nowMs() + LONGEST_TOKEN_MS,
    });
    const before = await tokens.issue(claims());
    const made = await operator.replace();
    expect(made.state).toBe("NEXT");
    // Repeated, it is the same rotation.
    expect(await operator.replace()).toEqual(made);
    expect((await serving.signing()).kid).not.toBe(made.kid);
    await clock.advance(SIGNS_AFTER_MS + 1_000);
    const after = await tokens.issue(claims());
    expect((await serving.signing()).kid).toBe(made.kid);
    expect(await Promise.all([before, after].map((each) => tokens.verify(each)))).not.toContain(
      undefined,
    );
    // Neither rotation ends the token of a key that has just stopped signing.
    await clock.advance(LONGEST_TOKEN_MS - SIGNS_AFTER_MS - 2_000);
    await operator.replace();
    expect(await tokensOf(node(SECRET)).verify(before)).toBeDefined();
    await clock.advance(2 * SIGNS_AFTER_MS + 2_000);
    await operator.replace();
    const states = (await operator.list()).map(({ state }) => state);
    expect(states).toEqual(["NEXT", "SIGNS", "VERIFIES"]);
    expect(await tokensOf(node(SECRET)).verify(before, { expired: true })).toBeUndefined();
  });

  it("never with a secret that is not the deployment's", async () => {
    const { node } = deployment();
    const { kid } = await node(SECRET).signing();
    const stranger = node(OTHER);
    await expect(stranger.replace()).rejects.toMatchObject({ code: "SECRET_WRONG" });
    expect(await stranger.list()).toMatchObject([{ kid, state: "UNREADABLE" }]);
    // While the secret is replaced, either will do.
    const next = await node(OTHER, SECRET).replace();
    expect(await node(OTHER).list()).toMatchObject([
      { kid: next.kid, state: "NEXT" },
      { kid, state: "UNREADABLE" },
    ]);
  });
});
