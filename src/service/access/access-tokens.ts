import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { AccountId, PrincipalId } from "../../base/ids.ts";
import type { Prng } from "../../base/prng.ts";
import type { SigningKeys } from "./signing-keys.ts";

/*
 * Access tokens are JWTs (RFC 7519) that only this deployment signs and verifies: HS256, by keys of
 * its own. Nothing in a token chooses how it is verified: the key id finds one of our keys, and the
 * header must be the very text that we write.
 */

const JTI_BYTES = 12;
/** Longer than any of ours. */
export const TOKEN_CHARS = 8_192;
const TYPE = "at+jwt";
const ISSUER = "firn";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a token says. Times in milliseconds. */
export interface TokenClaims {
  readonly account: AccountId;
  readonly principal: PrincipalId;
  /** The API key that it was got with; undefined where an issuer's token was exchanged. */
  readonly keyId?: string | undefined;
  /** Name and issuer of an external principal. */
  readonly external?: { readonly name: string; readonly issuer: string } | undefined;
  /** Roles that it is limited to. */
  readonly roles?: readonly PrincipalId[] | undefined;
  /** Roles that an issuer's claim named. */
  readonly claimed?: readonly string[] | undefined;
  /** When its first ancestor was got: no exchange makes it live on from there without end. */
  readonly sinceMs: number;
  readonly expiresAtMs: number;
  /** It is a browser's, and proves something in its cookie alone. */
  readonly session?: boolean;
}

interface Payload {
  readonly iss?: unknown;
  readonly sub?: unknown;
  readonly acc?: unknown;
  readonly key?: unknown;
  readonly ext?: unknown;
  readonly rol?: unknown;
  readonly clm?: unknown;
  readonly ses?: unknown;
  readonly auth_time?: unknown;
  readonly exp?: unknown;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function headerOf(kid: string): string {
  return encode({ alg: "HS256", typ: TYPE, kid });
}

/** The key id of a token that looks like one of ours; undefined of any other text. */
function kidIn(header: string): string | undefined {
  try {
    const { kid } = JSON.parse(Buffer.from(header, "base64url").toString()) as { kid?: unknown };
    return typeof kid === "string" && header === headerOf(kid) ? kid : undefined;
  } catch {
    return undefined;
  }
}

export interface TokenParts {
  readonly keys: SigningKeys;
  readonly clock: Clock;
  readonly prng: Prng;
}

/** Issues and verifies the deployment's own tokens. */
export class AccessTokens {
  readonly #parts: TokenParts;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  async issue(claims: TokenClaims): Promise<string> {
    const { keys, clock, prng } = this.#parts;
    const { kid, key } = await keys.signing();
    const payload = encode({
      iss: ISSUER,
      sub: claims.principal,
      acc: claims.account,
      key: claims.keyId,
      ext: claims.external,
      rol: claims.roles,
      clm: claims.claimed,
      ses: claims.session === true ? 1 : undefined,
      iat: seconds(clock.nowMs()),
      auth_time: seconds(claims.sinceMs),
      exp: seconds(claims.expiresAtMs),
      jti: Buffer.from(prng.bytes(JTI_BYTES)).toString("base64url"),
    });
    const signed = `${headerOf(kid)}.${payload}`;
    return `${signed}.${mac(key, signed).toString("base64url")}`;
  }

  /**
   * What a token says; undefined for one that we have not signed, or that has expired.
   *
   * @param expired also one that has expired: for a client that proves itself otherwise.
   */
  async verify(
    token: string,
    { expired = false }: { readonly expired?: boolean } = {},
  ): Promise<TokenClaims | undefined> {
    const { keys, clock } = this.#parts;
    if (token.length > TOKEN_CHARS) return undefined;
    const [header = "", payload = "", signature = "", ...more] = token.split(".");
    const kid = more.length === 0 ? kidIn(header) : undefined;
    const key = kid === undefined ? undefined : await keys.verifying(kid);
    if (key === undefined) return undefined;
    const sent = Buffer.from(signature, "base64url");
    const own = mac(key.key, `${header}.${payload}`);
    if (sent.toString("base64url") !== signature || sent.length !== own.length) return undefined;
    if (!timingSafeEqual(sent, own)) return undefined;
    const claims = claimsOf(payload);
    if (claims === undefined) return undefined;
    return expired || claims.expiresAtMs > clock.nowMs() ? claims : undefined;
  }
}

function mac(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}

/** Ours, as it was signed; a version that meant other things by it is refused. */
function claimsOf(text: string): TokenClaims | undefined {
  const payload = JSON.parse(Buffer.from(text, "base64url").toString()) as Payload;
  const { iss, sub, acc, key, ext, rol, clm, ses, auth_time: since, exp } = payload;
  const isOurs = iss === ISSUER && isUuid(sub) && isUuid(acc);
  if (!isOurs || typeof since !== "number" || typeof exp !== "number") return undefined;
  return {
    account: acc as AccountId,
    principal: sub as PrincipalId,
    keyId: typeof key === "string" ? key : undefined,
    external: ext as TokenClaims["external"],
    roles: rol as TokenClaims["roles"],
    claimed: clm as TokenClaims["claimed"],
    sinceMs: since * 1_000,
    expiresAtMs: exp * 1_000,
    session: ses === 1,
  };
}

function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}
