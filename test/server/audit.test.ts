import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMetrics } from "../../src/base/metrics.ts";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { AuditLog } from "../../src/server/audit-log.ts";
import { createLogger } from "../../src/server/log.ts";
import { freePort } from "../support/postgres-server.ts";

const SECRET = "CanaryCanaryCanaryCanaryCanaryCanaryCanary0";
const KEY = `firn_admin0key_${SECRET}`;
const JWT = `eyJhbGciOiJIUzI1NiJ9.${Buffer.from("canary-claims").toString("base64url")}.c2ln`;

interface Entry extends Readonly<Record<string, unknown>> {
  readonly decision?: string;
  readonly operation?: string;
}

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "firn-audit-"));
  file = join(folder, "audit.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function entries(path = file): Promise<readonly Entry[]> {
  const lines = (await readFile(path, "utf8")).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Entry);
}

/** What is recorded while a server is used. */
async function recorded(
  use: (firn: Firn) => Promise<void>,
  more: FirnOptions = {},
): Promise<readonly Entry[]> {
  const options = { auth: "required", bootstrapKey: KEY, logLevel: "silent" } as const;
  const firn = await Firn.open({ ...options, accessStaleness: "0", auditLog: file, ...more });
  try {
    await use(firn);
  } finally {
    await firn.close();
  }
  return entries();
}

async function ask(firn: Firn, key: string, method: string, path: string, body?: object) {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "x-request-id": "asked",
  };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await firn.fetch(new Request(`http://firn${path}`, init));
  const text = await response.text();
  return { status: response.status, json: text === "" ? {} : JSON.parse(text) };
}

