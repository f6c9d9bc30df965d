import { FirnError } from "../../base/error.ts";
import { printable } from "../../base/printable.ts";
import type { EntryBytes } from "../format/cursor.ts";
import { DataBlockCursor } from "../format/data-block-cursor.ts";
import {
  APART,
  DELETE,
  END_OF_KEYS,
  EXPIRES,
  type Key,
  MERGE,
  plainKind,
} from "../format/entry.ts";
import type { IndexBlock } from "../format/index-block.ts";
import { type Manifest, tablesIn } from "../format/manifest.ts";
import type { PrefixRule } from "../format/prefix-filter.ts";
import type { Sst } from "../format/sst.ts";
import type { SstMeta } from "../format/sst-meta.ts";
import type { Ulid } from "../format/ulid.ts";
import { decodeReference } from "../format/value-reference.ts";
import { ManifestHistory } from "../manifest/history.ts";
import {
  newestManifest,
  type ShardFiles,
  type TableFile,
  tableFiles,
  valueFiles,
} from "../manifest/shard-files.ts";
import { pathOf, tablePath } from "../read/table-cache.ts";
import { type BatchOp, decodeBatch } from "../wal/batch.ts";
import { openTableFile } from "./verify-table.ts";

/** The state of a shard: its newest manifest, its tables, its log, what waits to be deleted. */
export async function* inspectShard(shard: ShardFiles): AsyncGenerator<string> {
  const stored = await tableFiles(shard);
  const manifest = await newestManifest(shard);
  yield* manifestLines(manifest);
  yield `level 0: ${manifest.level0.length} tables`;
  for (const table of manifest.level0) yield `  ${tableLine(table)}`;
  yield `sorted runs: ${manifest.runs.length}`;
  for (const { id, tables } of manifest.runs) {
    yield `  run ${id}: ${tables.length} tables, ${sum(tables)} bytes`;
    for (const table of tables) yield `    ${tableLine(table)}`;
  }
  yield* logLines(shard, manifest);
  yield* storedLines(shard, manifest, stored);
}

/** The blocks of a table; or, of one that begins at an offset, the entries. */
export async function* inspectTable(
  shard: ShardFiles,
  id: Ulid,
  block: number | undefined,
): AsyncGenerator<string> {
  const { store } = shard;
  const path = await pathIn(shard, id);
  const sst = await openTableFile(store, path, id);
  if (sst === undefined) throw notThere(path);
  const read = async (offset: number, bytes: number): Promise<Uint8Array> =>
    (await store.getRange(path, offset, bytes))?.bytes ?? new Uint8Array(0);
  yield tableLine(sst.meta);
  if (sst.prefixes !== undefined) yield `  filter of prefixes: ${ruleText(sst.prefixes.rule)}`;
  if (block === undefined) yield* rangeLines(sst);
  for await (const leaf of leavesOf(sst, read)) {
    for (let entry = 0; entry < leaf.count; entry++) {
      const offset = leaf.offset(entry);
      const bytes = leaf.bytes(entry);
      if (block === undefined) {
        const separator = printable(leaf.separators[entry] ?? "");
        yield `  block at ${offset}: ${bytes} bytes, up to ${separator}`;
      } else if (block === offset) {
        yield* entryLines(sst, await read(offset, bytes), offset);
        return;
      }
    }
  }
  if (block !== undefined) throw notThere(`${path}, block at ${block}`);
}

/** Of a clone's table that lies with its parent, as the newest manifest says; else our own. */
async function pathIn(shard: ShardFiles, id: Ulid): Promise<string> {
  const path = tablePath(shard.prefix, id);
  if ((await shard.store.head(path)) !== undefined) return path;
  const manifest = await newestManifest(shard).catch(() => undefined);
  const meta = manifest && tablesIn(manifest).find((table) => table.id === id);
  return meta === undefined ? path : pathOf(shard.prefix, meta);
}

