import { type ErrorContext, FirnError } from "../base/error.ts";
import { OWN_ACTOR } from "./actor.ts";
import type { CatalogNode } from "./node.ts";
import { DEFAULT_CATALOG } from "./requests.ts";

/** What the settings of a start say of catalogs. */
export interface GivenCatalogs {
  /** Where tables of the default catalog go. */
  readonly warehouse: string;
  /** Whether that was asked for; else the one that is stored stays. */
  readonly isAsked: boolean;
  readonly catalogs: readonly { readonly name: string; readonly uri?: string }[];
  readonly allowedLocations: readonly string[];
}

/**
 * Makes the catalogs that the settings name, where they are absent, and learns the roots of all
 * that are stored. `notify`: told what an operator should know.
 */
export async function ensureCatalogs(
  admin: CatalogNode["catalogs"],
  { warehouse, isAsked, catalogs, allowedLocations }: GivenCatalogs,
  notify: (text: string, facts: ErrorContext) => void,
): Promise<void> {
  const ensure = async (name: string, uri?: string): Promise<string | undefined> => {
    try {
      return (await admin.ensure(OWN_ACTOR, name, uri)).location;
    } catch (error) {
      if (!(error instanceof FirnError) || error.code !== "CATALOG_DELETING") throw error;
      notify("a catalog is being deleted: the next start makes it again", { catalog: name });
      return undefined;
    }
  };
  const location = await ensure(DEFAULT_CATALOG, warehouse);
  if (isAsked && location !== undefined && location !== warehouse) {
    const before = await admin.moveRoot(OWN_ACTOR, DEFAULT_CATALOG, warehouse);
    if (before !== undefined) {
      notify("new tables go to another warehouse; those that are there stay", {
        before,
        warehouse,
      });
    }
  }
  for (const { name, uri } of catalogs) await ensure(name, uri);
  const changed = await admin.allowGiven(OWN_ACTOR);
  if (changed.length > 0) {
    const facts = { locations: allowedLocations.join(" "), catalogs: changed.length };
    notify("catalogs allow further locations, on every node, from now on", facts);
  }
  await admin.learnRoots(OWN_ACTOR);
}
