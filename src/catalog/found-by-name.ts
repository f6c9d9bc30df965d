import type { Item } from "../pointer/port.ts";
import type { CatalogContext } from "./context.ts";
import { readEntity, type Stored, summaryOfItem } from "./entities.ts";
import { corrupt } from "./errors.ts";
import type { Entity } from "./model.ts";
import { byIdKey } from "./paths.ts";

/** The name of an entity that was deleted and made again moves under a reader. */
const MAX_LOOKS = 8;

/** What a name of an account means. */
export interface NamedEntity {
  readonly type: "connector" | "principal" | "storageProfile";
  readonly name: string;
  /** Of the pointer by name. */
  readonly key: string;
  readonly notFound: (name: string) => Error;
}

/** An entity of the account by its name, and the pointer that leads to it. Two reads. */
export async function foundByName<E extends Entity>(
  context: CatalogContext,
  { type, name, key, notFound }: NamedEntity,
): Promise<{ readonly stored: Stored<E>; readonly named: Item }> {
  const { account, pointers } = context;
  for (let look = 0; look < MAX_LOOKS; look++) {
    const named = await pointers.get(key);
    if (named.state === "absent") throw notFound(name);
    const { entityId } = summaryOfItem(named);
    const item = await pointers.get(byIdKey(type, account, entityId));
    if (item.state === "absent") continue;
    const stored = await readEntity<E>(context, type, item);
    if (stored !== undefined) return { stored, named };
  }
  throw corrupt("a name leads to nothing", { type, name });
}
