import { FirnError } from "../../base/error.ts";
import type { AccountId } from "../../base/ids.ts";
import type { Locations } from "../../blob/locations.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import { directoryOf, FAMILIES } from "../../catalog/keys.ts";
import type { Summary } from "../../catalog/model.ts";
import { byIdKey } from "../../catalog/paths.ts";
import { takeApart } from "../../catalog/walk.ts";
import type { Live } from "../../pointer/port.ts";
import type { FsckStores } from "./read-set.ts";

/**
 * Allows what the catalogs that are stored allow, for a process that serves none of them: of all
 * accounts, and dropped ones too, whose tables may come back. What cannot be read adds nothing: the
 * check tells of it. One list for the accounts, two and two reads a catalog for each.
 */
export async function learnStoredRoots(stores: FsckStores, locations: Locations): Promise<void> {
  const accounts: string[] = [];
  for await (const { entityId } of shown(stores, directoryOf(FAMILIES.accountByName))) {
    accounts.push(entityId);
  }
  const learn = async (account: AccountId, catalog: string): Promise<void> => {
    for (const root of await rootsOf(stores, account, catalog)) locations.addRoot(root);
  };
  // Deleted accounts are found on the way: those of operators name them.
  for (const each of accounts) {
    const account = each as AccountId;
    for await (const { entityId } of shown(stores, directoryOf(FAMILIES.catalogByName, account))) {
      await learn(account, entityId);
    }
    for await (const gone of shown(stores, directoryOf(FAMILIES.dropped, account))) {
      if (gone.entityType === "catalog") await learn(account, gone.entityId);
      else if (gone.entityType === "account") accounts.push(gone.entityId);
    }
  }
}

/** Summaries of the entities that a directory lists. */
async function* shown({ pointers }: FsckStores, directory: string): AsyncGenerator<Summary> {
  for (let after: string | undefined; ; ) {
    const page: readonly Live[] = await pointers.list(
      directory,
      after === undefined ? {} : { after },
    );
    for (const item of page) {
      const walked = takeApart(item);
      if (walked.state !== "live" || walked.references.content.is !== "name") continue;
      yield walked.references.content.summary;
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.key.slice(last.key.lastIndexOf("/") + 1);
  }
}

async function rootsOf(
  { pointers, blobs }: FsckStores,
  account: AccountId,
  id: string,
): Promise<readonly string[]> {
  const item = await pointers.get(byIdKey("catalog", account, id));
  const blob =
    item.state === "live" && item.blobPath !== undefined
      ? await blobs.get(item.blobPath)
      : undefined;
  if (blob === undefined) return [];
  try {
    const { entity } = decodePayload("catalog", blob.bytes);
    return entity.type === "catalog" ? [entity.defaultLocation, ...entity.allowedLocations] : [];
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Corrupt") return [];
    throw error;
  }
}
