import { inOnePiece } from "../base/bytes.ts";
import {
  isJsonObject,
  type JsonObject,
  jsonKeys,
  parseJsonBytes,
  printJson,
} from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { Metadata, MetadataFile } from "./metadata-files.ts";
import type { DryRun, RequestContext } from "./requests.ts";

/** Rendered by us, so within these bounds. */
const BOUNDS = { depth: LIMITS.jsonDepth, nodes: LIMITS.metadataFileNodes };

/** The same request, asking what it would do. */
export function asDryRun({ requestId, principal }: RequestContext): RequestContext {
  return { requestId, principal, dryRun: true };
}

/** What is answered of a commit from `base` to `file`. Costs the size of the metadata. */
export function dryRunOf<M extends Metadata>(
  file: MetadataFile<M>,
  base: MetadataFile<M> | undefined,
): DryRun {
  const changed = file === base ? [] : changedMembers(membersOf(base), membersOf(file));
  return { baseMetadataLocation: base?.location, changed, metadata: file.pieces };
}

function membersOf<M extends Metadata>(file: MetadataFile<M> | undefined): JsonObject {
  const value = file === undefined ? {} : parseJsonBytes(inOnePiece(file.pieces), BOUNDS);
  return isJsonObject(value) ? value : {};
}

/** Members that only one has, or that print differently. */
function changedMembers(base: JsonObject, next: JsonObject): readonly string[] {
  const names = new Set([...jsonKeys(next), ...jsonKeys(base)]);
  const text = (object: JsonObject, name: string) =>
    Object.hasOwn(object, name) ? printJson(object[name] ?? null) : undefined;
  return [...names].filter((name) => text(base, name) !== text(next, name));
}
