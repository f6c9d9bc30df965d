import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

/** An issuer of tokens on this machine, which counts what it is asked. */
export class TestIssuer {
  readonly #server: Server;
  readonly #directory: string;
  readonly privateKeys: Map<string, CryptoKey> = new Map();
  readonly publicKeys: Map<string, JWK> = new Map();
  /** Requests for its keys. */
  fetches = 0;

  private constructor(server: Server, directory: string) {
    this.#server = server;
    this.#directory = directory;
  }

  static async open(): Promise<TestIssuer> {
    const directory = await mkdtemp(join(tmpdir(), "firn-issuer-"));
    const server = createServer((request, response) => issuer.#answer(request.url ?? "", response));
    const issuer = new TestIssuer(server, directory);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    await issuer.addKey("first", "RS256");
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async addKey(kid: string, alg: string): Promise<void> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    this.privateKeys.set(kid, privateKey);
    this.publicKeys.set(kid, { ...(await exportJWK(publicKey)), kid, alg, use: "sig" });
  }

  /** The path of a file of issuers. */
  async config(entries: readonly object[]): Promise<string> {
    const file = join(this.#directory, "issuers.json");
    await writeFile(file, JSON.stringify(entries));
    return file;
  }

  get entry(): object {
    return {
      name: "test",
      issuer: this.url,
      audiences: ["firn"],
      algorithms: ["RS256", "ES256"],
      rolesClaim: "realm_access.roles",
      account: "default",
    };
  }

  /** A good token, but for what is given. */
  async sign(claims: object = {}, header: object = {}, kid = "first"): Promise<string> {
    const nowS = Math.floor(Date.now() / 1_000);
    const good = { iss: this.url, aud: "firn", sub: "jo", iat: nowS, exp: nowS + 600, ...claims };
    const key = this.privateKeys.get(kid);
    if (key === undefined) throw new Error(`no key ${kid}`);
    return new SignJWT(JSON.parse(JSON.stringify(good)) as Record<string, unknown>)
      .setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid, ...header })
      .sign(key);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await rm(this.#directory, { recursive: true });
  }

  #answer(url: string, response: ServerResponse): void {
    this.fetches++;
    response.setHeader("content-type", "application/json");
    if (url === "/.well-known/openid-configuration") {
      response.end(JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/jwks` }));
    } else if (url === "/jwks") {
      response.end(JSON.stringify({ keys: [...this.publicKeys.values()] }));
    } else if (url === "/moved") {
      response.writeHead(302, { location: "/jwks" }).end();
    } else if (url === "/huge") {
      response.end(JSON.stringify({ keys: [], filler: "x".repeat(70_000) }));
    } else response.writeHead(404).end();
  }
}
