/** One key press may arrive twice: from the terminal, and from the launcher that saw it. */
const SAME_SIGNAL_MS = 250;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Calls `stop` at the first signal that asks to end, and `abort` at the next one.
 *
 * @returns what takes the listeners off again.
 */
export function onStopSignal(stop: () => void, abort: () => void): () => void {
  let firstMs: number | undefined;
  const listener = () => {
    const nowMs = performance.now();
    if (firstMs === undefined) {
      firstMs = nowMs;
      stop();
    } else if (nowMs - firstMs > SAME_SIGNAL_MS) abort();
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}
