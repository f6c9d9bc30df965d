import { bytesEqual } from "../../../src/base/bytes.ts";
import { sha256Hex } from "../../../src/base/hash.ts";
import type { AccountId, TableId } from "../../../src/base/ids.ts";
import type { BlobStore } from "../../../src/blob/port.ts";
import { decodeChange } from "../../../src/catalog/codec/change.ts";
import { decodePayload } from "../../../src/catalog/codec/entities.ts";
import { decodeReceipt } from "../../../src/catalog/codec/receipt.ts";
import { decodeSnapshot, decodeSnapshotSummary } from "../../../src/catalog/codec/snapshot.ts";
import { type FamilyName, type ParsedKey, parseKey } from "../../../src/catalog/keys.ts";
import type { ChangeRecord, Entity, Envelope, Receipt } from "../../../src/catalog/model.ts";
import { byIdKey, shaOfPath } from "../../../src/catalog/paths.ts";
import { contentHashOf, snapshotKeys } from "../../../src/catalog/snapshot-puts.ts";
import type { Item, Live, PointerStore } from "../../../src/pointer/port.ts";

/** A canonical pointer and what its payload says. */
export interface StoredEntity {
  readonly item: Live;
  readonly entity: Entity;
  readonly envelope: Envelope;
}

export interface StoredChange {
  readonly item: Live;
  readonly record: ChangeRecord;
}

export interface StoredReceipt {
  readonly item: Live;
  readonly receipt: Receipt;
}

/** Everything that two stores hold, decoded, by nothing but a sweep: no index is trusted. */
export interface StoreContent {
  readonly items: ReadonlyMap<string, Item>;
  readonly entities: readonly StoredEntity[];
  readonly changes: ReadonlyMap<string, StoredChange>;
  readonly receipts: readonly StoredReceipt[];
}

const CANONICAL: Partial<Record<FamilyName, Entity["type"]>> = {
  accountById: "account",
  catalogById: "catalog",
  namespaceById: "namespace",
  tableById: "table",
  viewById: "view",
  principalById: "principal",
};

/** A statement about what is stored that does not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
}

export function must(holds: boolean, statement: string): asserts holds {
  if (!holds) throw new Violation(statement);
}

/** Remembers what was made of bytes: thousands of schedules start from the same ones. */
export class Memo<T> {
  readonly #known = new Map<string, { readonly bytes: Uint8Array; readonly made: T }>();

  get(key: string, bytes: Uint8Array, make: () => T): T {
    const known = this.#known.get(key);
    if (known !== undefined && bytesEqual(known.bytes, bytes)) return known.made;
    if (this.#known.size > 50_000) this.#known.clear();
    const made = make();
    this.#known.set(key, { bytes, made });
    return made;
  }
}

const NO_BYTES = new Uint8Array();
const parsed = new Memo<ParsedKey>();
const payloads = new Memo<ReturnType<typeof decodePayload>>();
const records = new Memo<ChangeRecord>();

/** As `parseKey`, remembered. */
export function parsedKey(key: string): ParsedKey {
  return parsed.get(key, NO_BYTES, () => parseKey(key));
}

/** Sweeps and decodes. @throws Violation for a pointer whose blob is missing or of another id. */
export async function readStore(
  pointers: Pick<PointerStore, "sweep">,
  blobs: BlobStore,
): Promise<StoreContent> {
  const items = new Map<string, Item>();
  const entities: StoredEntity[] = [];
  const changes = new Map<string, StoredChange>();
  const receipts: StoredReceipt[] = [];
  for await (const item of pointers.sweep("/")) {
    items.set(item.key, item);
    if (item.state === "absent") continue;
    const { family, values } = parsedKey(item.key);
    const type = CANONICAL[family];
    if (type !== undefined) {
      const { entity, envelope } = await readEntityOf(blobs, item, type);
      entities.push({ item, entity, envelope });
    } else if (family === "change") {
      const id = values.at(-1);
      must(id !== undefined, "a change has an id");
      changes.set(id, { item, record: await readChange(blobs, item) });
    } else if (isSnapshotFamily(family)) {
      await mustBeSnapshot(blobs, item, values);
    } else if (family === "report") {
      await readBlob(blobs, item.blobPath ?? "");
    } else if (isReceiptFamily(family)) {
      must(item.summary !== undefined, `${item.key} says nothing`);
      receipts.push({ item, receipt: decodeReceipt(item.summary) });
    }
  }
  return { items, entities, changes, receipts };
}

/** Receipts, of attempts and of clients' keys. */
export function isReceiptFamily(family: FamilyName): boolean {
  return family === "receipt" || family === "keyedReceipt";
}

async function readBlob(blobs: BlobStore, path: string): Promise<Uint8Array> {
  const blob = await blobs.get(path);
  must(blob !== undefined, `${path} is missing`);
  return blob.bytes;
}

async function readEntityOf(blobs: BlobStore, item: Live, type: Entity["type"]) {
  const path = item.blobPath;
  must(path !== undefined, `${item.key} has no payload`);
  const bytes = await readBlob(blobs, path);
  const decoded = payloads.get(path, bytes, () => decodePayload(type, hashed(path, bytes)));
  const { entity, envelope } = decoded;
  must(byIdKey(type, envelope.accountId, entity.id) === item.key, `${item.key} names another id`);
  return decoded;
}

/** Derived keys: written beside a batch, whatever becomes of it. */
export function isSnapshotFamily(family: FamilyName): boolean {
  return family === "snapshotById" || family === "snapshotByTime";
}

/**
 * A pointer to a snapshot names what leads to it, and so does its payload; which is missing, or
 * a part of it is, only where the put of an attempt failed that came to nothing.
 */
async function mustBeSnapshot(blobs: BlobStore, item: Live, values: ParsedKey["values"]) {
  const { blobPath, summary, key } = item;
  must(blobPath !== undefined && summary !== undefined, `${key} says nothing`);
  const [account, table] = values as [AccountId, TableId];
  const said = decodeSnapshotSummary(summary);
  must(snapshotKeys(account, table, said).includes(key), `${key} is of another snapshot`);
  const bytes = (await blobs.get(blobPath))?.bytes;
  if (bytes === undefined || sha256Hex(bytes) !== shaOfPath(blobPath)) return;
  const { envelope, snapshot } = decodeSnapshot(bytes);
  must(envelope.entityId === table, `${key} leads to a snapshot of another table`);
  must(snapshotKeys(account, table, snapshot).includes(key), `${key} leads to another snapshot`);
  must(bytesEqual(contentHashOf(snapshot), said.contentHash), `${key} differs from its payload`);
}

async function readChange(blobs: BlobStore, item: Live): Promise<ChangeRecord> {
  const path = item.blobPath;
  if (path !== undefined) {
    const bytes = await readBlob(blobs, path);
    return records.get(path, bytes, () => decodeChange(hashed(path, bytes)));
  }
  const { summary } = item;
  must(summary !== undefined, `${item.key} says nothing`);
  return records.get(item.key, summary, () => decodeChange(summary));
}

function hashed(path: string, bytes: Uint8Array): Uint8Array {
  must(sha256Hex(bytes) === shaOfPath(path), `${path} holds other bytes`);
  return bytes;
}

/** A key as a change record spells it, in full. */
export function fullKey(account: AccountId, key: string): string {
  return key.startsWith("/") ? key : `/accounts/${account}/${key}`;
}
