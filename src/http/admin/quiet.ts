import type { Clock } from "../../base/clock.ts";

/** While there is nothing to say an empty line says that this end lives, and asks for the other. */
const QUIET_MS = 15_000;

/** What is waited for, or that it did not come for a while. */
export async function orQuiet<T>(pending: Promise<T>, clock: Clock): Promise<T | "quiet"> {
  const settled = new AbortController();
  const quiet = clock.sleep(QUIET_MS, settled.signal).then(() => "quiet" as const);
  try {
    return await Promise.race([pending, quiet]);
  } finally {
    settled.abort();
  }
}
