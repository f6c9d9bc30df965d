import { isDeepStrictEqual } from "node:util";

/*
 * How a client's program reports: a line for each check, `ok NAME`, `not ok NAME: WHY` or
 * `skip NAME: WHY`, on standard output. `program.ts` counts them, whatever language it is in.
 */

/** Runs one check, and reports it. */
export async function check(name: string, work: () => unknown): Promise<void> {
  try {
    await work();
    console.log(`ok ${name}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.log(`not ok ${name}: ${why.replaceAll("\n", " | ")}`);
  }
}

/** @throws Error that shows both, where they differ. */
export function equal(actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`got ${shown(actual)}, expected ${shown(expected)}`);
}

function shown(value: unknown): string {
  const text = (_name: string, each: unknown): unknown =>
    typeof each === "bigint" ? `${each}n` : each;
  return JSON.stringify(value, text) ?? String(value);
}
