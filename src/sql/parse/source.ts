/** The text of a statement, or of several. Errors name places in it. */
export class Source {
  readonly text: string;
  #isAscii: boolean | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * A place as errors tell it: in characters, from 1.
   *
   * @param offset in bytes of UTF-8, as the parser counts; undefined and -1 have no place.
   */
  position(offset: number | undefined): number | undefined {
    if (offset === undefined || offset < 0) return undefined;
    this.#isAscii ??= !/[^\0-\x7f]/.test(this.text);
    if (this.#isAscii) return offset + 1;
    return [...Buffer.from(this.text).subarray(0, offset).toString()].length + 1;
  }

  /** A part of the text, in bytes of UTF-8. */
  slice(offset: number, bytes: number): string {
    this.#isAscii ??= !/[^\0-\x7f]/.test(this.text);
    const end = bytes === 0 ? undefined : offset + bytes;
    if (this.#isAscii) return this.text.slice(offset, end);
    return Buffer.from(this.text).subarray(offset, end).toString();
  }
}
