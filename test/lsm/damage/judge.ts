import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FirnError } from "../../../src/base/error.ts";
import type { Engine } from "../../../src/lsm/engine/engine.ts";
import { decodeManifest } from "../../../src/lsm/format/manifest.ts";
import type { ShardFiles } from "../../../src/lsm/manifest/shard-files.ts";
import { inspectLog, inspectShard, inspectTable } from "../../../src/lsm/tools/inspect.ts";
import { verifyShard } from "../../../src/lsm/tools/verify.ts";
import type { Finding } from "../../../src/lsm/tools/verify-table.ts";
import { walId } from "../../../src/lsm/wal/names.ts";
import { SegmentReader } from "../../../src/lsm/wal/reader.ts";
import { BLOCK_BYTES } from "../../../src/lsm/wal/segment-header.ts";
import { rowsAfter } from "../../kill/matrix/batches.ts";
import type { Case } from "./cases.ts";
import { diskIn, openIn, PORTS, storeIn, type Written } from "./directory.ts";
import { RepairJudge, repairOf } from "./repaired.ts";
import { contentBytes, type GroupPlace, groupsOf, headerOf } from "./structure.ts";
import { Wrong } from "./wrong.ts";

const OPS = 5;
const HEADER_BYTES = 64;
/** What the first frame of a segment says of itself that needs no checksum: type, id, place. */
const CLAIMS: readonly (readonly [at: number, bytes: number])[] = [
  [BLOCK_BYTES + 6, 1],
  [BLOCK_BYTES + 16, 8],
  [BLOCK_BYTES + 36, 4],
];
/** A file here is some 60 KB: nothing that is read of it takes this long. */
const LIMIT_MS = 5_000;

/** What a damaged directory was read as. */
export type Outcome = "whole" | "tail" | "corrupt" | "unsupported";

/** Segments that hold groups, and what they hold, in order. */
interface LogPlaces {
  readonly path: string;
  readonly groups: readonly GroupPlace[];
}

/** Reads directories that were damaged, and holds them against what was written. */
export class Judge {
  readonly #written: Written;
  readonly #origin = mkdtempSync(join(tmpdir(), "firn-damage-"));
  readonly #log: readonly LogPlaces[];
  readonly #walFrom: number;
  readonly #walBegun: number;
  readonly #repairs: RepairJudge;

