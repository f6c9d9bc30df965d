import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import type { AccountId, IdSource, WriterId } from "../../base/ids.ts";
import { LIMITS } from "../../base/limits.ts";
import { Pauses } from "../../base/pauses.ts";
import { settleAll } from "../../base/settle-all.ts";
import { sortedInTurns } from "../../base/sorted.ts";
import type { BlobStore } from "../../blob/port.ts";
import { type CutRecord, type KeyState, rollForward } from "../../catalog/cut.ts";
import { summaryOfItem } from "../../catalog/entities.ts";
import {
  digits19,
  directoryOf,
  FAMILIES,
  type FamilyName,
  keyOf,
  leafText,
  type ParsedKey,
  parseKey,
} from "../../catalog/keys.ts";
import { CATALOG_LIMITS } from "../../catalog/limits.ts";
import type { ChangedKey, ChangeRecord } from "../../catalog/model.ts";
import { listPage } from "../../catalog/pages.ts";
import { isPart } from "../../catalog/part-pointers.ts";
import { fullKey, shaOfPath } from "../../catalog/paths.ts";
import { HistoryPin } from "../../catalog/pins.ts";
import { payloadOfKey } from "../../catalog/references.ts";
import { readChange, takeApart, type WalkedPointer, walkPointers } from "../../catalog/walk.ts";
import type { Live, PointerStore } from "../../pointer/port.ts";
import {
  type Backup,
  type ChangeLine,
  encodePack,
  FORMAT,
  FORMAT_VERSION,
  finishBackup,
  listBackups,
  PACK_BYTES,
  type PayloadLine,
  type PointerLine,
  packEntries,
  packPath,
  putHashed,
  readBackup,
  readHashed,
  readLines,
  writeLines,
} from "./format.ts";
import { CatalogScope, canonicalOf, type ScopedCatalog, scopedCatalog } from "./scope.ts";
import { verifyBackup } from "./verify.ts";

/** The stores that are backed up, and where to. */
export interface BackupParts {
  readonly pointers: PointerStore;
  /** Without a cache. */
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly target: BlobStore;
  readonly historyRetentionMs: number;
}

/** What a backup came to. */
export interface BackupReport {
  readonly id: string;
  readonly pointers: number;
  readonly changes: number;
  readonly payloads: number;
  /** Payloads that no earlier backup of the location held. */
  readonly copied: number;
  readonly copiedBytes: number;
}

/** A batch may land this long after the minute that its record is filed under. */
const SETTLED_MS = 17 * 60_000;
/** Payloads that are read at once. */
const READS = 16;
/** Pointers, records or payloads that are handled between two turns of the event loop, at most. */
const STEPS_A_TURN = 4_096;

/** Readings of the span until two in a row show the same. */
const MAX_READINGS = 100;
/** Minutes of the history that are listed at once: the shorter a reading, the calmer it is. */
const MINUTES_AT_ONCE = 4;
/** Keys that batches write which make, drop, rename or move something. */
const NAMES: ReadonlySet<FamilyName> = new Set<FamilyName>([
  "accountByName",
  "catalogByName",
  "namespaceByPath",
  "relationByName",
  "location",
  "dropped",
]);

/** What a sweep of an account brought. */
interface Swept {
  readonly states: Map<string, KeyState>;
  readonly records: Map<string, ChangeRecord>;
  /** Derived pointers of snapshots. */
  readonly snapshots: Live[];
}

/**
 * Backs an account up while others write: a sweep of its pointers, made consistent by the
 * change records of its span. Copies only payloads that the location does not hold yet, also those
 * of a backup that broke off; reads the whole backup back; then writes the object that makes it
 * exist. Killed at any point, it is run again.
 *
 * @param catalog the only one that is backed up; absent: all of them.
 * @throws FirnError `NotFound`: `ACCOUNT_NOT_FOUND`, `CATALOG_NOT_FOUND`; `Unavailable`:
 *   `BACKUP_UNSETTLED`, `BACKUP_OVERTAKEN`, what the stores throw; `Corrupt`: `BACKUP_DAMAGED`,
 *   `PAYLOAD_CORRUPT`.
 */
