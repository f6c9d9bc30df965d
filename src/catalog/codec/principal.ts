import type Long from "long";
import type { AccountId, PrincipalId } from "../../base/ids.ts";
import type { firn } from "../../gen/firn.js";
import type { ApiKey, Grant, Principal } from "../model.ts";
import { sorted } from "../sorted.ts";
import { common, commonOf, type Decoded, decoded } from "./entity-fields.ts";
import {
  bytesBy,
  bytesOf,
  corruptOnThrow,
  ENTITY_TYPE,
  type Encode,
  idOf,
  long,
  nameOf,
  PRINCIPAL_KIND,
  safe,
  unknownOf,
  v1,
  withUnknown,
} from "./wire.ts";

export function principalBody(entity: Principal): Encode {
  const message: firn.v1.Principal.$Properties = {
    ...common(entity),
    properties: sorted(entity.properties),
    kind: PRINCIPAL_KIND[entity.kind],
    suspended: entity.suspended,
    keys: entity.keys.map((key) => ({
      ...key,
      createdAtMs: long(key.createdAtMs),
      expiresAtMs: long(key.expiresAtMs),
      scram: { ...key.scram },
    })),
    grants: entity.grants.map(({ objectType, objectId, path, privileges }) => ({
      objectType: ENTITY_TYPE[objectType],
      objectId: bytesOf(objectId),
      path: path.map(bytesOf),
      privileges,
    })),
    roles: entity.roles.map(bytesOf),
  };
  return (writer) => v1.Principal.encode(withUnknown(message, entity.unknownFields?.own), writer);
}

export function decodePrincipal(bytes: Uint8Array): Decoded<Principal> {
  return decoded(v1.Principal.decode(bytes), (m, id) => ({
    type: "principal",
    id: id as Principal["id"],
    ...commonOf(m, m.name),
    properties: m.properties,
    kind: nameOf(PRINCIPAL_KIND, m.kind),
    suspended: m.suspended,
    keys: m.keys.map(keyOfMessage),
    grants: m.grants.map(grantOf),
    roles: m.roles.map((role) => idOf<PrincipalId>(role)),
    ...unknownOf(m),
  }));
}

function keyOfMessage(message: firn.v1.ApiKey.$Properties): ApiKey {
  const m = v1.ApiKey.create(message);
  const { salt, iterations, storedKey, serverKey } = v1.ScramVerifier.create(m.scram ?? {});
  return {
    id: m.id,
    secretHash: m.secretHash,
    createdAtMs: safe(m.createdAtMs as Long),
    expiresAtMs: safe(m.expiresAtMs as Long),
    description: m.description,
    scram: { salt, iterations, storedKey, serverKey },
  };
}

function grantOf(message: firn.v1.Grant.$Properties): Grant {
  const m = v1.Grant.create(message);
  return {
    objectType: nameOf(ENTITY_TYPE, m.objectType) as Grant["objectType"],
    objectId: idOf(m.objectId),
    path: m.path.map((id) => idOf(id)),
    privileges: m.privileges,
  };
}

/** Whose an API key is. */
export interface ApiKeyOwner {
  readonly account: AccountId;
  readonly principal: PrincipalId;
}

export function encodeApiKey({ account, principal }: ApiKeyOwner): Uint8Array {
  const message = { accountId: bytesOf(account), principalId: bytesOf(principal) };
  return bytesBy((writer) => v1.ApiKeySummary.encode(message, writer));
}

/** @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`. */
export function decodeApiKey(bytes: Uint8Array): ApiKeyOwner {
  return corruptOnThrow(() => {
    const m = v1.ApiKeySummary.decode(bytes);
    return { account: idOf(m.accountId), principal: idOf(m.principalId) };
  });
}
