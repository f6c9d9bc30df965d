import { type Clock, Stopwatch } from "../base/clock.ts";

/** Why a deadline ends early: an error, with its stack, would be made each time. */
const ENDED = "answered";
/** From the end of the signal until whatever does not heed it is left behind. */
const GRACE_MS = 250;

export interface Limit {
  readonly clock: Clock;
  readonly limitMs: number;
}

/** Makes one call. `allow` grants it more ms. */
export type TimedCall<T> = (signal: AbortSignal, allow: (ms: number) => void) => Promise<T>;

/**
 * What a call comes to whose signal ends after its time; and soon after that, whatever it does: the
 * SDK heeds no signal while it looks for credentials, which may take for ever.
 *
 * @throws what the call throws; an `AbortError` where it was left behind.
 */
export async function inTime<T>({ clock, limitMs }: Limit, call: TimedCall<T>): Promise<T> {
  const watch = new Stopwatch(clock);
  const overdue = new AbortController();
  const ended = new AbortController();
  const heeded = new AbortController();
  const left = Promise.withResolvers<never>();
  let untilMs = limitMs;
  const expire = async (): Promise<void> => {
    while (!ended.signal.aborted && watch.elapsedMs() < untilMs) {
      await clock.sleep(untilMs - watch.elapsedMs(), ended.signal);
    }
    if (ended.signal.aborted) return;
    overdue.abort();
    // A separate wait: a metric of waits must not count it as more of the first.
    await clock.sleep(GRACE_MS, heeded.signal);
    const error = new Error("left behind without an answer");
    if (!heeded.signal.aborted) left.reject(Object.assign(error, { name: "AbortError" }));
  };
  void expire();
  const allow = (ms: number): void => {
    untilMs += ms;
  };
  try {
    return await Promise.race([call(overdue.signal, allow), left.promise]);
  } finally {
    ended.abort(ENDED);
    heeded.abort(ENDED);
  }
}
