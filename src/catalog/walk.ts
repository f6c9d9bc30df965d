import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import type { AccountId } from "../base/ids.ts";
import { Pauses } from "../base/pauses.ts";
import type { BlobEntry, BlobStore } from "../blob/port.ts";
import type { Absent, Item, Live, PointerStore } from "../pointer/port.ts";
import { changeOf } from "./changes.ts";
import { corrupt } from "./errors.ts";
import { FAMILIES, keyOf, type ParsedKey, parseKey } from "./keys.ts";
import type { ChangeRecord } from "./model.ts";
import { owners, type ParsedBlobPath, parseBlobPath } from "./owners.ts";
import { type References, referencesOf } from "./references.ts";

/*
 * Walks over everything that is stored, for garbage collection, backup and checks. A walk holds one
 * page, however much there is. It is not a snapshot: what is written meanwhile may be seen or not,
 * and what is neither written nor removed meanwhile is seen exactly once.
 */

/** Pointers that are taken apart between two turns of the event loop. */
const POINTERS_A_TURN = 256;

/** A pointer, taken apart. */
export type WalkedPointer =
  | {
      readonly state: "live";
      readonly item: Live;
      readonly key: ParsedKey;
      readonly references: References;
    }
  | { readonly state: "tombstone"; readonly item: Absent; readonly key: ParsedKey }
  /** A key of no family, or a summary that is not one: what depends on all of them must stop. */
  | { readonly state: "unreadable"; readonly item: Item; readonly error: FirnError };

/** What a walk has passed so far, and what it cost. Pages of a sweep are the store's to count. */
export interface WalkCounts {
  pointers: number;
  payloads: number;
  /** Lists of payloads and reads of single ones. */
  requests: number;
}

/** Counts that start at 0. */
export function walkCounts(): WalkCounts {
  return { pointers: 0, payloads: 0, requests: 0 };
}

/** Which part of the stores is walked. */
export interface WalkRange {
  /** Absent: all accounts, and what belongs to none. */
  readonly account?: AccountId | undefined;
  /** Only pointers whose key begins so; then `account` is of no consequence. */
  readonly prefix?: string;
  /** Goes on behind this key, or path, of an earlier walk of the same range. */
  readonly after?: string | undefined;
  readonly counts?: WalkCounts | undefined;
}

/**
 * Every pointer, tombstones too: in key order over memory and the engine, over DynamoDB in another
 * order that stays the same. An account's walk begins with its canonical pointer and its name.
 * One sweep: 1 request for each page of the store.
 */
export async function* walkPointers(
  { pointers, clock }: { readonly pointers: PointerStore; readonly clock: Clock },
  range: WalkRange = {},
): AsyncGenerator<WalkedPointer> {
  const pauses = new Pauses(clock, POINTERS_A_TURN);
  for await (const item of itemsOf(pointers, range)) {
    if (range.counts !== undefined) range.counts.pointers++;
    yield takeApart(item);
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
}

async function* itemsOf(
  pointers: PointerStore,
  { account, prefix, after }: WalkRange,
): AsyncGenerator<Item> {
  if (account === undefined || prefix !== undefined) {
    yield* pointers.sweep(prefix ?? "/", sweepAfter(after));
    return;
  }
  const inside = `/accounts/${account}/`;
  const isInside = after?.startsWith(inside) === true;
  if (!isInside) {
    const heads = await accountHeads(pointers, account);
    const passed = heads.findIndex(({ key }) => key === after);
    yield* heads.slice(passed + 1);
  }
  yield* pointers.sweep(inside, sweepAfter(isInside ? after : undefined));
}

function sweepAfter(after: string | undefined) {
  return after === undefined ? {} : { after };
}

/** The pointers of an account that do not lie below it: by id, its guard, its name. */
async function accountHeads(pointers: PointerStore, account: AccountId): Promise<readonly Item[]> {
  const [byId, guard] = await pointers.getMany([
    keyOf(FAMILIES.accountById, account),
    keyOf(FAMILIES.accountGuard, account),
  ]);
  const found = [byId, guard];
  const walked = byId?.state === "live" ? takeApart(byId) : undefined;
  if (walked?.state === "live" && walked.references.content.is === "canonical") {
    const { name } = walked.references.content.summary;
    found.push(await pointers.get(keyOf(FAMILIES.accountByName, name)));
  }
  return found.filter((item) => item !== undefined && item.version > 0n) as Item[];
}

/** What a pointer is and refers to. No request. */
export function takeApart(item: Item): WalkedPointer {
  try {
    const key = parseKey(item.key);
    if (item.state === "absent") return { state: "tombstone", item, key };
    return { state: "live", item, key, references: referencesOf(item, key) };
  } catch (error) {
    // A key of no family is a defect where it is built, and a finding where it is read.
    if (!(error instanceof FirnError)) throw error;
    return { state: "unreadable", item, error };
  }
}

/** A payload in the listing. */
export interface WalkedPayload extends BlobEntry {
  /** Absent for a path of no known kind: such a blob is kept and reported. */
  readonly parsed?: ParsedBlobPath;
  /** Keys that may lead to it. Absent where only its bytes tell: see `readOwners`. */
  readonly owners?: readonly string[];
}

/** Every payload of an account, or of all accounts, by path. One list for 1,000 of them. */
export async function* walkPayloads(
  { blobs, clock }: { readonly blobs: BlobStore; readonly clock: Clock },
  { account, after = "", counts }: WalkRange = {},
): AsyncGenerator<WalkedPayload> {
  const prefix = account === undefined ? "accounts/" : `accounts/${account}/`;
  const pauses = new Pauses(clock, POINTERS_A_TURN);
  for (let from = after; ; ) {
    const page = await blobs.list(prefix, from === "" ? {} : { after: from });
    if (counts !== undefined) counts.requests++;
    for (const entry of page) {
      if (counts !== undefined) counts.payloads++;
      const parsed = parseBlobPath(entry.path);
      const known = owners(entry.path);
      yield { ...entry, ...(parsed && { parsed }), ...(known && { owners: known }) };
      const pause = pauses.step();
      if (pause !== undefined) await pause;
    }
    const last = page.at(-1);
    if (last === undefined) return;
    from = last.path;
  }
}

/**
 * Keys that may lead to a payload, by its bytes where its path does not tell. At most one read.
 *
 * @returns undefined where that cannot be told: such a blob is kept and reported, never deleted.
 */
export async function readOwners(
  blobs: BlobStore,
  path: string,
  counts?: WalkCounts,
): Promise<readonly string[] | undefined> {
  const known = owners(path);
  if (known !== undefined || parseBlobPath(path) === undefined) return known;
  if (counts !== undefined) counts.requests++;
  const blob = await blobs.get(path);
  return blob && owners(path, blob.bytes);
}

/**
 * The record of a change, from its pointer or its blob. At most one read.
 *
 * @throws FirnError `Corrupt`: its blob is missing or cannot be decoded.
 */
export async function readChange(
  blobs: BlobStore,
  { item, references: { content } }: Extract<WalkedPointer, { state: "live" }>,
): Promise<ChangeRecord> {
  if (content.is !== "change") throw corrupt("not a change record", { key: item.key });
  if (content.record !== undefined) return content.record;
  const blob = item.blobPath === undefined ? undefined : await blobs.get(item.blobPath);
  if (blob === undefined) throw corrupt("payload is missing", { key: item.key });
  return changeOf(blob.bytes);
}
