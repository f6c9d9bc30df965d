/** What compaction has done since the engine was opened. */
export interface CompactionFigures {
  readonly compactions: number;
  /** Tables that became part of another run as they were. */
  readonly movedTables: number;
  /** Attempts that came to nothing, whatever the reason. */
  readonly failures: number;
  /** Tables that could not be read: compactions go round them, and nothing of them is dropped. */
  readonly damagedTables: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly totalMs: number;
  /** Bytes that it would have to rewrite now to reach the shape that it aims at. */
  readonly debtBytes: number;
  /** What the one at work has to read, and has written so far. */
  readonly underWay: { readonly inputBytes: number; readonly writtenBytes: number } | undefined;
}

export const NO_COMPACTION: CompactionFigures = {
  compactions: 0,
  movedTables: 0,
  failures: 0,
  damagedTables: 0,
  inputBytes: 0,
  outputBytes: 0,
  totalMs: 0,
  debtBytes: 0,
  underWay: undefined,
};
