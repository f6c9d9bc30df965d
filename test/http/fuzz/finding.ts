/** What went wrong, as little of it as is needed, and how to see it again. */
export interface Finding {
  readonly problem: string;
  /** All bytes of the shortest episode that ends in it, in order; the last is answered wrongly. */
  readonly sent: readonly Buffer[];
  readonly received: string;
  readonly seed: number;
  readonly path: string;
}

const SHOWN_BYTES = 2_000;

/** A finding as a person reads it. */
export function describeFinding({ problem, sent, received, seed, path }: Finding): string {
  const shown = sent.map((bytes) => {
    const more = bytes.length > SHOWN_BYTES ? `… (${bytes.length} bytes)` : "";
    return `--- sent\n${bytes.toString("latin1").slice(0, SHOWN_BYTES)}${more}`;
  });
  const again = `--- again: npm run fuzz -- --seed ${seed} --path ${path}`;
  const answer = `--- received\n${received.slice(0, SHOWN_BYTES)}`;
  return [`FOUND: ${problem}`, ...shown, answer, again].join("\n");
}
