import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import { LocalBlobStore } from "../blob/local.ts";
import { MemoryBlobStore } from "../blob/memory.ts";
import type { Scratch } from "../service/gc/parts.ts";
import type { Profile } from "./settings.ts";

/**
 * Where a garbage collection sorts what it marks: a directory of the system's temporary ones, and
 * memory in profile `memory`. A process that is killed leaves the directory to the system.
 */
export function scratchOf(
  profile: Profile,
  { clock, prng }: { readonly clock: Clock; readonly prng: Prng },
): () => Promise<Scratch> {
  if (profile === "memory") {
    return async () => ({ store: new MemoryBlobStore(clock), close: async () => {} });
  }
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), "firn-gc-"));
    return {
      store: new LocalBlobStore(directory, { clock, prng, durable: false }),
      close: () => rm(directory, { recursive: true, force: true }),
    };
  };
}