/** The groups of one file of the log, with their operations. */
export async function* inspectLog({ wal }: ShardFiles, id: number): AsyncGenerator<string> {
  const listed = (await wal.list()).find((file) => file.id === id);
  if (listed === undefined) throw notThere(wal.pathOf(id));
  const { epoch, groups } = await wal.read(id);
  yield `${wal.pathOf(id)}: ${listed.bytes} bytes, epoch ${epoch}`;
  let count = 0;
  for (const { batches } of groups) {
    yield `  group ${++count}: ${batches.length} batches`;
    for (const { firstSequence, count: ops, payload } of batches) {
      yield `    from sequence ${firstSequence}: ${ops} operations, ${payload.length} bytes`;
      for (const op of decodeBatch(payload, ops)) yield `      ${opLine(op)}`;
    }
  }
  if (count === 0) yield "  no groups";
}

function* manifestLines(manifest: Manifest): Generator<string> {
  const { id, writerEpoch, compactorEpoch, walFrom, lastSequence, owner, writtenAtMs } = manifest;
  yield `manifest ${id}, written ${new Date(writtenAtMs).toISOString()}`;
  yield `  epoch of the writer ${writerEpoch}, of the compactor ${compactorEpoch}`;
  yield `  tables hold everything up to sequence ${lastSequence}; the log from file ${walFrom} on`;
  if (owner === undefined) yield "  no owner";
  else {
    const { node, host, pid, url, state } = owner;
    const process = `${printable(node)} on ${printable(host)}, pid ${pid}`;
    yield `  owner ${process}, ${state} ${printable(url)}`;
  }
  yield `  merge operators: ${manifest.operators.map(printable).join(", ")}`;
  for (const { kind, name, manifestId, sequence, expiresAtMs } of manifest.checkpoints) {
    const what = kind === "named" ? `checkpoint ${printable(name)}` : `${kind} ${printable(name)}`;
    yield `  ${what}: manifest ${manifestId}, sequence ${sequence}${expiryText(expiresAtMs)}`;
  }
  const { parent, deletedAtMs } = manifest;
  if (deletedAtMs !== undefined) yield `  deleted ${timeText(deletedAtMs)}`;
  if (parent !== undefined) {
    const there = `${pathText(parent.prefix)}, which keeps manifest ${parent.manifestId} for it`;
    yield `  clone of ${there} as ${printable(parent.pin)}`;
  }
  const [first] = manifest.samples;
  if (first !== undefined) {
    const { sequence, timeMs } = first;
    const oldest = `the oldest of ${sequence}, ${timeText(timeMs)}`;
    yield `  times of sequences: ${manifest.samples.length}, ${oldest}`;
  }
}

function pathText(prefix: string): string {
  return prefix === "" ? "the root of the store" : printable(prefix);
}

function tableLine({ id, fileBytes, stats, whole, home }: SstMeta): string {
  const { entries, deletions, keys, ranges, firstKey, lastKey, minSequence, maxSequence } = stats;
  const { merges, expiring, lastExpiryMs, apart, apartBytes } = stats;
  const others = [
    ranges === 0 ? "" : `, ${ranges} ranges deleted`,
    merges === 0 ? "" : `, ${merges} merges`,
    whole === undefined ? "" : ` of ${whole.entries}, whose first are compacted`,
    apart === 0 ? "" : `, ${apart} values apart of ${apartBytes} bytes`,
    expiring === 0 ? "" : `, ${expiring} that expire until ${timeText(lastExpiryMs)}`,
  ].join("");
  const counts = `${entries} entries, ${keys} keys, ${deletions} deletions${others}`;
  const range = `${printable(firstKey)} to ${boundText(lastKey)}`;
  const place = home === undefined ? "" : `, with ${pathText(home)}`;
  const sequences = `sequences ${minSequence}-${maxSequence}`;
  return `${id} ${fileBytes} bytes, ${counts}, ${sequences}, ${range}${place}`;
}

async function* logLines({ wal }: ShardFiles, { walFrom }: Manifest): AsyncGenerator<string> {
  const files = await wal.list();
  yield `log: ${files.length} files`;
  for (const { id, bytes } of files) {
    yield `  ${wal.pathOf(id)} ${bytes} bytes${id < walFrom ? ", no longer needed" : ""}`;
  }
}

