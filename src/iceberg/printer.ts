import { utf8 } from "../base/bytes.ts";
import type { Fragment, Run } from "./fragment.ts";

/**
 * Units of text that make a run. A short list, as the log of metadata files is, that loses its
 * first part and gains a last one with each commit would seldom have a long run that stays; a long
 * history in short ones would be thousands of pieces.
 */
const LONG_RUN = 32_768;
const SHORT_RUN = 4_096;
const SHORT_LIST = 256;

/** Parts that are too few for a run. */
interface Loose {
  readonly fragments: readonly Fragment[];
  readonly bytes: undefined;
}

/** Something with a text of its own, such as a snapshot. */
export interface Part {
  readonly fragment: Fragment;
}

/**
 * JSON text in the making, as UTF-8 pieces that belong one behind the other. Metadata made from
 * older metadata shares its parts, and a long history is most of it: the bytes of a run of parts
 * are kept at the first of them and used again wherever the very same parts follow each other, so
 * that a commit encodes and copies what it changed, and at most one run for each place of change.
 */
export class Printer {
  readonly #pieces: Uint8Array[] = [];
  #texts: string[] = [];

  text(text: string): void {
    this.#texts.push(text);
  }

  /** An array of parts. */
  list(parts: readonly Part[]): void {
    const [first] = parts;
    // Without a comma before it, so it is in no run.
    this.text(first === undefined ? "[" : `[${first.fragment.text}`);
    for (let at = 1; at < parts.length; ) {
      const { fragments, bytes } = runAt(parts, at) ?? makeRun(parts, at);
      if (bytes !== undefined) this.#piece(bytes);
      else for (const { text } of fragments) this.#texts.push(",", text);
      at += fragments.length;
    }
    this.text("]");
  }

  /** Everything so far. */
  finish(): readonly Uint8Array[] {
    this.#flush();
    return this.#pieces;
  }

  #piece(bytes: Uint8Array): void {
    this.#flush();
    this.#pieces.push(bytes);
  }

  #flush(): void {
    if (this.#texts.length === 0) return;
    this.#pieces.push(utf8(this.#texts.join("")));
    this.#texts = [];
  }
}

/** The run that is kept at a part, if all of it stands here. */
function runAt(parts: readonly Part[], at: number): Run | undefined {
  const run = parts[at]?.fragment.run;
  return run?.fragments.every((fragment, i) => fragment === parts[at + i]?.fragment) === true
    ? run
    : undefined;
}

/**
 * The parts from here on, up to the next run that is known, as a run of their own and kept; without
 * bytes where they are too few to be one.
 */
function makeRun(parts: readonly Part[], at: number): Run | Loose {
  const enough = parts.length <= SHORT_LIST ? SHORT_RUN : LONG_RUN;
  const fragments: Fragment[] = [];
  let units = 0;
  for (let end = at; end < parts.length && units < enough; end++) {
    const fragment = parts[end]?.fragment;
    if (fragment === undefined || (end > at && runAt(parts, end) !== undefined)) break;
    fragments.push(fragment);
    units += fragment.text.length;
  }
  const [first] = fragments;
  if (first === undefined || units < enough) return { fragments, bytes: undefined };
  const texts = fragments.map(({ text }) => text);
  first.run = { fragments, bytes: utf8(`,${texts.join(",")}`) };
  return first.run;
}
