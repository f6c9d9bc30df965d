import { assert } from "../base/assert.ts";
import type { Revision } from "../base/ids.ts";
import type { Version } from "../pointer/port.ts";
import type { Stored } from "./entities.ts";
import type { Entity } from "./model.ts";

/** An entity at one version of its canonical pointer. */
export interface RevisedEntity<E extends Entity> {
  readonly entity: E;
  readonly version: Version;
  readonly revision: Revision;
}

/** A stored entity, at the version it was read. */
export function revisedOf<E extends Entity>(stored: Stored<E>): RevisedEntity<E> {
  const { entity, item, summary } = stored;
  assert(item.version > 0n, "what is stored has a version");
  return { entity, version: item.version, revision: summary.revision };
}
