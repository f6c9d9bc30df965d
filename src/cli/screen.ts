import { stripVTControlCharacters, styleText } from "node:util";
import { textOfKey } from "../base/printable.ts";
import type { Output } from "./output.ts";

type Style = Parameters<typeof styleText>[0];

/** Where a command prints, and what a person or a program sees there. */
export interface Screen extends Output {
  /** Standard output is a terminal: aligned, relative times, `1.2 GiB`. Else exact, with tabs. */
  readonly isTerminal: boolean;
  /** Standard error is one: progress is shown. */
  readonly showsProgress: boolean;
  readonly hasColour: boolean;
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: () => number;
  /** Asks a question of a person; undefined where none can answer. */
  readonly ask: (question: string) => Promise<string | undefined>;
}

/** Colours where the terminal and its user want them. */
export function paint(screen: Pick<Screen, "hasColour">, style: Style, text: string): string {
  return screen.hasColour ? styleText(style, text, { validateStream: false }) : text;
}

/** A text as it is, but for what a terminal would obey. */
export function plain(text: string): string {
  return text.replace(/\p{C}/gu, (char) => textOfKey(Buffer.from(char).toString("latin1")));
}

/** Characters that take two columns: East Asian wide ones, and emoji. */
const WIDE: readonly RegExp[] = [
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff]/u,
  /^[\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u,
  /^\p{Emoji_Presentation}/u,
];
const ASCII = /^[\x20-\x7e]*$/;
const GRAPHEMES = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns of a terminal that a text takes. */
export function widthOf(styled: string): number {
  const text = stripVTControlCharacters(styled);
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(text))
    width += WIDE.some((wide) => wide.test(segment)) ? 2 : 1;
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/** `1.2 GiB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_024 && unit < UNITS.length - 1) {
    value /= 1_024;
    unit++;
  }
  return unit === 0 ? `${value} B` : `${value.toFixed(value < 100 ? 1 : 0)} ${UNITS[unit]}`;
}

/** `1,204`. */
export function countText(count: number | bigint): string {
  return count.toLocaleString("en-US");
}

const SPANS: readonly (readonly [ms: number, name: string])[] = [
  [365 * 86_400_000, "y"],
  [30 * 86_400_000, "mo"],
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

/** `3 min ago`; of a time to come, `in 7 d`. */
export function agoText(timeMs: number, nowMs: number): string {
  const distance = Math.abs(nowMs - timeMs);
  const [ms, name] = SPANS.find(([each]) => distance >= each) ?? [1, ""];
  if (name === "") return "now";
  const span = `${Math.floor(distance / ms)} ${name}`;
  return timeMs > nowMs ? `in ${span}` : `${span} ago`;
}
