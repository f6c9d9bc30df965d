import type { CatalogContext } from "../../catalog/context.ts";
import { readEntity, summaryOfItem } from "../../catalog/entities.ts";
import { FAMILIES, keyOf } from "../../catalog/keys.ts";
import type { Namespace, Summary } from "../../catalog/model.ts";
import {
  type NameAccess,
  type NamedObject,
  type ObjectPath,
  objectOf,
} from "../../catalog/name-access.ts";
import { byIdKey } from "../../catalog/paths.ts";
import type { Item } from "../../pointer/port.ts";

type Kind = "catalog" | "namespace" | "table" | "view";

/** What lies above an entity, read at once; undefined where the caller may not know of it. */
type Above = readonly NamedObject[] | undefined;

/**
 * Whether a request may know of what has an id. What it may not know costs the same reads of
 * pointers as an id that nothing has: a catalog one, a namespace two, a table or view three. A
 * payload is read where this node has not kept it.
 */
export class KnownIds {
  readonly #context: CatalogContext;

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  async has(access: NameAccess, kind: Kind, id: string): Promise<boolean> {
    return (await this.pathOf(access, kind, id)) !== undefined;
  }

  /** From its catalog to what has an id; undefined where the request may not know of it. */
  async pathOf(access: NameAccess, kind: Kind, id: string): Promise<ObjectPath | undefined> {
    const { account, pointers } = this.#context;
    const own = byIdKey(kind, account, id);
    const item = await pointers.get(own);
    const summary = activeOf(item);
    const above = await this.#above(kind, own, item, summary);
    if (summary === undefined || above === undefined) return undefined;
    const path = [...above, objectOf(summary)];
    return access.sees(path) ? path : undefined;
  }

  async #above(kind: Kind, own: string, item: Item, summary: Summary | undefined): Promise<Above> {
    switch (kind) {
      case "catalog":
        return [];
      case "namespace":
        return this.#aboveNamespace(own, item, summary);
      case "table":
      case "view":
        return this.#aboveRelation(own, summary);
    }
  }

  /** One read of pointers, whether there is something or not. */
  async #aboveNamespace(own: string, item: Item, summary: Summary | undefined): Promise<Above> {
    const { account, pointers } = this.#context;
    const namespace = await this.#namespaceOf(item, summary);
    if (namespace === undefined) {
      await pointers.getMany([own]);
      return undefined;
    }
    const { catalogId, path } = namespace;
    const parents = path.slice(1).map((_, depth) => path.slice(0, depth + 1));
    const keys = [
      byIdKey("catalog", account, catalogId),
      ...parents.map((each) => keyOf(FAMILIES.namespaceByPath, account, catalogId, each)),
    ];
    return objectsOf(await pointers.getMany(keys));
  }

  /** Two reads of pointers, whether there is something or not. */
  async #aboveRelation(own: string, summary: Summary | undefined): Promise<Above> {
    const { account, pointers } = this.#context;
    const parent = summary?.parentId;
    const key = parent === undefined ? own : byIdKey("namespace", account, parent);
    const [item] = await pointers.getMany([key]);
    const found = parent === undefined || item === undefined ? undefined : activeOf(item);
    if (item === undefined || found === undefined) {
      await pointers.getMany([own]);
      return undefined;
    }
    const above = await this.#aboveNamespace(own, item, found);
    return above === undefined ? undefined : [...above, objectOf(found)];
  }

  async #namespaceOf(item: Item, summary: Summary | undefined): Promise<Namespace | undefined> {
    if (summary === undefined || item.state === "absent") return undefined;
    return (await readEntity<Namespace>(this.#context, "namespace", item))?.entity;
  }
}

function activeOf(item: Item): Summary | undefined {
  if (item.state === "absent") return undefined;
  const summary = summaryOfItem(item);
  return summary.state === "ACTIVE" ? summary : undefined;
}

/** Undefined where one of them has gone meanwhile. */
function objectsOf(items: readonly Item[]): Above {
  const summaries = items.map(activeOf);
  const there = summaries.filter((each) => each !== undefined);
  return there.length === items.length ? there.map(objectOf) : undefined;
}
