import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { invalid } from "../base/error.ts";
import { protocolViolation } from "./protocol-violation.ts";

/*
 * The server's side of SCRAM-SHA-256 and SCRAM-SHA-256-PLUS (RFC 5802, RFC 7677), as PostgreSQL
 * speaks it: the user name of the startup packet counts, the one in the exchange is ignored.
 *
 *   client first   n,,n=,r={client nonce}            or p=tls-server-end-point,,…
 *   server first   r={client nonce}{server nonce},s={salt},i={iterations}
 *   client final   c={channel binding},r={nonce},p={proof}
 *   server final   v={signature}
 */

/** What is stored of a password. */
export interface Verifier {
  readonly salt: Uint8Array;
  readonly iterations: number;
  readonly storedKey: Uint8Array;
  readonly serverKey: Uint8Array;
}

export const SCRAM = "SCRAM-SHA-256";
export const SCRAM_PLUS = "SCRAM-SHA-256-PLUS";

/** The nonce of a server, as PostgreSQL's: 18 bytes. */
export const NONCE_BYTES = 18;

const BINDING = "tls-server-end-point";

export interface ScramParts {
  readonly mechanism: string;
  readonly verifier: Verifier;
  /** Random, in base64. */
  readonly nonce: string;
  /** The hash of the server's certificate, where the connection has one. */
  readonly binding: Buffer | undefined;
}

/** One exchange. */
export class ScramExchange {
  readonly #parts: ScramParts;
  #header = "";
  #nonce = "";
  #firsts = "";

  constructor(parts: ScramParts) {
    this.#parts = parts;
  }

  /**
   * The server's first message.
   *
   * @throws FirnError `PROTOCOL_VIOLATION`, `CHANNEL_BINDING_INVALID`.
   */
  first(message: string): string {
    const found =
      /^([^,]*),((?:a=[^,]*)?),((?:m=[^,]*,)?)(n=[^,]*),r=([\x21-\x2b\x2d-\x7e]+)((?:,.*)?)$/s.exec(
        message,
      );
    if (found === null) throw malformed();
    const [, flag = "", authorization = "", extension = "", name = "", nonce = ""] = found;
    if (authorization !== "" || extension !== "") {
      throw invalid(
        "SCRAM_INVALID",
        "client uses authorization identity, but it is not supported",
        {
          sqlState: "0A000",
          fatal: true,
        },
      );
    }
    this.#checkFlag(flag);
    const { nonce: own, verifier } = this.#parts;
    this.#header = `${flag},,`;
    this.#nonce = `${nonce}${own}`;
    const salt = Buffer.from(verifier.salt).toString("base64");
    const answer = `r=${this.#nonce},s=${salt},i=${verifier.iterations}`;
    this.#firsts = `${name},r=${nonce}${found[6] ?? ""},${answer}`;
    return answer;
  }

  /**
   * Judges the client's proof.
   *
   * @returns the server's last message; undefined of a wrong proof.
   * @throws FirnError `PROTOCOL_VIOLATION`, `CHANNEL_BINDING_INVALID`.
   */
  last(message: string): string | undefined {
    const found = /^c=([A-Za-z0-9+/=]+),r=([^,]*)((?:,[^p].*)?),p=([A-Za-z0-9+/]+={0,2})$/s.exec(
      message,
    );
    if (found === null) throw malformed();
    const [, binding = "", nonce = "", extensions = "", proof = ""] = found;
    if (!sameBytes(Buffer.from(binding, "base64"), this.#boundTo())) {
      throw bindingInvalid("SCRAM channel binding check failed");
    }
    if (!sameBytes(Buffer.from(nonce), Buffer.from(this.#nonce))) throw malformed();
    const signed = `${this.#firsts},c=${binding},r=${nonce}${extensions}`;
    const { storedKey, serverKey } = this.#parts.verifier;
    const signature = hmac(storedKey, signed);
    const given = Buffer.from(proof, "base64");
    if (given.length !== signature.length) throw malformed();
    const clientKey = given.map((byte, i) => byte ^ (signature[i] as number));
    const isRight = sameBytes(createHash("sha256").update(clientKey).digest(), storedKey);
    return isRight ? `v=${hmac(serverKey, signed).toString("base64")}` : undefined;
  }

  #checkFlag(flag: string): void {
    const { mechanism, binding } = this.#parts;
    const isBound = flag.startsWith("p=");
    if (isBound !== (mechanism === SCRAM_PLUS)) throw malformed();
    if (isBound && flag !== `p=${BINDING}`) {
      throw bindingInvalid(`unsupported SCRAM channel-binding type "${flag.slice(2, 66)}"`);
    }
    if (flag === "n" || isBound) return;
    if (flag !== "y") throw malformed();
    // The client could bind and thinks that the server cannot: an attacker stands between them.
    if (binding !== undefined) {
      throw bindingInvalid(
        "SCRAM channel binding negotiation error: the client supports channel binding but thinks " +
          "the server does not, and this server does",
      );
    }
  }

  #boundTo(): Buffer {
    const header = Buffer.from(this.#header);
    const { mechanism, binding } = this.#parts;
    return mechanism === SCRAM_PLUS && binding !== undefined
      ? Buffer.concat([header, binding])
      : header;
  }
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function malformed(): Error {
  return protocolViolation("malformed SCRAM message", true);
}

function bindingInvalid(message: string): Error {
  return invalid("CHANNEL_BINDING_INVALID", message, { sqlState: "28000", fatal: true });
}
