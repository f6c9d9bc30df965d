import { execFile, spawnSync } from "node:child_process";
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SCRAM_PLUS, ScramExchange, type Verifier } from "../../src/pgwire/scram.ts";
import type { SessionUsers } from "../../src/pgwire/sign-in.ts";
import { loadTls } from "../../src/pgwire/tls.ts";
import type { Identity } from "../../src/service/access/identity.ts";
import type { SignedIn } from "../../src/service/access/session-sign-in.ts";
import { int32, openServer, startup, type TestServer } from "./wire-client.ts";

const run = promisify(execFile);
const hasPsql = spawnSync("psql", ["--version"]).status === 0;
if (!hasPsql) process.stdout.write("skipped: psql is not installed\n");

const FOLDER = "test/fixtures/tls";
const PASSWORD = "correct horse";
const TLS = loadTls({
  cert: readFileSync(`${FOLDER}/certificate.pem`),
  key: readFileSync(`${FOLDER}/key.pem`),
});

function verifierOf(password: string): Verifier {
  const salt = Buffer.from("0123456789abcdef");
  const salted = pbkdf2Sync(password, salt, 4_096, 32, "sha256");
  const key = (name: string) => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(key("Client Key")).digest();
  return { salt, iterations: 4_096, storedKey, serverKey: key("Server Key") };
}

const SIGNED_IN: SignedIn = {
  identity: {} as Identity,
  credential: { kind: "key", id: "k" },
  renew: async () => true,
};
const USERS: SessionUsers = {
  proofOf: async (user) => {
    if (user === "idp/ada") {
      const verify = async (token: string) => (token === "a.b.c" ? SIGNED_IN : undefined);
      return { kind: "token", verify };
    }
    if (user !== "ada") return undefined;
    return { kind: "scram", verifier: verifierOf(PASSWORD), signedIn: async () => SIGNED_IN };
  },
  failed: () => undefined,
};

let server: TestServer;
beforeAll(async () => {
  server = await openServer(undefined, undefined, { signIn: USERS, tls: () => TLS });
});
afterAll(() => server.close());

async function psql(more: string, password: string): Promise<string> {
  const url = `host=127.0.0.1 port=${server.port} dbname=default ${more}`;
  const env = { ...process.env, PGPASSWORD: password };
  const { stdout } = await run("psql", ["-X", "-At", url, "-c", "select 'in'"], { env });
  return stdout;
}

describe.skipIf(!hasPsql)("psql over TLS", () => {
  it("binds its sign-in to the connection", async () => {
    expect(await psql("user=ada sslmode=require channel_binding=require", PASSWORD)).toBe("in\n");
    expect(await psql("user=ada sslmode=require channel_binding=disable", PASSWORD)).toBe("in\n");
    await expect(psql("user=ada sslmode=require", "wrong")).rejects.toThrow(
      /authentication failed/,
    );
  });

  it("checks the server's certificate", async () => {
    const full = `user=ada sslmode=verify-full sslrootcert=${FOLDER}/certificate.pem`;
    expect(await psql(full, PASSWORD)).toBe("in\n");
  });

  it("signs in with a token over TLS alone", async () => {
    expect(await psql("user=idp/ada sslmode=require", "a.b.c")).toBe("in\n");
    await expect(psql("user=idp/ada sslmode=require", "a.b.d")).rejects.toThrow(/failed for user/);
    await expect(psql("user=idp/ada sslmode=disable", "a.b.c")).rejects.toThrow(/needs TLS/);
  });

  it("serves those who ask for no encryption", async () => {
    expect(await psql("user=ada sslmode=disable", PASSWORD)).toBe("in\n");
  });
});

describe("TLS from the first byte on", () => {
  const open = (protocols: readonly string[]): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const options = { ALPNProtocols: [...protocols], rejectUnauthorized: false };
      const socket = connectTls(server.port, "127.0.0.1", options, () => resolve(socket));
      socket.on("error", reject);
      socket.on("close", () => reject(new Error("closed")));
    });

  it("is served to who names the protocol, and to nobody else", async () => {
    const socket = await open(["postgresql"]);
    expect(socket.alpnProtocol).toBe("postgresql");
    const answered = new Promise<Buffer>((resolve) => socket.once("data", resolve));
    socket.write(startup({ user: "ada", database: "default" }));
    expect((await answered).toString("latin1")).toContain("SCRAM-SHA-256-PLUS");
    socket.destroy();
    await expect(open(["http/1.1"])).rejects.toThrow();
  });

  const connections = () => server.metrics.samples("firn_pgwire_connections")[0]?.value;
  const granted = async () => {
    const ssl = connect(server.port, "127.0.0.1");
    ssl.write(Buffer.concat([int32(8), int32(80_877_103)]));
    await new Promise((resolve) => ssl.once("data", resolve));
    return ssl;
  };

  it("ends at a record that does not decrypt", async () => {
    await expect.poll(connections).toBe(0);
    const ssl = await granted();
    const secure = connectTls({ socket: ssl, rejectUnauthorized: false });
    secure.on("error", () => undefined);
    await new Promise((resolve) => secure.once("secureConnect", resolve));
    ssl.write(Buffer.from("170303000568656c6c6f", "hex"));
    await expect.poll(connections, { timeout: 30_000 }).toBe(0);
  });

  it("ends at once where the client refuses the certificate", async () => {
    await expect.poll(connections).toBe(0);
    const secure = connectTls({ socket: await granted(), host: "127.0.0.1" });
    await expect(new Promise((_, reject) => secure.once("error", reject))).rejects.toThrow(
      /self-signed/,
    );
    await expect.poll(connections, { timeout: 30_000 }).toBe(0);
  });

  it("does not take what was sent before the handshake", async () => {
    const socket = connect(server.port, "127.0.0.1");
    const told: Buffer[] = [];
    socket.on("data", (bytes) => told.push(bytes));
    const ssl = Buffer.concat([int32(8), int32(80_877_103)]);
    socket.write(Buffer.concat([ssl, startup({ user: "ada", database: "default" })]));
    await new Promise((resolve) => socket.once("close", resolve));
    const text = Buffer.concat(told).toString("latin1");
    expect(text).toContain("received unencrypted data after SSL request");
  });
});

describe("channel binding", () => {
  const nonce = "server";
  const exchange = (mechanism: string, binding: Buffer | undefined) =>
    new ScramExchange({ mechanism, verifier: verifierOf(PASSWORD), nonce, binding });

  it("refuses another certificate, and a client that was told of none", () => {
    const bound = exchange(SCRAM_PLUS, Buffer.from("ours"));
    bound.first("p=tls-server-end-point,,n=,r=x");
    const other = Buffer.from("p=tls-server-end-point,,theirs").toString("base64");
    expect(() => bound.last(`c=${other},r=xserver,p=AAAA`)).toThrow(/channel binding check/);
    expect(() => exchange("SCRAM-SHA-256", Buffer.from("ours")).first("y,,n=,r=x")).toThrow(
      /negotiation error/,
    );
    expect(exchange("SCRAM-SHA-256", undefined).first("y,,n=,r=x")).toMatch(/^r=xserver,s=/);
  });
});
