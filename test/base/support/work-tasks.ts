import { isMainThread, workerData } from "node:worker_threads";
import { invalid } from "../../../src/base/error.ts";
import type { Tasks } from "../../../src/base/work.ts";
import { serveWork } from "../../../src/base/work-thread.ts";

/** Tasks that behave, and tasks that do not, for threads under test. */
export interface TestTasks extends Tasks {
  readonly count: (to: number) => Generator<number, void>;
  readonly double: (input: Uint8Array) => Generator<{ bytes: Uint8Array }, void>;
  readonly refuse: (why: string) => Generator<never, void>;
  readonly deep: (input: null) => Generator<never, void>;
  readonly hoard: (input: null) => Generator<number, void>;
  /** One array that grows. */
  readonly push: (input: null) => Generator<never, void>;
  /** One map that grows. */
  readonly map: (input: null) => Generator<never, void>;
  /** Long texts, which the platform parses at one go. */
  readonly parse: (input: null) => Generator<never, void>;
  readonly spin: (input: null) => Generator<number, void>;
}

export const TASKS: TestTasks = {
  *count(to) {
    for (let i = 1; i <= to; i++) yield i;
  },
  *double(input) {
    yield { bytes: new Uint8Array([...input, ...input]) };
  },
  // biome-ignore lint/correctness/useYield: it fails before its first piece
  *refuse(why) {
    throw invalid("TEST_REFUSED", why, { id: 2n ** 60n });
  },
  *deep() {
    const down = (): number => 1 + down();
    down();
  },
  *hoard() {
    const kept: object[] = [];
    for (;;) {
      for (let i = 0; i < 1_000; i++) kept.push({ i, kept });
      if (kept.length % 100_000 === 0) yield kept.length;
    }
  },
  // biome-ignore lint/correctness/useYield: it never gets to a piece
  *push() {
    const kept: number[] = [];
    for (;;) kept.push(1.5);
  },
  // biome-ignore lint/correctness/useYield: it never gets to a piece
  *map() {
    const kept = new Map<number, number>();
    for (let i = 0; ; i++) kept.set(i, i);
  },
  // biome-ignore lint/correctness/useYield: it never gets to a piece
  *parse() {
    const text = `[${"[1,2,3],".repeat(1_000_000)}1]`;
    const kept: unknown[] = [];
    for (;;) kept.push(JSON.parse(text));
  },
  *spin() {
    yield 0;
    for (let i = 0; ; i = (i + 1) % 1_000);
  },
};

export const ROLE = "firn-test-work";

if (!isMainThread && workerData === ROLE) serveWork(TASKS);
