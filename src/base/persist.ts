import type { Clock } from "./clock.ts";
import { FirnError } from "./error.ts";
import type { Prng } from "./prng.ts";

const PERSIST_TRIES = 4;

/**
 * Puts an immutable blob, again where the store hesitates: putting the same bytes twice does no
 * harm. In the end the change has certainly not happened, whatever became of the blob.
 */
export async function persist(
  ports: { readonly clock: Clock; readonly prng: Prng },
  put: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await put();
    } catch (error) {
      const passing =
        error instanceof FirnError &&
        (error.kind === "Unavailable" || error.kind === "Unknown" || error.kind === "Overloaded");
      if (!passing) throw error;
      if (tries >= PERSIST_TRIES) {
        // For people, who can mend it, it has one name wherever it strikes.
        if (error.code === "DISK_FULL" || error.code === "DISK_READ_ONLY") throw error;
        const { message } = error;
        throw new FirnError("Unavailable", "BLOB_UNAVAILABLE", message, error.context, error);
      }
      await ports.clock.sleep(ports.prng.float() * 20 * 2 ** tries);
    }
  }
}
