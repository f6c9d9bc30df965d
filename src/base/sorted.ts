import type { Pauses } from "./pauses.ts";

/** Items that are sorted in one go: a few milliseconds. */
const RUN_ITEMS = 4_096;

/**
 * Sorts a long list in stretches, between which others have the event loop: runs first, then
 * merges of two neighbours. Stable. Takes the memory of one more list.
 */
export async function sortedInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  pauses: Pauses,
): Promise<readonly T[]> {
  let from: T[] = [];
  for (let at = 0; at < items.length; at += RUN_ITEMS) {
    for (const item of items.slice(at, at + RUN_ITEMS).sort(compare)) from.push(item);
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
  for (let width = RUN_ITEMS; width < from.length; width *= 2) {
    const to: T[] = [];
    for (let at = 0; at < from.length; at += 2 * width) {
      const middle = Math.min(at + width, from.length);
      const end = Math.min(at + 2 * width, from.length);
      let [left, right] = [at, middle];
      while (left < middle || right < end) {
        const isLeft =
          right >= end || (left < middle && compare(from[left] as T, from[right] as T) <= 0);
        to.push(from[isLeft ? left++ : right++] as T);
        const pause = pauses.step();
        if (pause !== undefined) await pause;
      }
    }
    from = to;
  }
  return from;
}
