import type { Clock } from "../base/clock.ts";
import { inTurns } from "../base/steps.ts";
import type { Actor } from "./actor.ts";
import type { Metadata, MetadataFile, MetadataFiles } from "./metadata-files.ts";
import type { DryRun } from "./requests.ts";

/** The same request, asking what it would do. */
export function asDryRun({ idempotency: _key, ...actor }: Actor): Actor {
  return { ...actor, dryRun: true };
}

/** What is answered of a commit from `base` to `file`. Costs a look at each part. */
export async function dryRunOf<M extends Metadata>(
  clock: Clock,
  files: MetadataFiles<M>,
  file: MetadataFile<M>,
  base: MetadataFile<M> | undefined,
): Promise<DryRun> {
  const changed =
    file === base ? [] : await inTurns(clock, files.changed(base?.metadata, file.metadata));
  return { baseMetadataLocation: base?.location, changed, metadata: file.pieces };
}
