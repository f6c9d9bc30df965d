import type { Clock } from "../../base/clock.ts";
import { type FirnError, invalid } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import type { AccountId, PrincipalId } from "../../base/ids.ts";
import { LruMap } from "../../base/lru.ts";
import type { Account, ApiKey, Principal } from "../../catalog/model.ts";
import { ownerOfKey } from "../../catalog/principals.ts";
import type { PointerStore } from "../../pointer/port.ts";
import { DEFAULT_ACCOUNT } from "../actor.ts";
import type { AccessTokens, TokenClaims } from "./access-tokens.ts";
import type { AccountAccess } from "./account-access.ts";
import { compareWithNone, isSecretOf, parseKeyText } from "./api-keys.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import { type BrowserSession, type Identity, notAuthenticated } from "./identity.ts";

/** Credentials that are kept verified: a client sends the same one with every request. */
const KEPT_CREDENTIALS = 10_000;
const HEADER_CHARS = 16_384;
/** Browsers drop a cookie of more than 4,096 bytes, with its name and attributes. */
const SESSION_CHARS = 3_840;
/** Sessions that ended before their time. */
const ENDED_SESSIONS = 10_000;

/** What an issuer's token proves. */
export interface ForeignIdentity {
  readonly account: string;
  readonly issuer: string;
  /** `{issuer}/{subject}`. */
  readonly name: string;
  readonly claimed: readonly string[];
  readonly expiresAtMs: number;
}

/** Verifies tokens of configured issuers. */
export interface ForeignTokens {
  /** Undefined for a token that none of them signed for us. */
  verify(token: string): Promise<ForeignIdentity | undefined>;
}

/** What is known of one account. */
export interface KnownAccount {
  readonly entity: Account;
  readonly access: AccountAccess;
}

export interface AuthenticatorParts {
  readonly pointers: PointerStore;
  readonly clock: Clock;
  readonly tokens: AccessTokens;
  /** Undefined where there is none, or it is suspended. */
  readonly accountById: (id: AccountId) => Promise<KnownAccount | undefined>;
  readonly accountByName: (name: string) => Promise<KnownAccount | undefined>;
  readonly foreign?: ForeignTokens | undefined;
  readonly failed: FailedAttempts;
}

/** A credential that was verified, and what it rested on. */
interface Kept {
  readonly identity: Identity;
  readonly access: AccountAccess;
  readonly generation: object;
}

/** An identity, and what tells when it may have changed. */
export interface SessionIdentity {
  readonly identity: Identity;
  readonly access: Pick<AccountAccess, "current">;
}

/** A principal with the key that proves it, where one does. */
interface Proven {
  readonly account: KnownAccount;
  readonly principal: Principal;
  readonly key: ApiKey;
}

/**
 * From a credential to an identity. A warm one costs a hash and no request of the store, as long as
 * what is known of its account is younger than the staleness time.
 */
export class Authenticator {
  readonly #parts: AuthenticatorParts;
  readonly #kept: LruMap<string, Kept> = new LruMap(KEPT_CREDENTIALS);
  readonly #ended: LruMap<string, true> = new LruMap(ENDED_SESSIONS);

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /** The identity of an `Authorization` header that was verified a moment ago. */
  known(header: string | undefined): Identity | undefined {
    return header === undefined ? undefined : this.#knownBy(sha256Hex(header));
  }

