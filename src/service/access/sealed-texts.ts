import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { Prng } from "../../base/prng.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

/** Texts that others keep for this deployment, unread and unchanged: AES-256-GCM. */
export class SealedTexts {
  readonly #keys: readonly [Uint8Array, ...Uint8Array[]];
  readonly #prng: Prng;

  /** @param secrets the deployment's: the first one seals. @param purpose what for, alone. */
  constructor(secrets: readonly [Uint8Array, ...Uint8Array[]], purpose: string, prng: Prng) {
    const [current, ...previous] = secrets;
    const keyOf = (secret: Uint8Array) =>
      new Uint8Array(hkdfSync("sha256", secret, "", purpose, KEY_BYTES));
    this.#keys = [keyOf(current), ...previous.map(keyOf)];
    this.#prng = prng;
  }

  seal(text: string): string {
    const nonce = this.#prng.bytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keys[0], nonce);
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
  }

  /** Undefined of what was not sealed here. */
  open(sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    for (const key of this.#keys) {
      const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
      cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const body = cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([body, cipher.final()]).toString("utf8");
      } catch {
        // Sealed by another one.
      }
    }
    return undefined;
  }
}
