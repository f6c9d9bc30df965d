import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SeededPrng } from "../../src/base/prng.ts";
import { DeferredBlobStore } from "../../src/blob/deferred.ts";
import { LocalBlobStore, type LocalBlobStoreOptions } from "../../src/blob/local.ts";
import { MemoryBlobStore } from "../../src/blob/memory.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { describeBlobStore, type OpenedBlobStore } from "../contract/describe-blob-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

describeBlobStore("memory", async () => ({ store: new MemoryBlobStore(new VirtualClock()) }), {
  anyPath: true,
});

describeBlobStore(
  "a store that is opened when it is first used",
  async () => {
    const inner = new MemoryBlobStore(new VirtualClock());
    return { store: new DeferredBlobStore(async () => inner) };
  },
  { anyPath: true, raceRounds: 10 },
);

/** Two stores on one directory: what one process excludes in itself must hold between them too. */
async function local(options: Partial<LocalBlobStoreOptions>): Promise<OpenedBlobStore> {
  const folder = mkdtempSync(join(tmpdir(), "firn-blobs-"));
  const open = (seed: number) =>
    new LocalBlobStore(join(folder, "store"), {
      clock: new SystemClock(),
      prng: new SeededPrng(seed),
      ...options,
    });
  return {
    store: open(1),
    rivals: [open(2)],
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

describeBlobStore("a directory of payloads", () => local({ durable: false }), { anyPath: true });
describeBlobStore("a directory of exact files", () => local({ durable: false, layout: "exact" }), {
  anyPath: false,
  raceRounds: 10,
});
// The same code with syncs between its steps, so the races may be fewer.
describeBlobStore("a durable directory", () => local({}), { anyPath: true, raceRounds: 3 });
