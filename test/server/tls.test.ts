import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { get as getPlain } from "node:http";
import { get, Agent as SecureAgent } from "node:https";
import { connect as connectPlain } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { answersAt } from "../../src/runtime/probe.ts";
import { createHttpServer } from "../../src/server/http-server.ts";
import { createLogger } from "../../src/server/log.ts";
import { StandbyServer } from "../../src/server/standby-server.ts";
import { ServerTls } from "../../src/server/tls.ts";
import { makeCertificate, type TestCertificate } from "../support/certificate.ts";
import { freePort } from "../support/postgres-server.ts";

const KEY = `firn_admin0key_${"s".repeat(43)}`;
const FIRST = makeCertificate("first");

let folder: string;
let files: { readonly tlsCert: string; readonly tlsKey: string };
const toClose: (() => unknown)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "firn-tls-"));
  files = { tlsCert: join(folder, "cert.pem"), tlsKey: join(folder, "key.pem") };
  await write(FIRST);
});
afterEach(async () => {
  for (const close of toClose.splice(0).reverse()) await close();
  await rm(folder, { recursive: true, force: true });
});

async function write({ cert, key }: TestCertificate): Promise<void> {
  await writeFile(files.tlsKey, key);
  await writeFile(join(folder, "next"), cert);
  await rename(join(folder, "next"), files.tlsCert);
}

async function open(more: FirnOptions = {}, listen: FirnOptions["listen"] = { port: 0 }) {
  const options = { auth: "required", bootstrapKey: KEY, logLevel: "silent" } as const;
  const firn = await Firn.open({ ...options, ...files, listen, ...more });
  toClose.push(() => firn.close());
  return firn;
}

interface Got {
  readonly status: number | undefined;
  readonly protocol: string | null;
  readonly fingerprint: string;
}

/** One request over TLS that trusts one certificate alone. */
function ask(url: string, ca: string, agent?: SecureAgent): Promise<Got> {
  const headers = { authorization: `Bearer ${KEY}` };
  return new Promise((resolve, reject) => {
    const request = get(url, { ca, headers, agent: agent ?? false }, (response) => {
      const socket = response.socket as TLSSocket;
      const { fingerprint256: fingerprint } = socket.getPeerCertificate();
      const got = { status: response.statusCode, protocol: socket.getProtocol(), fingerprint };
      response.resume().on("end", () => resolve(got));
    });
    request.on("error", reject);
  });
}

const portOf = (url: string | undefined) => Number(new URL(url ?? "").port);

describe("HTTP over TLS", () => {
  it("serves https alone, with the certificate that it was given", async () => {
    const { url = "" } = await open();
    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const got = await ask(`${url}/api/v1/me`, FIRST.cert);
    expect(got).toMatchObject({ status: 200, protocol: "TLSv1.3" });
    expect(got.fingerprint).toBe(new X509Certificate(FIRST.cert).fingerprint256);
    await expect(ask(`${url}/livez`, makeCertificate("other").cert)).rejects.toThrow(/self-signed/);
    const plain = getPlain(`http://127.0.0.1:${portOf(url)}/livez`);
    const [error] = await once(plain, "error");
    expect(error.code).toBe("ECONNRESET");
  });

  it("answers every address of localhost", async () => {
    const { url } = await open({}, { port: 0, host: "localhost" });
    for (const host of ["127.0.0.1", "localhost"]) {
      const got = await ask(`https://${host}:${portOf(url)}/livez`, FIRST.cert);
      expect(got.status).toBe(200);
    }
  });

  it("refuses old versions of TLS", async () => {
    const { url } = await open();
    const options = { port: portOf(url), host: "127.0.0.1", rejectUnauthorized: false } as const;
    const old = connect({
      ...options,
      maxVersion: "TLSv1.1",
      minVersion: "TLSv1",
      ciphers: "ALL:@SECLEVEL=0",
    });
    const [error] = await once(old, "error");
    expect(error.code).toMatch(/VERSION|PROTOCOL/);
    const newer = connect({ ...options, maxVersion: "TLSv1.2" });
    await once(newer, "secureConnect");
    newer.destroy();
  });

  it("counts connections from before their handshake, once each", async () => {
    const { url = "" } = await open({ maxConnectionsPerAddress: 2 });
    const port = portOf(url);
    const agent = new SecureAgent({ keepAlive: true, maxSockets: 1 });
    expect((await ask(`${url}/livez`, FIRST.cert, agent)).status).toBe(200);
    const silent = connectPlain(port, "127.0.0.1");
    await once(silent, "connect");
    await expect(ask(`${url}/livez`, FIRST.cert)).rejects.toThrow(/socket|ECONNRESET/);
    silent.destroy();
    await expect.poll(() => ask(`${url}/livez`, FIRST.cert).catch(() => undefined)).toBeDefined();
    agent.destroy();
  });

  it("stops at once under connections that ask for nothing", async () => {
    const firn = await open();
    const port = portOf(firn.url);
    const idle = connect({ port, host: "127.0.0.1", ca: FIRST.cert });
    await once(idle, "secureConnect");
    const silent = connectPlain(port, "127.0.0.1");
    await once(silent, "connect");
    const ends = [once(idle, "close"), once(silent, "close")];
    await firn.close();
    await Promise.all(ends);
  });
});