export async function takeBackup(
  parts: BackupParts,
  name: string,
  catalog?: string,
): Promise<BackupReport> {
  const { pointers, clock, ids } = parts;
  const named = await pointers.get(keyOf(FAMILIES.accountByName, name));
  if (named.state === "absent") {
    throw new FirnError("NotFound", "ACCOUNT_NOT_FOUND", "the store has no such account", { name });
  }
  const account = summaryOfItem(named).entityId as AccountId;
  const startedMs = clock.nowMs();
  const scoped =
    catalog === undefined ? undefined : await scopedCatalog(pointers, account, catalog);
  const scope = scoped && new CatalogScope(account, scoped.id, parts.blobs);
  const id = ids.mint<WriterId>();
  // Before the sweep: what that sees is there until it is copied.
  const sinceMs = startedMs - parts.historyRetentionMs;
  const pin = await HistoryPin.take(parts.blobs, clock, account, { id, sinceMs });
  try {
    return await backUpPinned(parts, { id, account, startedMs, scoped, scope, pin });
  } finally {
    // If that fails, it ends by itself.
    await pin.release().catch(() => undefined);
  }
}

/** What a backup is of. */
interface Begun {
  readonly id: WriterId;
  readonly account: AccountId;
  readonly startedMs: number;
  readonly scoped: ScopedCatalog | undefined;
  readonly scope: CatalogScope | undefined;
  readonly pin: HistoryPin;
}

