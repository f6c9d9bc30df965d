import { sha256Hex } from "../../base/hash.ts";
import type { AccountId } from "../../base/ids.ts";
import type { BlobStore } from "../../blob/port.ts";
import { decodePayload } from "../../catalog/codec/entities.ts";
import type { KeyStep } from "../../catalog/cut.ts";
import type { Account } from "../../catalog/model.ts";
import { payloadPath } from "../../catalog/paths.ts";
import { type AccountState, type Backup, historyGone } from "./format.ts";
import { canonicalOf } from "./scope.ts";

/*
 * What the accounts of a store were earlier. An account is made, renamed and deleted from within
 * another one, whose history tells of it: its own says what lies in it.
 */

/** What each account was before each of some steps, the oldest first. One read for each. */
export async function accountStates(
  blobs: BlobStore,
  steps: readonly KeyStep[],
): Promise<ReadonlyMap<string, readonly AccountState[]>> {
  const found = new Map<string, AccountState[]>();
  const inOrder = steps.toSorted((a, b) => Number(a.versionFrom - b.versionFrom));
  for (const { key, timeMs: untilMs, shaFrom } of inOrder) {
    const id = canonicalOf(key)?.id as AccountId;
    const states = found.get(id) ?? [];
    found.set(id, states);
    if (shaFrom === undefined) states.push({ untilMs, payload: null });
    else {
      const bytes = (await blobs.get(payloadPath("account", id, id, shaFrom)))?.bytes;
      states.push({ untilMs, ...(bytes && { payload: Buffer.from(bytes).toString("base64") }) });
    }
  }
  return found;
}

/** An account as it was: its payload, and what that says. */
export interface AccountThen {
  readonly payload: Uint8Array;
  readonly sha: string;
  readonly entity: Account;
}

/**
 * What another account of a backup was at a time; null: there was none.
 *
 * @returns undefined where it has been what it is ever since.
 * @throws FirnError `NotFound` `BACKUP_HISTORY_GONE`.
 */
export function accountAt(
  { others = [] }: Backup,
  account: string,
  atMs: number | undefined,
): AccountThen | null | undefined {
  if (atMs === undefined) return undefined;
  const { states = [] } = others.find(({ id }) => id === account) ?? {};
  const state = states.find(({ untilMs }) => untilMs > atMs);
  if (state === undefined) return undefined;
  if (state.payload === null) return null;
  if (state.payload === undefined) throw historyGone(account);
  const payload = Buffer.from(state.payload, "base64");
  const { entity } = decodePayload("account", payload);
  return { payload, sha: sha256Hex(payload), entity: entity as Account };
}
