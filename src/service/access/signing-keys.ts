import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { FirnError } from "../../base/error.ts";
import type { StoredSigningKey } from "../../catalog/codec/signing-key.ts";
import type { CatalogContext } from "../../catalog/context.ts";
import { deleteSigningKey, listSigningKeys, putSigningKey } from "../../catalog/signing-keys.ts";

/*
 * Access tokens are signed with keys that every node of a deployment reads from its store. They lie
 * there encrypted: AES-256-GCM under a key derived from the deployment secret, with the id of the
 * key as additional data, so that none can be put in another's place. After a rotation the new key
 * verifies at once and signs later, when every node has read it.
 */

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KID_BYTES = 9;
const CIPHER = "aes-256-gcm";
/** A node reads the keys again so often at most: for a key id that it does not know. */
const REREAD_MS = 10_000;
/** From the rotation until the new key signs: every node has read it by then. */
export const SIGNS_AFTER_MS = 300_000;

/** The longest life of a token, whatever nodes are set to: an exchange goes on for a day. */
export const LONGEST_TOKEN_MS = 86_400_000;

/** What may be told of a key. Times in milliseconds. */
export interface SigningKeyInfo {
  readonly kid: string;
  readonly createdAtMs: number;
  readonly signsFromMs: number;
  /**
   * `SIGNS` signs new tokens; `NEXT` will; `VERIFIES` has signed tokens that may live; `UNREADABLE`
   * is encrypted with another secret.
   */
  readonly state: "NEXT" | "SIGNS" | "VERIFIES" | "UNREADABLE";
}

export interface SigningKey {
  readonly kid: string;
  readonly key: Uint8Array;
  readonly createdAtMs: number;
  readonly signsFromMs: number;
}

export interface SigningKeyParts {
  readonly stores: Pick<CatalogContext, "pointers" | "clock" | "prng" | "ids">;
  /** The deployment's, and the one before it while that is being replaced. */
  readonly secrets: readonly [current: Uint8Array, ...previous: Uint8Array[]];
  /** The longest life of a token: an older key verifies for so long. */
  readonly tokenLifeMs: number;
}

/** A key, and whether the current secret wraps it. */
interface Unwrapped {
  readonly key: Uint8Array;
  readonly isCurrent: boolean;
}

