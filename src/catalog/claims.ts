import type { FirnError } from "../base/error.ts";
import { splitKey } from "../pointer/key.ts";
import type { Item, Live } from "../pointer/port.ts";
import type { CatalogContext } from "./context.ts";
import { summaryOfItem } from "./entities.ts";
import { locationOverlaps } from "./errors.ts";
import { leafText, locationDirectory, locationKey } from "./keys.ts";

/*
 * A relation claims its exact location. That no other one lies above or below it is shown from
 * above: whoever claims a location proves that none of the directories over it is claimed, so of
 * two that overlap and come at once, the inner one fails or comes first. Who chooses a location
 * above others is met by a look at the claims below, which a rival may slip by: that is why a purge
 * looks again before it deletes.
 */

/** How a claimed location begins below this one. */
const BELOW = "%2F";

/**
 * The directories over a location, outermost first: from the root on, the root included; without a
 * root, from the authority on. None where the location is the root.
 */
export function directoriesAbove(location: string, root = ""): readonly string[] {
  const above: string[] = [];
  // Past the first character after `://`, so that neither the scheme nor `file://` is a directory.
  const path = location.indexOf("://") + 4;
  const first = Math.max(path, root.endsWith("/") ? root.length - 1 : root.length);
  for (let at = location.indexOf("/", first); at >= 0; at = location.indexOf("/", at + 1)) {
    above.push(location.slice(0, at));
  }
  return above;
}

/** Whether nobody holds a claim above or below a location that is `own`'s. Two reads. */
export async function isAlone(
  context: Pick<CatalogContext, "account" | "pointers">,
  location: string,
  own: string,
): Promise<boolean> {
  const { account, pointers } = context;
  const keys = directoriesAbove(location).map((above) => locationKey(account, above));
  const items = keys.length === 0 ? [] : await pointers.getMany(keys);
  if (items.some((item) => item.state === "live")) return false;
  return (await claimBelow(context, location, own)) === undefined;
}

/** Says whose claim stands in the way of a location. */
export function overlapping(location: string, claim: Live): FirnError {
  return locationOverlaps(location, leafText(claim.key) ?? "", summaryOfItem(claim).name);
}

/** @throws FirnError `LOCATION_OVERLAPS`: one of the directories above is claimed. */
export function assertNoneClaimed(location: string, above: readonly Item[]): void {
  for (const item of above) if (item.state === "live") throw overlapping(location, item);
}

/** A claim below a location that is not `own`'s. One list. */
export async function claimBelow(
  { account, pointers }: Pick<CatalogContext, "account" | "pointers">,
  location: string,
  own?: string,
): Promise<Live | undefined> {
  const after = `${splitKey(locationKey(account, location)).leaf}${BELOW}`;
  // Two, since one may be its own, which is to move up.
  const page = await pointers.list(locationDirectory(account), { after, limit: 2 });
  return page.find(
    (item) => splitKey(item.key).leaf.startsWith(after) && summaryOfItem(item).entityId !== own,
  );
}
