import { assert } from "./assert.ts";
import type { Clock } from "./clock.ts";
import { type FirnError, invalid } from "./error.ts";
import { LIMITS } from "./limits.ts";
import { errorOf } from "./thread-failure.ts";
import type { InputOf, PieceOf, Tasks, Workers } from "./work.ts";
import { type Reply, type Request, WorkThread, workStopped, workTooLarge } from "./work-thread.ts";

export interface WorkLimits {
  /** Tasks that are done at once. */
  readonly threads: number;
  /** JavaScript's own memory, of each thread. */
  readonly heapMib: number;
  /** What one task may take in all, the time between its pieces aside. */
  readonly taskMs: number;
  /** How long a thread stays that has nothing to do. */
  readonly idleMs: number;
}

/** What threads are started with. */
interface ThreadSpec {
  /** Serves the tasks by `serveWork`, where its `workerData` is `role`. */
  readonly module: URL;
  readonly role: string;
  readonly clock: Clock;
}

const THREADS = 2;
const IDLE_MS = 30_000;
const NEXT: Request = { next: true };
/** Between two looks at the heap of a thread at work: it cannot fill its headroom in less. */
const LOOK_MS = 25;
/** Parts of a thread's heap that its garbage may keep, for the next task to start with. */
const REUSED_PARTS = 4;

/** What was seen of a thread's heap in the time of one task. */
class HeapWatch {
  readonly over = new AbortController();
  mostMib = 0;
}

/** A thread that does nothing else, and whether it was started for this. */
interface Taken {
  readonly thread: WorkThread;
  readonly isNew: boolean;
}

interface Waiting {
  resolve(taken: Taken): void;
  reject(error: FirnError): void;
}

/**
 * Threads that do tasks, one each at a time; what comes meanwhile waits in line. A thread is
 * started when there is none at rest, and ends when it had nothing to do for a while. One that
 * dies, or is ended since its task took too long, fails that task alone.
 */
export class WorkThreads<T extends Tasks> implements Workers<T> {
  readonly #options: ThreadSpec & WorkLimits;
  /** Threads at work and at rest. */
  readonly #threads = new Set<WorkThread>();
  /** Those at rest, the last one used last; ending it calls off their end. */
  readonly #resting = new Map<WorkThread, AbortController>();
  readonly #waiting: Waiting[] = [];
  #isClosed = false;

  constructor(options: ThreadSpec & Partial<WorkLimits>) {
    this.#options = {
      threads: THREADS,
      heapMib: LIMITS.workHeapMib,
      taskMs: LIMITS.workMs,
      idleMs: IDLE_MS,
      ...options,
    };
    assert(this.#options.threads > 0, "work needs a thread");
  }

  /** Threads that there are now. */
  get threads(): number {
    return this.#threads.size;
  }

  async *run<N extends keyof T & string>(
    task: N,
    input: InputOf<T[N]>,
    owned: readonly ArrayBuffer[] = [],
  ): AsyncGenerator<PieceOf<T[N]>, void> {
    const { thread, isNew } = await this.#take();
    let isOver = false;
    const watch = new HeapWatch();
    void this.#watch(thread, watch);
    try {
      // The start is not the task's time: a machine may be busy.
      if (isNew) await thread.started();
      let leftMs = this.#options.taskMs;
      for (let request: Request = { task, input }; ; request = NEXT) {
        const beganMs = this.#options.clock.monotonicMs();
        const reply = await this.#inTime(thread, thread.ask(request, owned), leftMs);
        leftMs -= this.#options.clock.monotonicMs() - beganMs;
        isOver = !("piece" in reply);
        if ("failure" in reply) throw errorOf(reply.failure);
        if (!("piece" in reply)) return;
        yield reply.piece as PieceOf<T[N]>;
        owned = [];
      }
    } finally {
      watch.over.abort();
      if (!isOver) thread.callOff();
      // Garbage of this task would count as memory of the next one, and of the host meanwhile.
      if (watch.mostMib * REUSED_PARTS > this.#options.heapMib) {
        void this.#end(thread, workStopped("its heap had grown"));
      }
      this.#release(thread);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const why = workStopped("it was closed");
    for (const { reject } of this.#waiting.splice(0)) reject(why);
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, why)));
  }

  /** Ends the thread where its task takes too much memory. */
  async #watch(thread: WorkThread, watch: HeapWatch): Promise<void> {
    const { clock, heapMib } = this.#options;
    const { signal } = watch.over;
    while (!signal.aborted && !thread.isEnded) {
      await clock.sleep(LOOK_MS, signal);
      if (signal.aborted) return;
      const usedMib = await thread.heapUsedMib();
      watch.mostMib = Math.max(watch.mostMib, usedMib);
      if (usedMib > heapMib && !signal.aborted) await this.#end(thread, workTooLarge(heapMib));
    }
  }

  /** Ends the thread where it does not answer in time. */
  async #inTime(thread: WorkThread, reply: Promise<Reply>, leftMs: number): Promise<Reply> {
    const answered = new AbortController();
    const { clock, taskMs } = this.#options;
    void clock.sleep(Math.max(0, leftMs), answered.signal).then(async () => {
      if (answered.signal.aborted) return;
      await this.#end(thread, tooLong(taskMs));
    });
    try {
      return await reply;
    } finally {
      answered.abort();
    }
  }

  #take(): Promise<Taken> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) reject(workStopped("it was closed"));
      else {
        const free = this.#free();
        if (free === undefined) this.#waiting.push({ resolve, reject });
        else resolve(free);
      }
    });
  }

  #free(): Taken | undefined {
    for (const rested of [...this.#resting.keys()].reverse()) {
      this.#wake(rested);
      if (!rested.isEnded) return { thread: rested, isNew: false };
      this.#threads.delete(rested);
    }
    if (this.#threads.size >= this.#options.threads) return undefined;
    const { module, role, heapMib } = this.#options;
    const thread = new WorkThread(module, role, heapMib);
    this.#threads.add(thread);
    return { thread, isNew: true };
  }

  #release(thread: WorkThread): void {
    if (thread.isEnded) this.#threads.delete(thread);
    else if (this.#threads.has(thread)) this.#rest(thread);
    if (this.#waiting.length === 0) return;
    const free = this.#free();
    if (free !== undefined) this.#waiting.shift()?.resolve(free);
  }

  /** One that does nothing for a while ends. */
  #rest(thread: WorkThread): void {
    const { clock, idleMs } = this.#options;
    const rest = new AbortController();
    this.#resting.set(thread, rest);
    void clock.sleep(idleMs, rest.signal).then(async () => {
      if (!rest.signal.aborted) await this.#end(thread, workStopped("it had nothing to do"));
    });
  }

  #wake(thread: WorkThread): void {
    this.#resting.get(thread)?.abort();
    this.#resting.delete(thread);
  }

  async #end(thread: WorkThread, why: FirnError): Promise<void> {
    this.#threads.delete(thread);
    this.#wake(thread);
    await thread.end(why);
  }
}

function tooLong(limitMs: number): FirnError {
  return invalid(
    "WORK_TOO_LONG",
    `reading the input took longer than ${limitMs} ms: make it smaller`,
    { limitMs },
  );
}
