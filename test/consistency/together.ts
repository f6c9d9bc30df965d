/** Runs `work` until it is done, and `others` over and over meanwhile, once each at least. */
export async function meanwhile(
  work: () => Promise<void>,
  ...others: readonly ((turn: number) => Promise<void>)[]
): Promise<void> {
  let over = false;
  const repeated = others.map(async (other) => {
    for (let turn = 0; turn === 0 || !over; turn++) {
      await other(turn);
      // Work in memory alone never lets the event loop go on by itself.
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const done = work().finally(() => {
    over = true;
  });
  await Promise.all([done, ...repeated]);
}

/** `count` pieces of work at once; their results. */
export function atOnce<T>(count: number, work: (i: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => work(i)));
}
