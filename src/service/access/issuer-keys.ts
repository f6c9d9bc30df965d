import type { CryptoKey, JWK } from "jose";
import { importJWK } from "jose";
import type { Clock } from "../../base/clock.ts";
import { type Issuer, isSafeUrl, type Signature } from "./issuer-config.ts";
import { DISCOVERY, memberOf } from "./issuer-documents.ts";

/** Whatever key ids tokens name, an issuer is asked so often at most. */
const ASK_MS = 60_000;
/** Then they are read again, behind the requests that use them. */
const YOUNG_MS = 900_000;
/** Keys that could not be read anew are used for so long. */
const STALE_MS = 86_400_000;
const KEYS = 256;

/**
 * Gets a JSON document of an issuer: bounded in bytes and time, without redirects.
 *
 * @throws Error there is none to be had.
 */
export type IssuerFetch = (url: string, tokenFile: string | undefined) => Promise<unknown>;

export interface IssuerKeysParts {
  readonly clock: Clock;
  readonly fetch: IssuerFetch;
  /** Told what an operator should mend. */
  readonly onTrouble: (issuer: string, reason: string) => void;
}

/** The public keys of one issuer, as a node keeps them. */
export class IssuerKeys {
  readonly #issuer: Issuer;
  readonly #parts: IssuerKeysParts;
  #known: ReadonlyMap<string, JWK> = new Map();
  readonly #imported: Map<string, CryptoKey> = new Map();
  #readMs = Number.NEGATIVE_INFINITY;
  #askedMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(issuer: Issuer, parts: IssuerKeysParts) {
    this.#issuer = issuer;
    this.#parts = parts;
  }

  /** The key of an id that fits an algorithm; undefined where there is none. */
  async find(kid: string, alg: Signature): Promise<CryptoKey | undefined> {
    const ageMs = this.#parts.clock.monotonicMs() - this.#readMs;
    if (ageMs >= STALE_MS) this.#forget();
    if (!this.#known.has(kid)) await this.#ask();
    else if (ageMs >= YOUNG_MS) void this.#ask();
    const jwk = this.#known.get(kid);
    return jwk !== undefined && fits(jwk, alg) ? this.#import(kid, jwk, alg) : undefined;
  }

  #forget(): void {
    this.#known = new Map();
    this.#imported.clear();
  }

  async #import(kid: string, jwk: JWK, alg: Signature): Promise<CryptoKey | undefined> {
    const place = `${alg} ${kid}`;
    const known = this.#imported.get(place);
    if (known !== undefined) return known;
    try {
      const key = (await importJWK(jwk, alg)) as CryptoKey;
      // Meanwhile others may have been read.
      if (this.#known.get(kid) === jwk) this.#imported.set(place, key);
      return key;
    } catch {
      return undefined;
    }
  }

  /** Shared by all who ask at once; never fails. */
  #ask(): Promise<void> {
    if (this.#asking !== undefined) return this.#asking;
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs - this.#askedMs < ASK_MS) return Promise.resolve();
    this.#askedMs = nowMs;
    this.#asking = this.#read(nowMs)
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#parts.onTrouble(this.#issuer.name, reason);
      })
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  async #read(nowMs: number): Promise<void> {
    const { tokenFile } = this.#issuer;
    const document = await this.#parts.fetch(await this.#url(), tokenFile);
    const keys = memberOf(document, "keys");
    if (!Array.isArray(keys)) throw new Error("its key set has no keys");
    const found = new Map<string, JWK>();
    for (const key of keys.slice(0, KEYS)) {
      const kid = memberOf(key, "kid");
      if (typeof kid === "string") found.set(kid, key as JWK);
    }
    this.#known = found;
    this.#imported.clear();
    this.#readMs = nowMs;
  }

  async #url(): Promise<string> {
    const { issuer, jwksUri, tokenFile } = this.#issuer;
    if (jwksUri !== undefined) return jwksUri;
    const url = `${issuer.replace(/\/$/, "")}${DISCOVERY}`;
    const document = await this.#parts.fetch(url, tokenFile);
    if (memberOf(document, "issuer") !== issuer) {
      throw new Error("its discovery document is of another issuer");
    }
    const found = memberOf(document, "jwks_uri");
    if (typeof found === "string" && isSafeUrl(found)) return found;
    throw new Error("its discovery document has no jwks_uri with https");
  }
}

const CURVES: Readonly<Record<string, string>> = {
  ES256: "P-256",
  ES384: "P-384",
  ES512: "P-521",
  EdDSA: "Ed25519",
};

/** A key signs in one way only, whatever a token says (RFC 8725, 3.1). */
function fits(jwk: JWK, alg: Signature): boolean {
  if (jwk.alg !== undefined && jwk.alg !== alg) return false;
  if (jwk.use !== undefined && jwk.use !== "sig") return false;
  if (jwk.key_ops !== undefined && !jwk.key_ops.includes("verify")) return false;
  const curve = CURVES[alg];
  if (curve === undefined) return jwk.kty === "RSA";
  return jwk.crv === curve && jwk.kty === (alg === "EdDSA" ? "OKP" : "EC");
}
