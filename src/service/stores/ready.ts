import type { BlobStore } from "../../blob/port.ts";
import type { PointerStore } from "../../pointer/port.ts";

/**
 * A read of the pointers, which asks the store unless the engine's lease still holds; and of the
 * objects, where another store has them.
 *
 * @throws FirnError what the stores throw, `Unavailable` above all.
 */
export async function assertReachable(
  pointers: PointerStore,
  blobs: BlobStore | undefined,
): Promise<void> {
  await Promise.all([pointers.get("/system/keys/ready"), blobs?.head("ready")]);
}
