import type { BlobStore } from "../blob/port.ts";
import type { FsckFinding, FsckSummary } from "../service/fsck/fsck.ts";
import { scratchOf } from "./scratch.ts";
import type { Settings } from "./settings.ts";
import type { Components } from "./stores.ts";

/** A check of everything that is stored, to its summary. */
export type CheckRun = AsyncGenerator<FsckFinding, FsckSummary>;

/** Runs a check with room for what it sorts. */
export async function* withScratch(
  { profile }: Pick<Settings, "profile">,
  components: Pick<Components, "clock" | "prng">,
  run: (scratch: BlobStore) => CheckRun,
): CheckRun {
  const { store, close } = await scratchOf(profile, components)();
  try {
    return yield* run(store);
  } finally {
    await close();
  }
}
