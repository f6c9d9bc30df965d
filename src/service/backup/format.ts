import { promisify } from "node:util";
import { gunzip, gunzipSync, gzip, gzipSync } from "node:zlib";
import { FirnError } from "../../base/error.ts";
import { sha256Hex } from "../../base/hash.ts";
import type { AccountId, CatalogId } from "../../base/ids.ts";
import type { BlobStore } from "../../blob/port.ts";

/*
 * The files of a backup location; `docs/formats/backup.md` describes them. Every file but none is
 * named by the SHA-256 of its bytes, so that reading proves it whole. A backup exists once its
 * small object in `backups/` does, which is written last.
 */

export const FORMAT = "firn-backup";
export const FORMAT_VERSION = 4;
const VERSION_OF_FIRST_SHARDS = 3;
/** What a backup of one account is, and one without rows: older versions of Firn read them too. */
const VERSION_OF_ONE_ACCOUNT = 2;
const VERSION_WITHOUT_ROWS = 1;
/** Payloads are collected to packs of about this size: one request for thousands of them. */
export const PACK_BYTES: number = 4 * 1_048_576;
/** Lines of a chunk, and characters of it, whichever comes first: what is encoded in one turn. */
export const CHUNK_LINES = 10_000;
const CHUNK_CHARACTERS = 4 * 1_048_576;

/** What is packed or unpacked at once: a thread is not worth it, and a turn stays short. */
const SMALL_TEXT = 524_288;
const SMALL_CHUNK = 65_536;
const zipInThread = promisify(gzip);
const unzipInThread = promisify(gunzip);

async function zip(text: string): Promise<Uint8Array> {
  return text.length <= SMALL_TEXT ? gzipSync(text) : zipInThread(text);
}

async function unzip(bytes: Uint8Array): Promise<Buffer> {
  return bytes.length <= SMALL_CHUNK ? gunzipSync(bytes) : unzipInThread(bytes);
}

/** A list of chunks, each named by its hash. */
export interface ChunkList {
  readonly lines: number;
  readonly chunks: readonly string[];
}

/** The catalog that a backup is of, where it is of one alone. */
export interface ScopedCatalog {
  readonly id: CatalogId;
  /** As it was called when the backup began. */
  readonly name: string;
}

/** What an account was until a time, in milliseconds. */
export interface AccountState {
  readonly untilMs: number;
  /** Its payload in base64; null: there was no account; absent: it is not retained. */
  readonly payload?: string | null;
}

/** An account beside the one that a backup names. */
export interface BackedAccount {
  readonly id: AccountId;
  readonly name: string;
  /** Of its `Backup`, in `accounts/`. */
  readonly sha: string;
  /** It was deleted, and may be brought back: its name may be another account's. */
  readonly deleted?: true;
  /** What it was earlier, the oldest first. Absent: it did not change within the history. */
  readonly states?: readonly AccountState[] | undefined;
}

/** The object that makes a backup exist. Times in milliseconds of wall time. */
export interface Backup {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly id: string;
  readonly account: string;
  /** As it was called when the backup began. Absent: an older version of Firn wrote the backup. */
  readonly accountName?: string;
  /** The other accounts of the store, each a backup like this one. Absent: it is of one account. */
  readonly others?: readonly BackedAccount[];
  /** The only catalog that is in it; absent: all of the account. */
  readonly catalog?: ScopedCatalog;
  /** When the sweep began: everything acknowledged before is in it. */
  readonly startedMs: number;
  /** When the last change record was read: nothing later is in it. */
  readonly cutMs: number;
  /** Points in time go back this far. */
  readonly historyFromMs: number;
  /** `PointerLine` by key. */
  readonly pointers: ChunkList;
  /** `ChangeLine` by id. */
  readonly changes: ChunkList;
  /** `PayloadLine` by hash. */
  readonly payloads: ChunkList;
  /** Absent: there are no row tables. */
  readonly shards?: readonly BackedShard[];
  /** Hashes of the packs that `PayloadLine.pack` counts in. */
  readonly packs: readonly string[];
}

