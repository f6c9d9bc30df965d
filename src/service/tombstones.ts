import type { OnDefect } from "../base/background.ts";
import { FirnError } from "../base/error.ts";
import type { JobId, WriterId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { Counts, type Metrics, readWhenPrinted } from "../base/metrics.ts";
import type { AccountCatalog } from "../catalog/catalog.ts";
import { encodeJob } from "../catalog/codec/job.ts";
import { type JobLease, jobKeys } from "../catalog/jobs.ts";
import { KEY_FAMILIES } from "../catalog/keys.ts";
import type { Job } from "../catalog/model.ts";
import { KeyFamilies } from "../pointer/families.ts";
import { ObservedPointerStore } from "../pointer/observed.ts";
import type { Item, PointerStore, Version } from "../pointer/port.ts";
import { SERVICE_LIMITS } from "./limits.ts";

/*
 * Tombstones are forgotten past their life: until then they keep a write that was held back from
 * meeting a name that began anew. A node remembers those that it left, and forgets them itself. One
 * that dies takes what it knows with it, so the first tombstone of a day also makes a job: a sweep
 * over the account, once a day at most, that finds what is left. Where nothing was deleted there is
 * no job, so an idle store costs nothing; the sweep's own pointers go without a tombstone, so it is
 * never the reason for another.
 *
 * Everything here may be lost or done twice: `forget` removes one version of a tombstone whose life
 * is over by its own word, or nothing.
 */

/** Where a store removes tombstones itself, only those are forgotten that lists would pass. */
const FAMILIES_OF_LISTS = new KeyFamilies(KEY_FAMILIES);
/** Of a key, as much as fits a job beside all else: the sweep goes on there or a little before. */
const CURSOR_CHARS = 384;
/** A pause of a sweep, after as many pointers as one turn may pass. */
const SWEEP_PAUSE_MS = SERVICE_LIMITS.sweptAtOnce / (SERVICE_LIMITS.sweptPerSecond / 1_000);
const FORGET_PAUSE_MS =
  SERVICE_LIMITS.forgottenAtOnce / (SERVICE_LIMITS.forgottenPerSecond / 1_000);

/** A tombstone of this node, and when it may go by the monotonic clock. */
interface Remembered {
  readonly key: string;
  readonly version: Version;
  readonly dueMs: number;
}

export interface TombstonesOptions {
  readonly metrics: Metrics;
  /** The store removes tombstones past their life by itself, though late. */
  readonly expires: boolean;
  readonly onDefect?: OnDefect | undefined;
}

/** Forgets tombstones in the background. */
export class Tombstones {
  /** What the catalog is to write through. */
  readonly pointers: PointerStore;
  readonly #inner: PointerStore;
  readonly #expires: boolean;
  readonly #forgotten: Counts;
  /** In the order of their time. */
  #remembered: Remembered[] = [];
  readonly #onDefect: OnDefect | undefined;
  #catalog: AccountCatalog | undefined;
  #started = false;
  /** Number of the last sweep that is known to have been asked for. */
  #asked = 0;
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;

  constructor(inner: PointerStore, { metrics, expires, onDefect }: TombstonesOptions) {
    this.#inner = inner;
    this.#onDefect = onDefect;
    this.#expires = expires;
    this.pointers = new ObservedPointerStore(inner, ({ ops }) => {
      for (const op of ops) if (op.op === "delete") this.#remember(op.key, op.expected + 1n);
    });
    this.#forgotten = new Counts(metrics, {
      name: "firn_tombstones_forgotten_total",
      help: "Tombstones that were removed past their life: known to this node, or found by a sweep",
      labels: ["found"],
    });
    const waiting = {
      name: "firn_tombstones_waiting",
      help: "Tombstones that this node will remove past their life",
    };
    readWhenPrinted(metrics, "gauge", waiting, () => [[this.#remembered.length]]);
  }

  /** Names the catalog whose tombstones these are. Before all else. */
  serve(catalog: AccountCatalog): void {
    this.#catalog = catalog;
  }

  /** Remembers tombstones from now on. What was deleted before is left to a sweep. */
  start(): void {
    this.#started = true;
  }

  /** What is remembered is left to a sweep. Idempotent. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#ended.abort();
    await this.#running;
  }

  /** The sweep, as a job's work: from where it stands to the end of the account. */
  async sweep(lease: JobLease, ended: AbortSignal): Promise<boolean> {
    const { account, clock } = this.#contextOf(lease).context;
    const { step } = lease.job;
    const range = step === "" ? {} : { after: step };
    let passed = 0;
    let dead: Item[] = [];
    for await (const item of this.#inner.sweep(`/accounts/${account}/`, range)) {
      if (item.state === "absent" && (item.deadUntilMs ?? 0) <= clock.nowMs()) dead.push(item);
      const isFull = dead.length >= SERVICE_LIMITS.forgottenAtOnce;
      if (++passed % SERVICE_LIMITS.sweptAtOnce !== 0 && !isFull) continue;
      await this.#forget(dead, "sweep");
      dead = [];
      const cursor = { step: item.key.slice(0, CURSOR_CHARS) };
      if (ended.aborted) {
        await lease.renew(cursor);
        return false;
      }
      await lease.keep(cursor);
      await clock.sleep(isFull ? FORGET_PAUSE_MS : SWEEP_PAUSE_MS);
    }
    await this.#forget(dead, "sweep");
    await this.#end(lease);
    return true;
  }

  /** Without a tombstone: this day's job is not made again, and again would only sweep again. */
  async #end(lease: JobLease): Promise<void> {
    const { account } = this.#contextOf(lease).context;
    const { id, dueMs } = lease.job;
    const [state, due] = await this.#inner.getMany(jobKeys(account, id, dueMs));
    if (state === undefined || due === undefined) return;
    lease.assertSame(state);
    // In this order: a job that is not among what is due is not looked for.
    await this.#inner.forget(due.key, due.version);
    await this.#inner.forget(state.key, state.version);
  }

  #contextOf(lease: JobLease): AccountCatalog {
    if (this.#catalog === undefined) throw lease.lost();
    return this.#catalog;
  }

  #remember(key: string, version: Version): void {
    const catalog = this.#catalog;
    if (catalog === undefined || !this.#started) return;
    if (this.#expires && !FAMILIES_OF_LISTS.of(key).listed) return;
    const { clock } = catalog.context;
    if (!this.#expires) this.#ask(catalog);
    // Beyond that they are left to a sweep, or to the store.
    if (this.#remembered.length >= SERVICE_LIMITS.tombstonesRemembered) return;
    const dueMs = clock.monotonicMs() + LIMITS.tombstoneLifeMs + SERVICE_LIMITS.forgetSpreadMs;
    this.#remembered.push({ key, version, dueMs });
    this.#running ??= this.#run(catalog).finally(() => {
      this.#running = undefined;
    });
  }

  /** Until nothing is remembered. Tombstones of one minute go together, in few writes of a log. */
  async #run({ context: { clock } }: AccountCatalog): Promise<void> {
    for (let first = this.#remembered[0]; first !== undefined; first = this.#remembered[0]) {
      const { signal } = this.#ended;
      await clock.sleep(first.dueMs - clock.monotonicMs(), signal);
      if (signal.aborted) return;
      const dueMs = clock.monotonicMs() + SERVICE_LIMITS.forgetSpreadMs;
      let count = this.#remembered.findIndex((each) => each.dueMs > dueMs);
      if (count < 0) count = this.#remembered.length;
      const some = this.#remembered.slice(0, Math.min(count, SERVICE_LIMITS.forgottenAtOnce));
      try {
        await this.#forget(some, "node");
        this.#remembered.splice(0, some.length);
        await clock.sleep(FORGET_PAUSE_MS, signal);
      } catch (error) {
        if (!(error instanceof FirnError)) this.#onDefect?.(error);
        await clock.sleep(SERVICE_LIMITS.jobRetryMs, signal);
      }
      if (signal.aborted) return;
    }
  }

  async #forget(
    dead: readonly Pick<Item, "key" | "version">[],
    found: "node" | "sweep",
  ): Promise<void> {
    const outcomes = await Promise.allSettled(
      dead.map(({ key, version }) => this.#inner.forget(key, version)),
    );
    const gone = outcomes.filter((each) => each.status === "fulfilled" && each.value);
    if (gone.length > 0) this.#forgotten.add(gone.length, found);
    for (const each of outcomes) {
      // One that no reader can see stays, and keeps no other.
      if (each.status === "rejected" && !isCorrupt(each.reason)) throw each.reason;
    }
  }

  /** Makes the job of the first sweep that comes when a tombstone of now is past its life. */
  #ask({ context }: AccountCatalog): void {
    const { account, clock, ids, background, jobNews } = context;
    const periodMs = SERVICE_LIMITS.tombstoneSweepMs;
    const number = Math.ceil((clock.nowMs() + LIMITS.tombstoneLifeMs) / periodMs) + 1;
    if (number === this.#asked) return;
    this.#asked = number;
    const job: Job = {
      id: `tombstones-${number}` as JobId,
      kind: "forget-tombstones",
      subject: { type: "account", id: account },
      step: "",
      dueMs: number * periodMs,
      heldUntilMs: 0,
      tries: 0,
      failures: 0,
    };
    const [state, due] = jobKeys(account, job.id, job.dueMs);
    background.run(async () => {
      const { outcome } = await this.#inner.commit({
        writerId: ids.mint<WriterId>(),
        ops: [
          { op: "put", key: state, expected: 0n, summary: encodeJob(job) },
          { op: "put", key: due, expected: 0n },
        ],
      });
      // A conflict says that another node has made it.
      if (outcome === "committed" || outcome === "conflict") jobNews.made(job.dueMs);
      else this.#asked = 0;
    });
  }
}

function isCorrupt(error: unknown): boolean {
  return error instanceof FirnError && error.kind === "Corrupt";
}
