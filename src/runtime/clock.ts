import { setImmediate as nextTurn, setTimeout as sleepFor } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";

/** The machine's own time. */
export class SystemClock implements Clock {
  nowMs(): number {
    return Date.now();
  }

  monotonicMs(): number {
    return performance.now();
  }

  async sleep(ms: number, ended?: AbortSignal): Promise<void> {
    if (ended === undefined) {
      // A timer of 0 ms takes at least 1: too long for who only lets others go first.
      if (ms > 0) await sleepFor(ms);
      else await nextTurn();
      return;
    }
    if (ended.aborted) return;
    // Timers of promises reject with an error, whose stack costs more than all the rest.
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        ended.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, ms).unref();
      ended.addEventListener("abort", wake);
    });
  }
}

/** Milliseconds since this process was started, the loading of Node itself included. */
export function sinceProcessStartMs(): number {
  return process.uptime() * 1_000;
}

/** Calls back when everything that is ready by now has been handled once. */
export function afterTurn(callback: () => void): void {
  setImmediate(callback);
}

/** Calls back when all promises that can go on by now have gone as far as they get. */
export function afterMicrotasks(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback));
}

/** Processor time that this thread has used so far, in milliseconds. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Calls back again and again; does not keep the process running. @returns what ends it. */
export function everyMs(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms).unref();
  return () => clearInterval(timer);
}

/** Calls back once, when nothing was `touch`ed for `ms` milliseconds; never after `stop`. */
export function idleTimer(ms: number, callback: () => void): { touch(): void; stop(): void } {
  const timer = setTimeout(callback, ms).unref();
  return { touch: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}

/** Whether `work` settled in time. Nothing is left running or waiting when it did. */
export async function settlesWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const done = work.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Aborts after so many milliseconds; does not keep the process running. */
export function abortAfter(ms: number): AbortSignal {
  return AbortSignal.timeout(ms);
}
