import type { BlobStore } from "../../../src/blob/port.ts";
import { decodePayload } from "../../../src/catalog/codec/entities.ts";
import type { Entity } from "../../../src/catalog/model.ts";
import type { PointerStore } from "../../../src/pointer/port.ts";
import { canonicalOf } from "../../../src/service/backup/scope.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import { WAREHOUSE } from "./warehouse.ts";

/** A restored store: what a catalog is made again in, beside the one that it is of. */
export interface Restored {
  readonly pointers: PointerStore;
  readonly blobs: BlobStore;
}

/** Reads what lies in one store, and writes to another: nothing of the first one changes. */
export function overlaid(below: BlobStore, above: BlobStore): BlobStore {
  return {
    get: async (path) => (await above.get(path)) ?? below.get(path),
    getRange: async (path, offset, length) =>
      (await above.getRange(path, offset, length)) ?? below.getRange(path, offset, length),
    getSuffix: async (path, length) =>
      (await above.getSuffix(path, length)) ?? below.getSuffix(path, length),
    head: async (path) => (await above.head(path)) ?? below.head(path),
    put: (path, bytes, condition) => above.put(path, bytes, condition),
    putStream: (path, source) => above.putStream(path, source),
    delete: (path) => above.delete(path),
    deleteMany: (paths) => above.deleteMany(paths),
    list: (prefix, options) => below.list(prefix, options),
  };
}

/** The copy has the namespaces, tables and views of the original, with the same snapshots. */
export async function mustEqual(
  sim: Sim,
  restored: Restored,
  files: BlobStore,
  [original, copy]: readonly [string, string],
): Promise<void> {
  const entities = await activeOf(restored);
  const catalogs = entities.flatMap((one) => (one.type === "catalog" ? [one] : []));
  const contentOf = async (name: string): Promise<string> => {
    const id = catalogs.find((one) => one.name === name)?.id;
    if (id === undefined) throw new Violation(`catalog ${name} is not in the restored store`);
    const paths = new Map<string, string>();
    for (const one of entities) if (one.type === "namespace") paths.set(one.id, one.path.join("."));
    const lines: string[] = [];
    for (const one of entities) {
      if (one.type === "namespace" && one.catalogId === id) lines.push(`namespace ${one.path}`);
      if (one.type !== "table" && one.type !== "view") continue;
      if (one.catalogId !== id) continue;
      const uuid = one.type === "table" ? one.iceberg?.tableUuid : one.iceberg?.viewUuid;
      const content = await snapshotsIn(files, one.iceberg?.metadataLocation ?? "");
      lines.push(`${one.type} ${paths.get(one.namespaceId)} ${one.name} ${uuid} ${content}`);
    }
    return lines.sort().join("\n");
  };
  const [was, is] = [await contentOf(original), await contentOf(copy)];
  sim.must(was === is, () => `restored beside is not the original:\n${was}\n--\n${is}`);
  if (/^(?:table|view) /m.test(was)) sim.coverage.note("catalogs with relations restored beside");
}

async function activeOf({ pointers, blobs }: Restored): Promise<readonly Entity[]> {
  const found: Entity[] = [];
  for await (const item of pointers.sweep("/accounts/")) {
    const type = canonicalOf(item.key)?.type;
    if (type === undefined || item.state === "absent") continue;
    const blob = await blobs.get(item.blobPath ?? "");
    if (blob === undefined) throw new Violation(`${item.key} has no payload`);
    const { entity } = decodePayload(type, blob.bytes);
    if (entity.state === "ACTIVE") found.push(entity);
  }
  return found;
}

async function snapshotsIn(files: BlobStore, location: string): Promise<string> {
  const found = await files.get(location.slice(WAREHOUSE.length + 1));
  if (found === undefined) throw new Violation(`a metadata file is missing: ${location}`);
  const metadata = JSON.parse(Buffer.from(found.bytes).toString());
  const { snapshots, versions, "current-snapshot-id": current } = metadata;
  return JSON.stringify([snapshots, versions, current]);
}