describe("the audit log", () => {
  it("has changes, denials and failed sign-ins, and no reads", async () => {
    const namespaces = "/iceberg/v1/default/namespaces";
    const found = await recorded(async (firn) => {
      await ask(firn, KEY, "POST", namespaces, { namespace: ["ns"] });
      await ask(firn, KEY, "POST", namespaces, { namespace: ["ns"] });
      await ask(firn, KEY, "GET", namespaces);
      await ask(firn, KEY, "POST", "/api/v1/principals", { name: "jo" });
      const { json } = await ask(firn, KEY, "POST", "/api/v1/principals/jo/keys", {});
      await ask(firn, json.key, "GET", "/api/v1/principals");
      await ask(firn, KEY.slice(0, -1), "GET", namespaces);
    });
    const told = found.map(({ decision, status, code }) => [decision, status, code]);
    expect(told).toEqual([
      ["allowed", 200, undefined],
      ["failed", 409, "NAMESPACE_ALREADY_EXISTS"],
      ["allowed", 201, undefined],
      ["allowed", 201, undefined],
      ["denied", 403, "PRIVILEGE_MISSING"],
      ["unauthenticated", 401, "NOT_AUTHENTICATED"],
    ]);
    expect(found[0]).toMatchObject({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      requestId: "asked",
      account: "default",
      principal: "admin",
      keyId: "admin0key",
      operation: expect.stringMatching(/namespaces/),
      object: { catalog: "default" },
    });
    expect(found[4]).toMatchObject({ principal: "jo" });
    expect(found[5]).toMatchObject({ keyId: "admin0key", operation: "sign-in" });
    expect(found[5]).not.toHaveProperty("principal");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it("has refused requests for tokens, and none that were granted", async () => {
    const found = await recorded(async (firn) => {
      for (const secret of [KEY, `${KEY}x`]) {
        const body = new URLSearchParams({
          grant_type: "client_credentials",
          client_secret: secret,
        });
        await firn.fetch(
          new Request("http://firn/iceberg/v1/oauth/tokens", { method: "POST", body }),
        );
      }
    });
    expect(found).toEqual([
      expect.objectContaining({
        decision: "unauthenticated",
        operation: "/iceberg/v1/oauth/tokens",
      }),
    ]);
  });

  it("names who asks without a principal", async () => {
    const admin = "/admin/v1/gc";
    const found = await recorded(
      async (firn) => {
        await ask(firn, KEY, "POST", admin, {});
        const token = await readFile(join(folder, "dir", "operator", "token"), "utf8");
        await ask(firn, token, "POST", admin, {});
      },
      { auth: "required", profile: "local", dir: join(folder, "dir"), listen: { port: 0 } },
    );
    const told = found.map(({ principal, decision, status }) => [principal, decision, status]);
    expect(told).toEqual([
      [undefined, "unauthenticated", 401],
      ["operator", "allowed", 200],
    ]);
    await rm(file);
    const open = await recorded(
      (firn) => ask(firn, "x", "POST", "/api/v1/catalogs", { name: "more" }).then(() => undefined),
      { auth: "none" },
    );
    expect(open).toEqual([
      expect.objectContaining({ principal: "anonymous", decision: "allowed" }),
    ]);
  });
});

describe("the audit log of sessions", () => {
  it("has sessions of PostgreSQL clients", async () => {
    const port = await freePort();
    const login = async (user: string, password: string) => {
      const client = new pg.Client({
        host: "127.0.0.1",
        port,
        user,
        password,
        database: "default",
      });
      await client.connect().catch(() => undefined);
      await client.end().catch(() => undefined);
    };
    const use = async (firn: Firn) => {
      await ask(firn, KEY, "POST", "/api/v1/principals", { name: "jo" });
      const { json } = await ask(firn, KEY, "POST", "/api/v1/principals/jo/keys", {});
      await login("admin", KEY);
      await login("admin", "wrong");
      await login("jo", json.key);
    };
    const found = await recorded(use, { listen: { port: 0, pgPort: port } });
    const sessions = found.filter(({ operation }) => operation === "sql-session");
    expect(sessions.map(({ principal, decision, code }) => [principal, decision, code])).toEqual([
      ["admin", "allowed", undefined],
      ["admin", "unauthenticated", "SIGN_IN_FAILED"],
      // A catalog that it may not see is none to it, as over HTTP.
      ["jo", "failed", "DATABASE_NOT_FOUND"],
    ]);
  });
});

describe("the audit log at its edges", () => {
  it("never has a secret, wherever a client puts it", async () => {
    await recorded(async (firn) => {
      const paths = [
        `/api/v1/principals/${KEY}`,
        `/api/v1/principals/admin/keys/${KEY}`,
        `/iceberg/v1/default/namespaces/${JWT}`,
        `/iceberg/v1/default/namespaces/${KEY}/tables/${JWT}?token=${JWT}`,
      ];
      for (const path of paths) {
        await ask(firn, KEY, "DELETE", path);
        await ask(firn, `${KEY}0`, "DELETE", path);
        await ask(firn, JWT, "DELETE", path);
      }
      await ask(firn, KEY, "POST", "/api/v1/principals", { name: "jo", description: SECRET });
      const { json } = await ask(firn, KEY, "POST", "/api/v1/principals/jo/keys", {});
      // The secret may hold underscores too.
      const secret = json.key.split("_").slice(2).join("_");
      expect(secret.length).toBeGreaterThan(20);
      expect(await readFile(file, "utf8")).not.toContain(secret);
      await ask(firn, KEY, "POST", "/api/v1/sql", { statement: `SELECT '${SECRET}'` });
    });
    const text = await readFile(file, "utf8");
    expect(text.split("\n").length).toBeGreaterThan(10);
    for (const canary of [SECRET, JWT, JWT.split(".")[1] ?? ""]) expect(text).not.toContain(canary);
  });

  it("must be writable at the start", async () => {
    const auditLog = join(folder, "absent", "audit.jsonl");
    await expect(recorded(async () => undefined, { auditLog })).rejects.toMatchObject({
      code: "AUDIT_LOG_INVALID",
      message: expect.stringContaining("--audit-log cannot be written: ENOENT"),
    });
  });
});

describe("the file of an audit log", () => {
  const lines: string[] = [];
  const opened = async (auditLogMib: number) => {
    lines.length = 0;
    const clock = new SystemClock();
    const metrics = createMetrics();
    const log = createLogger("warn", clock, { stream: { write: (line) => void lines.push(line) } });
    const audit = await AuditLog.open({ auditLog: file, auditLogMib }, { clock, log, metrics });
    if (audit === undefined) throw new Error("the file was named");
    const dropped = () => metrics.samples("firn_audit_entries_dropped_total")[0]?.value ?? 0;
    return { audit, dropped };
  };
  const entry = (mark: string) => ({ operation: mark, decision: "allowed" }) as const;

  it("is rotated at its size, and ten are kept", async () => {
    const { audit } = await opened(1);
    for (let i = 0; i < 20; i++) {
      for (let j = 0; j < 600; j++) audit.record({ ...entry(`${i}`), code: "x".repeat(1_000) });
      const text = () => readFile(file, "utf8").catch(() => "");
      while (!(await text()).includes(`"${i}"`)) await new Promise((go) => setImmediate(go));
    }
    await audit.close();
    const names = (await readdir(folder)).sort();
    expect(names).toEqual([
      "audit.jsonl",
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `audit.jsonl.${i}`),
    ]);
    for (const name of names) {
      expect((await stat(join(folder, name))).size).toBeLessThanOrEqual(1_048_576);
    }
    const kept: Entry[] = [];
    for (let i = 9; i >= 1; i--) kept.push(...(await entries(`${file}.${i}`)));
    kept.push(...(await entries()));
    const rounds = kept.map(({ operation }) => Number(operation));
    expect(rounds).toEqual([...rounds].sort((one, other) => one - other));
    expect(rounds.at(-1)).toBe(19);
    expect(rounds[0]).toBeGreaterThan(0);
    const again = await opened(1);
    again.audit.record(entry("again"));
    await again.audit.close();
    expect((await entries()).at(-1)).toMatchObject({ operation: "again" });
  });

  it("leaves out what the disk does not take, and says how much", async () => {
    const { audit, dropped } = await opened(1_000);
    // One turn of the event loop: nothing can be written meanwhile.
    for (let i = 0; i < 12_000; i++) audit.record({ ...entry("many"), code: "x".repeat(1_000) });
    expect(dropped()).toBeGreaterThan(1_000);
    audit.record(entry("lost"));
    await expect.poll(async () => (await stat(file)).size).toBeGreaterThan(8_000_000);
    audit.record(entry("after"));
    await audit.close();
    const found = await entries();
    const missing = found.reduce((sum, each) => sum + Number(each["missing"] ?? 0), 0);
    expect(missing).toBe(dropped());
    expect(
      found.filter(({ operation }) => operation === "many").length + missing,
    ).toBeGreaterThanOrEqual(12_000);
    expect(found.at(-1)).toMatchObject({ operation: "after" });
  });

  it("goes on once it can be written again", async () => {
    const { audit, dropped } = await opened(1);
    audit.record({ ...entry("first"), code: "x".repeat(1_000) });
    // The place of the oldest file is taken by a folder that no file can replace.
    await mkdir(`${file}.9/in-the-way`, { recursive: true });
    await writeFile(`${file}.8`, "");
    for (let i = 0; i < 1_100; i++) audit.record({ ...entry("x"), code: "x".repeat(1_000) });
    await expect.poll(dropped).toBeGreaterThan(0);
    await rm(`${file}.9`, { recursive: true });
    audit.record(entry("last"));
    await audit.close();
    const found = await entries();
    expect(found.at(-1)).toMatchObject({ operation: "last" });
    expect(found.some(({ missing }) => missing !== undefined)).toBe(true);
    expect(lines.filter((line) => line.includes("audit log cannot be written"))).toHaveLength(1);
  });
});
