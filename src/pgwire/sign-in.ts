import { createHmac } from "node:crypto";
import { type FirnError, invalid } from "../base/error.ts";
import type { Prng } from "../base/prng.ts";
import type { SessionSignIn, SignedIn } from "../service/access/session-sign-in.ts";
import {
  authenticationCleartext,
  authenticationSasl,
  authenticationSaslContinue,
  authenticationSaslFinal,
} from "./answers.ts";
import type { Frame } from "./frames.ts";
import { MessageReader, utf8 } from "./message-reader.ts";
import { FRONTEND } from "./message-types.ts";
import type { MessageWriter } from "./message-writer.ts";
import { protocolViolation } from "./protocol-violation.ts";
import { NONCE_BYTES, SCRAM, SCRAM_PLUS, ScramExchange, type Verifier } from "./scram.ts";
import { tlsRequired } from "./tls.ts";

/** The connection, as a sign-in sees it. */
export interface SignInPeer {
  readonly out: MessageWriter;
  readonly address: string | undefined;
  /** The hash of the server's certificate where the connection has one. */
  readonly binding: Buffer | undefined;
  receive(): Promise<Frame | undefined>;
}

const SALT_BYTES = 16;
const ITERATIONS = 4_096;
const KEY_BYTES = 32;

/** Who may open sessions. */
export type SessionUsers = Pick<SessionSignIn, "proofOf" | "failed">;

/** Asks clients for their proofs. */
export class SignInProtocol {
  readonly #signIn: SessionUsers;
  readonly #prng: Prng;
  /** Of verifiers that stand for unknown users: one user's is always the same. */
  readonly #mockKey: Uint8Array;

  constructor(signIn: SessionUsers, prng: Prng) {
    this.#signIn = signIn;
    this.#prng = prng;
    this.#mockKey = prng.bytes(KEY_BYTES);
  }

  /**
   * @returns undefined where the client went away.
   * @throws FirnError SQLSTATE 28P01: one text for every wrong user or password.
   */
  async identify(user: string, peer: SignInPeer): Promise<SignedIn | undefined> {
    const proof = await this.#signIn.proofOf(user);
    if (proof?.kind === "token") return await this.#byToken(user, proof.verify, peer);
    const chosen = await this.#mechanism(peer);
    if (chosen === undefined) return undefined;
    const exchange = new ScramExchange({
      mechanism: chosen.mechanism,
      verifier: proof?.verifier ?? this.#mock(user),
      nonce: Buffer.from(this.#prng.bytes(NONCE_BYTES)).toString("base64"),
      binding: peer.binding,
    });
    authenticationSaslContinue(peer.out, exchange.first(chosen.first));
    const answer = await this.#password(peer);
    if (answer === undefined) return undefined;
    const last = exchange.last(utf8(answer));
    if (last === undefined || proof === undefined) throw this.#refusal(user, peer);
    authenticationSaslFinal(peer.out, last);
    return await proof.signedIn();
  }

  async #byToken(
    user: string,
    verify: (token: string) => Promise<SignedIn | undefined>,
    peer: SignInPeer,
  ): Promise<SignedIn | undefined> {
    if (peer.binding === undefined) {
      throw tlsRequired(`user "${user}" signs in with a token, which needs TLS`);
    }
    authenticationCleartext(peer.out);
    const body = await this.#password(peer);
    if (body === undefined) return undefined;
    const reader = new MessageReader(body);
    const token = reader.text();
    reader.end();
    const identity = await verify(token);
    if (identity === undefined) throw this.#refusal(user, peer);
    return identity;
  }

  /** The mechanism that a client chooses, and its first message. */
  async #mechanism(peer: SignInPeer) {
    const offered = peer.binding === undefined ? [SCRAM] : [SCRAM_PLUS, SCRAM];
    authenticationSasl(peer.out, offered);
    const body = await this.#password(peer);
    if (body === undefined) return undefined;
    const reader = new MessageReader(body);
    const mechanism = reader.text();
    const length = reader.int32();
    const first = length < 0 ? "" : utf8(reader.bytes(length));
    reader.end();
    if (!offered.includes(mechanism)) {
      throw protocolViolation("client selected an invalid SASL authentication mechanism", true);
    }
    return { mechanism, first };
  }

  /** The body of the next message, which must be of a sign-in. */
  async #password(peer: SignInPeer): Promise<Buffer | undefined> {
    const frame = await peer.receive();
    if (frame === undefined) return undefined;
    if (frame.type === FRONTEND.password) return frame.body;
    const message = `expected SASL response, got message type ${frame.type}`;
    throw protocolViolation(message, true);
  }

  #refusal(user: string, { address }: SignInPeer): FirnError {
    const tooMany = this.#signIn.failed(user, address);
    const message = tooMany?.message ?? `password authentication failed for user "${user}"`;
    return invalid("SIGN_IN_FAILED", message, { sqlState: "28P01", fatal: true });
  }

  #mock(user: string): Verifier {
    const part = (name: string) =>
      createHmac("sha256", this.#mockKey).update(`${name} ${user}`).digest();
    return {
      salt: part("salt").subarray(0, SALT_BYTES),
      iterations: ITERATIONS,
      storedKey: part("stored"),
      serverKey: part("server"),
    };
  }
}