  constructor(written: Written) {
    this.#written = written;
    this.#repairs = new RepairJudge(written);
    for (const [path, bytes] of written.files) plant(join(this.#origin, path), bytes);
    const newest = [...written.files].filter(([path]) => path.includes("/manifest/")).at(-1);
    if (newest === undefined) throw new Error("no manifest was written");
    const [, file] = newest;
    const { walFrom, walBegun = 0 } = decodeManifest(file.subarray(0, contentBytes(file)));
    this.#walFrom = walFrom;
    this.#walBegun = walBegun;
    this.#log = [...written.files]
      .filter(([path, bytes]) => path.endsWith(".wal") && groupsOf(path, bytes).length > 0)
      .map(([path, bytes]) => ({ path, groups: groupsOf(path, bytes) }));
  }

  /** Segments with groups that only the log holds: several, or there is too little to damage. */
  get liveSegments(): number {
    return this.#log.filter(
      ({ groups }) => (groups.at(-1)?.lastSequence ?? 0) > this.#written.flushed * OPS,
    ).length;
  }

  end(): void {
    rmSync(this.#origin, { recursive: true, force: true });
  }

  /** @throws Wrong */
  async judge(damage: Case): Promise<Outcome> {
    const directory = mkdtempSync(join(tmpdir(), "firn-damage-"));
    const startedMs = performance.now();
    try {
      this.#lay(directory, damage);
      const findings = await look(directory, damage);
      // What later writes hide is not read, but a check reads every value that a table refers to.
      const isValue = damage.path.includes("/values/") && !this.#isAsWritten(damage);
      if (isValue && findings.length === 0) throw new Wrong("verify finds nothing");
      const repaired = await repairOf(directory);
      const last = await read(directory);
      const outcome = this.#outcome(damage, findings, last);
      this.#repairs.judge(damage, repaired, outcome === "tail" ? Number(last) : undefined);
      const tookMs = performance.now() - startedMs;
      if (tookMs > LIMIT_MS) throw new Wrong(`it took ${tookMs} ms`);
      return outcome;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** Zeros over a field that is 0 are no damage. */
  #isAsWritten({ path, bytes }: Case): boolean {
    const before = this.#written.files.get(path);
    return bytes !== undefined && before !== undefined && Buffer.compare(bytes, before) === 0;
  }

  #lay(directory: string, { path, bytes }: Case): void {
    for (const file of this.#written.files.keys()) {
      if (file === path) continue;
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      linkSync(join(this.#origin, file), join(directory, file));
    }
    if (bytes !== undefined) plant(join(directory, path), bytes);
  }

  #outcome(damage: Case, findings: readonly Finding[], read: number | FirnError): Outcome {
    const { last } = this.#written;
    if (read instanceof FirnError) {
      if (read.code === "LSM_FORMAT_UNSUPPORTED") return "unsupported";
      if (read.kind !== "Corrupt") throw new Wrong(`refused with ${told(read)}`);
      assertNamed(read, damage);
      if (findings.length === 0) throw new Wrong(`verify finds nothing, and ${told(read)}`);
      if (!this.#mayBeRefused(damage)) throw new Wrong(`refused with ${told(read)}`);
      return "corrupt";
    }
    if (read === last && this.#lost(damage) === undefined) return "whole";
    const lost = this.#lost(damage);
    if (read !== lost) throw new Wrong(`read up to batch ${read}, due is ${lost ?? last}`);
    return "tail";
  }

  /** Padding, and what is behind the last group, is nobody's. */
  #mayBeRefused({ path, bytes }: Case): boolean {
    const original = this.#written.files.get(path);
    const place = this.#log.find((one) => one.path === path);
    if (place === undefined || bytes === undefined || original === undefined) return true;
    const isBroken = ({ start, end }: GroupPlace): boolean => !same(original, bytes, start, end);
    return !same(original, bytes, 0, HEADER_BYTES) || place.groups.some(isBroken);
  }

  /**
   * The last batch that is left where the end of the log is torn: the only damage that cannot be
   * told from a write that never ended. Undefined where all is to be read, or nothing at all.
   */
  #lost({ path, bytes = Buffer.alloc(0) }: Case): number | undefined {
    const newest = this.#log.at(-1);
    const original = this.#written.files.get(path);
    if (newest?.path !== path || original === undefined || this.#written.isLogEnded)
      return undefined;
    const isWhole = ({ start, end }: GroupPlace): boolean => same(original, bytes, start, end);
    const { groups } = newest;
    const before = this.#log.at(-2)?.groups.at(-1)?.lastSequence ?? 0;
    const hasHeader = headerOf(path, bytes) !== undefined && same(original, bytes, 0, HEADER_BYTES);
    const firstBroken = hasHeader ? groups.findIndex((group) => !isWhole(group)) : 0;
    if (firstBroken < 0) return undefined;
    // A group behind the damage shows that what is damaged was on the disk.
    const later = hasHeader && groups.slice(firstBroken + 1).some(isWhole);
    // Without its header, only its first frame, or a manifest that names it, tells that it was one.
    const claimed =
      !hasHeader && CLAIMS.every(([at, size]) => same(original, bytes, at, at + size));
    const id = walId(leafOf(path)) ?? 0;
    const named = !hasHeader && (id === this.#walFrom || id <= this.#walBegun);
    if (later || claimed || named) return Number.NaN;
    return (groups[firstBroken - 1]?.lastSequence ?? before) / OPS;
  }
}

function same(a: Buffer, b: Buffer, start: number, end: number): boolean {
  return a.subarray(start, end).equals(b.subarray(start, end));
}

function plant(file: string, bytes: Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
}

function filesIn(directory: string): ShardFiles {
  const wal = new SegmentReader(diskIn(directory));
  return { store: storeIn(directory), prefix: "", wal, clock: PORTS.clock };
}

/** What those see who only look; nothing but damage may stop them. */
async function look(directory: string, { path }: Case): Promise<readonly Finding[]> {
  const shard = filesIn(directory);
  const findings: Finding[] = [];
  await tolerantly(async () => {
    for await (const finding of verifyShard(shard)) findings.push(finding);
  }, findings);
  await tolerantly(() => drain(inspectShard(shard)));
  const name = path.slice(path.lastIndexOf("/") + 1);
  const id = walId(name);
  if (id !== undefined) await tolerantly(() => drain(inspectLog(shard, id)));
  if (name.endsWith(".sst.blob")) {
    await tolerantly(() =>
      drain(inspectTable(shard, name.slice(0, -".sst.blob".length), undefined)),
    );
  }
  return findings;
}

async function drain(lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) if (line.includes("\0")) throw new Wrong("a line with a zero");
}

/** A shard without a manifest is none: who looks is told so. */
async function tolerantly(work: () => Promise<void>, findings: Finding[] = []): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    const known = error.kind === "Corrupt" || error.kind === "NotFound";
    if (!known && error.code !== "LSM_FORMAT_UNSUPPORTED")
      throw new Wrong(`a look: ${told(error)}`);
    findings.push({ file: "", offset: undefined, what: error.message });
  }
}

/** Everything by scans both ways and by gets: up to which batch, or what refused it. */
async function read(directory: string): Promise<number | FirnError> {
  let engine: Engine | undefined;
  try {
    engine = await openIn(directory);
    return await readAll(engine);
  } catch (error) {
    if (error instanceof FirnError) return error;
    throw error instanceof Wrong ? error : new Wrong(String(error), { cause: error });
  } finally {
    // What cannot be compacted or flushed any more has been told; here it only has to end.
    await engine?.close().catch(() => undefined);
  }
}

async function readAll(engine: Engine): Promise<number> {
  const found = await engine.get(Buffer.from("last"));
  const last = found === undefined ? 0 : Number(Buffer.from(found).toString());
  const expected = [...rowsAfter(last)];
  for (const reverse of [false, true]) {
    const rows: [string, string][] = [];
    for await (const batch of engine.scan({ reverse })) {
      for (const { key, value } of batch) {
        rows.push([Buffer.from(key).toString(), Buffer.from(value).toString()]);
      }
    }
    if (reverse) rows.reverse();
    const wrong = rows.findIndex(([key, value], i) => {
      const [dueKey, dueValue] = expected[i] ?? [];
      return key !== dueKey || value !== dueValue;
    });
    if (wrong >= 0 || rows.length !== expected.length) {
      const way = reverse ? "back" : "on";
      throw new Wrong(`wrong row ${wrong} of ${rows.length} at batch ${last}, going ${way}`);
    }
  }
  for (const [key, value] of expected) {
    const got = await engine.get(Buffer.from(key));
    if (got === undefined || Buffer.from(got).toString() !== value)
      throw new Wrong(`get of ${key}`);
  }
  if (engine.lastSequence !== last * OPS) throw new Wrong(`sequence ${engine.lastSequence}`);
  return last;
}

/** Whoever is told of damage must be told which file; and where in it, but of a file's own hash. */
function assertNamed(error: FirnError, { path }: Case): void {
  const { path: blob, file, table, offset } = error.context;
  const names = [blob, file, table].filter((name) => typeof name === "string");
  const stem = leafOf(path).replace(/\..*/, "");
  const folder = path.split("/").at(-2) ?? "";
  // What refers to a file may miss it, or be missed by what it should refer to.
  const alike = names.some(
    (name) => name.includes(stem) || name.includes(FOLDER_NAMES[folder] ?? "-"),
  );
  if (!alike && folder !== "manifest") throw new Wrong(`another file is named by ${told(error)}`);
  if (!/\d{6}|[0-9A-Z]{26}/.test(names.join()))
    throw new Wrong(`no file is named by ${told(error)}`);
  const whole = error.code === "BLOB_CORRUPT" || error.code === "LSM_MANIFEST_MISPLACED";
  if (!whole && typeof offset !== "number") throw new Wrong(`no offset in ${told(error)}`);
}

const FOLDER_NAMES: Readonly<Record<string, string>> = {
  gc: ".boundary",
  sst: ".sst",
  wal: ".wal",
};

function leafOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function told(error: FirnError): string {
  return `${error.code} (${error.kind}): ${error.message} ${JSON.stringify(error.context)}`;
}
