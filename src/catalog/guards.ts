import { crc32 } from "node:zlib";
import { assert } from "../base/assert.ts";
import type { AccountId } from "../base/ids.ts";
import type { Item } from "../pointer/port.ts";
import { type BatchBuilder, never } from "./batch.ts";
import { corrupt } from "./errors.ts";
import { FAMILIES, keyOf } from "./keys.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { Catalog, Namespace, Summary } from "./model.ts";

/*
 * Guards fence the tree. Every catalog and namespace owns eight guard pointers, put when it
 * appears. Whatever makes a child appear bumps one of the generation it resolved; whatever makes
 * the parent vanish, or changes what its name means, deletes all eight at versions it read before
 * it looked at the children. So either the child's batch is first, and the parent's deletes fail
 * and it looks again, or the parent's is first, and the child's bump fails and it resolves again. A
 * mere check by the parent would not stop a creator that comes later.
 */

type ParentType = "catalog" | "namespace";

function guardKey(
  type: ParentType,
  account: AccountId,
  id: string,
  generation: number,
  guard: number,
): string {
  // It was read: a parent has guards from its first generation on.
  if (generation < 1) throw corrupt("a parent without a generation of guards", { type, id });
  const family = type === "catalog" ? FAMILIES.catalogGuard : FAMILIES.namespaceGuard;
  return keyOf(family, account, id, String(generation), String(guard));
}

/** All guards of a parent's generation. */
export function guardKeys(
  account: AccountId,
  type: ParentType,
  id: string,
  generation: number,
): readonly string[] {
  const keys: string[] = [];
  for (let guard = 0; guard < CATALOG_LIMITS.guards; guard++) {
    keys.push(guardKey(type, account, id, generation, guard));
  }
  return keys;
}

/** The guard that a child of this name bumps: names spread over all, so creators rarely meet. */
export function guardOf(account: AccountId, parent: Summary, childName: string): string {
  const type = parent.entityType;
  assert(type === "catalog" || type === "namespace", "only what has children has guards");
  assert(parent.state === "ACTIVE", "nothing is made below what is dropped, or is to be");
  const guard = crc32(childName) % CATALOG_LIMITS.guards;
  return guardKey(type, account, parent.entityId, parent.guardGeneration, guard);
}

/** Puts the guards of a parent's generation. A generation is never used twice. */
export function putGuards(
  batch: BatchBuilder,
  account: AccountId,
  parent: Catalog | Namespace,
): void {
  assert(parent.state === "ACTIVE", "guards stand while children may come");
  for (const key of guardKeys(account, parent.type, parent.id, parent.guardGeneration)) {
    batch.derive(never(key), {});
  }
}

/** Deletes the guards at the versions that were read before the children were listed. */
export function deleteGuards(batch: BatchBuilder, guards: readonly Item[]): void {
  const isWhole =
    guards.length === CATALOG_LIMITS.guards && guards.every(({ state }) => state === "live");
  assert(isWhole, "all guards go at once: a child that comes meanwhile bumps one of them");
  for (const guard of guards) batch.deriveDelete(guard);
}
