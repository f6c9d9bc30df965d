import type Long from "long";
import type { PrincipalId } from "../../base/ids.ts";
import type { firn } from "../../gen/firn.js";
import type { Catalog, DroppableEntity, Entity, Envelope } from "../model.ts";
import { envelopeOf } from "./envelope.ts";
import { bytesOf, idOf, long, nameOf, STATE, safe } from "./wire.ts";

/** A decoded payload: who wrote it when, and what it says. */
export interface Decoded<E extends Entity = Entity> {
  readonly envelope: Envelope;
  readonly entity: E;
}

/** What every entity has, but the type and the id, which are the envelope's. */
type CommonFields = Pick<
  Entity,
  "name" | "description" | "createdAtMs" | "state" | "nameRevision" | "owner"
>;

/** The same, as all messages of entities have it. */
type Common = Required<
  Pick<
    firn.v1.Account.$Properties,
    "name" | "description" | "createdAtMs" | "state" | "nameRevision"
  >
> & { readonly owner?: Uint8Array };

type Droppable = Required<Pick<firn.v1.Catalog.$Properties, "protected" | "purgeAfterMs">>;

/** The fields that every entity has, as its message holds them. */
export function common(entity: Entity): Common {
  return {
    name: entity.name,
    description: entity.description,
    createdAtMs: long(entity.createdAtMs),
    state: STATE[entity.state],
    nameRevision: bytesOf(entity.nameRevision),
    ...(entity.owner !== undefined && { owner: bytesOf(entity.owner) }),
  };
}

/** The fields of what can be dropped, as its message holds them. */
export function droppable(entity: DroppableEntity): Droppable {
  return { protected: entity.protected, purgeAfterMs: long(entity.purgeAfterMs) };
}

interface CommonMessage {
  description: string;
  createdAtMs: Long;
  state: number;
  nameRevision: Uint8Array;
  owner?: Uint8Array;
}

/** Reads the fields that every entity has. @throws FirnError `Corrupt`. */
export function commonOf(message: CommonMessage, name: string): CommonFields {
  return {
    name,
    description: message.description,
    createdAtMs: safe(message.createdAtMs),
    state: nameOf(STATE, message.state),
    nameRevision: idOf(message.nameRevision) as Entity["nameRevision"],
    ...(message.owner?.length && { owner: idOf<PrincipalId>(message.owner) }),
  };
}

/** Reads the fields of what can be dropped. @throws FirnError `Corrupt`. */
export function droppableOf(message: {
  protected: boolean;
  purgeAfterMs: Long;
}): Pick<Catalog, "protected" | "purgeAfterMs"> {
  return { protected: message.protected, purgeAfterMs: safe(message.purgeAfterMs) };
}

/** An entity with the envelope of its message. */
export function decoded<
  E extends Entity,
  M extends { envelope?: firn.v1.Envelope.$Properties | null },
>(message: M, read: (message: M, id: string) => E): Decoded<E> {
  const envelope = envelopeOf(message.envelope);
  return { envelope, entity: read(message, envelope.entityId) };
}
