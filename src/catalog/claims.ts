import { assert } from "../base/assert.ts";
import { Stopwatch } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { AccountId, TableId } from "../base/ids.ts";
import { splitKey } from "../base/key-text.ts";
import type { Live } from "../pointer/port.ts";
import type { CatalogContext } from "./context.ts";
import { summaryOfItem } from "./entities.ts";
import { locationOverlaps, locationPending } from "./errors.ts";
import { Holds } from "./holds.ts";
import { leafText, locationDirectory, locationKey } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";

/*
 * A relation claims its exact location. That no other one lies above or below it is shown from
 * above: a claim of a location proves that none of the directories over it is claimed, so of two
 * concurrent claims that overlap, the inner one fails or comes first. A caller that chooses a
 * location above others holds it before it reads the claims below: `holds.ts` says why. A catalog
 * that allows overlaps skips these checks: that is why a purge checks again before it deletes.
 */

/** How a claimed location begins below this one. */
const BELOW = "%2F";

/**
 * The directories over a location, outermost first: from the root on, the root included; without a
 * root, from the authority on. None where the location is the root.
 */
export function directoriesAbove(location: string, root = ""): readonly string[] {
  assert(location.includes("://"), "a location that is claimed has a scheme");
  const above: string[] = [];
  // Past the first character after `://`, so that neither the scheme nor `file://` is a directory.
  const path = location.indexOf("://") + 4;
  const first = Math.max(path, root.endsWith("/") ? root.length - 1 : root.length);
  for (let at = location.indexOf("/", first); at >= 0; at = location.indexOf("/", at + 1)) {
    above.push(location.slice(0, at));
  }
  return above;
}

/**
 * Whether no other claim lies above or below a location that is claimed by `own`. Two reads.
 *
 * @throws FirnError `Overloaded` `LOCATION_PENDING`: another writer is about to have one, or
 * finds out that it cannot be.
 */
export async function isAlone(
  context: CatalogContext,
  location: string,
  own: string,
): Promise<boolean> {
  const { account, pointers } = context;
  const keys = directoriesAbove(location).map((above) => locationKey(account, above));
  const items = keys.length === 0 ? [] : await pointers.getMany(keys);
  const other =
    items.find((item) => item.state === "live") ?? (await claimBelow(context, location, own));
  if (other === undefined) return true;
  await assertClaimed(context, location, other);
  return false;
}

/**
 * Shows that what stands at a location's key, or around it, is not a mere hold. One that has
 * ended is deleted.
 *
 * @throws FirnError `Overloaded` `LOCATION_PENDING`.
 */
export async function assertClaimed(
  context: CatalogContext,
  location: string,
  found: Live,
): Promise<void> {
  const holds = new Holds(context, new Stopwatch(context.clock), false);
  if ((await holds.judge(found)) === "claimed") return;
  throw locationPending(location, CATALOG_LIMITS.holdRetryAfterMs);
}

/**
 * The table that claims the innermost of some locations, given outermost first. Holds do not
 * count. One batch read.
 */
export async function tableClaiming(
  { account, pointers }: Pick<CatalogContext, "account" | "pointers">,
  locations: readonly string[],
): Promise<TableId | undefined> {
  const keys = locations.flatMap((location) => claimKey(account, location) ?? []);
  const items = keys.length === 0 ? [] : await pointers.getMany(keys);
  const claims = items.filter((item): item is Live => item.state === "live").map(summaryOfItem);
  const innermost = claims.findLast(({ heldUntilMs }) => heldUntilMs === undefined);
  return innermost?.entityType === "table" ? (innermost.entityId as TableId) : undefined;
}

/** Undefined where a location is longer than one that can be claimed. */
function claimKey(account: AccountId, location: string): string | undefined {
  try {
    return locationKey(account, location);
  } catch (error) {
    if (error instanceof FirnError && error.code === "LOCATION_TOO_LONG") return undefined;
    throw error;
  }
}

/** Says whose claim stands in the way of a location. */
export function overlapping(location: string, claim: Live): FirnError {
  return locationOverlaps(location, leafText(claim.key) ?? "", summaryOfItem(claim).name);
}

/** A claim below a location that is not `own`'s, or a hold. One list. */
export async function claimBelow(
  { account, pointers }: Pick<CatalogContext, "account" | "pointers">,
  location: string,
  own?: string,
): Promise<Live | undefined> {
  const after = `${splitKey(locationKey(account, location)).leaf}${BELOW}`;
  // Two, since one may be its own, which is to move up.
  const page = await pointers.list(locationDirectory(account), { after, limit: 2 });
  return page.find((item) => splitKey(item.key).leaf.startsWith(after) && !isClaimOf(item, own));
}

/** Whether it is a claim of that very relation, and no mere hold, which is another request's. */
export function isClaimOf(item: Live, id: string | undefined): boolean {
  const { entityId, heldUntilMs } = summaryOfItem(item);
  return entityId === id && heldUntilMs === undefined;
}
