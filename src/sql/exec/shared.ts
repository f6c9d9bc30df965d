import type { KeyOf } from "./operators.ts";
import { type ExecRun, eachRow, type Row, type RowSource } from "./run.ts";
import { RowPile } from "./tape.ts";

/** Rows that several readers share: read once, and no further than the furthest reader. */
export class SharedRows {
  readonly #open: () => Promise<RowSource>;
  readonly #pile: RowPile;
  #source: RowSource | undefined;
  #isOver = false;
  #reading: Promise<void> | undefined;

  constructor(open: () => Promise<RowSource>, run: ExecRun) {
    this.#open = open;
    this.#pile = new RowPile(run);
  }

  reader(): RowSource {
    let at = 0;
    return {
      next: async () => {
        while (at >= this.#pile.batches && !this.#isOver) {
          this.#reading ??= this.#read().finally(() => {
            this.#reading = undefined;
          });
          await this.#reading;
        }
        return await this.#pile.batch(at++);
      },
      close: () => {
        at = Number.POSITIVE_INFINITY;
      },
    };
  }

  /** Reads all that is left. */
  async finish(): Promise<void> {
    while (!this.#isOver) await this.#read();
  }

  async #read(): Promise<void> {
    this.#source ??= await this.#open();
    const batch = await this.#source.next();
    if (batch === undefined) {
      this.#isOver = true;
      this.#source.close();
      return;
    }
    await this.#pile.add(batch);
  }
}

export interface Recursion {
  readonly first: () => Promise<RowSource>;
  readonly step: (run: ExecRun) => Promise<RowSource>;
  /** What the step reads: the rows of the step before. */
  readonly working: object;
  /** Rows that were there already are left out; absent with UNION ALL. */
  readonly keyOf: KeyOf | undefined;
}

/** WITH RECURSIVE: the first rows, then those that the step makes of the newest ones. */
export async function* recursed(
  run: ExecRun,
  { first, step, working, keyOf }: Recursion,
): AsyncGenerator<readonly Row[], void> {
  const seen = new Set<string>();
  const isNew = (row: Row): boolean => {
    if (keyOf === undefined) return true;
    const key = keyOf(row);
    if (seen.has(key)) return false;
    seen.add(key);
    run.keep(key.length * 2 + 64);
    return true;
  };
  let source = await first();
  let before: RowPile | undefined;
  for (;;) {
    const newest = new RowPile(run);
    let out: Row[] = [];
    for await (const row of eachRow(source, run)) {
      if (!isNew(row)) continue;
      out.push(row);
      if (out.length < 256) continue;
      await newest.add(out);
      yield out;
      out = [];
    }
    await newest.add(out);
    if (out.length > 0) yield out;
    before?.close();
    if (newest.count === 0) return;
    before = newest;
    const pause = run.pause();
    if (pause !== undefined) await pause;
    const below = run.below(undefined);
    below.share(working, { reader: () => newest.reader() });
    source = await step(below);
  }
}
