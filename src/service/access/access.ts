import type { Clock } from "../../base/clock.ts";
import { type AccountId, IdSource } from "../../base/ids.ts";
import type { Prng } from "../../base/prng.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Account } from "../../catalog/model.ts";
import { Principals } from "../../catalog/principals.ts";
import type { Actor } from "../actor.ts";
import { AccessTokens } from "./access-tokens.ts";
import { AccountAccess } from "./account-access.ts";
import { Authenticator, type ForeignTokens } from "./authenticator.ts";
import { FailedAttempts } from "./failed-attempts.ts";
import type { Identity } from "./identity.ts";
import { OidcSignIn, type OidcSignInParts } from "./oidc-sign-in.ts";
import { SessionSignIn } from "./session-sign-in.ts";
import { SigningKeys } from "./signing-keys.ts";
import { TokenExchange } from "./token-exchange.ts";

export interface AccessSettings {
  /** A node trusts what it knows of principals for so long. */
  readonly stalenessMs: number;
  readonly tokenLifeMs: number;
}

export interface AccessParts extends AccessSettings {
  readonly catalog: AccountCatalog;
  /** The deployment's, and the one before it while that is being replaced. */
  readonly secrets: readonly [current: Uint8Array, ...previous: Uint8Array[]];
  readonly prng: Prng;
  readonly foreign?: ForeignTokens | undefined;
  /** Absent: no provider signs browsers in. */
  readonly oidc?: OidcParts | undefined;
}

/** What of a provider is not the node's own. */
type OidcParts = Pick<OidcSignInParts, "client" | "fetch" | "post" | "verify" | "onTrouble">;

/** Everything that turns credentials into identities. */
export interface Access {
  readonly authenticator: Authenticator;
  readonly tokens: TokenExchange;
  /** For PostgreSQL sessions. */
  readonly sessions: SessionSignIn;
  readonly keys: SigningKeys;
  /** Signs browsers in; absent: they use API keys. */
  readonly oidc: OidcSignIn | undefined;
  /** What is kept of an account's principals. */
  accessOf(account: AccountId): AccountAccess;
}

/** Wires authentication over the catalog of a node. No request. */
export function openAccess(parts: AccessParts): Access {
  const { catalog, secrets, prng, foreign, stalenessMs, tokenLifeMs } = parts;
  const { context } = catalog;
  const { clock, pointers } = context;
  const stores = { pointers, clock, prng, ids: new IdSource(clock, prng) };
  const keys = new SigningKeys({ stores, secrets, tokenLifeMs });
  const tokens = new AccessTokens({ keys, clock, prng });
  const accesses = new Map<AccountId, AccountAccess>();
  const accessOf = (account: AccountId): AccountAccess => {
    const access = accesses.get(account) ?? newAccess(catalog, account, clock, stalenessMs);
    accesses.set(account, access);
    return access;
  };
  const known = async (find: () => Promise<{ readonly entity: Account }>) => {
    const found = await orUndefined(find);
    if (found === undefined || !isLive(found.entity)) return undefined;
    return { entity: found.entity, access: accessOf(found.entity.id) };
  };
  const failed = new FailedAttempts(clock);
  const authenticator = new Authenticator({
    pointers,
    clock,
    tokens,
    accountById: (id) => known(() => catalog.accounts.byId(id)),
    accountByName: (name) => known(() => catalog.accounts.get(name)),
    foreign,
    failed,
  });
  return {
    authenticator,
    sessions: new SessionSignIn(authenticator, failed, clock),
    keys,
    accessOf,
    oidc:
      parts.oidc &&
      new OidcSignIn({
        ...parts.oidc,
        clock,
        prng,
        secrets,
        begin: (identity) => authenticator.beginSession(identity, tokenLifeMs),
      }),
    tokens: new TokenExchange({
      clock,
      tokens,
      authenticator,
      accessOf: async ({ accountId }) => accessOf(accountId),
      refuse: (text, address) => failed.failed(address, text),
      tokenLifeMs,
    }),
  };
}

function newAccess(
  { context }: AccountCatalog,
  account: AccountId,
  clock: Clock,
  stalenessMs: number,
): AccountAccess {
  const { payloads } = context;
  const principals = new Principals({ ...context, account, payloads: payloads.of(account) });
  return new AccountAccess(account, principals, clock, stalenessMs);
}

/** Credentials of an account that is suspended, or being deleted, prove nothing. */
function isLive({ state, suspended }: Account): boolean {
  return state === "ACTIVE" && suspended !== true;
}

/** An account that is not there has no identities. */
async function orUndefined<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    const isMissing = error instanceof Error && "kind" in error && error.kind === "NotFound";
    if (isMissing) return undefined;
    throw error;
  }
}

/** Who asks, as use cases take it. */
export function actorOf(identity: Identity, asked: Pick<Actor, "requestId" | "address">): Actor {
  const { account, accountId, principal, principalId, rights, keyId, issuer } = identity;
  return { ...asked, account, accountId, principal, principalId, rights, keyId, issuer };
}
