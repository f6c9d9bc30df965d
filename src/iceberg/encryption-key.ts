import type { JsonObject } from "../base/json.ts";
import {
  asStringMap,
  fieldInvalid,
  memberPath,
  optionalMember,
  optionalString,
  requireString,
} from "../base/json-read.ts";
import { Fragment } from "./fragment.ts";

/** A key that encrypts files of the table, itself encrypted. The fragment holds all of it. */
export interface EncryptionKey {
  readonly keyId: string;
  readonly fragment: Fragment;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** @throws FirnError `Invalid`, a `FIELD_…` code. */
export function parseEncryptionKey(object: JsonObject, at: string): EncryptionKey {
  if (!BASE64.test(requireString(object, "encrypted-key-metadata", at))) {
    throw fieldInvalid(memberPath(at, "encrypted-key-metadata"), "base64");
  }
  optionalString(object, "encrypted-by-id", at);
  optionalMember(object, "properties", asStringMap, at);
  return { keyId: requireString(object, "key-id", at), fragment: new Fragment(object) };
}
