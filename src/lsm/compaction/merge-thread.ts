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

/** What the thread is told that this module, run in it, is to serve merges. */
const ROLE = "firn-lsm-merger";

type Request =
  | { readonly job: number; readonly spec: MergeSpec }
  | { readonly job: number; readonly feed: MergeFeed }
  | { readonly job: number; readonly end: true };

type Reply =
  | { readonly job: number; readonly step: MergeStep }
  | { readonly job: number; readonly failure: Failure };

interface Waiting {
  resolve(step: MergeStep): void;
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

  /** Any caller that waits for a step learns of it. */
  async end(why: string): Promise<void> {
    this.#fail(why);
    await this.#worker.terminate();
  }

  #step(job: number, feed: MergeFeed): Promise<MergeStep> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(stopped(this.#ended));
        return;
      }
      this.#waiting.set(job, { resolve, reject });
      // Somebody waits, so the process stays; else an idle thread must not keep it.
      this.#worker.ref();
      this.#post({ job, feed }, arraysOf(feed.parts));
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
      const reply = answer(job, jobs.get(job), request.feed);
      port.postMessage(reply, "step" in reply ? arraysOf(reply.step.outputs) : []);
    }
  });
}

function answer(job: number, merge: MergeJob | undefined, feed: MergeFeed): Reply {
  try {
    if (merge === undefined) throw new Error("no merge of this number is under way");
    return { job, step: merge.step(feed) };
  } catch (error) {
    return { job, failure: failureOf(error, asKnown) };
  }
}

function asKnown(error: unknown): FirnError {
  const message = error instanceof Error ? error.message : String(error);
  return new FirnError("Internal", "LSM_MERGE_FAILED", message);
}

if (!isMainThread && parentPort !== null && workerData === ROLE) serve(parentPort);
