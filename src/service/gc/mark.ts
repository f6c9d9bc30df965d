import { Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { readEntity } from "../../catalog/entities.ts";
import { jobKeys } from "../../catalog/jobs.ts";
import type { FamilyName } from "../../catalog/keys.ts";
import { CATALOG_LIMITS } from "../../catalog/limits.ts";
import type { Job, PartSummary, Relation, SnapshotSummary, Summary } from "../../catalog/model.ts";
import { shaOfPath } from "../../catalog/paths.ts";
import { pinnedSince } from "../../catalog/pins.ts";
import { blobsOfChange } from "../../catalog/references.ts";
import { indexKeysOf } from "../../catalog/table-index.ts";
import { readChange, type WalkedPointer, walkPointers } from "../../catalog/walk.ts";
import { putCertain } from "../../pointer/certain.ts";
import type { Live } from "../../pointer/port.ts";
import { SERVICE_LIMITS } from "../limits.ts";
import type { KnownRoots } from "./known-roots.ts";
import { type GcParts, type RunLease, stopped } from "./parts.ts";
import { RelationRoots, subjectText } from "./relation-roots.ts";
import { countGarbage, type GarbageKind, type GarbageReport } from "./report.ts";
import type { SortedLines } from "./sorted-lines.ts";
import type { StoreRateLimiter } from "./store-rate-limiter.ts";

type WalkedLive = Extract<WalkedPointer, { state: "live" }>;

const SHA = /^[0-9a-f]{64}$/;
/** Pointers between two renewals of the lease. */
const KEEP_EVERY = 256;
/** How old a look at the pins may be: within the time that a batch may land late. */
const PIN_LOOK_MS = 60_000;
/** Later than any request that could still write what has ended: nothing here is in a hurry. */
const SLACK_MS = SERVICE_LIMITS.catalogGcFloorMs;

/** What a mark fills. */
export interface MarkSinks {
  /** Hashes of payloads that something leads to. */
  readonly reached: SortedLines;
  /** `{key}@{version}` of derived pointers whose root does not have them. */
  readonly rootless: SortedLines;
  /** Encoded locations of the metadata files that tables name, dropped ones too. */
  readonly named: SortedLines;
  /** `{location} {size} {relation}` of metadata files that no commit came to. */
  readonly orphans: SortedLines;
  /** Keys of the entries that the indexes of tables should have, and of those that they have. */
  readonly indexed: SortedLines;
  readonly entries: SortedLines;
}

/**
 * One mark: a walk over every pointer of the account, which notes what each leads to. On the way it
 * removes what only its own time decides on: receipts, change records, holds, jobs that are over.
 * What a record in retention names is reached; one past retention goes, and reaches nothing.
 */
export class Mark {
  readonly #parts: GcParts;
  readonly #sinks: MarkSinks;
  readonly #report: GarbageReport;
  readonly #limiter: StoreRateLimiter;
  readonly #runLease: RunLease;
  readonly #isDry: boolean;
  readonly #known: KnownRoots;
  readonly #roots: RelationRoots;
  /** What is to be forgotten, some at a time. */
  readonly #going: WalkedLive[] = [];
  /** See `pinnedSince`, and when it was looked at. */
  #pinnedMs = 0;
  #pins: Stopwatch | undefined;
  #bytes = 0;

  constructor(
    parts: GcParts,
    sinks: MarkSinks,
    run: {
      readonly report: GarbageReport;
      readonly limiter: StoreRateLimiter;
      readonly runLease: RunLease;
      readonly isDry: boolean;
    },
    known: KnownRoots,
  ) {
    this.#parts = parts;
    this.#sinks = sinks;
    this.#report = run.report;
    this.#limiter = run.limiter;
    this.#runLease = run.runLease;
    this.#isDry = run.isDry;
    this.#known = known;
    this.#roots = new RelationRoots(parts, run.limiter, known);
  }

  get #nowMs(): number {
    return this.#parts.catalog.context.clock.nowMs();
  }

  /**
   * @throws FirnError `Corrupt` `GC_STOPPED`: something cannot be read or is not known, so nothing
   * may go; `Unavailable`: the store did not answer, so the mark is worth nothing.
   */
  async run(): Promise<void> {
    const { context } = this.#parts.catalog;
    for await (const walked of walkPointers(context, { account: context.account })) {
      if (++this.#report.pointers % KEEP_EVERY === 0) await this.#keep();
      if (walked.state === "tombstone") continue;
      if (walked.state === "unreadable") {
        const { key } = walked.item;
        throw stopped("a pointer cannot be read", { key, code: walked.error.code });
      }
      await this.#live(walked);
    }
    await this.#flush();
    this.#known.endMark();
    for (const files of [this.#parts.files, this.#parts.viewFiles]) files.endMark();
  }

  async #keep(): Promise<void> {
    await this.#limiter.spend(1, this.#bytes);
    this.#bytes = 0;
    await this.#runLease.keep();
  }

  async #live(walked: WalkedLive): Promise<void> {
    const { item, references } = walked;
    this.#bytes += item.key.length + (item.summary?.length ?? 0);
    const { content } = references;
    switch (content.is) {
      case "unknown":
        // A newer node wrote it, and may lead to payloads by it in ways that this one cannot see.
        throw stopped("a pointer of a family that this version does not know", { key: item.key });
      case "change":
        return this.#change(walked);
      case "receipt":
        await this.#receipt(walked, content.receipt.expiresAtMs);
        return this.#reach(references.blob);
      case "job":
        await this.#job(walked, content.job);
        return this.#reach(references.blob);
      case "snapshot":
        await this.#derived(walked, content.summary);
        return this.#reach(references.blob);
      case "part":
        await this.#part(walked, content.summary);
        return this.#reach(references.blob);
      case "name":
        await this.#hold(walked, content.summary.heldUntilMs);
        return this.#reach(references.blob);
      case "bare":
        if (walked.key.family === "report") await this.#derived(walked, undefined);
        if (walked.key.family === "statsSnapshot") await this.#derived(walked, undefined);
        if (isEntry(walked.key.family)) await this.#sinks.entries.add(item.key);
        return this.#reach(references.blob);
      case "canonical":
        if (walked.key.family === "tableById") await this.#relation(item, content.summary, "table");
        if (walked.key.family === "viewById") await this.#relation(item, content.summary, "view");
        return this.#reach(references.blob);
    }
  }

  async #reach(path: string | undefined): Promise<void> {
    if (path === undefined) return;
    const sha = shaOfPath(path);
    if (!SHA.test(sha)) throw stopped("a pointer leads to a path without a hash", { path });
    await this.#sinks.reached.add(sha);
  }

  async #change(walked: WalkedLive): Promise<void> {
    const { historyRetentionMs = SERVICE_LIMITS.historyRetentionMs } = this.#parts.settings;
    const minute = minuteOf(walked);
    if (!Number.isSafeInteger(minute)) {
      throw stopped("a change record has no time", { key: walked.item.key });
    }
    const keptMs = historyRetentionMs + CATALOG_LIMITS.changeSettledMs;
    // Of the end of its minute, so that the whole minute goes at once.
    const expiresMs = (minute + 1) * 60_000 + keptMs;
    if (expiresMs <= this.#nowMs && !(await this.#isPinned(minute))) {
      await this.#forget("changes", walked);
      return;
    }
    this.#expires(expiresMs > this.#nowMs ? expiresMs : this.#nowMs + PIN_LOOK_MS);
    await this.#reachChange(walked);
  }

  async #reachChange(walked: WalkedLive): Promise<void> {
    const { context } = this.#parts.catalog;
    let paths = walked.references.blobs;
    if (walked.item.blobPath !== undefined) {
      await this.#reach(walked.item.blobPath);
      await this.#limiter.spend(1);
      paths = blobsOfChange(context.account, await readChange(this.#parts.blobs, walked));
    }
    for (const path of paths) await this.#reach(path);
  }

  /** Whether a reader that is under way needs the records of a minute. */
  async #isPinned(minute: number): Promise<boolean> {
    const { blobs, catalog } = this.#parts;
    const { account, clock } = catalog.context;
    if (this.#pins === undefined || this.#pins.elapsedMs() >= PIN_LOOK_MS) {
      this.#pins = new Stopwatch(clock);
      await this.#limiter.spend(1);
      this.#pinnedMs = await pinnedSince(blobs, clock, account);
    }
    return (minute + 1) * 60_000 > this.#pinnedMs;
  }

  #expires(ms: number): void {
    this.#report.nextExpiryMs = Math.min(this.#report.nextExpiryMs, ms);
  }

  async #receipt(walked: WalkedLive, expiresAtMs: number): Promise<void> {
    const { item, key } = walked;
    const isKeyed = key.family === "keyedReceipt";
    if (!isKeyed && this.#parts.expires) return;
    if (expiresAtMs + SLACK_MS > this.#nowMs) {
      this.#expires(expiresAtMs + SLACK_MS);
      return;
    }
    // Under a client's key the version must go on, for requests that knew it alive.
    await (isKeyed ? this.#delete("receipts", item) : this.#forget("receipts", walked));
  }

  /** A hold that has ended: its holder's batch, should it still come, expects this version. */
  async #hold({ item, key }: WalkedLive, heldUntilMs: number | undefined): Promise<void> {
    if (key.family !== "location" || heldUntilMs === undefined) return;
    if (heldUntilMs + SLACK_MS <= this.#nowMs) await this.#delete("holds", item);
  }

  /** Deletes a job that is over and was kept for what it left undone, or has lost its due entry. */
  async #job(walked: WalkedLive, job: Job): Promise<void> {
    const { context } = this.#parts.catalog;
    const keptMs = this.#parts.settings.historyRetentionMs ?? SERVICE_LIMITS.historyRetentionMs;
    if (Math.max(job.dueMs, job.heldUntilMs) + keptMs > this.#nowMs) return;
    const [, due] = jobKeys(context.account, job.id, job.dueMs);
    await this.#limiter.spend(1);
    const found = await context.pointers.get(due);
    if (found.state === "absent") await this.#forget("jobs", walked);
  }

  async #derived({ item, key }: WalkedLive, said: SnapshotSummary | undefined): Promise<void> {
    const [, table = ""] = key.values;
    const root = await this.#roots.of({ type: "table", id: table });
    if (root.is === "unknown" || root.is === "source") return;
    if (root.is === "known") {
      if (said === undefined) return;
      if (root.snapshots?.get(said.snapshotId) === said.timestampMs) return;
    }
    await this.#sinks.rootless.add(`${item.key}@${item.version}`);
  }

  /** Statistics and constraints: their snapshot is gone, or never came in the time it is given. */
  async #part({ item, key }: WalkedLive, said: PartSummary): Promise<void> {
    const [, table = ""] = key.values;
    const root = await this.#roots.of({ type: "table", id: table });
    if (root.is === "unknown" || root.is === "source") return;
    if (root.is === "known") {
      if (root.snapshots?.has(said.snapshotId) === true) return;
      const untilMs = said.updatedAtMs + SERVICE_LIMITS.earlyStatsMs;
      if (untilMs > this.#nowMs) return this.#expires(untilMs);
    }
    await this.#sinks.rootless.add(`${item.key}@${item.version}`);
  }

  /** What a table names may lie among the files of another one, which it was registered from. */
  async #relation(
    item: Live,
    { entityId: id, metadataLocation, state }: Summary,
    type: Relation["type"],
  ): Promise<void> {
    const { files, viewFiles } = this.#parts;
    if (state === "ACTIVE") (type === "table" ? files : viewFiles).mark(id);
    const { catalog } = this.#parts;
    const { account } = catalog.context;
    const root = await this.#roots.of({ type, id });
    if (root.is === "unknown") this.#report.unreadableTables++;
    let relation = root.is === "gone" ? undefined : root.relation;
    if (relation === undefined && root.is === "unknown") {
      await this.#limiter.spend(1);
      relation = (await readEntity<Relation>(catalog.context, type, item))?.entity;
    }
    const named = metadataLocation ?? relation?.iceberg?.metadataLocation;
    const location = named === undefined ? "" : this.#roots.at(named);
    if (location !== "") await this.#sinks.named.add(encodeURIComponent(location));
    if (relation === undefined && root.is === "unknown") this.#report.unindexable++;
    if (relation !== undefined) {
      for (const key of indexKeysOf(account, relation)) await this.#sinks.indexed.add(key);
    }
    for (const { location, size } of await this.#roots.orphans({ type, id })) {
      const subject = subjectText({ type, id });
      await this.#sinks.orphans.add(`${encodeURIComponent(location)} ${size} ${subject}`);
    }
  }

  async #forget(kind: GarbageKind, walked: WalkedLive): Promise<void> {
    countGarbage(this.#report, kind, 1);
    if (this.#isDry) return;
    this.#going.push(walked);
    if (this.#going.length >= SERVICE_LIMITS.forgottenAtOnce) await this.#flush();
  }

  async #flush(): Promise<void> {
    const { pointers } = this.#parts.catalog.context;
    const going = this.#going.splice(0);
    if (going.length === 0) return;
    await this.#limiter.spend(going.length);
    await this.#runLease.keep();
    const items: Live[] = [];
    for (const walked of going) {
      // A reader may have come since: some wait here for long.
      const minute = walked.references.content.is === "change" ? minuteOf(walked) : undefined;
      if (minute === undefined || !(await this.#isPinned(minute))) items.push(walked.item);
      else {
        countGarbage(this.#report, "changes", -1);
        await this.#reachChange(walked);
      }
    }
    const done = await Promise.allSettled(items.map((it) => pointers.forget(it.key, it.version)));
    const failed = done.find((each) => each.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  async #delete(kind: GarbageKind, { key, version }: Live): Promise<void> {
    countGarbage(this.#report, kind, 1);
    if (this.#isDry) return;
    await this.#limiter.spend(1);
    await deleteAt(this.#parts, key, version);
  }
}

/** The minute that a change record is filed under; not a number where its key says none. */
function minuteOf({ key }: WalkedLive): number {
  const [, bucket = ""] = key.values;
  return Number(bucket.slice(0, bucket.indexOf("-")));
}

function isEntry(family: FamilyName): boolean {
  return family === "tableByUuid" || family === "tableByMetadata";
}

/** Deletes a pointer at the version that was seen: one that has moved is in use. */
export async function deleteAt(
  { catalog: { context } }: GcParts,
  key: string,
  version: bigint,
): Promise<void> {
  const attempt = { stopwatch: new Stopwatch(context.clock) };
  const op = { op: "delete", key, expected: version } as const;
  const { verdict } = await putCertain(context.pointers, context, attempt, op);
  if (verdict === "overloaded") {
    throw new FirnError("Unavailable", "STORE_UNAVAILABLE", "pointer could not be deleted", {
      key,
    });
  }
}
