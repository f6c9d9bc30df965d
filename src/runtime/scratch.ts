import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import { LocalBlobStore } from "../blob/local.ts";
import { MemoryBlobStore } from "../blob/memory.ts";
import type { BlobStore } from "../blob/port.ts";
import type { FsckFinding, FsckSummary } from "../service/fsck/fsck.ts";
import type { Scratch } from "../service/gc/parts.ts";
import type { Profile } from "./settings.ts";

interface Ports {
  readonly clock: Clock;
  readonly prng: Prng;
}

/**
 * Where garbage collection and checks sort what does not fit the memory: a directory of the
 * system's temporary ones, and memory in profile `memory`. A process that is killed leaves the
 * directory to the system.
 */
export function scratchOf(profile: Profile, { clock, prng }: Ports): () => Promise<Scratch> {
  if (profile === "memory") {
    return async () => ({ store: new MemoryBlobStore(clock), close: async () => {} });
  }
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), "firn-scratch-"));
    return {
      store: new LocalBlobStore(directory, { clock, prng, durable: false }),
      close: () => rm(directory, { recursive: true, force: true }),
    };
  };
}

/** A check of everything that is stored, to its summary. */
export type CheckRun = AsyncGenerator<FsckFinding, FsckSummary>;

/** Runs a check with scratch space, which goes with it. */
export async function* withScratch(
  profile: Profile,
  ports: Ports,
  run: (scratch: BlobStore) => CheckRun,
): CheckRun {
  const { store, close } = await scratchOf(profile, ports)();
  try {
    return yield* run(store);
  } finally {
    await close();
  }
}