/** The rows of a catalog's row tables: everything in their shard, as of one of its states. */
export interface BackedShard {
  readonly catalog: CatalogId;
  /** Its id; absent: the first one of the catalog. */
  readonly shard?: string;
  /** Of that state, in the shard that it was read from. */
  readonly sequence: number;
  /** `{k, v}`: key and value in base64, by key. */
  readonly rows: ChunkList;
  /** SHA-256 of all rows: lengths of key and value (4 bytes each, big-endian), key, value. */
  readonly sha: string;
}

/** A pointer at the cut. `blob`: the path of its payload in the store that it was read from. */
export interface PointerLine {
  readonly key: string;
  readonly version: string;
  readonly sha: string;
  /** Of a derived pointer, which no payload tells. */
  readonly blob?: string;
  readonly summary?: string;
}

/** A change record: `keys` are [key, version from, to, payload from, to, deleted]. */
export interface ChangeLine {
  readonly id: string;
  readonly timeMs: number;
  readonly operation: string;
  readonly principal: string;
  readonly requestId: string;
  readonly keys: readonly (readonly [
    string,
    string,
    string,
    string | null,
    string | null,
    boolean,
  ])[];
}

/** Where a payload lies: bytes of the pack behind its head. */
export interface PayloadLine {
  readonly sha: string;
  readonly pack: number;
  readonly offset: number;
  readonly length: number;
}

export function damaged(message: string, path: string): FirnError {
  return new FirnError("Corrupt", "BACKUP_DAMAGED", `damaged backup: ${message}`, { path });
}

export function historyGone(key: string): FirnError {
  const message = "the backup no longer has a version of that time: choose a later one";
  return new FirnError("NotFound", "BACKUP_HISTORY_GONE", message, { key });
}

/** The bytes of a file that is named by their hash. @throws FirnError `BACKUP_DAMAGED`. */
export async function readHashed(store: BlobStore, path: string, sha: string): Promise<Uint8Array> {
  const found = await store.get(path);
  if (found === undefined) throw damaged("a file is missing", path);
  if (sha256Hex(found.bytes) !== sha) throw damaged("a file has other bytes than its hash", path);
  return found.bytes;
}

/** Puts a file that is named by the hash of its bytes; one that is there already stays. */
export async function putHashed(store: BlobStore, path: string, bytes: Uint8Array): Promise<void> {
  const { outcome } = await store.put(path, bytes, "absent");
  if (outcome === "stored") return;
  const found = await store.get(path);
  // A try that broke off may have left a part of it.
  if (found !== undefined && Buffer.from(found.bytes).equals(bytes)) return;
  await store.put(path, bytes);
}

export const packPath = (sha: string): string => `packs/${sha}.pack`;
const accountPath = (sha: string): string => `accounts/${sha}.json`;
export const chunkPath = (sha: string): string => `chunks/${sha}.ndjson.gz`;

/** Writes lines as chunks. */
export async function writeLines(
  store: BlobStore,
  lines: AsyncIterable<object>,
): Promise<ChunkList> {
  const chunks: string[] = [];
  let [count, size] = [0, 0];
  let some: string[] = [];
  const write = async (): Promise<void> => {
    const bytes = await zip(some.join(""));
    const sha = sha256Hex(bytes);
    await putHashed(store, chunkPath(sha), bytes);
    chunks.push(sha);
    [some, size] = [[], 0];
  };
  for await (const each of lines) {
    if (some.length >= CHUNK_LINES || size >= CHUNK_CHARACTERS) await write();
    const line = `${JSON.stringify(each)}\n`;
    some.push(line);
    size += line.length;
    count++;
  }
  if (some.length > 0) await write();
  return { lines: count, chunks };
}

/** @throws FirnError `BACKUP_DAMAGED`. */
export async function* readLines<T>(store: BlobStore, list: ChunkList): AsyncGenerator<T> {
  let count = 0;
  for (const sha of list.chunks) {
    const packed = await readHashed(store, chunkPath(sha), sha);
    const text = (await unzip(packed)).toString();
    for (const line of text.split("\n")) {
      if (line === "") continue;
      count++;
      yield JSON.parse(line) as T;
    }
  }
  if (count !== list.lines) throw damaged("lines are missing", "chunks/");
}