async function backUpPinned(
  parts: BackupParts,
  { id, account, startedMs, scoped, scope, pin }: Begun,
): Promise<BackupReport> {
  const { clock, target } = parts;
  const swept = await sweep(parts, account, scope, pin);
  const fromMs = startedMs - SETTLED_MS;
  const cutMs = await readSettled(parts, account, fromMs, swept.records, pin);
  const pauses = new Pauses(clock, STEPS_A_TURN);
  const records: CutRecord[] = [];
  for (const [change, record] of swept.records) {
    await pin.keep();
    const known = await recordOf(account, change, record, scope);
    if (scope === undefined || known.keys.length > 0) records.push(known);
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
  const { states, included } = await rollForward(swept.states, records, pauses);

  const copies = await Copies.open(target, pauses, pin);
  const wishes = await pointerLines(states, swept.snapshots, pauses);
  const changes = await changeLines(included, swept.records, pauses);
  await copies.copy(await wantedPayloads(wishes, included, pauses), parts.blobs);
  // A derived pointer without its payload means nothing, or is made again from the metadata.
  const lines = wishes.filter(({ sha }) => copies.has(sha));
  const backup: Backup = {
    format: FORMAT,
    version: FORMAT_VERSION,
    id,
    account,
    ...(scoped && { catalog: scoped }),
    startedMs,
    cutMs,
    historyFromMs: startedMs - parts.historyRetentionMs,
    pointers: await writeLines(target, lines),
    changes: await writeLines(target, changes),
    ...(await copies.index(target)),
  };
  await verifyBackup(target, backup);
  await finishBackup(target, backup);
  return {
    id: backup.id,
    pointers: lines.length,
    changes: changes.length,
    payloads: backup.payloads.lines,
    copied: copies.copied,
    copiedBytes: copies.copiedBytes,
  };
}

async function sweep(
  parts: BackupParts,
  account: AccountId,
  scope: CatalogScope | undefined,
  pin: HistoryPin,
): Promise<Swept> {
  const swept: Swept = { states: new Map(), records: new Map(), snapshots: [] };
  for await (const walked of walkPointers(parts, { account })) {
    if (walked.state === "unreadable") throw walked.error;
    await pin.keep();
    const { item } = walked;
    if (canonicalOf(item.key) !== undefined || isPart(walked.key)) {
      if (
        scope !== undefined &&
        !isPart(walked.key) &&
        walked.state === "live" &&
        !scope.saw(summaryOfItem(walked.item))
      ) {
        continue;
      }
      const path = item.state === "live" ? item.blobPath : undefined;
      const sha = path === undefined ? undefined : shaOfPath(path);
      swept.states.set(item.key, { version: item.version, sha });
    } else if (walked.state === "live") await keep(parts, walked, swept);
  }
  if (scope === undefined) return swept;
  // The store may have shown them before their tables.
  const isKnown = (key: ParsedKey): boolean => scope.knows(key.values[1] ?? "");
  const snapshots = swept.snapshots.filter(({ key }) => isKnown(parseKey(key)));
  for (const key of swept.states.keys()) {
    const parsed = parseKey(key);
    if (isPart(parsed) && !isKnown(parsed)) swept.states.delete(key);
  }
  return { ...swept, snapshots };
}

async function keep(
  { blobs }: BackupParts,
  walked: Extract<WalkedPointer, { state: "live" }>,
  { records, snapshots }: Swept,
): Promise<void> {
  const { is } = walked.references.content;
  if (is === "snapshot") snapshots.push(walked.item);
  if (is === "change") {
    records.set(leafText(walked.item.key) ?? "", await readChange(blobs, walked));
  }
}

/**
 * Reads the records of a span until a second reading of all of it finds no change of names more.
 *
 * Lists are not a snapshot: one reading may miss a batch and show another one that was applied
 * behind it. Where both write one key, its versions say so. But a table needs its namespace, a name
 * is free once what had it is renamed, and no version says either. Between two readings there is an
 * instant before which everything was applied that the first one shows, and the second one shows
 * everything that was applied by then: where both show the same changes of names, those of that
 * instant are known. Commits in place rest on nothing but versions.
 *
 * @returns the time before the last reading.
 * @throws FirnError `Unavailable` `BACKUP_UNSETTLED`.
 */
async function readSettled(
  parts: BackupParts,
  account: AccountId,
  fromMs: number,
  records: Map<string, ChangeRecord>,
  pin: HistoryPin,
): Promise<number> {
  for (let reading = 1; reading <= MAX_READINGS; reading++) {
    const toMs = parts.clock.nowMs();
    const found = await readSpan(parts, account, { fromMs, toMs }, records, pin);
    if (reading > 1 && !found) return toMs;
  }
  const message = "tables and namespaces are made or renamed too fast: try again when it is calmer";
  throw new FirnError("Unavailable", "BACKUP_UNSETTLED", message, { readings: MAX_READINGS });
}

/**
 * Reads the records of a span of minutes, those that the sweep passed too early among them.
 *
 * @returns whether a change of names is among those that were not known.
 */
async function readSpan(
  parts: BackupParts,
  account: AccountId,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  records: Map<string, ChangeRecord>,
  pin: HistoryPin,
): Promise<boolean> {
  const last = Math.floor((toMs + LIMITS.clockSkewMs) / 60_000);
  const first = Math.max(0, Math.floor(fromMs / 60_000));
  let found = false;
  const shard = async (minute: number, index: number): Promise<void> => {
    const bucket = `${digits19(minute)}-${index}`;
    const directory = directoryOf(FAMILIES.change, account, bucket);
    const { items } = await listPage(parts.pointers, directory, {});
    for (const item of items) {
      const id = leafText(item.key) ?? "";
      const walked = records.has(id) ? undefined : takeApart(item);
      if (walked?.state === "unreadable") throw walked.error;
      if (walked?.state !== "live") continue;
      const record = await readChange(parts.blobs, walked);
      records.set(id, record);
      found ||= changesNames(account, record);
    }
  };
  for (let minute = first; minute <= last; minute += MINUTES_AT_ONCE) {
    await pin.keep();
    const minutes = Array.from({ length: MINUTES_AT_ONCE }, (_, i) => minute + i);
    const { changeShards } = CATALOG_LIMITS;
    await settleAll(
      minutes
        .filter((each) => each <= last)
        .flatMap((each) => Array.from({ length: changeShards }, (_, i) => shard(each, i))),
    );
  }
  return found;
}

/** Whether a batch did more than to give entities that are there another content. */
function changesNames(account: AccountId, { keys }: ChangeRecord): boolean {
  return keys.some(({ key, blobFrom, blobTo }) => {
    const isCanonical = canonicalOf(fullKey(account, key)) !== undefined;
    if (isCanonical) return blobFrom === undefined || blobTo === undefined;
    return NAMES.has(parseKey(fullKey(account, key)).family);
  });
}

async function recordOf(
  account: AccountId,
  id: string,
  record: ChangeRecord,
  scope: CatalogScope | undefined,
): Promise<CutRecord> {
  const keys: ChangedKey[] = [];
  for (const each of record.keys) {
    const changed = { ...each, key: fullKey(account, each.key) };
    const key = parseKey(changed.key);
    if (isPart(key)) {
      if (scope === undefined || scope.knows(key.values[1] ?? "")) keys.push(changed);
      continue;
    }
    const entity = canonicalOf(changed.key);
    // Another account may have been made from within this one.
    if (entity === undefined || (entity.type === "account" && entity.id !== account)) continue;
    if (scope === undefined || (await scope.has(changed))) keys.push(changed);
  }
  return { id, timeMs: record.timeMs, keys };
}

function byKey(a: PointerLine, b: PointerLine): number {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

async function pointerLines(
  states: ReadonlyMap<string, KeyState>,
  snapshots: readonly Live[],
  pauses: Pauses,
): Promise<readonly PointerLine[]> {
  const lines: PointerLine[] = [];
  for (const [key, { version, sha }] of states) {
    if (sha !== undefined) lines.push({ key, version: String(version), sha });
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
  for (const { key, version, blobPath, summary } of snapshots) {
    const pause = pauses.step();
    if (pause !== undefined) await pause;
    if (blobPath === undefined || summary === undefined) continue;
    lines.push({
      key,
      version: String(version),
      sha: shaOfPath(blobPath),
      blob: blobPath,
      summary: Buffer.from(summary).toString("base64"),
    });
  }
  return sortedInTurns(lines, byKey, pauses);
}

function hexOf(bytes: Uint8Array | undefined): string | null {
  return bytes === undefined ? null : Buffer.from(bytes).toString("hex");
}

async function changeLines(
  included: readonly CutRecord[],
  records: ReadonlyMap<string, ChangeRecord>,
  pauses: Pauses,
): Promise<readonly ChangeLine[]> {
  const line = ({ id, timeMs, keys }: CutRecord): ChangeLine => {
    const { operation = "", principal = "", requestId = "" } = records.get(id) ?? {};
    const changed = keys.map(
      (each: ChangedKey) =>
        [
          each.key,
          String(each.versionFrom),
          String(each.versionTo),
          hexOf(each.blobFrom),
          hexOf(each.blobTo),
          each.deleted,
        ] as const,
    );
    return { id, timeMs, operation, principal, requestId, keys: changed };
  };
  const lines: ChangeLine[] = [];
  for (const record of included) {
    lines.push(line(record));
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
  return sortedInTurns(lines, (a, b) => (a.id < b.id ? -1 : 1), pauses);
}

/** A payload that a backup needs. */
interface Wanted {
  readonly sha: string;
  readonly path: string;
  /**
   * What leads to it. One that only the history names may be gone. One of a derived pointer may
   * also be torn: the pointer is put beside it, and its writer may have ended before both stood.
   */
  readonly by: "current" | "history" | "derived";
}

async function wantedPayloads(
  lines: readonly PointerLine[],
  included: readonly CutRecord[],
  pauses: Pauses,
): Promise<ReadonlyMap<string, Wanted>> {
  const wanted = new Map<string, Wanted>();
  const want = (key: string, sha: string, by: Wanted["by"], blob?: string): void => {
    if (wanted.has(sha)) return;
    const path = blob ?? payloadOfKey(key, Buffer.from(sha, "hex"));
    wanted.set(sha, { sha, path, by });
  };
  for (const { key, sha, blob } of lines) {
    want(key, sha, blob === undefined ? "current" : "derived", blob);
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
  for (const { keys } of included) {
    const pause = pauses.step();
    if (pause !== undefined) await pause;
    for (const { key, blobFrom, blobTo } of keys) {
      for (const sha of [hexOf(blobFrom), hexOf(blobTo)])
        if (sha !== null) want(key, sha, "history");
    }
  }
  return wanted;
}

/** The payloads of a location: those that are there, and those that are added. */
class Copies {
  readonly #target: BlobStore;
  readonly #pauses: Pauses;
  readonly #pin: HistoryPin;
  /** By hash: the pack, by its hash, and the place in it. */
  readonly #known = new Map<string, { readonly pack: string } & Omit<PayloadLine, "pack">>();
  readonly #used = new Set<string>();
  copied = 0;
  copiedBytes = 0;

  private constructor(target: BlobStore, pauses: Pauses, pin: HistoryPin) {
    this.#target = target;
    this.#pauses = pauses;
    this.#pin = pin;
  }

  /** Learns what earlier backups left, finished or not. A pack that is damaged counts for none. */
  static async open(target: BlobStore, pauses: Pauses, pin: HistoryPin): Promise<Copies> {
    const copies = new Copies(target, pauses, pin);
    const there = new Set<string>();
    for (let after: string | undefined; ; ) {
      const page = await target.list("packs/", after === undefined ? {} : { after });
      await pin.keep();
      for (const { path } of page) there.add(path.slice("packs/".length, -".pack".length));
      after = page.at(-1)?.path;
      if (after === undefined || page.length < 1_000) break;
    }
    for (const path of await listBackups(target)) {
      try {
        await copies.#learn(await readBackup(target, path), there);
        break;
      } catch (error) {
        // One that broke off left a part of it: an older one says less, and then its packs do.
        if (!isDamage(error)) throw error;
      }
    }
    for (const pack of there) {
      await pin.keep();
      await copies.#learnPack(pack);
    }
    return copies;
  }

  async #learn(backup: Backup, there: Set<string>): Promise<void> {
    const found = new Set<string>();
    for await (const line of readLines<PayloadLine>(this.#target, backup.payloads)) {
      const pack = backup.packs[line.pack];
      if (pack === undefined || !there.has(pack)) continue;
      this.#known.set(line.sha, { ...line, pack });
      found.add(pack);
    }
    for (const pack of found) there.delete(pack);
  }

  async #learnPack(pack: string): Promise<void> {
    try {
      const bytes = await readHashed(this.#target, packPath(pack), pack);
      for (const entry of packEntries(bytes)) this.#known.set(entry.sha, { ...entry, pack });
    } catch (error) {
      // A backup that broke off left a part of it: its payloads are copied again.
      if (!isDamage(error)) throw error;
    }
  }

  has(sha: string): boolean {
    return this.#used.has(sha);
  }

  async copy(wanted: ReadonlyMap<string, Wanted>, source: BlobStore): Promise<void> {
    const left: Wanted[] = [];
    for (const one of wanted.values()) {
      if (this.#known.has(one.sha)) this.#used.add(one.sha);
      else left.push(one);
      const pause = this.#pauses.step();
      if (pause !== undefined) await pause;
    }
    let pack: { sha: string; bytes: Uint8Array }[] = [];
    let size = 0;
    for (let from = 0; from < left.length; from += READS) {
      await this.#pin.keep();
      const some = left.slice(from, from + READS);
      const found = await settleAll(some.map((each) => readPayload(source, each)));
      const pause = this.#pauses.step();
      if (pause !== undefined) await pause;
      for (const payload of found) {
        if (payload === undefined) continue;
        pack.push(payload);
        size += payload.bytes.length;
      }
      if (size < PACK_BYTES) continue;
      await this.#put(pack);
      [pack, size] = [[], 0];
    }
    if (pack.length > 0) await this.#put(pack);
  }

  async #put(payloads: readonly { sha: string; bytes: Uint8Array }[]): Promise<void> {
    const { bytes, offsets } = encodePack(payloads);
    const pack = sha256Hex(bytes);
    await putHashed(this.#target, packPath(pack), bytes);
    payloads.forEach(({ sha, bytes: { length } }, i) => {
      this.#known.set(sha, { sha, pack, offset: offsets[i] ?? 0, length });
      this.#used.add(sha);
      this.copied++;
      this.copiedBytes += length;
    });
  }

  /** Says where the payloads of this backup lie. */
  async index(target: BlobStore): Promise<Pick<Backup, "payloads" | "packs">> {
    const packs = new Map<string, number>();
    const lines: PayloadLine[] = [];
    const order = (a: string, b: string): number => (a < b ? -1 : 1);
    for (const sha of await sortedInTurns([...this.#used], order, this.#pauses)) {
      const pause = this.#pauses.step();
      if (pause !== undefined) await pause;
      const known = this.#known.get(sha);
      if (known === undefined) continue;
      const number = packs.get(known.pack) ?? packs.size;
      packs.set(known.pack, number);
      lines.push({ sha, pack: number, offset: known.offset, length: known.length });
    }
    return { payloads: await writeLines(target, lines), packs: [...packs.keys()] };
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof FirnError && error.code === "BACKUP_DAMAGED";
}

async function readPayload(
  source: BlobStore,
  { sha, path, by }: Wanted,
): Promise<{ sha: string; bytes: Uint8Array } | undefined> {
  const found = await source.get(path);
  if (found === undefined) {
    if (by !== "current") return undefined;
    // Its record is past the retention, so the backup took longer than that.
    const message = "a payload was collected during the backup: raise --history-retention";
    throw new FirnError("Unavailable", "BACKUP_OVERTAKEN", message, { path });
  }
  if (sha256Hex(found.bytes) !== sha) {
    if (by === "derived") return undefined;
    throw new FirnError("Corrupt", "PAYLOAD_CORRUPT", "payload hash mismatch", { path });
  }
  return { sha, bytes: found.bytes };
}
