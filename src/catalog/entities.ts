import type { Item, Live } from "../pointer/port.ts";
import { decodeSummary } from "./codec/summary.ts";
import type { CatalogContext } from "./context.ts";
import { corrupt } from "./errors.ts";
import type { Entity, Envelope, Summary } from "./model.ts";
import { owners } from "./owners.ts";

/** A missing payload may mean that its pointer has moved on: looked at this often. */
const MAX_FOLLOWS = 3;

/** An entity with the pointer it was read through. */
export interface Stored<E extends Entity = Entity> {
  readonly item: Live;
  readonly summary: Summary;
  readonly entity: E;
  readonly envelope: Envelope;
}

const decoded = new WeakMap<Uint8Array, Summary>();

/** The decoded summary of a live item. Kept beside the bytes, which stores hand out unchanged. */
export function summaryOfItem(item: Live): Summary {
  if (item.summary === undefined) throw corrupt("pointer without summary", { key: item.key });
  let summary = decoded.get(item.summary);
  if (summary === undefined) {
    summary = decodeSummary(item.summary);
    decoded.set(item.summary, summary);
  }
  return summary;
}

/** Items whose path was judged: they are immutable, and stores hand them out unchanged. */
const judged = new WeakSet<Live>();

/**
 * Also where the payload is in the cache: its path alone says which pointer may lead to it.
 *
 * @throws FirnError `Corrupt`.
 */
function assertOwned(item: Live, blobPath: string): void {
  if (judged.has(item)) return;
  if (owners(blobPath)?.includes(item.key) !== true) {
    throw corrupt("canonical pointer leads to a foreign payload", { key: item.key });
  }
  judged.add(item);
}

/**
 * Reads the entity behind a canonical pointer. Where the blob is gone the pointer is read again: it
 * has moved, and is followed, or the store has lost a payload.
 *
 * @returns undefined where the pointer died meanwhile.
 * @throws FirnError `Corrupt`.
 */
export async function readEntity<E extends Entity>(
  context: CatalogContext,
  type: E["type"],
  first: Live,
): Promise<Stored<E> | undefined> {
  let item: Item = first;
  for (let follow = 0; follow <= MAX_FOLLOWS; follow++) {
    if (item.state === "absent") return undefined;
    const summary = summaryOfItem(item);
    if (item.blobPath === undefined || summary.entityType !== type) {
      throw corrupt("canonical pointer of another kind", { key: item.key });
    }
    assertOwned(item, item.blobPath);
    const found = await context.payloads.get(type, summary.entityId, item.blobPath);
    if (found !== undefined) {
      return { item, summary, entity: found.entity as E, envelope: found.envelope };
    }
    const again: Item = await context.pointers.get(item.key);
    if (again.version === item.version) break;
    item = again;
  }
  throw corrupt("payload is missing", { key: first.key });
}
