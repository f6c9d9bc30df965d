/** A store of rows that is measured. Writes are durable when they resolve. */
export interface RowsDatabase {
  /** Inserts the rows [from, to) in one transaction. */
  insert(from: number, to: number): unknown;
  /** Reads a row by its key into an object. */
  get(id: number): unknown;
  /** Reads the rows of a group by the index; answers their number. */
  byIndex(group: number): Promise<number> | number;
  /** All rows as objects; answers their number. */
  scan(): Promise<number> | number;
  /** The sum of `qty`. */
  sum(): Promise<number> | number;
  /** `grp` and `id` of the groups [from, to), by the index alone; answers the rows. */
  indexOnly(from: number, to: number): Promise<number> | number;
  /** Moves the rows [from, to) to other groups, in one transaction. */
  update(from: number, to: number): unknown;
  /** Deletes the rows [from, to) in one transaction. */
  remove(from: number, to: number): unknown;
  drop(): unknown;
  /** Brings what was written to where it will be read from. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface RowsContender {
  readonly name: string;
  /** As printed. */
  readonly options: string;
  /** Whether callers that insert at once are measured: one process alone writes SQLite. */
  readonly hasCallers: boolean;
  /** @param rows how many there will be. */
  open(directory: string, rows: number): Promise<RowsDatabase>;
  stop(): Promise<void>;
}
