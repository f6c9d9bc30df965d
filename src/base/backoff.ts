import type { Clock } from "./clock.ts";
import type { Prng } from "./prng.ts";

const BASE_MS = 20;
const CAP_MS = 2_000;

/**
 * Waits before try `tries + 1`: at least `floorMs` (what the store asked for), plus a full jitter
 * (uniform from 0) under a bound that doubles each time. Racers that failed together so come back
 * apart.
 */
export function backoff(clock: Clock, prng: Prng, tries: number, floorMs = 0): Promise<void> {
  const boundMs = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(tries, 16));
  return clock.sleep(floorMs + prng.float() * boundMs);
}
