import type { Connector } from "../catalog/model.ts";
import type { RemoteCatalog } from "./remote-catalog.ts";
import { keyOf, type RemotePlace } from "./table-import.ts";

/** Namespaces of a remote catalog with what is below them; none means all. */
export type ImportScope = readonly (readonly string[])[];

/** What a connector's policy names. */
export function importScope({ policy }: Pick<Connector, "policy">): ImportScope {
  return policy.scope.map((text) => text.split("."));
}

/**
 * The tables of a remote catalog in the order of their names. `done`: those behind this one.
 *
 * @throws FirnError as `RemoteCatalog`.
 */
export async function* tablesIn(
  remote: Pick<RemoteCatalog, "namespaces" | "tables">,
  { scope, done }: { readonly scope: ImportScope; readonly done?: RemotePlace | undefined },
): AsyncGenerator<RemotePlace, void, undefined> {
  for (const namespace of await remote.namespaces()) {
    if (!isWithin(namespace, scope) || isBefore(namespace, done?.namespace)) continue;
    const isBegun = done !== undefined && keyOf(done.namespace) === keyOf(namespace);
    for (const name of await remote.tables(namespace)) {
      if (!isBegun || name > done.name) yield { namespace, name };
    }
  }
}

function isBefore(path: readonly string[], begun: readonly string[] | undefined): boolean {
  return begun !== undefined && keyOf(path) < keyOf(begun);
}

/** Whether a namespace is one of these or below one; no scope means all. */
function isWithin(path: readonly string[], scope: readonly (readonly string[])[]): boolean {
  if (scope.length === 0) return true;
  return scope.some((above) => above.every((level, i) => level === path[i]));
}
