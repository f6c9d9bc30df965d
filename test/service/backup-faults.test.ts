import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { findBackup } from "../../src/service/backup/format.ts";
import { restoreBackup } from "../../src/service/backup/restore.ts";
import { takeBackup } from "../../src/service/backup/take.ts";
import * as op from "../catalog/support/operations.ts";
import { entityHash } from "../support/entity-hash.ts";
import { openTestCatalog, type TestStores, testStores } from "../support/open-catalog.ts";
import { casesOf } from "../support/pointer-kind.ts";
import { SleepIsTime } from "../support/virtual-clock.ts";

const WEEK_MS = 7 * 86_400_000;
/** Refusals in a row. */
const REFUSALS = 3;
/** Of some thousand faults of a backup, those of `npm test`. */
const SAMPLED = 60;

/** How a store refuses a call. `lost`: it is applied, and the answer never comes; `unsent`: not. */
const FAULTS = ["throttled", "unavailable", "lost", "unsent"] as const;
type Fault = (typeof FAULTS)[number];

/** Which call fails, how, and how many were made of each kind. */
interface Plan {
  readonly at: number;
  readonly fault: Fault;
  calls: number;
  refused: number;
}

const errorOf = (fault: Fault): FirnError =>
  fault === "throttled"
    ? new FirnError("Overloaded", "BLOB_STORE_OVERLOADED", "slow down", { retryAfterMs: 50 })
    : new FirnError(fault === "unavailable" ? "Unavailable" : "Unknown", "STORE_AWAY", "not now");

function isRefused(plan: Plan): boolean {
  const isIt = plan.calls >= plan.at && plan.refused < REFUSALS;
  if (isIt) plan.refused++;
  else plan.calls++;
  return isIt;
}

/** A store that refuses a few calls in a row, from the one of the plan on. */
function refusing<T extends object>(inner: T, plan: Plan): T {
  return new Proxy(inner, {
    get: (to, name) => {
      const value: unknown = Reflect.get(to, name);
      if (typeof value !== "function") return value;
      const call = (args: unknown[]): unknown =>
        (value as (...all: unknown[]) => unknown).apply(to, args);
      if (name === "sweep") {
        return async function* (...args: unknown[]) {
          for await (const item of call(args) as AsyncIterable<unknown>) {
            if (isRefused(plan)) throw errorOf(plan.fault);
            yield item;
          }
        };
      }
      return async (...args: unknown[]) => {
        if (!isRefused(plan)) return call(args);
        if (plan.fault === "lost") await call(args);
        if (name === "commit" && plan.fault === "throttled") {
          return { outcome: "overloaded", retryAfterMs: 50 };
        }
        if (name === "commit" && plan.fault !== "unavailable") return { outcome: "unknown" };
        throw errorOf(plan.fault);
      };
    },
  });
}

async function filled(): Promise<TestStores> {
  const stores = testStores({ clock: new SleepIsTime() });
  const node = { catalog: await openTestCatalog(stores), blobs: stores.blobs };
  for (const each of [
    op.createCatalog("c"),
    op.createNamespace("s"),
    op.createTable("s.t"),
    op.createTable("s.gone"),
    op.commitSnapshots("s.t", [6n]),
    op.dropTableWithFiles("s.gone"),
    op.createView("s.v"),
  ]) {
    expect(await op.answerOf(node, each)).not.toMatch(/^[A-Z]/);
  }
  return stores;
}

/** Takes a backup and restores it, where one call in each is refused. */
async function roundTrip(stores: TestStores, taking: Plan, restoring: Plan): Promise<string> {
  const { clock } = stores;
  const target = new MemoryBlobStore(clock);
  const parts = {
    ...stores,
    pointers: refusing(stores.pointers, taking),
    blobs: refusing(stores.blobs, taking),
    target: refusing(target, taking),
    historyRetentionMs: WEEK_MS,
  };
  await takeBackup(parts, "default");
  const into = testStores({ clock, seed: 99 });
  const backup = await findBackup(target);
  const pointers = refusing(into.pointers, restoring);
  const blobs = refusing(into.blobs, restoring);
  const source = refusing(target, restoring);
  await restoreBackup({ ...into, pointers, blobs, source }, backup);
  return (await entityHash(into.pointers)).hash;
}

const planOf = (at: number, fault: Fault): Plan => ({ at, fault, calls: 0, refused: 0 });
const never = (): Plan => planOf(Number.POSITIVE_INFINITY, "lost");

test("a backup and a restore go on where a store refuses any of their calls", async () => {
  const stores = await filled();
  const { hash } = await entityHash(stores.pointers);
  const [taking, restoring] = [never(), never()];
  expect(await roundTrip(stores, taking, restoring)).toBe(hash);
  expect(taking.calls).toBeGreaterThan(100);
  const each = (calls: number) =>
    FAULTS.flatMap((fault) => Array.from({ length: calls }, (_, at) => planOf(at, fault)));
  const cases = [
    ...casesOf(each(taking.calls), SAMPLED, SAMPLED).map((plan) => [plan, never()] as const),
    ...each(restoring.calls).map((plan) => [never(), plan] as const),
  ];
  for (const [take, restore] of cases) {
    const { at, fault } = take.at < Number.POSITIVE_INFINITY ? take : restore;
    const where = `${take.at < restore.at ? "backup" : "restore"} call ${at} ${fault}`;
    const got = await roundTrip(stores, take, restore).catch((error: unknown) => String(error));
    expect([where, got]).toEqual([where, hash]);
    expect([where, take.refused + restore.refused]).toEqual([where, REFUSALS]);
  }
});

test("a store that refuses for good ends a backup, and so does what no wait mends", async () => {
  const stores = await filled();
  const away = () => Promise.reject(errorOf("unavailable"));
  const full = () => Promise.reject(new FirnError("Unavailable", "DISK_FULL", "disk full"));
  for (const [put, code, atMostMs] of [
    [away, "STORE_AWAY", 200_000],
    [full, "DISK_FULL", 60_000],
  ] as const) {
    const target = new MemoryBlobStore(stores.clock);
    const refusing = new Proxy(target, {
      get: (to, name) => {
        if (name === "put") return put;
        const value: unknown = Reflect.get(to, name);
        return typeof value === "function" ? value.bind(to) : value;
      },
    });
    const begunMs = stores.clock.monotonicMs();
    const taken = takeBackup(
      { ...stores, target: refusing, historyRetentionMs: WEEK_MS },
      "default",
    );
    await expect(taken).rejects.toMatchObject({ code });
    expect(stores.clock.monotonicMs() - begunMs).toBeLessThan(atMostMs);
  }
});
