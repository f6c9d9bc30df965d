import { FirnError } from "../base/error.ts";
import { describe } from "../http/failure.ts";
import { SystemClock } from "../runtime/clock.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { SystemPrng } from "../runtime/prng.ts";
import { restoreStore } from "../runtime/restore-store.ts";
import type { Output } from "./output.ts";
import type { RestoreLine } from "./restore-program.ts";

/** Restores a backup, or only reads it. @returns the exit code: 1 where that failed. */
export async function restore(line: RestoreLine, output: Output): Promise<number> {
  const prng = new SystemPrng();
  try {
    const done = await restoreStore(line, line.settings, {
      clock: new SystemClock(),
      prng,
      nodeId: mintNodeId(prng),
      onDefect: () => undefined,
      notify: () => undefined,
    });
    if (line.json) output.print(`${JSON.stringify(done)}\n`);
    else if (!("entities" in done)) output.print(`backup ${done.id}: no damage found\n`);
    else {
      const { id, atMs, entities, pointers, skipped } = done;
      const left = skipped === 0 ? "" : `; left out ${skipped} that were being purged`;
      output.print(
        `restored backup ${id} as of ${new Date(atMs).toISOString()}: ${entities} entities, ` +
          `${pointers} pointers${left}\n`,
      );
    }
    return 0;
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    output.printError(`firn: ${describe(error.message, error.context)} [${error.code}]\n`);
    return 1;
  }
}