  #knownBy(hash: string): Identity | undefined {
    const kept = this.#kept.get(hash);
    if (kept === undefined || kept.access.fresh !== kept.generation) return undefined;
    return kept.identity.expiresAtMs > this.#parts.clock.nowMs() ? kept.identity : undefined;
  }

  /**
   * The identity of an `Authorization` header.
   *
   * @throws FirnError `NOT_AUTHENTICATED`; `TOO_MANY_ATTEMPTS` after many wrong ones.
   */
  async identify(header: string | undefined, address: string | undefined): Promise<Identity> {
    const known = this.known(header);
    if (known !== undefined) return known;
    const sent = header === undefined ? undefined : credentialOf(header);
    const found = sent === undefined ? undefined : await this.#verify(sent);
    if (found === undefined) throw this.#refusal(sent, address);
    const { identity, access } = found;
    const generation = await access.current();
    if (header !== undefined) this.#kept.set(sha256Hex(header), { identity, access, generation });
    return identity;
  }

  /**
   * Begins a session of a browser for whom an issuer has vouched. Only claimed roles that there are
   * enter it: all that an issuer may name would not fit.
   *
   * @returns undefined: the principal or the account is suspended, or there is no such account.
   * @throws FirnError `Invalid`, code `SESSION_TOO_LARGE`.
   */
  async beginSession(
    { name, issuer, ...foreign }: ForeignIdentity,
    lifeMs: number,
  ): Promise<BrowserSession | undefined> {
    const { clock, tokens, accountByName } = this.#parts;
    const account = await accountByName(foreign.account);
    if (account === undefined) return undefined;
    const claimed: string[] = [];
    for (const role of foreign.claimed) {
      if ((await account.access.roleByName(role)) !== undefined) claimed.push(role);
    }
    const sinceMs = clock.nowMs();
    const expiresAtMs = sinceMs + lifeMs;
    const found = await this.#external(account, { name, issuer, claimed, sinceMs, expiresAtMs });
    if (found === undefined) return undefined;
    const { identity } = found;
    const token = await tokens.issue({
      account: identity.accountId,
      principal: identity.principalId,
      external: { name, issuer },
      claimed,
      sinceMs,
      expiresAtMs,
      session: true,
    });
    if (token.length <= SESSION_CHARS) return { token, lifeMs, identity };
    const message = "the token of the issuer names too many roles for a session of a browser";
    throw invalid("SESSION_TOO_LARGE", message, { principal: name, roles: claimed.length });
  }

  /** As `known`, of a session of a browser. */
  knownSession(token: string): Identity | undefined {
    return this.#knownBy(sessionHash(token));
  }

  /** Who uses a session of a browser. @throws FirnError `NOT_AUTHENTICATED`. */
  async identifySession(token: string): Promise<Identity> {
    const hash = sessionHash(token);
    const known = this.#knownBy(hash);
    if (known !== undefined) return known;
    const isEnded = this.#ended.get(hash) === true;
    const found = isEnded ? undefined : await this.#verifyToken(token, { session: true });
    if (found === undefined) throw notAuthenticated();
    const { identity, access } = found;
    const generation = await access.current();
    // It may have ended meanwhile.
    if (this.#ended.get(hash) === true) throw notAuthenticated();
    this.#kept.set(hash, { identity, access, generation });
    return identity;
  }

  /** Ends a session at this node; others refuse it when it expires. */
  endSession(token: string): void {
    const hash = sessionHash(token);
    this.#ended.set(hash, true);
    this.#kept.delete(hash);
  }

  /**
   * The identity that an API key proves, and the key: for sessions that are not HTTP's.
   *
   * @param user a name that was given with it: empty, the principal's, or the key's id.
   */
  async identifyKey(text: string, user = ""): Promise<Identity | undefined> {
    return (await this.#verifyKey(text, user))?.identity;
  }

  /** What proves and identifies a key by its id: SCRAM needs the verifier before the proof. */
  async keyById(id: string): Promise<Proven | undefined> {
    const owner = await ownerOfKey(this.#parts, id);
    if (owner === undefined) return undefined;
    const account = await this.#parts.accountById(owner.account);
    const principal = await account?.access.principal(owner.principal);
    const key = principal?.keys.find((each) => each.id === id);
    if (account === undefined || principal === undefined || key === undefined) return undefined;
    return this.#isLive(principal, key) ? { account, principal, key } : undefined;
  }

  /** The newest key of a principal that can prove it; by the principal's name. */
  async newestKeyOf(name: string): Promise<Proven | undefined> {
    const account = await this.#parts.accountByName(DEFAULT_ACCOUNT);
    const principal = await account?.access.principalByName(name);
    if (account === undefined || principal === undefined) return undefined;
    const [key] = principal.keys
      .filter((each) => this.#isLive(principal, each))
      .sort((one, other) => other.createdAtMs - one.createdAtMs);
    return key && { account, principal, key };
  }

  /** Whom a key proves now, whose secret was proven before; undefined where it was revoked. */
  async sessionOfKey(id: string): Promise<SessionIdentity | undefined> {
    const found = await this.keyById(id);
    if (found === undefined) return undefined;
    const { account, principal, key } = found;
    const identity = await this.identityOf(account, principal);
    const expiresAtMs = key.expiresAtMs === 0 ? identity.expiresAtMs : key.expiresAtMs;
    return { identity: { ...identity, keyId: key.id, expiresAtMs }, access: account.access };
  }

  /** Whom a token proves. */
  async sessionOfToken(token: string): Promise<SessionIdentity | undefined> {
    return await this.#verifyToken(token);
  }

  /** What a token of ours or of an issuer proves. `expired`: as `AccessTokens.verify`. */
  async identifyToken(
    token: string,
    options: { readonly expired?: boolean } = {},
  ): Promise<Identity | undefined> {
    return (await this.#verifyToken(token, options))?.identity;
  }

  /** The identity of a principal that did not sign in: what it may do. */
  async identityOf(account: KnownAccount, principal: Principal): Promise<Identity> {
    const { id, name } = principal;
    const rights = await account.access.rightsOf(id);
    return {
      ...whereOf(account),
      principal: name,
      principalId: id,
      rights,
      sinceMs: this.#parts.clock.nowMs(),
      expiresAtMs: Number.POSITIVE_INFINITY,
    };
  }

  #refusal(sent: Credential | undefined, address: string | undefined): FirnError {
    if (sent === undefined) return notAuthenticated();
    return this.#parts.failed.failed(address, sent.text) ?? notAuthenticated();
  }

  async #verify({ text, user }: Credential) {
    return text.startsWith("firn_") ? this.#verifyKey(text, user ?? "") : this.#verifyToken(text);
  }

  async #verifyKey(text: string, user: string) {
    const presented = parseKeyText(text);
    if (presented === undefined) return undefined;
    const found = await this.keyById(presented.id);
    if (found === undefined) {
      compareWithNone(presented.secret);
      return undefined;
    }
    const { account, principal, key } = found;
    if (!isSecretOf(key, presented.secret)) return undefined;
    if (user !== "" && user !== principal.name && user !== key.id) return undefined;
    const identity = await this.identityOf(account, principal);
    const expiresAtMs = key.expiresAtMs === 0 ? identity.expiresAtMs : key.expiresAtMs;
    return { identity: { ...identity, keyId: key.id, expiresAtMs }, access: account.access };
  }

  async #verifyToken(token: string, { session = false, ...options }: VerifyOptions = {}) {
    const claims = await this.#parts.tokens.verify(token, options);
    if (claims !== undefined) {
      return claims.session === session ? this.#ofClaims(claims) : undefined;
    }
    if (session) return undefined;
    const foreign = await this.#parts.foreign?.verify(token);
    if (foreign === undefined) return undefined;
    const { name, issuer, claimed, expiresAtMs } = foreign;
    const account = await this.#parts.accountByName(foreign.account);
    if (account === undefined) return undefined;
    const sinceMs = this.#parts.clock.nowMs();
    return this.#external(account, { name, issuer, claimed, sinceMs, expiresAtMs });
  }

  async #ofClaims(claims: TokenClaims) {
    const { keyId, external, roles, claimed = [], sinceMs, expiresAtMs } = claims;
    const account = await this.#parts.accountById(claims.account);
    if (account === undefined) return undefined;
    if (external !== undefined) {
      return this.#external(account, { ...external, claimed, roles, sinceMs, expiresAtMs });
    }
    const principal = await account.access.principal(claims.principal);
    const key = principal?.keys.find((each) => each.id === keyId);
    // What ends a key ends what was got with it.
    if (principal === undefined || key === undefined || !this.#isLive(principal, key)) {
      return undefined;
    }
    const identity = await this.identityOf(account, principal);
    const held = roles?.filter((role) => principal.roles.includes(role));
    const narrowed = held && (await account.access.rightsOfRoles(held, undefined));
    const rights = narrowed ?? identity.rights;
    const own = { ...identity, keyId, roles, rights, sinceMs, expiresAtMs };
    return { identity: own, access: account.access };
  }

  /** A user of an issuer: nothing needs to be stored of them. */
  async #external(
    account: KnownAccount,
    {
      name,
      issuer,
      claimed,
      roles,
      sinceMs,
      expiresAtMs,
    }: {
      readonly name: string;
      readonly issuer: string;
      readonly claimed: readonly string[];
      readonly roles?: readonly PrincipalId[] | undefined;
      readonly sinceMs: number;
      readonly expiresAtMs: number;
    },
  ) {
    const { access } = account;
    const { principalId, suspended, rights } = await access.external(name, claimed, roles);
    if (suspended) return undefined;
    const identity: Identity = {
      ...whereOf(account),
      principal: name,
      principalId,
      issuer,
      roles,
      claimed,
      rights,
      sinceMs,
      expiresAtMs,
    };
    return { identity, access };
  }

  #isLive({ suspended, kind }: Principal, { expiresAtMs }: ApiKey): boolean {
    if (suspended || kind !== "LOCAL") return false;
    return expiresAtMs === 0 || expiresAtMs > this.#parts.clock.nowMs();
  }
}

interface VerifyOptions {
  readonly expired?: boolean;
  /** Of a browser: such a token is good for nothing else, and no other one is good for that. */
  readonly session?: boolean;
}

/** Never that of an `Authorization` header. */
function sessionHash(token: string): string {
  return sha256Hex(`session ${token}`);
}

function whereOf({ entity }: KnownAccount): Pick<Identity, "account" | "accountId"> {
  return { account: entity.name, accountId: entity.id };
}

interface Credential {
  readonly text: string;
  /** Given beside it, by Basic. */
  readonly user?: string;
}

/** What an `Authorization` header holds; undefined for one of another scheme. */
export function credentialOf(header: string): Credential | undefined {
  if (header.length > HEADER_CHARS) return undefined;
  const [, scheme = "", text = ""] = /^([A-Za-z]+) +([\x21-\x7e]+) *$/.exec(header) ?? [];
  if (scheme.toLowerCase() === "bearer") return { text };
  if (scheme.toLowerCase() !== "basic") return undefined;
  const decoded = Buffer.from(text, "base64").toString("utf8");
  const colon = decoded.indexOf(":");
  if (colon < 0) return undefined;
  return { user: decoded.slice(0, colon), text: decoded.slice(colon + 1) };
}
