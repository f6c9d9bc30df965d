import { FirnError } from "../../base/error.ts";
import type { AccountId } from "../../base/ids.ts";
import { LIMITS } from "../../base/limits.ts";
import { settleAll } from "../../base/settle-all.ts";
import {
  digits19,
  directoryOf,
  FAMILIES,
  type FamilyName,
  leafText,
  parseKey,
} from "../../catalog/keys.ts";
import { CATALOG_LIMITS } from "../../catalog/limits.ts";
import type { ChangeRecord } from "../../catalog/model.ts";
import { listPage } from "../../catalog/pages.ts";
import { fullKey } from "../../catalog/paths.ts";
import { readChange, takeApart } from "../../catalog/walk.ts";
import type { Gathered, GatheredFrom } from "./gathered.ts";
import type { BackupParts } from "./parts.ts";
import { canonicalOf } from "./scope.ts";

/** Readings of the span until two in a row show the same. */
const MAX_READINGS = 100;
/** Minutes of the history that are listed at once: the shorter a reading, the calmer it is. */
const MINUTES_AT_ONCE = 4;
/** Keys that batches write which make, drop, rename or move something. */
const NAMES: ReadonlySet<FamilyName> = new Set<FamilyName>([
  "accountByName",
  "catalogByName",
  "namespaceByPath",
  "relationByName",
  "location",
  "dropped",
]);

/**
 * Reads the records of a span until a second reading of all of it finds no change of names more.
 *
 * Lists are not a snapshot: one reading may miss a batch and show another one that was applied
 * behind it. Where both write one key, its versions say so. But a table needs its namespace, a name
 * is free once what had it is renamed, and no version says either. Between two readings there is an
 * instant before which everything was applied that the first one shows, and the second one shows
 * everything that was applied by then: where both show the same changes of names, those of that
 * instant are known. Commits in place rest on nothing but versions.
 *
 * @returns the time before the last reading.
 * @throws FirnError `Unavailable` `BACKUP_UNSETTLED`.
 */
export async function readSettled(
  parts: BackupParts,
  from: GatheredFrom,
  gathered: Gathered,
): Promise<number> {
  for (let reading = 1; reading <= MAX_READINGS; reading++) {
    const toMs = parts.clock.nowMs();
    const found = await readSpan(parts, from, toMs, gathered);
    if (reading > 1 && !found) return toMs;
  }
  const message = "tables and namespaces are made or renamed too fast: try again when it is calmer";
  throw new FirnError("Unavailable", "BACKUP_UNSETTLED", message, { readings: MAX_READINGS });
}

/**
 * Reads the records of a span of minutes, those that the sweep passed too early among them.
 *
 * @returns whether a change of names is among those that were not known.
 */
async function readSpan(
  parts: BackupParts,
  { account, fromMs, pin }: GatheredFrom,
  toMs: number,
  gathered: Gathered,
): Promise<boolean> {
  const last = Math.floor((toMs + LIMITS.clockSkewMs) / 60_000);
  const first = Math.max(0, Math.floor(fromMs / 60_000));
  let found = false;
  const shard = async (minute: number, index: number): Promise<void> => {
    const bucket = `${digits19(minute)}-${index}`;
    const directory = directoryOf(FAMILIES.change, account, bucket);
    const { items } = await listPage(parts.pointers, directory, {});
    for (const item of items) {
      const id = leafText(item.key) ?? "";
      const walked = gathered.known.has(id) ? undefined : takeApart(item);
      if (walked?.state === "unreadable") throw walked.error;
      if (walked?.state !== "live") continue;
      const record = await readChange(parts.blobs, walked);
      await gathered.addRecord(id, record);
      found ||= changesNames(account, record);
    }
  };
  for (let minute = first; minute <= last; minute += MINUTES_AT_ONCE) {
    await pin.keep();
    const minutes = Array.from({ length: MINUTES_AT_ONCE }, (_, i) => minute + i);
    const { changeShards } = CATALOG_LIMITS;
    await settleAll(
      minutes
        .filter((each) => each <= last)
        .flatMap((each) => Array.from({ length: changeShards }, (_, i) => shard(each, i))),
    );
  }
  return found;
}

/** Whether a batch did more than to give entities that are there another content. */
function changesNames(account: AccountId, { keys }: ChangeRecord): boolean {
  return keys.some(({ key, blobFrom, blobTo }) => {
    const isCanonical = canonicalOf(fullKey(account, key)) !== undefined;
    if (isCanonical) return blobFrom === undefined || blobTo === undefined;
    return NAMES.has(parseKey(fullKey(account, key)).family);
  });
}
