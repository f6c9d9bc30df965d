import type { Interval } from "../../rows/datum.ts";
import { notSupported } from "../error.ts";
import type { SqlAdvisoryLocks, SqlContext } from "../types/context.ts";
import { addToInstant } from "./date-times.ts";
import type { Family } from "./implementation.ts";

type Work = (locks: SqlAdvisoryLocks, key: string) => Promise<unknown> | unknown;

/** One key of 64 bits, or two of 32: they are different locks. */
const KEYS: Readonly<Record<string, (...values: never[]) => string>> = {
  int8: (key: bigint) => `8:${key}`,
  int4: (first: number, second: number) => `4:${first}:${second}`,
};

const WORKS: readonly (readonly [name: string, work: Work])[] = (["", "_shared"] as const).flatMap(
  (suffix): readonly (readonly [string, Work])[] => {
    const mode = suffix === "" ? "exclusive" : "shared";
    const lock = (isOfSession: boolean): Work => {
      return async (locks, key) => {
        await locks.acquire(key, mode, isOfSession);
        return "";
      };
    };
    return [
      [`pg_advisory_lock${suffix}`, lock(true)],
      [`pg_advisory_xact_lock${suffix}`, lock(false)],
      [`pg_try_advisory_lock${suffix}`, (locks, key) => locks.tryAcquire(key, mode, true)],
      [`pg_try_advisory_xact_lock${suffix}`, (locks, key) => locks.tryAcquire(key, mode, false)],
      [`pg_advisory_unlock${suffix}`, (locks, key) => locks.release(key, mode)],
    ];
  },
);

function locksOf({ locks }: SqlContext): SqlAdvisoryLocks {
  if (locks !== undefined) return locks;
  throw notSupported("an advisory lock in this place");
}

async function sleep(seconds: number, { sleep: wait }: SqlContext): Promise<string> {
  if (wait === undefined) throw notSupported("pg_sleep in this place");
  if (seconds > 0) await wait(seconds * 1_000);
  return "";
}

const secondsUntil = (micros: bigint, at: SqlContext): number =>
  Number(micros - at.clockMicros()) / 1e6;

/** Functions that wait: advisory locks, exported snapshots, sleep. */
export const advisoryLockFamily: Family = {
  ...Object.fromEntries(
    WORKS.flatMap(([name, work]) =>
      Object.entries(KEYS).map(([type, keyOf]) => {
        const evaluate = async (...values: never[]): Promise<unknown> => {
          const at = values.at(-1) as unknown as SqlContext;
          return await work(locksOf(at), keyOf(...values));
        };
        return [`${name}_${type}`, evaluate];
      }),
    ),
  ),
  async pg_advisory_unlock_all(at: SqlContext) {
    locksOf(at).releaseAll();
    return "";
  },
  async pg_export_snapshot({ exportSnapshot }: SqlContext) {
    if (exportSnapshot === undefined) throw notSupported("pg_export_snapshot in this place");
    return await exportSnapshot();
  },
  pg_sleep: sleep,
  "pg_sleep_for(interval)": (span: Interval, at: SqlContext) =>
    sleep(secondsUntil(addToInstant(at.clockMicros(), span, at), at), at),
  "pg_sleep_until(timestamptz)": (until: bigint, at: SqlContext) =>
    sleep(secondsUntil(until, at), at),
};
