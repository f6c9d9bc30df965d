import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { freePort } from "../support/postgres-server.ts";
import { fieldsOf, int32, message, startup, text, WireClient } from "./wire-client.ts";

const run = promisify(execFile);
const hasPsql = spawnSync("psql", ["--version"]).status === 0;
if (!hasPsql) process.stdout.write("skipped: psql is not installed\n");

const SECRET = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789_-AbCde";
const KEY = `firn_admin0key_${SECRET}`;
let firn: Firn;
let port: number;

beforeAll(async () => {
  port = await freePort();
  firn = await Firn.open({
    auth: "required",
    bootstrapKey: KEY,
    logLevel: "silent",
    accessStaleness: "0",
    listen: { port: 0, pgPort: port },
  });
});
afterAll(() => firn.close());

async function login(user: string, password: string | undefined): Promise<unknown> {
  const database = "default";
  const client = new pg.Client({ host: "127.0.0.1", port, user, database, password });
  await client.connect();
  try {
    return (await client.query("select current_user as who")).rows[0];
  } finally {
    await client.end();
  }
}

/** The answer to a user's first message of SCRAM. */
async function firstAnswer(user: string): Promise<string> {
  const client = new WireClient(port);
  try {
    client.send(startup({ user, database: "default" }));
    expect((await client.next())?.type).toBe("R");
    const first = Buffer.from("n,,n=,r=clientnonce");
    client.send(message("p", text("SCRAM-SHA-256"), int32(first.length), first));
    return (await client.next())?.body.subarray(4).toString() ?? "";
  } finally {
    client.destroy();
  }
}

describe("SCRAM-SHA-256", () => {
  it("lets in who has a key, by the principal's name and by the key's id", async () => {
    expect(await login("admin", KEY)).toEqual({ who: "admin" });
    expect(await login("admin0key", KEY)).toEqual({ who: "admin" });
  });

  it("refuses a wrong key, no key and an unknown user with one text", async () => {
    for (const [user, password] of [
      ["admin", KEY.replace("AbC", "aBC")],
      ["nobody", KEY],
      ["nobody", "x"],
    ] as const) {
      await expect(login(user, password)).rejects.toMatchObject({
        code: "28P01",
        message: `password authentication failed for user "${user}"`,
      });
    }
  });

  it("does not tell by the exchange whether a user exists", async () => {
    const salts = await Promise.all(
      ["nobody", "nobody", "somebody", "admin", "admin"].map(
        async (user) => (await firstAnswer(user)).split(",")[1],
      ),
    );
    expect(salts[0]).toBe(salts[1]);
    expect(salts[3]).toBe(salts[4]);
    expect(new Set(salts).size).toBe(3);
    expect(salts.every((salt) => salt?.length === salts[3]?.length)).toBe(true);
  });

  it("refuses messages that are not of an exchange", async () => {
    const client = new WireClient(port);
    client.send(startup({ user: "admin", database: "default" }));
    expect((await client.next())?.body.subarray(4).toString()).toBe("SCRAM-SHA-256\0\0");
    client.send(message("Q", text("select 1")));
    const [refused] = await client.untilReady();
    expect(fieldsOf(refused as never)).toMatchObject({ S: "FATAL", C: "08P01" });
    const other = new WireClient(port);
    other.send(startup({ user: "admin", database: "default" }));
    await other.next();
    const first = Buffer.from("p=tls-unique,,n=,r=x");
    other.send(message("p", text("SCRAM-SHA-256-PLUS"), int32(first.length), first));
    expect(fieldsOf((await other.untilReady())[0] as never)).toMatchObject({ C: "08P01" });
  });

  it("ends a session whose key was revoked", async () => {
    const headers = { Authorization: `Bearer ${KEY}`, "Content-Type": "application/json" };
    const ask = (method: string, path: string, body?: object): Promise<Response> =>
      firn.fetch(
        new Request(`http://firn/api/v1${path}`, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );
    const made = await ask("POST", "/principals/admin/keys", { description: "second" });
    expect(made.status).toBe(201);
    const { id, key } = (await made.json()) as { readonly id: string; readonly key: string };
    const client = new pg.Client({
      host: "127.0.0.1",
      port,
      user: id,
      database: "default",
      password: key,
    });
    client.on("error", () => undefined);
    await client.connect();
    await client.query("select 1");
    expect((await ask("DELETE", `/principals/admin/keys/${id}`)).status).toBe(204);
    await expect(client.query("select 1")).rejects.toMatchObject({ code: "28000" });
    await expect(login(id, key)).rejects.toMatchObject({ code: "28P01" });
  });
});

describe.skipIf(!hasPsql)("psql", () => {
  it("signs in by PGPASSWORD and by a connection string", async () => {
    const url = `postgresql://admin:${KEY}@127.0.0.1:${port}/default`;
    const { stdout } = await run("psql", ["-X", "-At", url, "-c", "select current_user"]);
    expect(stdout).toBe("admin\n");
  });
});
