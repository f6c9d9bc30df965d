import { invalid } from "../../base/error.ts";
import { sha256Bytes } from "../../base/hash.ts";
import { idFromBytes, type PrincipalId } from "../../base/ids.ts";

/** The role that every principal is a member of. */
export const EVERYONE = "everyone";

/** `{issuer}/{subject}`. */
export const EXTERNAL_NAME: RegExp = /^[A-Za-z0-9_-]{1,64}\/[\x21-\x7e]{1,190}$/;

const ID_BYTES = 16;
/** Roles of a claim are `issuer:value` and principals of an issuer `issuer/subject`. */
const LOCAL_NAME = /^[A-Za-z0-9_][A-Za-z0-9._@-]{0,127}$/;

/**
 * The name of a principal or role that was made here. It can be neither a subject of an issuer nor
 * a role of a claim, so no token can name it.
 *
 * @throws FirnError `Invalid` `NAME_INVALID`.
 */
export function checkLocalName(name: string): string {
  if (LOCAL_NAME.test(name)) return name;
  const why = "use 1 to 128 of A-Z a-z 0-9 . _ @ -, not beginning with . @ -";
  throw invalid("NAME_INVALID", `invalid principal name: ${why}`, { why });
}

/** The id of an external principal follows from its name: it is the same before it is stored. */
export function externalId(name: string): PrincipalId {
  const bytes = sha256Bytes(`external principal ${name}`).slice(0, ID_BYTES);
  // Version 8 (RFC 9562): ids that are minted are of version 7.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return idFromBytes<PrincipalId>(bytes);
}
