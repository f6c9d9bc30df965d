import { SqlError } from "../error.ts";

/** One record of a COPY: values as text, and the line it began at. */
export interface CopyRecord {
  readonly line: number;
  /** Undefined is NULL. */
  readonly values: readonly (string | undefined)[];
  /** The text of it, for messages. */
  readonly text: string;
}

/** Takes text as it comes, and gives the records that are whole. */
export interface RecordReader {
  /** @param isEnd nothing follows. @throws SqlError 22P04 and others. */
  read(text: string, isEnd: boolean): CopyRecord[];
}

/** Most characters of one record: what is not whole is kept. */
export const MOST_RECORD_CHARS = 16_777_216;

/** Text whose record has not ended yet. It is joined when its end may have come. */
export class Waiting {
  #parts: string[] = [];
  #length = 0;

  /** @returns all of it where the end of a record may be in it. */
  add(text: string, isEnd: boolean): string | undefined {
    this.#parts.push(text);
    this.#length += text.length;
    if (this.#length > MOST_RECORD_CHARS) {
      throw new SqlError("54000", "a row of COPY is too long", {
        detail: `A row has at most ${MOST_RECORD_CHARS} characters.`,
      });
    }
    if (!isEnd && !/[\n\r]/.test(text)) return undefined;
    const whole = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    return whole;
  }

  keep(text: string): void {
    this.#parts = [text];
    this.#length = text.length;
  }
}

export function badFormat(message: string): SqlError {
  return new SqlError("22P04", message);
}
