import {
  isMainThread,
  type MessagePort,
  parentPort,
  Worker,
  workerData,
} from "node:worker_threads";
import { FirnError } from "../../base/error.ts";
import { errorOf, type Failure, failureOf } from "../../base/thread-failure.ts";
import { MergeJob } from "./merge-job.ts";
import type { MergeFeed, MergeSession, MergeSpec, MergeStep } from "./merger.ts";
import { type SortedTable, type SortSpec, sortRows } from "./sort-rows.ts";

/** What the thread is told that this module, run in it, is to serve merges. */
const ROLE = "firn-lsm-merger";

type Request =
  | { readonly job: number; readonly spec: MergeSpec }
  | { readonly job: number; readonly feed: MergeFeed }
  | { readonly job: number; readonly end: true }
  | { readonly job: number; readonly sort: SortSpec };

type Reply =
  | { readonly job: number; readonly step: MergeStep }
  | { readonly job: number; readonly table: SortedTable }
  | { readonly job: number; readonly failure: Failure };

interface Waiting {
  resolve(reply: MergeStep | SortedTable): void;
  reject(error: unknown): void;
}

/**
 * A thread that computes merges, several by turns. Arrays pass between the threads by changing
 * hands: nothing is copied.
 */
export class MergeThread {
  readonly #worker: Worker;
  readonly #onLost: (thread: MergeThread) => void;
  readonly #jobs = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();
  #begun = 0;
  #ended: string | undefined;

  /** @param onLost told when the thread has ended by itself. */
  constructor(onLost: (thread: MergeThread) => void) {
    this.#onLost = onLost;
    // The same module on both sides: `.ts` in the tree and `.js` where it was built.
    this.#worker = new Worker(new URL(import.meta.url), { workerData: ROLE });
    this.#worker.on("message", (reply: Reply) => this.#settle(reply));
    this.#worker.on("error", (error) => this.#lost(error.message));
    this.#worker.on("exit", () => this.#lost("it exited"));
    this.#worker.unref();
  }

  /** Merges that are under way. */
  get jobs(): number {
    return this.#jobs.size;
  }

  /** @param onEnd told when the merge was let go. */
  start(spec: MergeSpec, onEnd: () => void): MergeSession {
    const job = ++this.#begun;
    this.#jobs.add(job);
    this.#post({ job, spec });
    return {
      step: (feed) => this.#step(job, feed),
      end: () => {
        if (!this.#jobs.delete(job)) return;
        this.#waiting.delete(job);
        this.#post({ job, end: true });
        onEnd();
      },
    };
  }

  /** Sorts rows into a table. @param onEnd told when that is over. */
  async sort(spec: SortSpec, onEnd: () => void): Promise<SortedTable> {
    const job = ++this.#begun;
    this.#jobs.add(job);
    const { bytes, keyEnds, valueEnds } = spec.rows;
    const arrays = [bytes.buffer, keyEnds.buffer, valueEnds.buffer];
    try {
      return await this.#ask<SortedTable>({ job, sort: spec }, arrays);
    } finally {
      this.#jobs.delete(job);
      onEnd();
    }
  }

  /** Any caller that waits for a step learns of it. */
  async end(why: string): Promise<void> {
    this.#fail(why);
    await this.#worker.terminate();
  }

  #step(job: number, feed: MergeFeed): Promise<MergeStep> {
    return this.#ask<MergeStep>({ job, feed }, arraysOf(feed.parts));
  }

  #ask<T extends MergeStep | SortedTable>(
    request: Request,
    arrays: readonly ArrayBuffer[],
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(stopped(this.#ended));
        return;
      }
      this.#waiting.set(request.job, { resolve: resolve as Waiting["resolve"], reject });
      // A caller waits, so the process stays; else an idle thread must not keep it.
      this.#worker.ref();
      this.#post(request, arrays);
    });
  }

  #post(request: Request, arrays: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, arrays);
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.job);
    this.#waiting.delete(reply.job);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ("step" in reply) waiting?.resolve(reply.step);
    else if ("table" in reply) waiting?.resolve(reply.table);
    else waiting?.reject(errorOf(reply.failure));
  }

  #lost(why: string): void {
    if (this.#ended !== undefined) return;
    this.#fail(why);
    this.#onLost(this);
  }

  #fail(why: string): void {
    this.#ended ??= why;
    for (const { reject } of this.#waiting.values()) reject(stopped(why));
    this.#waiting.clear();
  }
}

function stopped(why: string): FirnError {
  return new FirnError("Unavailable", "LSM_MERGE_STOPPED", "the compaction thread stopped", {
    why,
  });
}

function arraysOf(parts: readonly { readonly bytes: Uint8Array<ArrayBuffer> }[]): ArrayBuffer[] {
  return parts.map(({ bytes }) => bytes.buffer);
}

function serve(port: MessagePort): void {
  const jobs = new Map<number, MergeJob>();
  port.on("message", (request: Request) => {
    const { job } = request;
    if ("spec" in request) jobs.set(job, new MergeJob(request.spec));
    else if ("end" in request) jobs.delete(job);
    else {
      const reply = answer(job, () =>
        "sort" in request
          ? { job, table: sortRows(request.sort) }
          : { job, step: stepOf(jobs.get(job), request.feed) },
      );
      port.postMessage(reply, sentWith(reply));
    }
  });
}

function stepOf(merge: MergeJob | undefined, feed: MergeFeed): MergeStep {
  if (merge === undefined) throw new Error("no merge of this number is under way");
  return merge.step(feed);
}

function sentWith(reply: Reply): ArrayBuffer[] {
  if ("step" in reply) return arraysOf(reply.step.outputs);
  if (!("table" in reply)) return [];
  const { chunks, values } = reply.table;
  return [...chunks, ...values.map(({ object }) => object)].map(({ buffer }) => buffer);
}

function answer(job: number, work: () => Reply): Reply {
  try {
    return work();
  } catch (error) {
    return { job, failure: failureOf(error, asKnown) };
  }
}

function asKnown(error: unknown): FirnError {
  const message = error instanceof Error ? error.message : String(error);
  return new FirnError("Internal", "LSM_MERGE_FAILED", message);
}

if (!isMainThread && parentPort !== null && workerData === ROLE) serve(parentPort);
