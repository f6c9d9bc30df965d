import type { CatalogContext } from "./context.ts";
import { readEntity, type Stored } from "./entities.ts";
import type { Entity } from "./model.ts";
import { byIdKey } from "./paths.ts";

/** An entity by its id; undefined where there is none, or it was dropped. One read, one payload. */
export async function entityById<E extends Entity>(
  context: CatalogContext,
  type: E["type"],
  id: E["id"],
): Promise<Stored<E> | undefined> {
  const item = await context.pointers.get(byIdKey(type, context.account, id));
  if (item.state === "absent") return undefined;
  const stored = await readEntity<E>(context, type, item);
  return stored?.entity.state === "ACTIVE" ? stored : undefined;
}
