import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { fileSeed } from "../../../src/lsm/format/block-frame.ts";
import { decodeFooter, FOOTER_BYTES } from "../../../src/lsm/format/footer.ts";
import type { IndexBlock } from "../../../src/lsm/format/index-block.ts";
import { type OpenedSst, openSst, type Sst } from "../../../src/lsm/format/sst.ts";
import { bytesOfUlid, type Ulid } from "../../../src/lsm/format/ulid.ts";
import { readVarint } from "../../../src/lsm/format/varint.ts";
import { FRAME_BYTES, readGroup } from "../../../src/lsm/wal/frame.ts";
import { walId } from "../../../src/lsm/wal/names.ts";
import {
  BLOCK_BYTES,
  decodeSegmentHeader,
  type SegmentHeader,
  wholeBlocks,
} from "../../../src/lsm/wal/segment-header.ts";

/** A part of a file that means something, [start, end). */
export interface Region {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** A field that says how much of something there is, and what vouches for it. */
export interface LengthField extends Region {
  readonly coding: "u16be" | "u32" | "u64" | "varint";
  /** Makes every checksum of the file right again after the field was changed. */
  readonly reseal: (bytes: Buffer) => void;
}

export interface Structure {
  readonly regions: readonly Region[];
  readonly lengths: readonly LengthField[];
}

/** Where a group of a segment lies, and the last sequence in it. */
export interface GroupPlace {
  readonly start: number;
  readonly end: number;
  readonly lastSequence: number;
}

/** The groups of a segment that is as it was written. */
export function groupsOf(path: string, bytes: Buffer): readonly GroupPlace[] {
  const header = headerOf(path, bytes);
  const groups: GroupPlace[] = [];
  let due = header?.firstSequence ?? 0;
  for (let at = BLOCK_BYTES; header !== undefined; ) {
    const read = readGroup(bytes, at, header, due, at);
    if ("badAt" in read) break;
    const last = read.batches.at(-1);
    due = (last?.firstSequence ?? 0) + (last?.count ?? 0);
    groups.push({ start: at, end: read.end, lastSequence: due - 1 });
    at = wholeBlocks(read.end);
  }
  return groups;
}

export function headerOf(path: string, bytes: Buffer): SegmentHeader | undefined {
  const header = decodeSegmentHeader(bytes, walId(path.slice(path.lastIndexOf("/") + 1)) ?? 0);
  return typeof header === "string" ? undefined : header;
}

export function structureOf(path: string, bytes: Buffer): Structure {
  if (path.endsWith(".wal")) return segment(path, bytes);
  const inner = innerOf(path, bytes);
  const trailer = trailerOf(bytes);
  return {
    regions: [...inner.regions, ...trailer.regions],
    lengths: [...inner.lengths, ...trailer.lengths],
  };
}

function innerOf(path: string, bytes: Buffer): Structure {
  if (path.includes("/values/")) return value(path, bytes);
  return path.endsWith(".sst.blob") ? table(path, bytes) : record(bytes);
}

/** The object of a value apart: one frame. */
function value(path: string, file: Buffer): Structure {
  const content = contentBytes(file);
  const id = path.slice(path.lastIndexOf("/") + 1, -".blob".length) as Ulid;
  const seed = fileSeed(bytesOfUlid(id));
  const regions = tile(0, [
    ["value", content - 9],
    ["codec", 1],
    ["length", 4],
    ["checksum", 4],
  ]);
  const reseal = (out: Buffer): void => {
    out.writeUInt32LE(crc32(out.subarray(0, content - 4), seed), content - 4);
    resealBlob(out, content);
  };
  return { regions, lengths: [{ ...named(regions, "length"), coding: "u32", reseal }] };
}

/** Regions one behind the other, by their lengths. */
function tile(start: number, parts: readonly (readonly [name: string, bytes: number])[]): Region[] {
  let at = start;
  return parts.map(([name, bytes]) => {
    at += bytes;
    return { name, start: at - bytes, end: at };
  });
}

function named(regions: readonly Region[], name: string): Region {
  const found = regions.find((region) => region.name === name);
  if (found === undefined) throw new Error(`no region ${name}`);
  return found;
}

function segment(path: string, bytes: Buffer): Structure {
  const head = tile(0, [
    ["magic", 4],
    ["version", 2],
    ["reserved", 2],
    ["id", 8],
    ["epoch", 4],
    ["salt", 4],
    ["first sequence", 8],
    ["previous id", 8],
    ["previous end", 8],
    ["previous sequence", 8],
    ["zero", 4],
    ["header checksum", 4],
    ["rest of the header's block", BLOCK_BYTES - 64],
  ]);
  const header = headerOf(path, bytes);
  if (header === undefined) return { regions: head, lengths: [] };
  const resealHeader = (out: Buffer): void => {
    out.writeUInt32LE(crc32(out.subarray(0, 60)), 60);
  };
  const ofHeader = ["previous id", "previous end", "previous sequence", "first sequence"];
  const lengths: LengthField[] = ofHeader.map((name) => ({
    ...named(head, name),
    coding: "u64",
    reseal: resealHeader,
  }));
  const regions = [...head];
  const groups = groupsOf(path, bytes);
  for (const [index, { start, end }] of groups.entries()) {
    const parts = frame(start, end).map((region) => ({
      ...region,
      name: `group ${index} ${region.name}`,
    }));
    regions.push(...parts, { name: `group ${index} padding`, start: end, end: wholeBlocks(end) });
    for (const name of ["length", "count"]) {
      const field = named(parts, `group ${index} ${name}`);
      lengths.push({
        ...field,
        coding: "u32",
        reseal: (out) => resealFrame(out, start, header.salt),
      });
    }
  }
  const end = wholeBlocks(groups.at(-1)?.end ?? BLOCK_BYTES);
  regions.push({ name: "zeros", start: end, end: bytes.length });
  return { regions: regions.filter((region) => region.end > region.start), lengths };
}

/** The one frame of a group of one batch. */
function frame(start: number, end: number): Region[] {
  return tile(start, [
    ["checksum", 4],
    ["head's checksum", 2],
    ["type", 1],
    ["flags", 1],
    ["length", 4],
    ["epoch", 4],
    ["segment", 8],
    ["sequence", 8],
    ["count", 4],
    ["synced offset", 4],
    ["payload", end - start - FRAME_BYTES],
  ]);
}

function resealFrame(out: Buffer, at: number, salt: number): void {
  out.writeUInt16LE(crc32(out.subarray(at + 6, at + FRAME_BYTES), salt) & 0xffff, at + 4);
  const end = Math.min(out.length, at + FRAME_BYTES + out.readUInt32LE(at + 8));
  out.writeUInt32LE(crc32(out.subarray(at + 4, end), salt), at);
}

const HASH_BYTES = 32;
const FIXED_BYTES = HASH_BYTES + 2 + 6;

/** Bytes of the blob that a file of the store holds. */
export function contentBytes(file: Buffer): number {
  return file.length - FIXED_BYTES - file.readUInt16BE(file.length - 8);
}

function trailerOf(file: Buffer): Structure {
  const pathBytes = file.readUInt16BE(file.length - 8);
  const regions = tile(contentBytes(file), [
    ["trailer's path", pathBytes],
    ["trailer's hash", HASH_BYTES],
    ["trailer's length", 2],
    ["trailer's magic", 6],
  ]);
  const field = named(regions, "trailer's length");
  return { regions, lengths: [{ ...field, coding: "u16be", reseal: () => undefined }] };
}

/** The hash of the content, which a blob's reader compares. */
function resealBlob(out: Buffer, content: number): void {
  const hash = createHash("sha256").update(out.subarray(0, content)).digest();
  out.set(hash, out.length - FIXED_BYTES);
}

/** A manifest or a boundary. */
function record(file: Buffer): Structure {
  const content = contentBytes(file);
  const sumAt = content - 4;
  const reseal = (out: Buffer): void => {
    out.writeUInt32LE(crc32(out.subarray(0, sumAt)), sumAt);
    resealBlob(out, content);
  };
  const head = tile(0, [
    ["magic", 8],
    ["version", 2],
    ["reserved", 2],
    ["required", 4],
    ["optional", 4],
    ["body length", 4],
  ]);
  const body: LengthField[] = [];
  fieldsOf(file, 24, sumAt, "field", reseal, body);
  return {
    regions: [
      ...head,
      ...body,
      { name: "body", start: 24, end: sumAt },
      { name: "checksum", start: sumAt, end: content },
    ],
    lengths: [{ ...named(head, "body length"), coding: "u32", reseal }, ...body],
  };
}

/** The lengths of fields, and of those of the records in them, as far as they can be such. */
function fieldsOf(
  bytes: Buffer,
  start: number,
  end: number,
  name: string,
  reseal: (bytes: Buffer) => void,
  into: LengthField[],
): boolean {
  const found: LengthField[] = [];
  let before = 0;
  for (let at = start; at < end; ) {
    const id = readVarint(bytes, at, end);
    const size = id && readVarint(bytes, id.after, end);
    if (id === undefined || size === undefined || id.value < Math.max(1, before)) return false;
    if (size.after + size.value > end) return false;
    before = id.value;
    const part = `${name} ${id.value}`;
    found.push({
      name: `${part} length`,
      start: id.after,
      end: size.after,
      coding: "varint",
      reseal,
    });
    const inner: LengthField[] = [];
    const isRecord = fieldsOf(bytes, size.after, size.after + size.value, part, reseal, inner);
    if (isRecord && inner.length > 1) found.push(...inner);
    at = size.after + size.value;
  }
  into.push(...found);
  return true;
}

/** The index of a table's data blocks, in its parts. */
export function leavesOf(sst: Sst, bytes: Uint8Array): readonly IndexBlock[] {
  const { index } = sst;
  if (index.level === 0) return [index];
  return Array.from({ length: index.count }, (_, i) => {
    const at = index.offset(i);
    return sst.indexPart(bytes.subarray(at, at + index.bytes(i)), at);
  });
}

function table(path: string, file: Buffer): Structure {
  const content = contentBytes(file);
  const id = path.slice(path.lastIndexOf("/") + 1, -".sst.blob".length) as Ulid;
  const bytes = file.subarray(0, content);
  const opened: OpenedSst = openSst(bytes, { id });
  if (opened.state !== "open") throw new Error("a table that does not open");
  const seed = fileSeed(bytesOfUlid(id));
  const footerAt = content - FOOTER_BYTES;
  const { tailBytes, index, filter, stats, ranges, prefixes } = decodeFooter(bytes);
  const tailAt = content - tailBytes;
  const regions: Region[] = [];
  const lengths: LengthField[] = [];
  const add = (name: string, at: number, size: number): void => {
    const end = at + size;
    const parts = tile(at, [
      [`${name} content`, size - 9],
      [`${name} codec`, 1],
      [`${name} length`, 4],
      [`${name} checksum`, 4],
    ]);
    regions.push(...parts);
    const reseal = (out: Buffer): void => {
      out.writeUInt32LE(crc32(out.subarray(at, end - 4), (seed + at) >>> 0), end - 4);
      resealBlob(out, content);
    };
    lengths.push({ ...named(parts, `${name} length`), coding: "u32", reseal });
    if (file[end - 9] === 0) lengths.push(...inside(name, file, at, end - 9, reseal));
  };
  const top = opened.sst.index;
  let blocks = 0;
  for (const leaf of leavesOf(opened.sst, bytes)) {
    for (let i = 0; i < leaf.count; i++) add(`block ${blocks++}`, leaf.offset(i), leaf.bytes(i));
  }
  for (let i = 0; top.level === 1 && i < top.count; i++) {
    add(`index part ${i}`, top.offset(i), top.bytes(i));
  }
  if (index !== undefined) add("index", tailAt + index.offset, index.bytes);
  if (filter !== undefined) add("filter", tailAt + filter.offset, filter.bytes);
  add("statistics", tailAt + stats.offset, stats.bytes);
  if (ranges !== undefined) add("range tombstones", tailAt + ranges.offset, ranges.bytes);
  if (prefixes !== undefined) add("prefix filter", tailAt + prefixes.offset, prefixes.bytes);
  const footer = tile(footerAt, [
    ["table id", 16],
    ["file bytes", 8],
    ["tail bytes", 4],
    ["required", 4],
    ["optional", 4],
    ["version", 2],
    ["reserved", 2],
    ...Array.from(
      { length: 16 },
      (_, i) => [`section ${i >> 1} ${i & 1 ? "bytes" : "offset"}`, 4] as const,
    ),
    ["footer's checksum", 4],
    ["footer's magic", 8],
  ]);
  const resealFooter = (out: Buffer): void => {
    out.writeUInt32LE(crc32(out.subarray(footerAt, footerAt + 104)), footerAt + 104);
    resealBlob(out, content);
  };
  const ofFooter = footer.filter(({ name }) => /bytes|section/.test(name));
  for (const field of ofFooter) {
    lengths.push({
      ...field,
      coding: field.end - field.start === 8 ? "u64" : "u32",
      reseal: resealFooter,
    });
  }
  return { regions: [...regions, ...footer], lengths };
}

/** Lengths inside a content that is stored as it is. */
function inside(
  name: string,
  file: Buffer,
  start: number,
  end: number,
  reseal: (bytes: Buffer) => void,
): LengthField[] {
  const at = (
    what: string,
    from: number,
    size: number,
    coding: LengthField["coding"],
  ): LengthField => ({
    name: `${name} ${what}`,
    start: from,
    end: from + size,
    coding,
    reseal,
  });
  if (name === "statistics") {
    const fields: LengthField[] = [];
    fieldsOf(file, start, end, name, reseal, fields);
    return fields;
  }
  if (name.startsWith("index part")) {
    const indexAt = start + 4 + file.readUInt32LE(start);
    return [
      at("bytes of the filter", start, 4, "u32"),
      at("bits of the filter", start + 8, 4, "u32"),
      ...inside("index", file, indexAt, end, reseal).map((field) => {
        return { ...field, name: `${name}, ${field.name}` };
      }),
    ];
  }
  if (name === "filter") return [at("bits", start + 4, 4, "u32")];
  if (name === "prefix filter") return [at("bits", start + 7, 4, "u32")];
  const varints = (from: number, names: readonly string[]): LengthField[] => {
    let next = from;
    return names.map((what) => {
      const after = readVarint(file, next, end)?.after ?? next + 1;
      const field = at(what, next, after - next, "varint");
      next = after;
      return field;
    });
  };
  if (name === "range tombstones") {
    return varints(start, [
      ...["stretches", "from shared", "from fresh", "to shared", "to fresh"],
      "sequences",
    ]);
  }
  if (name === "index") {
    return varints(start + 1, [
      "entries",
      "first offset",
      "shared",
      "fresh",
      "sequence",
      "frame bytes",
    ]);
  }
  const restarts = file.readUInt32LE(end - 4);
  return [
    at("restarts", end - 4, 4, "u32"),
    at("last restart", end - 8, 4, "u32"),
    at("first restart", end - 4 * (restarts + 1), 4, "u32"),
    ...varints(start + 8, ["shared", "key bytes", "value bytes"]),
  ];
}
