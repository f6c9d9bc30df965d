import { FirnError } from "../base/error.ts";
import { describe } from "../http/failure.ts";
import { SystemClock } from "../runtime/clock.ts";
import { initStorage } from "../runtime/init-storage.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import type { Output } from "./output.ts";

/**
 * Makes bucket and table, and says what it found.
 *
 * @returns the exit code: 1 where they cannot be made, or do not do what they must.
 */
export async function storageInit(settings: Settings, output: Output): Promise<number> {
  try {
    const lines = await initStorage(settings, { clock: new SystemClock(), prng: new SystemPrng() });
    for (const line of lines) output.print(`${line}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    output.printError(`firn: ${describe(error.message, error.context)} [${error.code}]\n`);
    return 1;
  }
}
