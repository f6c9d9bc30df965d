import type { Clock } from "../../base/clock.ts";
import type { FirnError } from "../../base/error.ts";
import type { ScramVerifier } from "../../catalog/model.ts";
import type { Authenticator, SessionIdentity } from "./authenticator.ts";
import type { FailedAttempts } from "./failed-attempts.ts";
import { type Identity, notAuthenticated } from "./identity.ts";

/** Who a session is for, for as long as it lasts. */
export interface SignedIn {
  /** As it was last looked at: what it may do changes. */
  readonly identity: Identity;
  /** What it signed in with: another node of ours may go on with the session. */
  readonly credential: SessionCredential;
  /** Looks again. @returns whether the session may go on. */
  renew(): Promise<boolean>;
}

/** What was proven: that the client knows the secret of a key, or a token. */
export type SessionCredential =
  | { readonly kind: "key"; readonly id: string }
  | { readonly kind: "token"; readonly token: string };

/** How the user of a session proves who it is. */
export type SessionProof =
  | {
      readonly kind: "scram";
      readonly verifier: ScramVerifier;
      signedIn(): Promise<SignedIn>;
    }
  /** A token in place of a password: only over an encrypted connection. */
  | { readonly kind: "token"; verify(token: string): Promise<SignedIn | undefined> };

/** A key's id: no principal has to be looked for then. */
const KEY_ID = /^[a-z0-9]{8,32}$/;

/** Sign-in of PostgreSQL sessions: API keys by SCRAM, tokens of issuers as passwords. */
export class SessionSignIn {
  readonly #authenticator: Authenticator;
  readonly #failed: FailedAttempts;
  readonly #clock: Clock;

  constructor(authenticator: Authenticator, failed: FailedAttempts, clock: Clock) {
    this.#authenticator = authenticator;
    this.#failed = failed;
    this.#clock = clock;
  }

  /**
   * @param user a principal's name, for its newest key; the id of a key; or `{issuer}/{subject}`.
   * @returns undefined of a user that is not known.
   */
  async proofOf(user: string): Promise<SessionProof | undefined> {
    if (user.includes("/")) {
      return { kind: "token", verify: (token) => this.#byToken(user, token) };
    }
    const byId = KEY_ID.test(user) ? await this.#authenticator.keyById(user) : undefined;
    const proven = byId ?? (await this.#authenticator.newestKeyOf(user));
    if (proven === undefined) return undefined;
    const { scram, id } = proven.key;
    if (scram === undefined) return undefined;
    return { kind: "scram", verifier: scram, signedIn: () => this.#byKey(id) };
  }

  /** The session of a credential that another node of ours has seen proven, as it is now. */
  async resume(credential: SessionCredential): Promise<SignedIn | undefined> {
    const look = () =>
      credential.kind === "key"
        ? this.#authenticator.sessionOfKey(credential.id)
        : this.#authenticator.sessionOfToken(credential.token);
    const first = await look();
    return first && (await this.#signedIn(first, look, credential));
  }

  /** Counts a wrong proof. @returns the refusal of one too many. */
  failed(user: string, address: string | undefined): FirnError | undefined {
    return this.#failed.failedAt(address, user);
  }

  async #byKey(id: string): Promise<SignedIn> {
    const look = () => this.#authenticator.sessionOfKey(id);
    const first = await look();
    // It was revoked while the client computed its proof.
    if (first === undefined) throw notAuthenticated();
    return await this.#signedIn(first, look, { kind: "key", id });
  }

  async #byToken(user: string, token: string): Promise<SignedIn | undefined> {
    const look = () => this.#authenticator.sessionOfToken(token);
    const first = await look();
    if (first?.identity.principal !== user) return undefined;
    return await this.#signedIn(first, look, { kind: "token", token });
  }

  /** Looks at the store again only where something of the account has changed. */
  async #signedIn(
    first: SessionIdentity,
    look: () => Promise<SessionIdentity | undefined>,
    credential: SessionCredential,
  ): Promise<SignedIn> {
    let { identity, access } = first;
    let generation = await access.current();
    const renew = async (): Promise<boolean> => {
      if (identity.expiresAtMs <= this.#clock.nowMs()) return false;
      const now = await access.current();
      if (now === generation) return true;
      const found = await look();
      if (found === undefined) return false;
      ({ identity, access } = found);
      generation = now;
      return true;
    };
    return {
      get identity() {
        return identity;
      },
      credential,
      renew,
    };
  }
}
