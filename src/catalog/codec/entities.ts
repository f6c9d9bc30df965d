import { FirnError } from "../../base/error.ts";
import type { Entity, Envelope } from "../model.ts";
import { connectorBody, decodeConnector } from "./connector.ts";
import {
  accountBody,
  catalogBody,
  decodeAccount,
  decodeCatalog,
  decodeNamespace,
  namespaceBody,
} from "./containers.ts";
import type { Decoded } from "./entity-fields.ts";
import { type PayloadBytes, payloadOf } from "./envelope.ts";
import { decodePrincipal, principalBody } from "./principal.ts";
import { decodeTable, decodeView, tableBody, viewBody } from "./relations.ts";
import { decodeStorageProfile, storageProfileBody } from "./storage-profile.ts";
import { bytesBy, corruptOnThrow, type Encode } from "./wire.ts";

function contentOf(entity: Entity): Encode {
  switch (entity.type) {
    case "account":
      return accountBody(entity);
    case "catalog":
      return catalogBody(entity);
    case "namespace":
      return namespaceBody(entity);
    case "table":
      return tableBody(entity);
    case "view":
      return viewBody(entity);
    case "connector":
      return connectorBody(entity);
    case "principal":
      return principalBody(entity);
    case "storageProfile":
      return storageProfileBody(entity);
  }
}

/** The payload of an entity. */
export function encodePayload(envelope: Envelope, entity: Entity): PayloadBytes {
  return payloadOf(envelope, contentOf(entity));
}

/** The content of an entity's payload: everything but its envelope. */
export function encodeContent(entity: Entity): Uint8Array {
  return bytesBy(contentOf(entity));
}

/**
 * Reads a payload of the type that its path names.
 *
 * @throws FirnError `Corrupt`, code `PAYLOAD_CORRUPT`: malformed, or of another type.
 */
export function decodePayload(type: Entity["type"], bytes: Uint8Array): Decoded {
  const decoded = corruptOnThrow(() => {
    switch (type) {
      case "account":
        return decodeAccount(bytes);
      case "catalog":
        return decodeCatalog(bytes);
      case "namespace":
        return decodeNamespace(bytes);
      case "table":
        return decodeTable(bytes);
      case "view":
        return decodeView(bytes);
      case "connector":
        return decodeConnector(bytes);
      case "principal":
        return decodePrincipal(bytes);
      case "storageProfile":
        return decodeStorageProfile(bytes);
    }
  });
  if (decoded.envelope.entityType !== type) {
    throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "payload of another type", { type });
  }
  return decoded;
}