/** A pack: one line of JSON with hashes and lengths, then the payloads. */
export function encodePack(payloads: readonly { sha: string; bytes: Uint8Array }[]): {
  readonly bytes: Uint8Array;
  readonly offsets: readonly number[];
} {
  const head = JSON.stringify(payloads.map(({ sha, bytes }) => [sha, bytes.length]));
  const parts: Uint8Array[] = [Buffer.from(`${head}\n`)];
  const offsets: number[] = [];
  let offset = parts[0]?.length ?? 0;
  for (const { bytes } of payloads) {
    offsets.push(offset);
    parts.push(bytes);
    offset += bytes.length;
  }
  return { bytes: Buffer.concat(parts), offsets };
}

/** Hash, offset and length of each payload of a pack. */
export function packEntries(bytes: Uint8Array): readonly Omit<PayloadLine, "pack">[] {
  const end = bytes.indexOf(0x0a);
  const head = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString()) as [string, number][];
  let offset = end + 1;
  return head.map(([sha, length]) => {
    const entry = { sha, offset, length };
    offset += length;
    return entry;
  });
}

/** The backups of a location, the newest first. */
export async function listBackups(store: BlobStore): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await store.list("backups/", after === undefined ? {} : { after });
    found.push(...page.map(({ path }) => path));
    after = page.at(-1)?.path;
    if (after === undefined || page.length < 1_000) return found.sort().reverse();
  }
}

/** @throws FirnError `BACKUP_DAMAGED`; `Unavailable` `BACKUP_TOO_NEW`. */
export async function readBackup(store: BlobStore, path: string): Promise<Backup> {
  const sha = path.slice(-".json".length - 64, -".json".length);
  const backup = JSON.parse(Buffer.from(await readHashed(store, path, sha)).toString()) as Backup;
  if (backup.format !== FORMAT || backup.version > FORMAT_VERSION) {
    const message = "a newer version of Firn wrote this backup: upgrade";
    throw new FirnError("Unavailable", "BACKUP_TOO_NEW", message, { path });
  }
  return backup;
}

/** The newest backup, or the one of an id. @throws FirnError `BACKUP_NOT_FOUND`; as above. */
export async function findBackup(store: BlobStore, id?: string): Promise<Backup> {
  const paths = await listBackups(store);
  const path = id === undefined ? paths[0] : paths.find((each) => each.includes(`/${id}-`));
  if (path !== undefined) return readBackup(store, path);
  const context = id === undefined ? {} : { id };
  throw new FirnError("NotFound", "BACKUP_NOT_FOUND", "no finished backup there", context);
}

/** The backup of each other account. @throws as `readBackup`. */
export async function* readOthers(
  store: BlobStore,
  { others = [] }: Backup,
): AsyncGenerator<Backup> {
  for (const { sha } of others) yield await readBackup(store, accountPath(sha));
}

/** The least version whose readers know all of a backup. */
export function versionOf({ others, shards }: Pick<Backup, "others" | "shards">): number {
  if (shards?.some(({ shard }) => shard !== undefined) === true) return FORMAT_VERSION;
  if (others !== undefined) return VERSION_OF_FIRST_SHARDS;
  return shards === undefined ? VERSION_WITHOUT_ROWS : VERSION_OF_ONE_ACCOUNT;
}

/** Writes the object that makes a backup exist. */
export async function finishBackup(store: BlobStore, backup: Backup): Promise<void> {
  const bytes = encodeBackup(backup);
  await putHashed(store, `backups/${backup.id}-${sha256Hex(bytes)}.json`, bytes);
}

/** Writes the backup of an account that another one is to name. @returns its hash. */
export async function putAccount(store: BlobStore, backup: Backup): Promise<string> {
  const bytes = encodeBackup(backup);
  const sha = sha256Hex(bytes);
  await putHashed(store, accountPath(sha), bytes);
  return sha;
}

function encodeBackup(backup: Backup): Uint8Array {
  return Buffer.from(`${JSON.stringify(backup, undefined, 1)}\n`);
}
