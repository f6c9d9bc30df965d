import { appendFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/**
 * Preloaded into a server (`node --import`), writes the processor milliseconds of each long turn of
 * its event loop to the file that `TURN_LOG` names, a line each. A turn is what the thread computed
 * between two firings of a timer, so that a busy machine makes no turn longer.
 */

const EVERY_MS = 5;
/** Shorter turns are not written. */
const LONG_MS = 50;

const file = process.env["TURN_LOG"];
if (isMainThread && file !== undefined) {
  let beforeUs = cpuUs();
  setInterval(() => {
    const nowUs = cpuUs();
    const turnMs = (nowUs - beforeUs) / 1_000;
    if (turnMs >= LONG_MS) appendFileSync(file, `${turnMs.toFixed(1)}\n`);
    beforeUs = nowUs;
  }, EVERY_MS).unref();
}

function cpuUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
