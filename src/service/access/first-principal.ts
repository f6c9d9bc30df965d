import { invalid } from "../../base/error.ts";
import type { AccountId, PrincipalId } from "../../base/ids.ts";
import type { Prng } from "../../base/prng.ts";
import type { AccountCatalog } from "../../catalog/catalog.ts";
import type { Grant, Principal } from "../../catalog/model.ts";
import { OWN_ACTOR } from "../actor.ts";
import { keyOfText, mintKey, parseKeyText } from "./api-keys.ts";
import { externalId } from "./names.ts";
import { bitOf } from "./rights.ts";

const NAME = "admin";

/** What the start is given for the first administrator. */
export interface FirstPrincipal {
  readonly prng: Prng;
  /** The key that it gets; absent: a new one. */
  readonly key: string | undefined;
  /** A subject of an issuer, which is the administrator in place of one with a key. */
  readonly external?: string | undefined;
  /** Told a new key, once. */
  readonly tell: (key: string) => void;
}

/**
 * Makes the first administrator of an account that has no principal yet. Nodes that start together
 * agree: one makes it, and only that one tells its key.
 *
 * @throws FirnError `Invalid` `BOOTSTRAP_KEY_INVALID`.
 */
export async function ensureFirstPrincipal(
  catalog: AccountCatalog,
  { prng, key, external, tell }: FirstPrincipal,
): Promise<void> {
  const { principals, context } = catalog;
  const { items } = await principals.page({ limit: 1 });
  if (items.length > 0) return;
  if (external !== undefined) {
    const identity = { name: external, kind: "EXTERNAL", id: externalId(external) } as const;
    await createFirst(catalog, { ...identity, keys: [] });
    return;
  }
  const createdAtMs = context.clock.nowMs();
  const terms = { description: "bootstrap", createdAtMs, expiresAtMs: 0 };
  const presented = key === undefined ? undefined : parseKeyText(key);
  if (key !== undefined && presented === undefined) {
    const message =
      "FIRN_BOOTSTRAP_KEY must be firn_ID_SECRET: use " +
      "firn_$(openssl rand -hex 10)_$(openssl rand -hex 32)";
    throw invalid("BOOTSTRAP_KEY_INVALID", message);
  }
  const minted =
    key === undefined || presented === undefined
      ? await mintKey(prng, terms)
      : await keyOfText(prng, key, presented, terms);
  const isFirst = await createFirst(catalog, { name: NAME, kind: "LOCAL", keys: [minted.key] });
  if (isFirst && key === undefined) tell(minted.text);
}

/** Whether it is there by this call, and not by another node's. */
async function createFirst(
  { principals, context }: AccountCatalog,
  first: Pick<Principal, "name" | "kind" | "keys"> & { readonly id?: PrincipalId },
): Promise<boolean> {
  try {
    await principals.create(OWN_ACTOR, {
      ...first,
      description: "First administrator",
      properties: {},
      grants: [adminOf(context.account)],
      roles: [],
    });
    return true;
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error;
    if (isTaken && error.code === "PRINCIPAL_ALREADY_EXISTS") return false;
    throw error;
  }
}

/** Everything in an account. */
export function adminOf(account: AccountId): Grant {
  return {
    objectType: "account",
    objectId: account,
    path: [],
    privileges: bitOf("admin"),
  };
}
