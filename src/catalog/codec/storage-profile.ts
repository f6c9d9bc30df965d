import type Long from "long";
import { assert } from "../../base/assert.ts";
import type { AccountId, StorageProfileId, StorageSecretId } from "../../base/ids.ts";
import type { firn } from "../../gen/firn.js";
import type { StorageProfile } from "../model.ts";
import { sorted } from "../sorted.ts";
import { common, commonOf, type Decoded, decoded } from "./entity-fields.ts";
import {
  bytesBy,
  bytesOf,
  corruptOnThrow,
  type Encode,
  idOf,
  long,
  nameOf,
  STORAGE_SECRET_KIND,
  STORAGE_SIGNING,
  safe,
  unknownOf,
  v1,
  withUnknown,
} from "./wire.ts";

export function storageProfileBody(entity: StorageProfile): Encode {
  const message: firn.v1.StorageProfile.$Properties = {
    ...common(entity),
    roots: [...entity.roots],
    region: entity.region,
    endpoint: entity.endpoint,
    pathStyle: entity.pathStyle,
    roleArn: entity.roleArn,
    stsEndpoint: entity.stsEndpoint,
    kmsKeys: [...entity.kmsKeys],
    vend: entity.vend,
    sign: STORAGE_SIGNING[entity.sign],
    secretKind: STORAGE_SECRET_KIND[entity.secretKind],
    secretFile: entity.secretFile,
    secretId: bytesOf(entity.secretId),
    secretSetAtMs: long(entity.secretSetAtMs),
    properties: sorted(entity.properties),
  };
  return (writer) =>
    v1.StorageProfile.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

export function decodeStorageProfile(bytes: Uint8Array): Decoded<StorageProfile> {
  return decoded(v1.StorageProfile.decode(bytes), (m, id) => ({
    type: "storageProfile",
    id: id as StorageProfile["id"],
    ...commonOf(m, m.name),
    roots: m.roots,
    region: m.region,
    endpoint: m.endpoint,
    pathStyle: m.pathStyle,
    roleArn: m.roleArn,
    stsEndpoint: m.stsEndpoint,
    kmsKeys: m.kmsKeys,
    vend: m.vend,
    sign: nameOf(STORAGE_SIGNING, m.sign),
    secretKind: nameOf(STORAGE_SECRET_KIND, m.secretKind),
    secretFile: m.secretFile,
    ...(m.secretId.length > 0 && { secretId: idOf<StorageSecretId>(m.secretId) }),
    secretSetAtMs: safe(m.secretSetAtMs as Long),
    properties: m.properties,
    ...unknownOf(m),
  }));
}

/** Credentials of a profile, as they are stored. */
export interface StoredSecret {
  readonly profile: StorageProfileId;
  readonly createdAtMs: number;
  readonly sealed: Uint8Array;
}

export function encodeStoredSecret({ profile, createdAtMs, sealed }: StoredSecret): Uint8Array {
  assert(sealed.length > 0, "stored credentials are sealed");
  const message = { profileId: bytesOf(profile), createdAtMs: long(createdAtMs), sealed };
  return bytesBy((writer) => v1.StorageSecretSummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeStoredSecret(bytes: Uint8Array): StoredSecret {
  return corruptOnThrow(() => {
    const m = v1.StorageSecretSummary.decode(bytes);
    const createdAtMs = safe(m.createdAtMs as Long);
    return { profile: idOf(m.profileId), createdAtMs, sealed: m.sealed };
  });
}

/** Whose profile serves a root. */
export interface StorageRootOwner {
  readonly account: AccountId;
  readonly profile: StorageProfileId;
}

export function encodeStorageRoot({ account, profile }: StorageRootOwner): Uint8Array {
  const message = { accountId: bytesOf(account), profileId: bytesOf(profile) };
  return bytesBy((writer) => v1.StorageRootSummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeStorageRoot(bytes: Uint8Array): StorageRootOwner {
  return corruptOnThrow(() => {
    const m = v1.StorageRootSummary.decode(bytes);
    return { account: idOf(m.accountId), profile: idOf(m.profileId) };
  });
}
