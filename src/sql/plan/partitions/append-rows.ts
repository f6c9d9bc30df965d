import { compareRows, type SortKey } from "../../exec/operators.ts";
import type { ExecRun, Row, RowSource } from "../../exec/run.ts";
import { type Observe, openNode, type PlanNode } from "../node.ts";

/** One of several sources, and its rows as they are wanted. */
export interface Part {
  readonly node: PlanNode;
  /** Absent: as they are. */
  readonly map: ((row: Row) => Row) | undefined;
}

function mapped(batch: readonly Row[], { map }: Part): readonly Row[] {
  return map === undefined ? batch : batch.map(map);
}

/** Rows of several sources, one source after the other: each is opened when its turn comes. */
export class AppendRows implements RowSource {
  readonly #parts: readonly Part[];
  readonly #run: ExecRun;
  readonly #observe: Observe;
  #at = 0;
  #source: RowSource | undefined;

  constructor(parts: readonly Part[], run: ExecRun, observe: Observe) {
    this.#parts = parts;
    this.#run = run;
    this.#observe = observe;
  }

  async next(): Promise<readonly Row[] | undefined> {
    for (;;) {
      const part = this.#parts[this.#at];
      if (part === undefined) return undefined;
      this.#source ??= await openNode(part.node, this.#run, this.#observe);
      const batch = await this.#source.next();
      if (batch !== undefined) return mapped(batch, part);
      this.#source.close();
      this.#source = undefined;
      this.#at++;
      const pause = this.#run.pause();
      if (pause !== undefined) await pause;
    }
  }

  close(): void {
    this.#source?.close();
  }
}

interface Head {
  readonly part: Part;
  readonly source: RowSource;
  batch: readonly Row[];
  at: number;
}

const BATCH = 256;

/** Rows of several sources that are in order, in that order. */
export class MergedRows implements RowSource {
  readonly #parts: readonly Part[];
  readonly #run: ExecRun;
  readonly #observe: Observe;
  readonly #order: (left: Row, right: Row) => number;
  #heads: Head[] | undefined;
  #first = 8;

  constructor(parts: readonly Part[], run: ExecRun, observe: Observe, keys: readonly SortKey[]) {
    this.#parts = parts;
    this.#run = run;
    this.#observe = observe;
    this.#order = compareRows(keys);
  }

  async next(): Promise<readonly Row[] | undefined> {
    const heads = await this.#opened();
    const rows: Row[] = [];
    // The first batches are small: a limit may be behind them.
    const most = Math.min(BATCH, this.#first);
    this.#first *= 2;
    while (rows.length < most) {
      let least: Head | undefined;
      for (const head of heads) {
        if (least === undefined || this.#order(rowOf(head), rowOf(least)) < 0) least = head;
      }
      if (least === undefined) break;
      rows.push(rowOf(least));
      least.at++;
      if (least.at < least.batch.length) continue;
      if (!(await this.#filled(least))) heads.splice(heads.indexOf(least), 1);
    }
    const pause = this.#run.pause();
    if (pause !== undefined) await pause;
    return rows.length === 0 ? undefined : rows;
  }

  async #opened(): Promise<Head[]> {
    if (this.#heads !== undefined) return this.#heads;
    const heads: Head[] = [];
    this.#heads = heads;
    for (const part of this.#parts) {
      const source = await openNode(part.node, this.#run, this.#observe);
      const head: Head = { part, source, batch: [], at: 0 };
      if (await this.#filled(head)) heads.push(head);
    }
    return heads;
  }

  /** @returns false where its source has ended. */
  async #filled(head: Head): Promise<boolean> {
    for (;;) {
      const batch = await head.source.next();
      if (batch === undefined) {
        head.source.close();
        return false;
      }
      if (batch.length === 0) continue;
      head.batch = mapped(batch, head.part);
      head.at = 0;
      return true;
    }
  }

  close(): void {
    for (const { source } of this.#heads ?? []) source.close();
  }
}

function rowOf({ batch, at }: Head): Row {
  return batch[at] as Row;
}