async function* storedLines(
  { store, prefix, clock }: ShardFiles,
  manifest: Manifest,
  stored: readonly TableFile[],
): AsyncGenerator<string> {
  const history = new ManifestHistory(store, prefix, clock);
  const named = new Set<Ulid>(tablesIn(manifest).map(({ id }) => id));
  const others = stored.filter(({ id }) => !named.has(id));
  const bytes = others.reduce((total, { size }) => total + size, 0);
  yield `stored manifests: ${(await history.list()).length}`;
  const boundary = await history.boundary();
  yield `manifests that may have been deleted: up to ${boundary?.manifestThrough ?? 0}`;
  yield `tables that this manifest does not name: ${others.length}, ${bytes} bytes`;
  for (const { id, size } of others) yield `  ${id} ${size} bytes`;
  const values = await valueFiles({ store, prefix });
  const valueBytes = values.reduce((total, { size }) => total + size, 0);
  yield `stored values apart: ${values.length}, ${valueBytes} bytes`;
}

async function* leavesOf(
  sst: Sst,
  read: (offset: number, bytes: number) => Promise<Uint8Array>,
): AsyncGenerator<IndexBlock> {
  const { index } = sst;
  if (index.level === 0) yield index;
  for (let part = 0; index.level === 1 && part < index.count; part++) {
    const offset = index.offset(part);
    yield sst.indexPart(await read(offset, index.bytes(part)), offset);
  }
}

function* entryLines(sst: Sst, frame: Uint8Array, offset: number): Generator<string> {
  const cursor = new DataBlockCursor();
  cursor.reset(sst.dataBlock(frame, offset));
  while (cursor.next()) {
    yield `  ${printable(cursor.key)} @${cursor.sequence} ${entryText(cursor)}`;
  }
}

function entryText(entry: EntryBytes): string {
  const { kind, operator, valueSource, valueStart, valueEnd } = entry;
  if (kind === DELETE) return "delete";
  const value = valueSource.subarray(valueStart, valueEnd);
  const expiresAtMs = (kind & EXPIRES) === 0 ? undefined : entry.expiresAtMs;
  if ((kind & APART) !== 0) {
    const { id, bytes } = decodeReference(entry);
    return `put value ${id} of ${bytes} bytes${expiryText(expiresAtMs)}`;
  }
  if (plainKind(kind) === MERGE) return mergeText(operator, value, expiresAtMs, "merge");
  return `put ${printable(value)}${expiryText(expiresAtMs)}`;
}

function mergeText(
  operator: number,
  value: Uint8Array,
  expiresAtMs: number | undefined,
  what: string,
): string {
  return `${what} by operator ${operator} ${printable(value)}${expiryText(expiresAtMs)}`;
}

function expiryText(expiresAtMs: number | undefined): string {
  return expiresAtMs === undefined ? "" : ` until ${timeText(expiresAtMs)}`;
}

/** Times beyond those that have a date are numbers. */
function timeText(ms: number): string {
  return ms > MAX_DATE_MS ? String(ms) : new Date(ms).toISOString();
}

const MAX_DATE_MS = 8.64e15;

function ruleText(rule: PrefixRule): string {
  return "bytes" in rule
    ? `the first ${rule.bytes} bytes`
    : `up to ${printable(String.fromCharCode(rule.separator))}`;
}

function* rangeLines({ ranges }: Sst): Generator<string> {
  for (const { from, to, sequences } of ranges?.fragments() ?? []) {
    yield `  from ${printable(from)} to ${boundText(to)} @${sequences.join(" @")} delete`;
  }
}

function endText(to: Uint8Array): string {
  return to.length === 0 ? "the end" : printable(to);
}

function boundText(bound: Key): string {
  return bound === END_OF_KEYS ? "the end" : printable(bound);
}

function opLine(op: BatchOp): string {
  switch (op.op) {
    case "put":
      return `put ${printable(op.key)} ${printable(op.value)}${expiryText(op.expiresAtMs)}`;
    case "delete":
      return `delete ${printable(op.key)}`;
    case "merge":
      return mergeText(op.operator, op.value, op.expiresAtMs, `merge ${printable(op.key)}`);
    case "ingest":
      return `ingest ${printable(op.key)}`;
    case "deleteRange":
      return `delete from ${printable(op.from)} to ${endText(op.to)}`;
  }
}

function sum(tables: readonly SstMeta[]): number {
  return tables.reduce((total, { fileBytes }) => total + fileBytes, 0);
}

function notThere(path: string): FirnError {
  return new FirnError("NotFound", "LSM_FILE_NOT_FOUND", "file not found", { path });
}
