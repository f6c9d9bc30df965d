import type { TableUuid } from "../../../src/base/ids.ts";
import type { AccountStores } from "../../../src/catalog/accounts.ts";
import type { AccountCatalog } from "../../../src/catalog/catalog.ts";
import type { Actor } from "../../../src/catalog/context.ts";
import { type Fault, FaultyPointerStore, type Script } from "../../support/faulty-pointer-store.ts";
import { ACTOR, openTestCatalog, testStores } from "../../support/open-catalog.ts";
import { SleepIsTime } from "../../support/virtual-clock.ts";

export const REF = { catalog: "c", path: ["a"] } as const;

/** A request under a key; a new one each time, as after a lost answer. */
export function keyed(
  key = "0199d8a0-0000-7000-8000-000000000001",
  hash = 1,
): Actor & {
  readonly idempotency: NonNullable<Actor["idempotency"]>;
} {
  const requestHash = new Uint8Array(32).fill(hash);
  return { ...ACTOR, idempotency: { key, requestHash, replayed: false } };
}

export async function opened(stores: AccountStores = testStores()): Promise<AccountCatalog> {
  const catalog = await openTestCatalog(stores);
  await catalog.catalogs.create(ACTOR, { name: "c", defaultLocation: "file:///w" });
  return catalog;
}

type Draft = () => Promise<{
  location: string;
  iceberg: { tableUuid: TableUuid; metadataLocation: string; purgeRequested: boolean };
}>;

export function draft(location: string): Draft {
  const metadataLocation = `${location}/metadata/0.metadata.json`;
  const tableUuid = "0199d8a0-0000-7000-8000-00000000000a" as TableUuid;
  return async () => ({
    location,
    iceberg: { tableUuid, metadataLocation, purgeRequested: false },
  });
}

export const FAULTS: readonly Fault[] = [
  { fault: "notSent" },
  { fault: "answerLost" },
  { fault: "late", lands: "release" },
  { fault: "duplicated", lands: "release" },
  { fault: "refused" },
];

/** Two nodes of one store: the calls of the second one fare as the script says. */
export async function pair(script: Script): Promise<{
  readonly stores: AccountStores;
  readonly honest: AccountCatalog;
  readonly node: AccountCatalog;
}> {
  const stores = testStores({ clock: new SleepIsTime() });
  const honest = await opened(stores);
  await honest.namespaces.create(ACTOR, REF, {});
  const pointers = new FaultyPointerStore(stores.pointers, script);
  const node = await openTestCatalog({ ...testStores({ seed: 4 }), ...stores, pointers });
  return { stores, honest, node };
}

/** A script that holds the first commit of a node until it is let go. */
export function heldCommit(): {
  readonly script: Script;
  readonly reached: Promise<void>;
  readonly go: () => void;
  readonly arm: () => void;
} {
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  let armed = false;
  const script: Script = (_index, method) => {
    if (!armed || method !== "commit") return undefined;
    armed = false;
    reached.resolve();
    return { fault: "stalled", applied: "after", until: () => go.promise };
  };
  return {
    script,
    reached: reached.promise,
    go: () => go.resolve(),
    arm: () => {
      armed = true;
    },
  };
}

type Change = (current: { readonly properties: Record<string, string> }) => {
  properties: Record<string, string>;
  detail: string;
};

export const mark =
  (name: string): Change =>
  (current) => ({
    properties: { ...current.properties, [name]: "1" },
    detail: name,
  });
