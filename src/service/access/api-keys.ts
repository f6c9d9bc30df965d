import { createHash, createHmac, pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { sha256Bytes } from "../../base/hash.ts";
import type { Prng } from "../../base/prng.ts";
import type { ApiKey, ScramVerifier } from "../../catalog/model.ts";

/*
 * An API key is `firn_{id}_{secret}`: the id finds it, the secret proves it. The secret has 256
 * random bits, so one round of SHA-256 protects it: a search cannot find it, and a slow hash would
 * only make every wrong guess expensive for the server.
 */

const ID_BYTES = 10;
const SECRET_BYTES = 32;
const SALT_BYTES = 16;
/** What PostgreSQL uses. The password is random, so more rounds would protect nothing. */
const SCRAM_ITERATIONS = 4_096;
const SCRAM_KEY_BYTES = 32;
/** A key that an operator made: at least 128 bits, whatever alphabet they are written in. */
const KEY = /^firn_([a-z0-9]{8,32})_([A-Za-z0-9_-]{32,128})$/;

const derive = promisify(pbkdf2);

/** A key taken apart. */
export interface PresentedKey {
  readonly id: string;
  readonly secret: string;
}

/** A new key: its text is shown once, the rest is stored. */
export interface MintedKey {
  readonly text: string;
  readonly key: ApiKey;
}

/** What a new key is made for. */
export interface KeyTerms {
  readonly description: string;
  readonly createdAtMs: number;
  /** 0: never. */
  readonly expiresAtMs: number;
}

/** The parts of a text that has the form of a key. */
export function parseKeyText(text: string): PresentedKey | undefined {
  const match = KEY.exec(text);
  if (match === null) return undefined;
  const [, id = "", secret = ""] = match;
  return { id, secret };
}

export async function mintKey(prng: Prng, terms: KeyTerms): Promise<MintedKey> {
  const id = Buffer.from(prng.bytes(ID_BYTES)).toString("hex");
  const secret = Buffer.from(prng.bytes(SECRET_BYTES)).toString("base64url");
  return keyOfText(prng, `firn_${id}_${secret}`, { id, secret }, terms);
}

/** What is stored of a key whose text is given. */
export async function keyOfText(
  prng: Prng,
  text: string,
  { id, secret }: PresentedKey,
  terms: KeyTerms,
): Promise<MintedKey> {
  const scram = await scramVerifier(text, prng.bytes(SALT_BYTES));
  return { text, key: { id, secretHash: sha256Bytes(secret), scram, ...terms } };
}

/** Whether a secret is that of a stored key; in constant time. */
export function isSecretOf({ secretHash }: Pick<ApiKey, "secretHash">, secret: string): boolean {
  return timingSafeEqual(sha256Bytes(secret), secretHash);
}

/** Takes as long as a comparison with a key that is there. */
export function compareWithNone(secret: string): false {
  timingSafeEqual(sha256Bytes(secret), Buffer.alloc(SECRET_BYTES));
  return false;
}

/** What SCRAM-SHA-256 stores of a password (RFC 5802, section 3): the whole text of the key. */
async function scramVerifier(password: string, salt: Uint8Array): Promise<ScramVerifier> {
  const salted = await derive(password, salt, SCRAM_ITERATIONS, SCRAM_KEY_BYTES, "sha256");
  const hmac = (text: string) => createHmac("sha256", salted).update(text).digest();
  const storedKey = createHash("sha256").update(hmac("Client Key")).digest();
  const serverKey = hmac("Server Key");
  return { salt, iterations: SCRAM_ITERATIONS, storedKey, serverKey };
}
