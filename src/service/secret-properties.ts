import { type FirnError, invalid } from "../base/error.ts";

/*
 * Properties are answered to everybody who may read metadata, stay in every version of the history
 * and in every backup. A secret among them is out, so requests that set one are refused.
 */

/** What the last part of a key is called that holds a secret; `-`, `_` and case do not count. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  "password",
  "passwd",
  "passphrase",
  "secret",
  "secretkey",
  "secretaccesskey",
  "clientsecret",
  "apikey",
  "apitoken",
  "privatekey",
  "accesstoken",
  "authtoken",
  "refreshtoken",
  "sessiontoken",
  "bearertoken",
  "sastoken",
  "token",
  "credential",
  "credentials",
]);

/** Characters of a value that are looked at: a longer value is not a URI with a password. */
const LOOKED_AT = 4_096;
const AWS_KEY_CHARS = 20;

/** Whether a key says that its value is a secret. */
function namesSecret(key: string): boolean {
  if (key.length > LOOKED_AT) return false;
  const last = key.slice(key.lastIndexOf(".") + 1);
  return SECRET_NAMES.has(last.replaceAll("-", "").replaceAll("_", "").toLowerCase());
}

/** Whether a value is one of the secrets that can be told by their form. */
function looksSecret(value: string): boolean {
  if (value.length === AWS_KEY_CHARS && /^(?:AKIA|ASIA)[A-Z0-9]{16}$/.test(value)) return true;
  const head = value.slice(0, LOOKED_AT);
  if (head.includes("-----BEGIN ") && head.includes("PRIVATE KEY-----")) return true;
  return hasPassword(head);
}

/** `scheme://user:password@host`. */
function hasPassword(text: string): boolean {
  const begin = text.indexOf("://");
  if (begin <= 0) return false;
  const rest = text.slice(begin + 3);
  const end = rest.search(/[/?#\s]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const at = authority.lastIndexOf("@");
  const colon = authority.indexOf(":");
  return at > 0 && colon >= 0 && colon < at - 1;
}

/** Whether a property holds a secret, by its key or by its value. An empty one holds nothing. */
export function isSecret(key: string, value: string): boolean {
  return value !== "" && (namesSecret(key) || looksSecret(value));
}

/** Names the keys alone: an error must not repeat a secret. */
export function secretRefused(keys: readonly string[], count: number): FirnError {
  return invalid(
    "PROPERTY_SECRET",
    "properties that look like secrets: everybody who reads metadata sees them; leave them out, " +
      "or see --allow-property",
    { keys: keys.join(", "), count },
  );
}
