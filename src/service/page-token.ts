import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { invalid } from "../base/error.ts";

const MAC_BYTES = 16;

/**
 * Opaque page tokens: where the last page ended, bound to its query and signed, so that a token of
 * another list, tenant or deployment, or a forged one, is refused.
 */
export class PageTokens {
  readonly #key: Uint8Array;

  /** `secret`: the deployment's; the key for page tokens is derived from it. */
  constructor(secret: Uint8Array) {
    this.#key = new Uint8Array(hkdfSync("sha256", secret, "", "firn page token", 32));
  }

  /** `query` names the list: its kind, tenant and directory. */
  seal(query: string, after: string): string {
    const text = Buffer.from(after, "utf8");
    return Buffer.concat([this.#mac(query, text), text]).toString("base64url");
  }

  /** @throws FirnError `Invalid`, code `PAGE_TOKEN_INVALID`. */
  open(query: string, token: string): string {
    const bytes = Buffer.from(token, "base64url");
    const text = bytes.subarray(MAC_BYTES);
    const genuine =
      bytes.length > MAC_BYTES &&
      bytes.toString("base64url") === token &&
      timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.#mac(query, text));
    if (!genuine) throw invalid("PAGE_TOKEN_INVALID", "the page token belongs to another list");
    return text.toString("utf8");
  }

  #mac(query: string, text: Uint8Array): Uint8Array {
    const mac = createHmac("sha256", this.#key);
    mac.update(`${Buffer.byteLength(query)}:${query}`).update(text);
    return mac.digest().subarray(0, MAC_BYTES);
  }
}
