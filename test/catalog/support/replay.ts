import { sha256Hex } from "../../../src/base/hash.ts";
import type { AccountId } from "../../../src/base/ids.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { decodePayload, encodeContent } from "../../../src/catalog/codec/entities.ts";
import { encodeSummary } from "../../../src/catalog/codec/summary.ts";
import { type FamilyName, parseKey } from "../../../src/catalog/keys.ts";
import type { ChangedKey, Entity } from "../../../src/catalog/model.ts";
import { payloadPath } from "../../../src/catalog/paths.ts";
import { nameSummary, summaryOf } from "../../../src/catalog/summaries.ts";
import { fullKey, isSnapshotFamily, must, type StoreContent } from "./read-store.ts";

/** A pointer as the records alone tell it; bytes as hex. */
export interface Replayed {
  readonly version: bigint;
  readonly blobPath: string | undefined;
  readonly summary: string;
}

const CARRIERS: Partial<Record<FamilyName, Entity["type"]>> = {
  accountById: "account",
  catalogById: "catalog",
  namespaceById: "namespace",
  tableById: "table",
  viewById: "view",
};

interface Carried {
  readonly blobPath: string;
  readonly entity: Entity;
  readonly summary: string;
}

async function carriedBy(
  blobs: BlobStore,
  account: AccountId,
  key: string,
  step: ChangedKey,
): Promise<Carried | undefined> {
  const { family, values } = parseKey(key);
  const type = CARRIERS[family];
  if (type === undefined || step.blobTo === undefined) return undefined;
  const sha = Buffer.from(step.blobTo).toString("hex");
  const blobPath = payloadPath(type, account, values.at(-1) ?? "", sha);
  const bytes = (await blobs.get(blobPath))?.bytes;
  must(bytes !== undefined && sha256Hex(bytes) === sha, `${blobPath} is not what was recorded`);
  const decoded = decodePayload(type, bytes);
  const contentHash = Buffer.from(sha256Hex(encodeContent(decoded.entity)), "hex");
  const summary = summaryOf(decoded.entity, { path: blobPath, bytes, contentHash, decoded });
  let encoded = encodeSummary(summary);
  if (encoded.length > 700) {
    const { metadataLocation: _, ...rest } = summary;
    encoded = encodeSummary(rest);
  }
  return { blobPath, entity: decoded.entity, summary: Buffer.from(encoded).toString("hex") };
}

/**
 * Every live source pointer, made of the change records and payloads alone: what a restore to a
 * point in time does. Records are taken in any order; of each key the highest version wins.
 */
export async function replay(
  { changes }: StoreContent,
  blobs: BlobStore,
): Promise<ReadonlyMap<string, Replayed>> {
  const last = new Map<string, { readonly version: bigint; readonly live?: Replayed }>();
  for (const { item, record } of changes.values()) {
    const account = parseKey(item.key).values[0] as AccountId;
    // Derived keys are not restored but repaired.
    const steps = record.keys
      .map((step) => ({ key: fullKey(account, step.key), step }))
      .filter(({ key }) => !isSnapshotFamily(parseKey(key).family));
    const all = await Promise.all(
      steps.map(({ key, step }) => carriedBy(blobs, account, key, step)),
    );
    const [carried, ...more] = all.filter((one) => one !== undefined);
    must(more.length === 0, "a batch is about one entity");
    // A batch that ends an entity's life only deletes.
    must(carried !== undefined || record.keys.every(({ deleted }) => deleted), "nothing carried");
    const summary = carried === undefined ? undefined : nameSummary(carried.entity);
    const name = summary === undefined ? "" : Buffer.from(encodeSummary(summary)).toString("hex");
    for (const [i, { key, step }] of steps.entries()) {
      const version = step.versionTo;
      if ((last.get(key)?.version ?? 0n) > version) continue;
      const own = all[i];
      const live = { version, blobPath: own?.blobPath, summary: own?.summary ?? name };
      last.set(key, step.deleted ? { version } : { version, live });
    }
  }
  const pointers = new Map<string, Replayed>();
  for (const [key, { live }] of last) if (live !== undefined) pointers.set(key, live);
  return pointers;
}
