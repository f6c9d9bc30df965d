import { afterAll, beforeAll, describe, test } from "vitest";
import { batchChecks, conditionChecks, versionChecks } from "./pointer-store-checks.ts";
import { outcomeChecks } from "./pointer-store-faults.ts";
import { housekeepingChecks, listChecks } from "./pointer-store-lists.ts";
import { modelChecks } from "./pointer-store-model.ts";
import { raceChecks } from "./pointer-store-races.ts";
import {
  type Checks,
  type PointerStoreCapabilities,
  type PointerStoreSubject,
  Space,
} from "./pointer-store-space.ts";

export type { PointerStoreCapabilities, PointerStoreSubject };

/** Every named check of the contract, by what it is about. */
export const POINTER_STORE_CHECKS: Readonly<Record<string, Checks>> = {
  versions: versionChecks,
  conditions: conditionChecks,
  batches: batchChecks,
  lists: listChecks,
  housekeeping: housekeepingChecks,
  races: raceChecks,
  outcomes: outcomeChecks,
  model: modelChecks,
};

let spaces = 0;

/** A name that no other check of this process, nor of an earlier run on the same store, has. */
function freshSpace(): string {
  return `${process.pid}-${Date.now().toString(36)}-${spaces++}`;
}

/** Runs one check in a space of its own. Rejects where the store breaks the contract. */
export async function runPointerCheck(
  check: Checks[string],
  subject: PointerStoreSubject,
  capabilities: PointerStoreCapabilities,
): Promise<void> {
  await check(subject.store, new Space(subject, capabilities, freshSpace()));
}

/**
 * The contract of a pointer store as tests. `factory` opens one on `TEST_FAMILIES`; all checks
 * share it, so that it may be a real service.
 */
export function describePointerStore(
  name: string,
  factory: () => Promise<PointerStoreSubject>,
  capabilities: PointerStoreCapabilities,
): void {
  describe(`pointer store contract: ${name}`, () => {
    let subject: PointerStoreSubject | undefined;
    beforeAll(async () => {
      subject = await factory();
    });
    afterAll(async () => {
      await subject?.close?.();
    });
    for (const [about, checks] of Object.entries(POINTER_STORE_CHECKS)) {
      describe(about, () => {
        for (const [title, check] of Object.entries(checks)) {
          test(title, async () => {
            if (subject === undefined) throw new Error("the store did not open");
            await runPointerCheck(check, subject, capabilities);
          });
        }
      });
    }
  });
}
