import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import { invalid } from "../../base/error.ts";
import type { AccountId, StorageSecretId } from "../../base/ids.ts";
import type { Prng } from "../../base/prng.ts";

/*
 * Credentials of storage profiles lie in the store encrypted: AES-256-GCM under a key derived from
 * the deployment secret, with account and id as additional data, so that none can be put in
 * another's place. They are shown nowhere, and no error repeats what was given.
 */

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
const PURPOSE = "firn storage profile secret";

/** Keys of a store. */
export interface StoreCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Whose credentials they are. */
interface Place {
  readonly account: AccountId;
  readonly id: StorageSecretId;
}

/** Credentials, and whether the current secret sealed them. */
export interface Opened {
  readonly credentials: StoreCredentials;
  readonly isCurrent: boolean;
}

/** Seals and opens the credentials of storage profiles. */
export class ProfileSecrets {
  readonly #keys: readonly Uint8Array[];
  readonly #prng: Prng;

  /** @param secrets the deployment's: the first one seals, the others only open. */
  constructor(secrets: readonly [Uint8Array, ...Uint8Array[]], prng: Prng) {
    this.#keys = secrets.map(
      (secret) => new Uint8Array(hkdfSync("sha256", secret, "", PURPOSE, KEY_BYTES)),
    );
    this.#prng = prng;
  }

  seal(place: Place, credentials: StoreCredentials): Uint8Array {
    const nonce = this.#prng.bytes(NONCE_BYTES);
    const [key = new Uint8Array()] = this.#keys;
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundTo(place));
    const { accessKeyId, secretAccessKey } = credentials;
    const text = JSON.stringify({ accessKeyId, secretAccessKey });
    const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, body, cipher.getAuthTag()]);
  }

  /** Undefined of what was sealed by another secret, or for another place. */
  open(place: Place, sealed: Uint8Array): Opened | undefined {
    if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
    for (const [i, key] of this.#keys.entries()) {
      try {
        const nonce = sealed.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(boundTo(place)).setAuthTag(sealed.subarray(-TAG_BYTES));
        const body = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
        const text = Buffer.concat([body, decipher.final()]).toString("utf8");
        return { credentials: credentialsIn(text), isCurrent: i === 0 };
      } catch {
        // Another secret of the deployment may have sealed it.
      }
    }
    return undefined;
  }
}

function boundTo({ account, id }: Place): Buffer {
  return Buffer.from(`${account}/${id}`);
}

const MEMBERS: ReadonlySet<string> = new Set(["accessKeyId", "secretAccessKey", "sessionToken"]);

/**
 * Credentials as a JSON object.
 *
 * @throws FirnError `Invalid` `STORAGE_SECRET_INVALID`, which repeats nothing of the text.
 */
export function credentialsIn(text: string): StoreCredentials {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badSecret();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badSecret();
  const { accessKeyId, secretAccessKey, sessionToken } = value as Record<string, unknown>;
  const known = Object.keys(value).every((name) => MEMBERS.has(name));
  if (!known || !isWord(accessKeyId) || !isWord(secretAccessKey)) throw badSecret();
  if (sessionToken === undefined) return { accessKeyId, secretAccessKey };
  if (!isWord(sessionToken)) throw badSecret();
  return { accessKeyId, secretAccessKey, sessionToken };
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,4096}$/.test(value);
}

function badSecret() {
  const message =
    "invalid credentials: give accessKeyId and secretAccessKey, of a file as a JSON object";
  return invalid("STORAGE_SECRET_INVALID", message);
}