describe("PostgreSQL's port over TLS", () => {
  async function who(port: number, ssl: pg.ClientConfig["ssl"]): Promise<unknown> {
    const login = { host: "127.0.0.1", port, user: "admin", password: KEY, database: "default" };
    const client = new pg.Client({ ...login, ...(ssl !== undefined && { ssl }) });
    await client.connect();
    try {
      return (await client.query("select current_user as who")).rows[0];
    } finally {
      await client.end();
    }
  }

  it("speaks it with the same certificate", async () => {
    const pgPort = await freePort();
    await open({}, { port: 0, pgPort });
    expect(await who(pgPort, { ca: FIRST.cert })).toEqual({ who: "admin" });
    await expect(who(pgPort, { ca: makeCertificate("x").cert })).rejects.toThrow(/self-signed/);
    // On this machine nobody listens in between.
    expect(await who(pgPort, undefined)).toEqual({ who: "admin" });
  });

  it("refuses sessions without it where other machines can connect", async () => {
    const pgPort = await freePort();
    await open({}, { port: 0, pgPort, host: "0.0.0.0" });
    await expect(who(pgPort, undefined)).rejects.toMatchObject({
      code: "28000",
      message: "connections without TLS are refused",
      hint: "Connect with sslmode=require.",
    });
    expect(await who(pgPort, { ca: FIRST.cert })).toEqual({ who: "admin" });
  });
});

describe("the certificate of a server", () => {
  const lines: string[] = [];
  const clock = new SystemClock();
  const stream = { write: (line: string) => void lines.push(line) };
  const opened = async () => {
    lines.length = 0;
    const tls = await ServerTls.open(files, {
      clock,
      log: createLogger("info", clock, { stream }),
    });
    if (tls === undefined) throw new Error("the files were named");
    return tls;
  };

  it("is replaced when its files change, and open connections go on", async () => {
    const tls = await opened();
    const server = createHttpServer(undefined, tls).on("request", (_, response) => response.end());
    toClose.push(() => server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const url = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}/`;
    const agent = new SecureAgent({ keepAlive: true, maxSockets: 1 });
    toClose.push(() => agent.destroy());
    const before = await ask(url, FIRST.cert, agent);
    const binding = tls.current.binding;
    const second = makeCertificate("second");
    await write(second);
    await tls.look();
    expect(await ask(url, FIRST.cert, agent)).toEqual(before);
    expect((await ask(url, second.cert)).fingerprint).not.toBe(before.fingerprint);
    await expect(ask(url, FIRST.cert)).rejects.toThrow(/self-signed/);
    // Channel binding of SCRAM goes by the certificate that a new session is shown.
    expect(tls.current.binding.equals(binding)).toBe(false);
    expect(lines.join("")).toContain("TLS certificate reloaded");
  });

  it("stays while the files do not fit each other, which is logged once", async () => {
    const tls = await opened();
    const { current } = tls;
    const second = makeCertificate("second");
    await writeFile(files.tlsKey, second.key);
    await tls.look();
    expect(lines).toEqual([]);
    for (let i = 0; i < 3; i++) await tls.look();
    expect(tls.current).toBe(current);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("the changed TLS files are not used");
    expect(lines[0]).toContain("does not belong");
    await rm(files.tlsCert);
    for (let i = 0; i < 3; i++) await tls.look();
    expect(lines[1]).toContain("ENOENT");
    expect(tls.current).toBe(current);
    await write(second);
    await tls.look();
    expect(tls.current).not.toBe(current);
  });

  it("is used after its end, with a warning", async () => {
    const [from, to] = [new Date("2049-12-31"), new Date("2051-01-02")];
    await write(makeCertificate("later", { from, to }));
    await opened();
    expect(lines).toEqual([]);
    await write(makeCertificate("gone", { from: new Date(0), to: new Date("2001-01-01") }));
    await opened();
    expect(lines.join("")).toContain("the TLS certificate has expired");
  });

  it("is refused at the start with what is wrong", async () => {
    const { cert, key } = FIRST;
    const other = makeCertificate("other");
    const cases: readonly [Partial<TestCertificate>, RegExp][] = [
      [{ cert: "" }, /--tls-cert must begin with a certificate in PEM form/],
      [{ cert: key }, /--tls-cert must begin with a certificate/],
      [{ key: cert }, /--tls-key must hold a private key in PEM form without a password/],
      [{ key: other.key }, /key of --tls-key does not belong to the first certificate/],
    ];
    for (const [part, message] of cases) {
      await write({ cert, key, ...part });
      await expect(open()).rejects.toMatchObject({ code: "TLS_INVALID" });
      await expect(open()).rejects.toThrow(message);
    }
    await rm(files.tlsKey);
    await expect(open()).rejects.toThrow(/--tls-key cannot be read: ENOENT/);
  });
});

it("a process that waits says so over TLS, to those who ask whether it lives", async () => {
  const clock = new SystemClock();
  const tls = await ServerTls.open(files, { clock, log: createLogger("silent", clock) });
  const at = { host: "127.0.0.1", port: 0, allowHost: [], nodeId: "node-1", tls };
  const standby = await StandbyServer.open(at);
  toClose.push(() => standby.close());
  expect(standby.url).toMatch(/^https:/);
  expect((await ask(`${standby.url}/readyz`, FIRST.cert)).status).toBe(503);
  // Its certificate is nobody's to trust here, and it is alive all the same.
  expect(await answersAt({ url: standby.url, node: "node-1" }, true)).toBe(true);
  expect(await answersAt({ url: standby.url, node: "node-2" }, true)).toBe(false);
});
