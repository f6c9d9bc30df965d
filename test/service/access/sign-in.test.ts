import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Firn } from "../../../src/index.ts";

const KEY = `firn_${"a1".repeat(10)}_${"s".repeat(43)}`;
const TOKENS = "http://firn/iceberg/v1/oauth/tokens";
const CONFIG = "http://firn/iceberg/v1/config";
const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";

let firn: Firn;
beforeAll(async () => {
  firn = await Firn.open({ auth: "required", bootstrapKey: KEY, logLevel: "silent" });
});
afterAll(() => firn.close());

async function ask(url: string, authorization?: string): Promise<Response> {
  const headers = authorization === undefined ? {} : { authorization };
  return firn.fetch(new Request(url, { headers }));
}

async function token(form: Record<string, string>, authorization?: string) {
  const body = new URLSearchParams(form).toString();
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    ...(authorization !== undefined && { authorization }),
  };
  const response = await firn.fetch(new Request(TOKENS, { method: "POST", headers, body }));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const grant = { grant_type: "client_credentials" };

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

describe("--auth required", () => {
  const wrong: readonly (readonly [string, string | undefined])[] = [
    ["no credential", undefined],
    ["an unknown key", `Bearer firn_${"b".repeat(20)}_${"s".repeat(43)}`],
    ["a wrong secret", `Bearer firn_${"a1".repeat(10)}_${"t".repeat(43)}`],
    ["a part of another key", `Bearer firn_${"c".repeat(20)}_${"s".repeat(31)}`],
    ["another scheme", `Digest ${KEY}`],
    ["no token at all", "Bearer abc"],
    ["three parts of nothing", "Bearer a.b.c"],
    ["another principal's name", basic("somebody", KEY)],
  ];
  it.each(wrong)("refuses %s with one text, before it looks at the path", async (_, sent) => {
    for (const url of [CONFIG, "http://firn/iceberg/v1/nothing/of/the/kind"]) {
      const response = await ask(url, sent);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      expect(response.headers.get("x-firn-error")).toBe("NOT_AUTHENTICATED");
      expect(await response.json()).toEqual({
        error: {
          type: "NotAuthorizedException",
          code: 401,
          message:
            "authentication required: send a valid API key or token as Authorization: Bearer",
        },
      });
    }
    expect((await ask("http://firn/api/v1/catalogs", sent)).status).toBe(401);
    expect((await ask("http://firn/api/v1/nothing", sent)).status).toBe(401);
  });

  it("takes a key as Bearer, and as Basic under its id, its principal or no name", async () => {
    for (const sent of [KEY, KEY]) expect((await ask(CONFIG, `Bearer ${sent}`)).status).toBe(200);
    for (const user of ["", "admin", "a1".repeat(10)]) {
      expect((await ask(CONFIG, basic(user, KEY))).status).toBe(200);
    }
  });

  it("leaves probes and documents open", async () => {
    for (const path of ["/livez", "/readyz", "/", "/api/openapi.json"]) {
      expect([path, (await ask(`http://firn${path}`)).status]).toEqual([path, 200]);
    }
  });

  it("records the principal of a change, and gives it the creator as owner", async () => {
    const created = await firn.fetch(
      new Request("http://firn/iceberg/v1/default/namespaces", {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: JSON.stringify({ namespace: ["owned"] }),
      }),
    );
    expect(created.status).toBe(200);
    const { items } = await firn.history.versions({
      type: "namespace",
      catalog: "default",
      namespace: ["owned"],
    });
    expect(items[0]?.principal).toBe("admin");
  });
});

