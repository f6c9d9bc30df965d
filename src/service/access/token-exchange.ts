import type { Clock } from "../../base/clock.ts";
import { FirnError, invalid } from "../../base/error.ts";
import type { PrincipalId } from "../../base/ids.ts";
import type { AccessTokens } from "./access-tokens.ts";
import type { AccountAccess } from "./account-access.ts";
import { type Authenticator, credentialOf } from "./authenticator.ts";
import type { Identity } from "./identity.ts";

export const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const CREDENTIALS = "client_credentials";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const SUBJECT_TYPES: ReadonlySet<string> = new Set([
  ACCESS_TOKEN,
  "urn:ietf:params:oauth:token-type:jwt",
  "urn:ietf:params:oauth:token-type:id_token",
]);
/** However often a token is exchanged. */
const CHAIN_MS = 86_400_000;
/** Both mean the roles of a token: ours, and what other catalogs' clients send. */
const ROLE_SCOPE = /^(?:role|PRINCIPAL_ROLE):(.+)$/;
const ALL_ROLES = "ALL";

/** What a client asks of the token endpoint: the members of its form. */
export interface TokenRequest {
  readonly form: ReadonlyMap<string, string>;
  readonly authorization: string | undefined;
  readonly address: string | undefined;
}

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresInS: number;
  readonly scope: string;
  readonly issuedTokenType: string;
  readonly identity: Identity;
}

export interface TokenExchangeParts {
  readonly clock: Clock;
  readonly tokens: AccessTokens;
  readonly authenticator: Authenticator;
  readonly accessOf: (identity: Identity) => Promise<AccountAccess | undefined>;
  readonly refuse: (keyText: string, address: string | undefined) => FirnError | undefined;
  readonly tokenLifeMs: number;
}

/** What the client sent proves nothing. */
function invalidClient(): FirnError {
  const message = "the client's credentials or token are invalid";
  return new FirnError("Unauthenticated", "OAUTH_INVALID_CLIENT", message);
}

/** Gives tokens for API keys, and for tokens (RFC 6749, 4.4; RFC 8693). */
export class TokenExchange {
  readonly #parts: TokenExchangeParts;

  constructor(parts: TokenExchangeParts) {
    this.#parts = parts;
  }

  /**
   * @throws FirnError `OAUTH_INVALID_CLIENT`, `TOO_MANY_ATTEMPTS`; `Invalid`
   *   `OAUTH_GRANT_UNSUPPORTED`, `OAUTH_INVALID_REQUEST`, `OAUTH_INVALID_SCOPE`.
   */
  async issue(request: TokenRequest): Promise<IssuedToken> {
    const { form } = request;
    const grant = form.get("grant_type");
    if (grant !== CREDENTIALS && grant !== EXCHANGE) {
      const message = `grant_type must be ${CREDENTIALS} or ${EXCHANGE}`;
      throw invalid("OAUTH_GRANT_UNSUPPORTED", message);
    }
    const identity =
      grant === CREDENTIALS ? await this.#ofClient(request) : await this.#ofSubject(request);
    if (identity === undefined) throw this.#refusal(request);
    return this.#issueFor(identity, form.get("scope") ?? "");
  }

  #refusal({ form, authorization, address }: TokenRequest): FirnError {
    const sent = authorization === undefined ? undefined : credentialOf(authorization)?.text;
    const text = form.get("client_secret") ?? sent ?? "";
    return this.#parts.refuse(text, address) ?? invalidClient();
  }

  async #ofClient({ form, authorization }: TokenRequest): Promise<Identity | undefined> {
    const { authenticator } = this.#parts;
    const secret = form.get("client_secret");
    if (secret !== undefined) return authenticator.identifyKey(secret, form.get("client_id"));
    const sent = authorization === undefined ? undefined : credentialOf(authorization);
    return sent === undefined ? undefined : authenticator.identifyKey(sent.text, sent.user);
  }

  async #ofSubject(request: TokenRequest): Promise<Identity | undefined> {
    const { form } = request;
    const { authenticator } = this.#parts;
    if (form.has("actor_token")) {
      throw invalid("OAUTH_INVALID_REQUEST", "actor_token is not supported");
    }
    const token = form.get("subject_token");
    const type = form.get("subject_token_type") ?? "";
    if (token === undefined || !SUBJECT_TYPES.has(type)) {
      const message = "subject_token and a supported subject_token_type are required";
      throw invalid("OAUTH_INVALID_REQUEST", message);
    }
    const live = await authenticator.identifyToken(token);
    if (live !== undefined) return live;
    const byKey = await authenticator.identifyKey(token);
    if (byKey !== undefined) return byKey;
    // A client that slept through the end of its token proves itself by its key.
    const client = await this.#ofClient(request);
    const old = await authenticator.identifyToken(token, { expired: true });
    if (client === undefined || old === undefined || client.keyId !== old.keyId) return undefined;
    const { rights, roles } = old;
    return { ...client, rights, roles };
  }

  async #issueFor(identity: Identity, scope: string): Promise<IssuedToken> {
    const { clock, tokens, tokenLifeMs } = this.#parts;
    const nowMs = clock.nowMs();
    const roles = await this.#rolesOf(identity, scope);
    const { accountId: account, principalId: principal, keyId, claimed, sinceMs } = identity;
    const { issuer, principal: name } = identity;
    const expiresAtMs = Math.min(
      nowMs + tokenLifeMs,
      sinceMs + CHAIN_MS,
      // A key may end before its tokens would; an issuer's token is exchanged for a longer one.
      issuer === undefined ? identity.expiresAtMs : Number.POSITIVE_INFINITY,
    );
    if (expiresAtMs <= nowMs) throw invalidClient();
    const external = issuer === undefined ? undefined : { name, issuer };
    const accessToken = await tokens.issue({
      account,
      principal,
      keyId,
      external,
      roles,
      claimed,
      sinceMs,
      expiresAtMs,
    });
    const expiresInS = Math.floor((expiresAtMs - nowMs) / 1_000);
    return { accessToken, expiresInS, scope, issuedTokenType: ACCESS_TOKEN, identity };
  }

  /**
   * The roles that a token is limited to; undefined: none. A scope never widens what the credential
   * allows: it names roles that are held, and of a limited credential only those.
   */
  async #rolesOf(identity: Identity, scope: string): Promise<readonly PrincipalId[] | undefined> {
    const names = scope
      .split(" ")
      .flatMap((each) => ROLE_SCOPE.exec(each)?.[1] ?? [])
      .filter((name) => name !== ALL_ROLES);
    if (names.length === 0) return identity.roles;
    const access = await this.#parts.accessOf(identity);
    const held = (await access?.rolesHeldBy(identity)) ?? [];
    const roles: PrincipalId[] = [];
    for (const name of names) {
      const role = await access?.roleByName(name);
      const allowed = identity.roles ?? held;
      if (role === undefined || !allowed.includes(role)) {
        throw invalid("OAUTH_INVALID_SCOPE", "the scope names a role that is not held", { name });
      }
      roles.push(role);
    }
    return roles;
  }
}
