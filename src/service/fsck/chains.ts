import type { AccountId, Revision } from "../../base/ids.ts";
import { mintedAtMs } from "../../base/ids.ts";
import { FAMILIES, type FamilyName, keyOf, parseKey } from "../../catalog/keys.ts";
import type { ChangeRecord } from "../../catalog/model.ts";
import { fullKey, shaOfPath } from "../../catalog/paths.ts";
import { readChange, type WalkedPointer, walkPointers } from "../../catalog/walk.ts";
import type { Item } from "../../pointer/port.ts";
import { SortedLines, type SortPorts } from "../gc/sorted-lines.ts";
import { type Finding, finding } from "./findings.ts";
import type { FsckStores } from "./read-set.ts";

/*
 * Change records chain the versions of every source key: each write is one step from a version to
 * the next. Records lie by minute, so the steps are sorted by key and version first. A key may
 * begin anew once its tombstone has been forgotten, so a version may have several steps: what has
 * to hold is that every step but a deletion has a successor, or is what is stored.
 */

/** Keys with a gap that are looked for once more; beyond that, a store is beyond saying. */
const MOST_SUSPECTS = 10_000;
const DIGITS = 19;

/** Families whose every write stands in a record. */
const RECORDED: ReadonlySet<FamilyName> = new Set<FamilyName>([
  "accountById",
  "accountByName",
  "catalogById",
  "catalogByName",
  "namespaceById",
  "namespaceByPath",
  "tableById",
  "viewById",
  "connectorById",
  "connectorByName",
  "principalById",
  "principalByName",
  "storageProfileById",
  "storageProfileByName",
  "relationByName",
  "dropped",
]);

/** A step that should be recorded and is not. */
interface Suspect {
  readonly key: string;
  readonly version: bigint;
  readonly code: "CHANGE_MISSING" | "CHANGE_GAP" | "CHANGE_AHEAD" | "CHANGE_MISMATCH";
  readonly sha: string;
}

/** One step, or what is stored, as a line tells it. */
interface Line {
  readonly key: string;
  readonly version: bigint;
  /** Stored: whether it is live; a step: whether it is none of a deletion. */
  readonly isLive: boolean;
  readonly sha: string;
  /** Of what is stored: when it was written, as far as its summary tells. */
  readonly writtenMs: number | undefined;
}

/** Collects the steps of all records and what is stored under the keys that they are about. */
export class Chains {
  readonly #lines: SortedLines;
  readonly #sinceMs: number;

  /** @param sinceMs records from before may be gone. */
  constructor(ports: SortPorts, sinceMs: number) {
    this.#lines = new SortedLines(ports, "chains");
    this.#sinceMs = sinceMs;
  }

  async addPointer(walked: WalkedPointer): Promise<void> {
    if (walked.state === "unreadable" || !RECORDED.has(walked.key.family)) return;
    const { key, version } = walked.item;
    const blob = walked.state === "live" ? walked.references.blob : undefined;
    const sha = blob === undefined ? "" : shaOfPath(blob);
    const isLive = walked.state === "live";
    // First among the lines of its key.
    await this.#lines.add([key, "", version, isLive ? 1 : 0, sha, writtenMs(walked)].join("\t"));
  }

  async addRecord(account: AccountId, { keys, timeMs }: ChangeRecord): Promise<void> {
    if (timeMs < this.#sinceMs) return;
    for (const { key: relative, versionTo, deleted, blobTo } of keys) {
      const key = fullKey(account, relative);
      if (!RECORDED.has(parseKey(key).family)) continue;
      const version = String(versionTo).padStart(DIGITS, "0");
      const sha = blobTo === undefined ? "" : Buffer.from(blobTo).toString("hex");
      // The time keeps steps apart that are alike: lines are a set.
      await this.#lines.add([key, version, versionTo, deleted ? 0 : 1, sha, timeMs].join("\t"));
    }
  }

  /** What does not chain, as it stands in another look at the records and at what is stored. */
  async *findings(stores: FsckStores): AsyncGenerator<Finding> {
    const suspects = new Map<string, Suspect>();
    for await (const suspect of this.#suspects()) {
      suspects.set(`${suspect.key}\t${suspect.version}\t${suspect.code}`, suspect);
      if (suspects.size >= MOST_SUSPECTS) break;
    }
    if (suspects.size === 0) return;
    // Between the first walk's look at the records and at the pointers, writers went on.
    const recorded = await stepsOf(stores, new Set([...suspects.values()].map(({ key }) => key)));
    for (const suspect of suspects.values()) {
      const item = await stores.pointers.get(suspect.key);
      if (stillWrong(suspect, item, recorded)) {
        yield finding(suspect.code, suspect.key, { version: suspect.version });
      }
    }
  }

  async *#suspects(): AsyncGenerator<Suspect> {
    let chain: Chain | undefined;
    for await (const text of this.#lines.lines()) {
      const [key = "", order = "", version = "", live = "", sha = "", time = ""] = text.split("\t");
      const line: Line = {
        key,
        version: BigInt(version),
        isLive: live === "1",
        sha,
        writtenMs: order === "" && time !== "" ? Number(time) : undefined,
      };
      if (chain?.key !== key) {
        if (chain !== undefined) yield* chain.end();
        chain = new Chain(key, order === "" ? line : undefined, this.#sinceMs);
        if (order === "") continue;
      }
      yield* chain.step(line);
    }
    if (chain !== undefined) yield* chain.end();
  }
}

/** The steps of one key, in the order of their versions. */
class Chain {
  readonly key: string;
  readonly #stored: Line | undefined;
  readonly #sinceMs: number;
  #version = 0n;
  /** Steps to this version that another has to follow. */
  #open = 0;
  #isMatched = false;
  #isRecorded = false;

