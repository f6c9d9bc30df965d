import { type KeyOf, ReadyRows } from "./operators.ts";
import { type ExecRun, eachRow, type Row, type RowSource, rowBytes } from "./run.ts";

/** Rows that several readers share: read once, and no further than the furthest reader. */
export class SharedRows {
  readonly #open: () => Promise<RowSource>;
  readonly #run: ExecRun;
  readonly #batches: (readonly Row[])[] = [];
  #source: RowSource | undefined;
  #isOver = false;
  #reading: Promise<void> | undefined;

  constructor(open: () => Promise<RowSource>, run: ExecRun) {
    this.#open = open;
    this.#run = run;
  }

  reader(): RowSource {
    let at = 0;
    return {
      next: async () => {
        while (at >= this.#batches.length && !this.#isOver) {
          this.#reading ??= this.#read().finally(() => {
            this.#reading = undefined;
          });
          await this.#reading;
        }
        return this.#batches[at++];
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
    this.#run.keep(batch.reduce((bytes, row) => bytes + rowBytes(row), 0));
    this.#batches.push(batch);
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
  for (;;) {
    const newest: Row[] = [];
    let out: Row[] = [];
    for await (const row of eachRow(source, run)) {
      if (!isNew(row)) continue;
      newest.push(row);
      out.push(row);
      if (out.length < 256) continue;
      yield out;
      out = [];
    }
    if (out.length > 0) yield out;
    if (newest.length === 0) return;
    const pause = run.pause();
    if (pause !== undefined) await pause;
    const below = run.below(undefined);
    below.share(working, new SharedRows(async () => new ReadyRows(newest), below));
    source = await step(below);
  }
}
