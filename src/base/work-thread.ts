import { parentPort, Worker } from "node:worker_threads";
import { FirnError, invalid } from "./error.ts";
import { type Failure, failureOf } from "./thread-failure.ts";
import type { Task, Tasks } from "./work.ts";

export type Request =
  | { readonly task: string; readonly input: unknown }
  | { readonly next: true }
  | { readonly end: true };

export type Reply =
  | { readonly ready: true }
  | { readonly piece: unknown }
  | { readonly done: true }
  | { readonly failure: Failure };

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: unknown): void;
}

const YOUNG_MIB = 64;
/**
 * V8 ends the whole process, not the thread, where one allocation does not fit what is left of its
 * own limit: an array or a map that grows, a long text that is parsed. So that limit lies above the
 * one that holds (`heapUsedMib` tells when it is passed) by more than the largest allocation, of
 * 1 GiB, and what a thread can fill between two looks.
 */
const HEADROOM_MIB = 2_048;
const MIB = 1_048_576;

/** A thread that does one task after the other, in its own heap. */
export class WorkThread {
  readonly #worker: Worker;
  readonly #heapMib: number;
  #waiting: Waiting | undefined;
  #ended: FirnError | undefined;

  /** @param module serves work when it is run in a thread whose data is `role`. */
  constructor(module: URL, role: string, heapMib: number) {
    this.#heapMib = heapMib;
    this.#worker = new Worker(module, {
      workerData: role,
      resourceLimits: {
        maxOldGenerationSizeMb: heapMib + HEADROOM_MIB,
        maxYoungGenerationSizeMb: Math.min(YOUNG_MIB, heapMib),
      },
    });
    this.#worker.on("message", (reply: Reply) => this.#settle(({ resolve }) => resolve(reply)));
    this.#worker.on("error", (error) => this.#lost(this.#reasonOf(error)));
    this.#worker.on("exit", () => this.#lost(workStopped("the thread exited")));
  }

  /** Waits for the start of a new thread, which is its first answer. */
  started(): Promise<Reply> {
    return this.#answer();
  }

  /** Whether it has ended, by itself or not. */
  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Its heap as it is now, garbage too. Waits for a moment in which the thread can tell. */
  async heapUsedMib(): Promise<number> {
    try {
      return (await this.#worker.getHeapStatistics()).used_heap_size / MIB;
    } catch {
      // It has ended, or not begun: then there is no heap.
      return 0;
    }
  }

  /** @throws FirnError why the thread ended, where it did. */
  ask(request: Request, owned: readonly ArrayBuffer[]): Promise<Reply> {
    const answer = this.#answer();
    if (this.#ended === undefined) this.#worker.postMessage(request, owned);
    return answer;
  }

  #answer(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) {
        reject(this.#ended);
        return;
      }
      this.#waiting = { resolve, reject };
      // An answer is waited for, so the process stays; an idle thread must not keep it.
      this.#worker.ref();
    });
  }

  /** Lets go of the task, of which no piece is waited for. */
  callOff(): void {
    if (this.#ended === undefined) this.#worker.postMessage({ end: true } satisfies Request);
  }

  /** Fails what is waited for. */
  async end(why: FirnError): Promise<void> {
    this.#lost(why);
    await this.#worker.terminate();
  }

  #settle(settle: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#worker.unref();
    if (waiting !== undefined) settle(waiting);
  }

  #lost(why: FirnError): void {
    this.#ended ??= why;
    this.#settle(({ reject }) => reject(why));
  }

  #reasonOf(error: Error): FirnError {
    if ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") {
      return workTooLarge(this.#heapMib);
    }
    return workStopped(error.message);
  }
}

/** The input is at fault: no other thread would do. */
export function workTooLarge(heapMib: number): FirnError {
  const message = `reading the input needs more than ${heapMib} MiB of memory: make it smaller`;
  return invalid("WORK_TOO_LARGE", message, { heapMib });
}

/** The thread has gone, through no fault of its input: another one may do the work. */
export function workStopped(why: string): FirnError {
  return new FirnError("Unavailable", "WORK_STOPPED", "the parsing thread stopped: try again", {
    why,
  });
}

/** Serves tasks in the thread that this is called in, to its end. */
export function serveWork(tasks: Tasks): void {
  const port = parentPort;
  let pieces: Generator<unknown, void> | undefined;
  port?.on("message", (request: Request) => {
    if ("end" in request) {
      pieces = undefined;
      return;
    }
    try {
      if ("task" in request) pieces = begun(tasks[request.task], request);
      const next = pieces?.next();
      if (next === undefined || next.done === true) port.postMessage({ done: true });
      else port.postMessage({ piece: next.value }, buffersOf(next.value));
    } catch (error) {
      pieces = undefined;
      port.postMessage({ failure: failureOf(error, asKnown) } satisfies Reply);
    }
  });
  port?.postMessage({ ready: true } satisfies Reply);
}

function begun(
  task: Task | undefined,
  { task: name, input }: { readonly task: string; readonly input: unknown },
): Generator<unknown, void> {
  if (task === undefined) throw new Error(`no task ${name}`);
  return task(input as never);
}

/** Memory that a piece names at its top and owns alone changes hands: nothing is copied. */
function buffersOf(piece: unknown): ArrayBuffer[] {
  if (typeof piece !== "object" || piece === null) return [];
  return Object.values(piece).flatMap((value) =>
    value instanceof Uint8Array &&
    value.buffer instanceof ArrayBuffer &&
    value.byteLength === value.buffer.byteLength
      ? [value.buffer]
      : [],
  );
}

function asKnown(error: unknown): FirnError {
  const why = error instanceof Error ? error.message : String(error);
  // What the platform says of a stack, a string or an array that grew too large.
  if (error instanceof RangeError) {
    const message = "the input is too large to be read: make it smaller or less deep";
    return invalid("WORK_TOO_LARGE", message, { why });
  }
  return new FirnError("Internal", "WORK_FAILED", "parsing the input failed", { why });
}
