import { assert } from "../../base/assert.ts";
import { Stopwatch } from "../../base/clock.ts";
import type { WriterId } from "../../base/ids.ts";
import { Pauses } from "../../base/pauses.ts";
import { persist } from "../../base/persist.ts";
import type { Prng } from "../../base/prng.ts";
import { settleAll } from "../../base/settle-all.ts";
import type { BlobStore } from "../../blob/port.ts";
import { FAMILIES, parseKey } from "../../catalog/keys.ts";
import { type WalkedPointer, walkCounts, walkPointers } from "../../catalog/walk.ts";
import type { Item } from "../../pointer/port.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import { Chains, recordOf } from "./chains.ts";
import { FINDING_LEVELS, type Finding, type FindingLevel } from "./findings.ts";
import { type JudgeFiles, judge } from "./judge.ts";
import { PayloadRefs } from "./payload-refs.ts";
import { type FsckStores, ReadSet } from "./read-set.ts";

/** Pointers that are judged together: what they ask for goes in few requests. */
const CHUNK = 100;
/** Reads of one pointer that others keep writing, before the check gives it up. */
const LOOKS = 12;
const LOOK_PAUSE_MS = 20;
/** Records and payloads this close to the end of their retention may be going. */
const RETENTION_MARGIN_MS = 3_600_000;

/** What became of the repair of a finding. */
export type Repaired =
  | "repaired"
  /** Another writer wrote there meanwhile: the next check tells. */
  | "moved"
  /** The store did not answer. */
  | "unknown";

/** A finding that a second comparison confirmed. */
export interface FsckFinding extends Omit<Finding, "fix"> {
  readonly level: FindingLevel;
  readonly repaired?: Repaired;
}

/** What a whole check came to. */
export interface FsckSummary {
  readonly pointers: number;
  readonly payloads: number;
  /** Findings by level. */
  readonly damage: number;
  readonly derived: number;
  readonly leftover: number;
  readonly repaired: number;
  /** Pointers that were written too often to be judged. */
  readonly busy: number;
  readonly tookMs: number;
}

export interface FsckParts extends FsckStores {
  readonly prng: Prng;
  /** Where what does not fit the memory is sorted; empty, and thrown away afterwards. */
  readonly scratch: BlobStore;
  /** Metadata files, and the snapshots that they name. Absent: neither is looked at. */
  readonly files?: JudgeFiles;
  /** How long change records are kept. */
  readonly historyRetentionMs?: number;
}

/**
 * Checks everything that is stored: each pointer against what it refers to and what refers to it,
 * the chain of change records, the payloads. It may run beside writers: a finding is told only if
 * a second comparison confirms it, whose reads all held at one instant.
 *
 * Reads each pointer and each payload in use once or twice; memory is bounded, whatever there is.
 *
 * @throws FirnError what keeps it from reading: then it proves nothing.
 */
export class Fsck {
  readonly #parts: FsckParts;
  readonly #pauses: Pauses;
  readonly #counts = { damage: 0, derived: 0, leftover: 0, repaired: 0, busy: 0 };

  constructor(parts: FsckParts) {
    this.#parts = parts;
    this.#pauses = new Pauses(parts.clock, CHUNK);
  }

  /** @param repair derived keys are put right, with a compare-and-set. */
  async *run(repair = false): AsyncGenerator<FsckFinding, FsckSummary> {
    const { clock, scratch } = this.#parts;
    const { historyRetentionMs = SERVICE_LIMITS.historyRetentionMs } = this.#parts;
    const stopwatch = new Stopwatch(clock);
    const counts = walkCounts();
    const sinceMs = clock.nowMs() - historyRetentionMs + RETENTION_MARGIN_MS;
    const chains = new Chains({ scratch, clock }, sinceMs);
    const payloads = new PayloadRefs({ scratch, clock }, sinceMs);
    let chunk: WalkedPointer[] = [];
    for await (const walked of walkPointers(this.#parts, { counts })) {
      await this.#collect(walked, chains, payloads);
      chunk.push(walked);
      if (chunk.length < CHUNK) continue;
      yield* this.#judged(chunk, repair);
      chunk = [];
    }
    yield* this.#judged(chunk, repair);
    for await (const found of chains.findings(this.#parts)) yield this.#told(found);
    for await (const found of payloads.findings(this.#parts, counts)) yield this.#told(found);
    const { pointers, payloads: seen } = counts;
    const tookMs = Math.round(stopwatch.elapsedMs());
    return { pointers, payloads: seen, ...this.#counts, tookMs };
  }

  async #collect(walked: WalkedPointer, chains: Chains, payloads: PayloadRefs): Promise<void> {
    await chains.addPointer(walked);
    if (walked.state !== "live") return;
    const { blob, account } = walked.references;
    if (blob !== undefined) await payloads.addPointer(blob);
    if (walked.key.family !== "change" || account === undefined) return;
    const record = await recordOf(this.#parts, walked);
    if (record === undefined) return;
    await chains.addRecord(account, record);
    await payloads.addRecord(account, record);
  }

  async *#judged(chunk: readonly WalkedPointer[], repair: boolean): AsyncGenerator<FsckFinding> {
    const { files } = this.#parts;
    const reads = new ReadSet(this.#parts);
    const first = await settleAll(chunk.map(({ item }) => judge(reads, item, files)));
    for (const [i, found] of first.entries()) {
      const item = chunk[i]?.item;
      if (found.length === 0 || item === undefined) continue;
      const pause = this.#pauses.step();
      if (pause !== undefined) await pause;
      for (const proven of await this.#proven(item.key)) {
        const repaired =
          repair && proven.fix !== undefined ? await this.#repair(proven) : undefined;
        yield this.#told(proven, repaired);
      }
    }
  }

  /** What is wrong with a pointer, all of it at one instant. */
  async #proven(key: string): Promise<readonly Finding[]> {
    const { pointers, clock, files } = this.#parts;
    for (let tries = 0; tries < LOOKS; tries++) {
      const reads = new ReadSet(this.#parts);
      const item: Item = await pointers.get(key);
      reads.learn([item]);
      const found = item.version === 0n ? [] : await judge(reads, item, files);
      if (found.length === 0 || (await reads.isUnchanged())) return found;
      await clock.sleep(LOOK_PAUSE_MS * 2 ** Math.min(tries, 5));
    }
    this.#counts.busy++;
    return [];
  }

  #told({ fix: _, ...found }: Finding, repaired?: Repaired): FsckFinding {
    const level = FINDING_LEVELS[found.code];
    this.#counts[level]++;
    if (repaired === "repaired") this.#counts.repaired++;
    return { ...found, level, ...(repaired === undefined ? {} : { repaired }) };
  }

  async #repair({ code, fix }: Finding): Promise<Repaired> {
    const { pointers, blobs, ids } = this.#parts;
    const ops = fix?.ops ?? [];
    assert(FINDING_LEVELS[code] === "derived", "only what is derived is repaired");
    for (const { key } of ops) {
      assert("derivedFrom" in FAMILIES[parseKey(key).family], "a repair writes derived keys alone");
    }
    const payload = fix?.payload;
    if (payload !== undefined) {
      await persist(this.#parts, async () => {
        await blobs.put(payload.path, payload.bytes, "absent");
      });
    }
    const { outcome } = await pointers.commit({ writerId: ids.mint<WriterId>(), ops });
    if (outcome === "committed") return "repaired";
    return outcome === "conflict" ? "moved" : "unknown";
  }
}