describe("the token endpoint", () => {
  it("gives a token for a key, with or without a client id, and takes any scope", async () => {
    const forms = [
      { ...grant, client_secret: KEY },
      { ...grant, client_id: "admin", client_secret: KEY, scope: "catalog" },
      {
        ...grant,
        client_id: "a1".repeat(10),
        client_secret: KEY,
        scope: "sign PRINCIPAL_ROLE:ALL",
      },
    ];
    for (const form of forms) {
      const { status, body } = await token(form);
      expect([status, body["token_type"], body["expires_in"]]).toEqual([200, "bearer", 3_600]);
      expect((await ask(CONFIG, `Bearer ${body["access_token"]}`)).status).toBe(200);
    }
    expect((await token(grant, basic("admin", KEY))).status).toBe(200);
  });

  it("exchanges a token of its own and a key", async () => {
    const first = (await token({ ...grant, client_secret: KEY })).body["access_token"] as string;
    for (const subject of [first, KEY]) {
      const form = { grant_type: EXCHANGE, subject_token: subject, subject_token_type: TOKEN_TYPE };
      const { status, body } = await token(form);
      expect(status).toBe(200);
      expect((await ask(CONFIG, `Bearer ${body["access_token"]}`)).status).toBe(200);
    }
  });

  it("refuses what OAuth knows words for", async () => {
    const subject = { subject_token: "abc", subject_token_type: TOKEN_TYPE };
    const cases: readonly (readonly [Record<string, string>, number, string])[] = [
      [{ ...grant, client_secret: KEY.replace("a1a1", "e2e2") }, 401, "invalid_client"],
      [{ ...grant, client_id: "other", client_secret: KEY }, 401, "invalid_client"],
      [grant, 401, "invalid_client"],
      [{ grant_type: "password" }, 400, "unsupported_grant_type"],
      [{ grant_type: EXCHANGE, ...subject }, 401, "invalid_client"],
      [{ grant_type: EXCHANGE, subject_token: KEY }, 400, "invalid_request"],
      [{ grant_type: EXCHANGE, ...subject, actor_token: "abc" }, 400, "invalid_request"],
      [{ ...grant, client_secret: KEY, scope: "role:unheard" }, 400, "invalid_scope"],
    ];
    for (const [form, status, error] of cases) {
      const answer = await token(form);
      expect([form, answer.status, answer.body["error"]]).toEqual([form, status, error]);
      expect(JSON.stringify(answer.body)).not.toContain(KEY);
    }
  });

  it("refuses tokens with another header, signature or payload", async () => {
    const good = (await token({ ...grant, client_secret: KEY })).body["access_token"] as string;
    const [header = "", payload = "", signature = ""] = good.split(".");
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { kid: string };
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
    const jku = "http://127.0.0.1";
    const forged = [
      `${encode({ alg: "none", typ: "at+jwt", kid })}.${payload}.`,
      `${encode({ alg: "none", typ: "at+jwt", kid })}.${payload}.${signature}`,
      `${encode({ alg: "HS256", typ: "at+jwt", kid: "other" })}.${payload}.${signature}`,
      `${encode({ alg: "HS256", typ: "at+jwt", kid, jku })}.${payload}.${signature}`,
      `${header}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${good}.${signature}`,
      `${good}=`,
    ];
    for (const each of forged) expect((await ask(CONFIG, `Bearer ${each}`)).status).toBe(401);
    expect((await ask(CONFIG, `Bearer ${good}`)).status).toBe(200);
  });
});

describe("wrong credentials", () => {
  it("bounds wrong secrets of one key, and takes the right one all the same", async () => {
    const guess = `Bearer firn_${"d".repeat(20)}_${"s".repeat(43)}`;
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await ask(CONFIG, guess)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    const own = `Bearer firn_${"a1".repeat(10)}_${"g".repeat(43)}`;
    for (let i = 0; i < 12; i++) await ask(CONFIG, own);
    expect((await ask(CONFIG, own)).status).toBe(429);
    expect((await ask(CONFIG, `Bearer ${KEY}`)).status).toBe(200);
    for (let i = 0; i < 12; i++) expect((await ask(CONFIG, "Bearer a.b.c")).status).toBe(401);
  });
});
