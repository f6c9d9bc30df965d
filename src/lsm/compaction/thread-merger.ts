import {
  isMainThread,
  type MessagePort,
  parentPort,
  Worker,
  workerData,
} from "node:worker_threads";
import { CatalogError, type ErrorContext, type ErrorKind } from "../../base/error.ts";
import { MergeJob } from "./merge-job.ts";
import type { MergeFeed, Merger, MergeSession, MergeSpec, MergeStep } from "./merger.ts";

/** What the thread is told that this module, run in it, is to serve merges. */
const ROLE = "firn-lsm-merger";

type Request =
  | { readonly job: number; readonly spec: MergeSpec }
  | { readonly job: number; readonly feed: MergeFeed }
  | { readonly job: number; readonly end: true };

type Reply =
  | { readonly job: number; readonly step: MergeStep }
  | { readonly job: number; readonly failure: Failure };

/** An error as it passes between threads, which keep messages and lose classes. */
interface Failure {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly message: string;
  readonly context: ErrorContext;
}

interface Waiting {
  resolve(step: MergeStep): void;
  reject(error: unknown): void;
}

/**
 * One thread that computes merges, started with the first of them and kept. Arrays pass between the
 * threads by changing hands: nothing is copied.
 */
export class ThreadMerger implements Merger {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #jobs = 0;

  start(spec: MergeSpec): MergeSession {
    const job = ++this.#jobs;
    const worker = this.#start();
    const begin: Request = { job, spec };
    worker.postMessage(begin);
    return {
      step: (feed) =>
        new Promise<MergeStep>((resolve, reject) => {
          if (worker !== this.#worker) {
            reject(stopped("it has ended"));
            return;
          }
          this.#waiting.set(job, { resolve, reject });
          // Somebody waits, so the process stays; else an idle thread must not keep it.
          worker.ref();
          const request: Request = { job, feed };
          worker.postMessage(request, arraysOf(feed.parts));
        }),
      end: () => {
        this.#waiting.delete(job);
        const request: Request = { job, end: true };
        worker.postMessage(request);
      },
    };
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#failAll("it was closed");
    await worker?.terminate();
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    // The same module on both sides: `.ts` in the tree and `.js` where it was built.
    const worker = new Worker(new URL(import.meta.url), { workerData: ROLE });
    this.#worker = worker;
    worker.on("message", (reply: Reply) => this.#settle(reply));
    worker.on("error", (error) => this.#lost(worker, error.message));
    worker.on("exit", () => this.#lost(worker, "it exited"));
    worker.unref();
    return worker;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.job);
    this.#waiting.delete(reply.job);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if ("step" in reply) waiting?.resolve(reply.step);
    else {
      const { kind, code, message, context } = reply.failure;
      waiting?.reject(new CatalogError(kind, code, message, context));
    }
  }

  #lost(worker: Worker, why: string): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#failAll(why);
  }

  #failAll(why: string): void {
    for (const { reject } of this.#waiting.values()) reject(stopped(why));
    this.#waiting.clear();
  }
}

function stopped(why: string): CatalogError {
  return new CatalogError("Unavailable", "LSM_MERGE_STOPPED", "the merging thread stopped", {
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
    return { job, failure: failureOf(error) };
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof CatalogError) {
    const { kind, code, message, context } = error;
    return { kind, code, message, context };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "Internal", code: "LSM_MERGE_FAILED", message, context: {} };
}

if (!isMainThread && parentPort !== null && workerData === ROLE) serve(parentPort);
