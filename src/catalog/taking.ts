import { assert } from "../base/assert.ts";
import { settleAll } from "../base/settle-all.ts";
import type { Item, Live } from "../pointer/port.ts";
import { never } from "./batch.ts";
import { claimBelow, isClaimOf, overlapping } from "./claims.ts";
import type { CatalogContext } from "./context.ts";
import { summaryOfItem } from "./entities.ts";
import { locationPending, locationTaken, tableUuidTaken } from "./errors.ts";
import { locationKey } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { Relation } from "./model.ts";
import { byIdKey } from "./paths.ts";
import { type Attempt, REPLAN, type Refused, refuse } from "./repository.ts";
import { fenceKey, type IndexChange, newIndex, otherOfUuid, tableOfEntry } from "./table-index.ts";

/** A relation that is to take a location. */
export interface Taking {
  readonly relation: Relation;
  /** Directories over the location that no other relation may have claimed. */
  readonly above: readonly string[];
  /** A client chose it, so others may lie below it. */
  readonly chosen: boolean;
  /** Directories elsewhere that it writes to. */
  readonly elsewhere: readonly string[];
  /** Named for this relation as it is made, so it was never claimed before. */
  readonly fresh: boolean;
  /** Looks for what else may be in the way of a location that is held. */
  readonly apart?: (() => Promise<void>) | undefined;
  /** What a refusal has to read again. */
  readonly proof: readonly Item[];
}

/**
 * Of a uuid that was not minted here. `own`: no other table may have it; `shared`: others may, as
 * where the same metadata is registered again.
 */
export type UuidGiven = "own" | "shared";

type Met = Refused | typeof REPLAN;

/**
 * The item that a claim is to be put over; a chosen location is held from then on. A fresh one
 * costs no read before a request was refused, since the batch proves that it is free. `known`: what
 * stands there, where it was just read.
 *
 * @throws FirnError `Overloaded` `LOCATION_PENDING`, `STORE_OVERLOADED`; `Unavailable`.
 */
export async function takeLocation(
  context: CatalogContext,
  attempt: Attempt,
  taking: Taking,
  known?: Item,
): Promise<{ readonly claim: Item } | Met> {
  const { relation, chosen, fresh, proof } = taking;
  const { round, holds } = attempt;
  const { location } = relation;
  const key = locationKey(context.account, location);
  const taken = (by: Live) => {
    const error = locationTaken(location, summaryOfItem(by).name);
    return meet(attempt, by, location, refuse(error, ...proof));
  };
  if (!chosen) {
    if (fresh && round === 0) return { claim: never(key) };
    const [claim = never(key)] = known ? [known] : await context.pointers.getMany([key]);
    return claim.state === "live" ? taken(claim) : { claim };
  }
  if (round > 0) await holds.recheck();
  if (round > 0 && !holds.has(key)) {
    const met = await lookAround(context, attempt, taking);
    if (met !== undefined) return met;
  }
  const claim = await holds.take(key, relation, known);
  assert(claim.key === key, "a hold is of the location that was asked for");
  if (claim.state === "absent" || holds.has(key)) return { claim };
  await holds.release();
  return taken(claim);
}

/**
 * What stands in the way of a relation whose location was taken: claims and holds below it, if it
 * was chosen, and below where else it writes; once a request was refused, those above it too, which
 * its batch proves to be absent. One list a directory, and one read in later rounds.
 *
 * @throws FirnError as `takeLocation`, and what `apart` throws.
 */
export async function lookAround(
  context: CatalogContext,
  attempt: Attempt,
  taking: Taking,
): Promise<Met | undefined> {
  const { account, pointers } = context;
  const { relation, above, chosen, elsewhere, apart, proof } = taking;
  const { round, holds } = attempt;
  const { id, location } = relation;
  const overhead = round === 0 ? [] : above.map((at) => locationKey(account, at));
  const directories = [...(chosen ? [location] : []), ...elsewhere];
  const nothing: readonly Item[] = [];
  const [over, below] = await settleAll([
    overhead.length === 0 ? nothing : pointers.getMany(overhead),
    settleAll(directories.map((directory) => claimBelow(context, directory, id))),
    apart?.(),
  ]);
  const refusal = (by: Live) => refuse(overlapping(location, by), ...proof);
  const isOther = (item: Item): item is Live =>
    item.state === "live" && !holds.has(item.key) && !isClaimOf(item, id);
  const outer = over.find(isOther);
  if (outer !== undefined) return meet(attempt, outer, location, refusal(outer));
  const inner = below.find((claim): claim is Live => claim !== undefined);
  if (inner === undefined) return undefined;
  const met = await meet(attempt, inner, location, refusal(inner));
  if (met === REPLAN) await holds.release();
  return met;
}

/**
 * The index entries of a relation that is made, and the fence of its uuid where that was given. For
 * one that is to be its own: one list, and one read in later rounds; two more to refuse.
 */
export async function takeUuid(
  context: CatalogContext,
  { round }: Attempt,
  relation: Relation,
  given: UuidGiven | undefined,
  proof: readonly Item[],
): Promise<IndexChange | Refused> {
  assert(relation.state === "ACTIVE", "a relation that takes a uuid is active");
  const index = newIndex(context.account, relation);
  const uuid = relation.type === "table" ? relation.iceberg?.tableUuid : undefined;
  if (given === undefined || uuid === undefined || relation.type !== "table") return index;
  // A staged uuid is new as a rule: in the first round its fence is taken as never written, which
  // the batch proves. The same table may be registered again and again.
  const key = fenceKey(context.account, uuid);
  const isNew = given === "own" && round === 0;
  const fence = isNew ? never(key) : await context.pointers.get(key);
  // The fence is read first: a request that the list does not show writes the fence after it.
  const other = given === "own" ? await otherOfUuid(context, uuid, relation.id) : undefined;
  if (other === undefined) return { ...index, fence };
  const root = await context.pointers.get(
    byIdKey("table", context.account, tableOfEntry(other.key)),
  );
  const name = root.state === "live" ? summaryOfItem(root).name : tableOfEntry(other.key);
  return refuse(tableUuidTaken(uuid, name), other, ...proof);
}

/** What becomes of a plan that another's claim or hold stands in the way of. */
async function meet(
  { round, holds }: Attempt,
  other: Live,
  location: string,
  refusal: Refused,
): Promise<Met> {
  switch (await holds.judge(other)) {
    case "claimed":
      return refusal;
    case "ended":
      return REPLAN;
    case "pending":
      if (round < CATALOG_LIMITS.holdRounds) return REPLAN;
      throw locationPending(location, CATALOG_LIMITS.holdRetryAfterMs);
  }
}
