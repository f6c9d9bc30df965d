import { afterEach, beforeEach, describe, it } from "vitest";
import type { BlobStore } from "../../src/blob/port.ts";
import {
  type BlobCapabilities,
  type BlobCheck,
  listChecks,
  pathChecks,
  readChecks,
  writeChecks,
} from "./blob-store-checks.ts";
import { modelCheck } from "./blob-store-model.ts";
import { raceChecks } from "./blob-store-races.ts";

export type { BlobCapabilities } from "./blob-store-checks.ts";

/** An empty store, and other handles of the same store that take part in races. */
export interface OpenedBlobStore {
  readonly store: BlobStore;
  readonly rivals?: readonly BlobStore[];
  close?(): Promise<void>;
}

/** Every check of the contract by name; each wants an empty store. */
export function blobChecks(
  capabilities: BlobCapabilities,
  rivals?: (store: BlobStore) => readonly BlobStore[],
): Readonly<Record<string, BlobCheck>> {
  return {
    ...readChecks,
    ...writeChecks,
    ...listChecks(capabilities),
    ...pathChecks(capabilities),
    ...raceChecks(capabilities, rivals),
    "any sequence of operations does what it would do to a map": modelCheck(capabilities),
  };
}

/** Runs the contract of the port on an adapter, each check on a store of its own. */
export function describeBlobStore(
  name: string,
  factory: () => Promise<OpenedBlobStore>,
  capabilities: BlobCapabilities,
): void {
  describe(`${name} keeps the contract of a blob store`, () => {
    let opened: OpenedBlobStore;
    beforeEach(async () => {
      opened = await factory();
    });
    afterEach(() => opened.close?.());

    const checks = blobChecks(capabilities, () => opened.rivals ?? []);
    for (const [property, check] of Object.entries(checks)) {
      const reason = capabilities.serverFails?.[property];
      if (reason === undefined) it(property, () => check(opened.store));
      else it.skip(`${property}: not here: ${reason}`);
    }
  });
}
