import type { Datum } from "../../rows/datum.ts";

/** What the wire needs of a type. */
export interface ResultType {
  readonly oid: number;
  /** Bytes of a value; -1 where they vary. */
  readonly length: number;
}

/** A column of a result. */
export interface Column {
  readonly name: string;
  readonly type: ResultType;
  readonly typmod: number;
  /** Where it is a table's column; else 0. */
  readonly tableOid: number;
  readonly attribute: number;
}

export type Row = readonly Datum[];

/** A statement under way, which gives rows in batches. */
export interface Rows {
  readonly kind: "rows";
  readonly columns: readonly Column[];
  /**
   * Some rows, at most `most` of them; undefined at the end, which is told once.
   *
   * @throws FirnError as the statement fails.
   */
  next(most: number): Promise<readonly Row[] | undefined> | readonly Row[] | undefined;
  /** Ends it, and makes what it did last where it is a transaction alone. @returns its tag. */
  finish(): Promise<string> | string;
  /** Lets go of what it holds, before its end. Idempotent. */
  close(): Promise<void> | void;
}

/** A statement that has been done, or that is done by `finish`. */
export interface Done {
  readonly kind: "done";
  finish(): Promise<string> | string;
}

/** `COPY … FROM STDIN`: takes bytes until they end. */
export interface CopyIn {
  readonly kind: "copyIn";
  readonly isBinary: boolean;
  readonly columns: number;
  /** To be called first where it is a transaction alone, which its `finish` commits. */
  standsAlone(): void;
  receive(chunk: Buffer): Promise<void> | void;
  finish(): Promise<string> | string;
  close(): Promise<void> | void;
}

/** `COPY … TO STDOUT`: gives bytes, a line or a row each. */
export interface CopyOut {
  readonly kind: "copyOut";
  readonly isBinary: boolean;
  readonly columns: number;
  next(): Promise<readonly Uint8Array[] | undefined> | readonly Uint8Array[] | undefined;
  finish(): Promise<string> | string;
  close(): Promise<void> | void;
}

export type Started = Rows | Done | CopyIn | CopyOut;
