import { assert } from "../base/assert.ts";
import type { Revision } from "../base/ids.ts";
import type { Version } from "../pointer/port.ts";
import type { Stored } from "./entities.ts";
import type { Entity } from "./model.ts";
import type { Authorship } from "./payloads.ts";

/** An entity at one version of its canonical pointer. */
export interface RevisedEntity<E extends Entity> {
  readonly entity: E;
  readonly version: Version;
  readonly revision: Revision;
  /** When the change began that made it so, and by whom. */
  readonly updatedAtMs: number;
  readonly updatedBy: string;
}

/** What a change makes of an entity. */
export function revisedBy<E extends Entity>(
  { revision, updatedAtMs, updatedBy }: Authorship,
  entity: E,
  version: Version,
): RevisedEntity<E> {
  return { entity, version, revision, updatedAtMs, updatedBy };
}

/** A stored entity, at the version it was read. */
export function revisedOf<E extends Entity>(stored: Stored<E>): RevisedEntity<E> {
  const { entity, item, envelope } = stored;
  assert(item.version > 0n, "what is stored has a version");
  return revisedBy(envelope, entity, item.version);
}
