import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { BlobStore } from "../../blob/port.ts";
import { inFile } from "../format/corrupt.ts";
import { decodingManifest, type Manifest } from "../format/manifest.ts";

/** Pauses in a turn: each is a table that was decoded, or some that were found or judged. */
const PAUSES_A_TURN = 256;

/**
 * The manifest of an id, at its path; undefined where it is gone. One request.
 *
 * @throws FirnError `Corrupt`, naming `path`, with `LSM_MANIFEST_MISPLACED` where another manifest
 *   stands there; what the store throws.
 */
export async function readManifest(
  store: BlobStore,
  path: string,
  id: number,
  clock: Clock,
): Promise<Manifest | undefined> {
  const blob = await store.get(path);
  if (blob === undefined) return undefined;
  const decoding = decodingManifest(blob.bytes);
  for (let pauses = 1; ; pauses++) {
    const { done, value } = inFile(path, () => decoding.next());
    if (done === true) return inPlace(value, id, path);
    if (pauses % PAUSES_A_TURN === 0) await clock.sleep(0);
  }
}

function inPlace(manifest: Manifest, id: number, path: string): Manifest {
  if (manifest.id === id) return manifest;
  const message = "the file contains a manifest of another id";
  throw new FirnError("Corrupt", "LSM_MANIFEST_MISPLACED", message, { path });
}
