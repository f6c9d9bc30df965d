import { useEffect } from "preact/hooks";

/** Does something again and again while the page is in sight. */
export function useEvery(everyMs: number, isOn: boolean, work: () => Promise<void>): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) void work();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isOn, work]);
}