/** The keys that sign access tokens, of a whole deployment. */
export class SigningKeys {
  readonly #parts: SigningKeyParts;
  readonly #wrappers: readonly Uint8Array[];
  #known: ReadonlyMap<string, SigningKey> = new Map();
  /** Whether the current secret wraps a key, be it one that signs later. */
  #isRewrapped = true;
  #readMs = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(parts: SigningKeyParts) {
    this.#parts = parts;
    this.#wrappers = parts.secrets.map(
      (secret) =>
        new Uint8Array(hkdfSync("sha256", secret, "", "firn signing key wrapper", KEY_BYTES)),
    );
  }

  /** The key of an id; undefined where there is none. Reads the store once in a while at most. */
  async verifying(kid: string): Promise<SigningKey | undefined> {
    const known = this.#known.get(kid);
    if (known !== undefined) return known;
    const { clock } = this.#parts.stores;
    if (clock.monotonicMs() - this.#readMs < REREAD_MS) return undefined;
    await this.#read();
    return this.#known.get(kid);
  }

  /** The newest key that may sign, made where there is none. */
  async signing(): Promise<SigningKey> {
    const { clock } = this.#parts.stores;
    const isOld = clock.monotonicMs() - this.#readMs >= SIGNS_AFTER_MS / 5;
    if (this.#known.size === 0 || isOld) await this.#read();
    const best = this.#newest();
    if (best !== undefined) {
      // What only the other secret unwraps would end with that.
      if (!this.#isRewrapped) await this.rotate();
      return best;
    }
    await this.#add(clock.nowMs());
    await this.#read();
    const made = this.#newest();
    if (made !== undefined) return made;
    const message = "no signing key can be read: check FIRN_SECRET";
    throw new FirnError("Unavailable", "SIGNING_KEY_UNREADABLE", message);
  }

  /** Adds a key that signs in five minutes, and removes those whose last token has ended. */
  async rotate(): Promise<SigningKey> {
    const { stores, tokenLifeMs } = this.#parts;
    const nowMs = stores.clock.nowMs();
    const kid = await this.#add(nowMs + SIGNS_AFTER_MS);
    const stored = await listSigningKeys(stores);
    const signing = [...stored.entries()]
      .filter(([, { signsFromMs }]) => signsFromMs <= nowMs)
      .sort(([, a], [, b]) => b.signsFromMs - a.signsFromMs);
    // The first one signs. Another ends so long after its successor began.
    for (const [i, [old]] of signing.entries()) {
      const successor = signing[i - 1]?.[1];
      if (successor === undefined) continue;
      if (successor.signsFromMs + tokenLifeMs + SIGNS_AFTER_MS < nowMs) {
        await deleteSigningKey(stores, old);
      }
    }
    await this.#read();
    const made = this.#known.get(kid);
    if (made !== undefined) return made;
    throw new FirnError("Unavailable", "SIGNING_KEY_UNSTORED", "the new key is not stored");
  }

  /**
   * As `rotate`; a key that is about to sign is not replaced again, so this may be repeated.
   *
   * @throws FirnError `Forbidden` `SECRET_WRONG`; as `rotate`.
   */
  async replace(): Promise<SigningKeyInfo> {
    await this.assertSecret();
    const next = (await this.list()).find(({ state }) => state === "NEXT");
    if (next !== undefined && this.#isRewrapped) return next;
    const { kid } = await this.rotate();
    const made = (await this.list()).find((each) => each.kid === kid);
    if (made !== undefined) return made;
    throw new FirnError("Unavailable", "SIGNING_KEY_UNSTORED", "the new key is not stored");
  }

  /** All that are stored, the newest first. */
  async list(): Promise<readonly SigningKeyInfo[]> {
    await this.#read();
    const { stores } = this.#parts;
    const nowMs = stores.clock.nowMs();
    const signing = this.#newest()?.kid;
    const stateOf = (kid: string, signsFromMs: number): SigningKeyInfo["state"] => {
      if (!this.#known.has(kid)) return "UNREADABLE";
      if (kid === signing) return "SIGNS";
      return signsFromMs > nowMs ? "NEXT" : "VERIFIES";
    };
    return [...(await listSigningKeys(stores))]
      .map(([kid, { createdAtMs, signsFromMs }]) => {
        const state = stateOf(kid, signsFromMs);
        return { kid, createdAtMs, signsFromMs, state };
      })
      .sort((a, b) => b.signsFromMs - a.signsFromMs);
  }

  /**
   * Refuses a process whose secret reads none of the keys: it is not the deployment's.
   *
   * @throws FirnError `Forbidden` `SECRET_WRONG`.
   */
  async assertSecret(): Promise<void> {
    const all = await this.list();
    if (all.length === 0 || all.some(({ state }) => state !== "UNREADABLE")) return;
    const message = "the secret is not the one of this deployment: check FIRN_SECRET";
    throw new FirnError("Forbidden", "SECRET_WRONG", message);
  }

  #newest(): SigningKey | undefined {
    const nowMs = this.#parts.stores.clock.nowMs();
    return [...this.#known.values()]
      .filter(({ signsFromMs }) => signsFromMs <= nowMs)
      .sort((a, b) => b.signsFromMs - a.signsFromMs || (a.kid < b.kid ? -1 : 1))[0];
  }

  async #add(signsFromMs: number): Promise<string> {
    const { stores } = this.#parts;
    const kid = Buffer.from(stores.prng.bytes(KID_BYTES)).toString("hex");
    const wrapped = this.#wrap(kid, stores.prng.bytes(KEY_BYTES));
    await putSigningKey(stores, kid, { createdAtMs: stores.clock.nowMs(), signsFromMs, wrapped });
    return kid;
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    const { stores } = this.#parts;
    const askedMs = stores.clock.monotonicMs();
    const found = new Map<string, SigningKey>();
    let isRewrapped = false;
    for (const [kid, stored] of await listSigningKeys(stores)) {
      const unwrapped = this.#unwrap(kid, stored);
      if (unwrapped === undefined) continue;
      const { createdAtMs, signsFromMs } = stored;
      found.set(kid, { kid, key: unwrapped.key, createdAtMs, signsFromMs });
      isRewrapped ||= unwrapped.isCurrent;
    }
    this.#isRewrapped = isRewrapped;
    this.#known = found;
    this.#readMs = askedMs;
  }

  #wrap(kid: string, key: Uint8Array): Uint8Array {
    const nonce = this.#parts.stores.prng.bytes(NONCE_BYTES);
    const [wrapper = new Uint8Array()] = this.#wrappers;
    const cipher = createCipheriv(CIPHER, wrapper, nonce).setAAD(Buffer.from(kid));
    return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
  }

  /** Undefined for one that another secret wrapped, or another program wrote. */
  #unwrap(kid: string, { wrapped }: StoredSigningKey): Unwrapped | undefined {
    if (wrapped.length !== NONCE_BYTES + KEY_BYTES + TAG_BYTES) return undefined;
    for (const [i, wrapper] of this.#wrappers.entries()) {
      try {
        const nonce = wrapped.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, wrapper, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(Buffer.from(kid)).setAuthTag(wrapped.subarray(-TAG_BYTES));
        const ciphertext = wrapped.subarray(NONCE_BYTES, -TAG_BYTES);
        const key = Buffer.concat([decipher.update(ciphertext), decipher.final()]);
        return { key, isCurrent: i === 0 };
      } catch {
        // The next secret may have wrapped it.
      }
    }
    return undefined;
  }
}
