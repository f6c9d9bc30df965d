import { DistinctRows } from "./distinct.ts";
import { BatchRows } from "./join.ts";
import type { KeyOf } from "./operators.ts";
import { type ExecRun, type Row, type RowSource, WorkMemory } from "./run.ts";
import type { Spill } from "./spill.ts";
import { MOST_LEVELS, Parts, WorkFacts } from "./tape.ts";

export type SetOperation = "union" | "intersect" | "except";

/** Rows of several sources, one after the other. */
export async function* appended(
  openers: readonly (() => Promise<RowSource>)[],
): AsyncGenerator<readonly Row[], void> {
  for (const open of openers) {
    const source = await open();
    try {
      for (;;) {
        const batch = await source.next();
        if (batch === undefined) break;
        yield batch;
      }
    } finally {
      source.close();
    }
  }
}

interface SetParts {
  readonly operation: SetOperation;
  readonly isAll: boolean;
  readonly keyOf: KeyOf;
}

/** INTERSECT and EXCEPT: by how often each row is on the right. */
export class CombinedRows extends BatchRows {
  readonly #work: WorkFacts;

  constructor(left: RowSource, right: RowSource, run: ExecRun, parts: SetParts) {
    const work = new WorkFacts();
    const close = (): void => {
      left.close();
      right.close();
    };
    const judged = combined(left, right, run, parts, work);
    const { isAll, keyOf } = parts;
    const rows = isAll ? judged : each(new DistinctRows(new BatchRows(judged), run, keyOf));
    super(rows, close);
    this.#work = work;
  }

  override facts(): readonly string[] {
    return this.#work.hash;
  }
}

async function* each(source: RowSource): AsyncGenerator<readonly Row[], void> {
  yield* appended([async () => source]);
}

/** Rows of the left side that the operation keeps; equal ones more than once. */
async function* combined(
  left: RowSource,
  right: RowSource,
  run: ExecRun,
  parts: SetParts,
  work: WorkFacts,
): AsyncGenerator<readonly Row[], void> {
  const memory = new WorkMemory(run);
  const counts = new Map<string, number>();
  const add = (key: string, count: number): void => {
    const known = counts.get(key);
    if (known === undefined) memory.keep(key.length * 2 + 64);
    counts.set(key, (known ?? 0) + count);
  };
  try {
    for (;;) {
      const batch = await right.next();
      if (batch === undefined) break;
      for (const row of batch) add(parts.keyOf(row), 1);
      work.sees(memory.bytes);
      const { spill } = run;
      if (spill !== undefined && memory.bytes > spill.limits.hashBytes) {
        yield* split(left, right, { ...parts, counts, memory, run, spill, work, level: 0 });
        return;
      }
      const pause = run.pause();
      if (pause !== undefined) await pause;
    }
    yield* judged(left, run, parts, counts);
  } finally {
    left.close();
    right.close();
    memory.release();
  }
}

/** Rows of the left side by what was counted on the right. */
async function* judged(
  left: RowSource,
  run: ExecRun,
  { operation, isAll, keyOf }: SetParts,
  counts: Map<string, number>,
): AsyncGenerator<readonly Row[], void> {
  for (;;) {
    const batch = await left.next();
    if (batch === undefined) return;
    const out = batch.filter((row) => {
      const key = keyOf(row);
      const count = counts.get(key) ?? 0;
      if (isAll && count > 0) counts.set(key, count - 1);
      return count > 0 === (operation === "intersect");
    });
    const pause = run.pause();
    if (pause !== undefined) await pause;
    if (out.length > 0) yield out;
  }
}

interface Split extends SetParts {
  readonly counts: Map<string, number>;
  readonly memory: WorkMemory;
  readonly run: ExecRun;
  readonly spill: Spill;
  readonly work: WorkFacts;
  readonly level: number;
}

/** Both sides by the hashes of their rows: each part is done by itself. */
async function* split(
  left: RowSource,
  right: RowSource | undefined,
  how: Split,
): AsyncGenerator<readonly Row[], void> {
  const { counts, memory, run, spill, work, level, keyOf } = how;
  const [mine, theirs] = [new Parts(spill, level), new Parts(spill, level)];
  try {
    for (const [key, count] of counts) await theirs.add(key, [key, count]);
    counts.clear();
    memory.release();
    for (const [source, parts] of [
      [right, theirs],
      [left, mine],
    ] as const) {
      for (;;) {
        const batch = await source?.next();
        if (batch === undefined) break;
        for (const row of batch) {
          const key = keyOf(row);
          const written = parts.add(key, parts === mine ? row : [key, 1]);
          if (written !== undefined) await written;
        }
        await run.pause();
      }
    }
    const rights = await theirs.finish();
    for (const [i, tape] of (await mine.finish()).entries()) {
      const counted = rights[i]?.reader(run);
      if (counted !== undefined) yield* part(tape.reader(run), counted, how);
    }
    work.wrote(mine.bytes + theirs.bytes, 16);
  } finally {
    mine.close();
    theirs.close();
  }
}

/** One part: its right side is keys with their counts. */
async function* part(
  left: RowSource,
  right: RowSource,
  how: Split,
): AsyncGenerator<readonly Row[], void> {
  const { run, spill, work } = how;
  const memory = new WorkMemory(run);
  const counts = new Map<string, number>();
  try {
    for (;;) {
      const batch = await right.next();
      if (batch === undefined) break;
      for (const [key, count] of batch as readonly (readonly [string, number])[]) {
        if (!counts.has(key)) memory.keep(key.length * 2 + 64);
        counts.set(key, (counts.get(key) ?? 0) + count);
      }
    }
    work.sees(memory.bytes);
    const level = how.level + 1;
    if (memory.bytes > spill.limits.hashBytes && level < MOST_LEVELS) {
      yield* split(left, undefined, { ...how, counts, memory, level });
    } else yield* judged(left, run, how, counts);
  } finally {
    memory.release();
  }
}
