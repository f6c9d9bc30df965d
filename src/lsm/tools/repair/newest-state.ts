import { inFile } from "../../format/corrupt.ts";
import { decodeManifest, type Manifest } from "../../format/manifest.ts";
import { readU32 } from "../../format/varint.ts";
import { ManifestHistory } from "../../manifest/history.ts";
import { manifestPath } from "../../manifest/objects.ts";
import type { ShardFiles } from "../../manifest/shard-files.ts";
import { damageText } from "./loss.ts";
import type { ReadRange } from "./salvage-table.ts";

/** The newest state of which the manifest can be read. */
export interface NewestState {
  readonly manifest: Manifest | undefined;
  /** Manifests behind it that are damaged, newest first, and what is wrong. */
  readonly damaged: readonly { readonly file: string; readonly what: string }[];
  /** Manifests that were deleted, or never listed, and must have been there. */
  readonly missing: string | undefined;
  /** The boundary of the collector, if it is damaged. */
  readonly boundary: { readonly file: string; readonly what: string } | undefined;
}

/** Header and checksum of a manifest, beside its body. */
const FRAME_BYTES = 28;
const BODY_LENGTH_AT = 20;
const MAX_MANIFEST_BYTES = 1_073_741_824;

/** Reads manifests back from the newest, until one is whole. */
export async function newestState(shard: ShardFiles, read: ReadRange): Promise<NewestState> {
  const { store, prefix, clock } = shard;
  const history = new ManifestHistory(store, prefix, clock);
  const damaged: { file: string; what: string }[] = [];
  let manifest: Manifest | undefined;
  for (const { id, path } of (await history.list()).toReversed()) {
    try {
      manifest = await history.read(id).catch((error: unknown) => {
        damageText(error);
        return readAlone(read, path, id);
      });
    } catch (error) {
      damaged.push({ file: path, what: damageText(error) });
    }
    if (manifest !== undefined) break;
  }
  let missing: string | undefined;
  let boundary: NewestState["boundary"];
  try {
    const through = (await history.boundary())?.manifestThrough ?? 0;
    // What a collector leaves above its boundary is the newest state, at least.
    if (through >= (manifest?.id ?? 0)) missing = manifestPath(prefix, through + 1);
  } catch (error) {
    boundary = { file: `${prefix}gc/`, what: damageText(error) };
  }
  return { manifest, damaged, missing, boundary };
}

/** The manifest in a file whose store refuses it: its own checksum may prove it all the same. */
async function readAlone(read: ReadRange, path: string, id: number): Promise<Manifest | undefined> {
  const bytes = (await read(path, 0, MAX_MANIFEST_BYTES)) ?? new Uint8Array(0);
  const length = bytes.length < FRAME_BYTES ? 0 : FRAME_BYTES + readU32(bytes, BODY_LENGTH_AT);
  const manifest = inFile(path, () => decodeManifest(bytes.subarray(0, length)));
  return manifest.id === id ? manifest : undefined;
}
