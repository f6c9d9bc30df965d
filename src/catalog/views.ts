import type { Actor, CatalogContext } from "./context.ts";
import { FAMILIES } from "./keys.ts";
import type { View } from "./model.ts";
import { type RelationRef, Relations } from "./relations.ts";
import type { Resolver } from "./resolve.ts";
import type { Expect } from "./revise.ts";

/** A view by name. */
export type ViewRef = RelationRef;

/** The views of one account. */
export class Views extends Relations<View> {
  constructor(context: CatalogContext, resolver: Resolver) {
    super(context, resolver, {
      type: "view",
      listing: FAMILIES.viewByName,
      make: (common, id) => ({ ...common, type: "view", id }),
    });
  }

  /**
   * Drops a view: its names and claims are free at once, its pointer stays for the retention.
   *
   * @throws FirnError `VIEW_NOT_FOUND`, `PROTECTED`.
   */
  async drop(actor: Actor, ref: ViewRef, expect?: Expect<View>): Promise<void> {
    await this.dropMarked(actor, "drop-view", ref, async (view) => view, expect);
  }
}
