import { BatchRows } from "./join.ts";
import type { KeyOf } from "./operators.ts";
import { type ExecRun, type Row, type RowSource, WorkMemory } from "./run.ts";
import { MOST_LEVELS, Parts, WorkFacts } from "./tape.ts";

/** DISTINCT: the first of equal rows. */
export class DistinctRows extends BatchRows {
  readonly #work: WorkFacts;

  constructor(source: RowSource, run: ExecRun, keyOf: KeyOf) {
    const work = new WorkFacts();
    super(distinctRows(source, run, keyOf, work, 0), () => source.close());
    this.#work = work;
  }

  override facts(): readonly string[] {
    return this.#work.hash;
  }
}

/** Keys that the memory does not hold are split by their hashes: each part is done by itself. */
async function* distinctRows(
  source: RowSource,
  run: ExecRun,
  keyOf: KeyOf,
  work: WorkFacts,
  level: number,
): AsyncGenerator<readonly Row[], void> {
  const memory = new WorkMemory(run);
  const { spill } = run;
  const most = spill === undefined || level >= MOST_LEVELS ? undefined : spill.limits.hashBytes;
  const seen = new Set<string>();
  let parts: Parts | undefined;
  try {
    for (;;) {
      const batch = await source.next();
      if (batch === undefined) break;
      const out: Row[] = [];
      for (const row of batch) {
        const key = keyOf(row);
        if (seen.has(key)) continue;
        if (spill !== undefined && most !== undefined && memory.bytes > most) {
          parts ??= new Parts(spill, level);
          const written = parts.add(key, row);
          if (written !== undefined) await written;
          continue;
        }
        seen.add(key);
        memory.keep(key.length * 2 + 64);
        out.push(row);
      }
      const pause = run.pause();
      if (pause !== undefined) await pause;
      if (out.length > 0) yield out;
    }
    work.sees(memory.bytes);
    if (parts === undefined) return;
    seen.clear();
    memory.release();
    for (const tape of await parts.finish()) {
      yield* distinctRows(tape.reader(run), run, keyOf, work, level + 1);
    }
    work.wrote(parts.bytes, 16);
  } finally {
    source.close();
    parts?.close();
    memory.release();
  }
}

/** The first of equal rows, where these are next to each other. */
export class UniqueRows implements RowSource {
  readonly #source: RowSource;
  readonly #keyOf: KeyOf;
  #last: string | undefined;

  constructor(source: RowSource, keyOf: KeyOf) {
    this.#source = source;
    this.#keyOf = keyOf;
  }

  async next(): Promise<readonly Row[] | undefined> {
    for (;;) {
      const batch = await this.#source.next();
      if (batch === undefined) return undefined;
      const out: Row[] = [];
      for (const row of batch) {
        const key = this.#keyOf(row);
        if (key !== this.#last) out.push(row);
        this.#last = key;
      }
      if (out.length > 0) return out;
    }
  }

  close(): void {
    this.#source.close();
  }
}
