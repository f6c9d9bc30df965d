import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";
import { invalid } from "../base/error.ts";
import { LruMap } from "../base/lru.ts";

const MAC_BYTES = 16;
/** Characters of tokens kept, with what they are of. */
const KEPT_CHARS = 1_048_576;

/**
 * Opaque page tokens: where the last page ended, bound to its query and signed, so that a token of
 * another list, tenant or deployment, or a forged one, is refused.
 */
export class PageTokens {
  /**
   * The first one signs. As objects: bytes would be made into one for each token, at five times
   * its cost.
   */
  readonly #keys: readonly [KeyObject, ...KeyObject[]];
  /** What was sealed lately: the first page of a list is asked for again and again. */
  readonly #sealed: LruMap<string, Sealed> = new LruMap(
    KEPT_CHARS,
    ({ query, after, token }) => query.length + 2 * after.length + token.length,
  );

  /**
   * @param secret the deployment's; the key for page tokens is derived from it.
   * @param others whose tokens are taken too.
   */
  constructor(secret: Uint8Array, others: readonly Uint8Array[] = []) {
    this.#keys = [keyOf(secret), ...others.map(keyOf)];
  }

  /** `query` names the list: its kind, tenant and directory. */
  seal(query: string, after: string): string {
    const known = this.#sealed.get(after);
    if (known?.query === query) return known.token;
    const text = Buffer.from(after, "utf8");
    const token = Buffer.concat([mac(this.#keys[0], query, text), text]).toString("base64url");
    this.#sealed.set(after, { query, after, token });
    return token;
  }

  /** @throws FirnError `Invalid`, code `PAGE_TOKEN_INVALID`. */
  open(query: string, token: string): string {
    const bytes = Buffer.from(token, "base64url");
    const text = bytes.subarray(MAC_BYTES);
    const genuine =
      bytes.length > MAC_BYTES &&
      bytes.toString("base64url") === token &&
      this.#keys.some((key) =>
        timingSafeEqual(bytes.subarray(0, MAC_BYTES), mac(key, query, text)),
      );
    if (!genuine) throw invalid("PAGE_TOKEN_INVALID", "the page token belongs to another list");
    return text.toString("utf8");
  }
}

/** A token and what it was made of. */
interface Sealed {
  readonly query: string;
  readonly after: string;
  readonly token: string;
}

function keyOf(secret: Uint8Array): KeyObject {
  const derived = hkdfSync("sha256", secret, "", "firn page token", 32);
  return createSecretKey(new Uint8Array(derived));
}

function mac(key: KeyObject, query: string, text: Uint8Array): Uint8Array {
  const signed = createHmac("sha256", key);
  signed.update(`${Buffer.byteLength(query)}:${query}`).update(text);
  return signed.digest().subarray(0, MAC_BYTES);
}