  constructor(key: string, stored: Line | undefined, sinceMs: number) {
    this.key = key;
    this.#stored = stored;
    this.#sinceMs = sinceMs;
  }

  *step(line: Line): Generator<Suspect> {
    if (line.version !== this.#version) {
      yield* this.#close(line.version);
      this.#version = line.version;
      this.#open = 0;
    }
    if (line.isLive) this.#open++;
    const stored = this.#stored;
    if (stored?.version !== line.version) return;
    this.#isRecorded = true;
    if (stored.isLive === line.isLive && stored.sha === line.sha) this.#isMatched = true;
  }

  *end(): Generator<Suspect> {
    yield* this.#close(undefined);
    const stored = this.#stored;
    // Its last record is newer than what is stored: that was put back.
    if (stored === undefined || this.#version > stored.version) {
      if (stored !== undefined || this.#open > 0)
        yield this.#suspect("CHANGE_AHEAD", this.#version);
      return;
    }
    if (this.#isRecorded && !this.#isMatched) {
      yield this.#suspect("CHANGE_MISMATCH", stored.version, stored.sha);
    }
    const isDue = stored.writtenMs !== undefined && stored.writtenMs >= this.#sinceMs;
    if (!this.#isRecorded && stored.isLive && isDue) {
      yield this.#suspect("CHANGE_MISSING", stored.version);
    }
  }

  /** What follows the steps of one version. `next`: the version of the steps to come. */
  *#close(next: bigint | undefined): Generator<Suspect> {
    const stored = this.#stored;
    const isEnd = stored?.version === this.#version && stored.isLive ? 1 : 0;
    const due = this.#open - isEnd;
    if (this.#version === 0n || due <= 0 || next === this.#version + 1n) return;
    // The last record of all: told in `end`.
    if (next === undefined && (stored === undefined || stored.version <= this.#version)) return;
    const missing = this.#version + 1n;
    // Where its summary tells when it was written, `end` tells of it.
    const isLast = stored?.version === missing && next === undefined;
    if (isLast && stored.isLive && stored.writtenMs !== undefined) return;
    yield this.#suspect("CHANGE_GAP", missing);
  }

  #suspect(code: Suspect["code"], version: bigint, sha = ""): Suspect {
    return { key: this.key, version, code, sha };
  }
}

function stillWrong(
  { key, version, code, sha }: Suspect,
  item: Item,
  recorded: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const shas = recorded.get(`${key}\t${version}`);
  switch (code) {
    case "CHANGE_GAP":
      return shas === undefined;
    case "CHANGE_MISSING":
      return shas === undefined && item.version >= version;
    case "CHANGE_AHEAD":
      return item.version < version;
    case "CHANGE_MISMATCH":
      return item.version === version && shas?.has(sha) === false;
  }
}

/** The steps that records tell of some keys. One more walk over the records. */
async function stepsOf(
  stores: FsckStores,
  keys: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>();
  const accounts = new Set([...keys].map((key) => accountOf(key)));
  for (const account of accounts) {
    if (account === undefined) continue;
    const any = keyOf(FAMILIES.change, account, "x", "x");
    const prefix = any.slice(0, any.indexOf("/changes/") + "/changes/".length);
    for await (const walked of walkPointers(stores, { prefix })) {
      if (walked.state !== "live") continue;
      const record = await recordOf(stores, walked);
      for (const { key: relative, versionTo, blobTo } of record?.keys ?? []) {
        const key = fullKey(account, relative);
        if (!keys.has(key)) continue;
        const at = `${key}\t${versionTo}`;
        const shas = found.get(at) ?? new Set<string>();
        shas.add(Buffer.from(blobTo ?? new Uint8Array()).toString("hex"));
        found.set(at, shas);
      }
    }
  }
  return found;
}

/** A record; undefined where it cannot be read, which is a finding about the record's pointer. */
export async function recordOf(
  { blobs }: FsckStores,
  walked: Extract<WalkedPointer, { state: "live" }>,
): Promise<ChangeRecord | undefined> {
  try {
    return await readChange(blobs, walked);
  } catch (error) {
    if (error instanceof Error && "kind" in error && error.kind === "Corrupt") return undefined;
    throw error;
  }
}

function accountOf(key: string): AccountId | undefined {
  const [, , first = "", second = ""] = key.split("/");
  if (first === "by-name") return undefined;
  return (first === "by-id" ? second : first) as AccountId;
}

/** When a pointer was last written, by its revision; "" where its summary does not tell. */
function writtenMs(walked: Exclude<WalkedPointer, { state: "unreadable" }>): number | "" {
  if (walked.state !== "live" || walked.key.family === "dropped") return "";
  const { content } = walked.references;
  if (content.is !== "canonical" && content.is !== "name") return "";
  const { revision } = content.summary;
  return mintedAtMs(revision as Revision);
}
