import { notSupported } from "../error.ts";
import type { NumberTemplate } from "./number-template.ts";
import { ordinalOf } from "./template.ts";

/** A number as a template takes it: digits with a point, rounded to the template's digits. */
export interface Digits {
  readonly isNegative: boolean;
  readonly text: string;
}

const MAX_ROMAN = 3_999;
const ROMAN: readonly (readonly [number, string])[] = [
  [1_000, "M"],
  [900, "CM"],
  [500, "D"],
  [400, "CD"],
  [100, "C"],
  [90, "XC"],
  [50, "L"],
  [40, "XL"],
  [10, "X"],
  [9, "IX"],
  [5, "V"],
  [4, "IV"],
  [1, "I"],
];

function roman(value: number): string {
  if (value < 1 || value > MAX_ROMAN) return "#".repeat(15);
  let left = value;
  let text = "";
  for (const [size, letters] of ROMAN) {
    for (; left >= size; left -= size) text += letters;
  }
  return text;
}

/** Writes one number; the state is where the writing stands between the template's fields. */
class NumberWriter {
  readonly #template: NumberTemplate;
  readonly #digits: string;
  readonly #isNegative: boolean;
  /** Places of the template that the number is too short for. */
  readonly #spaces: number;
  readonly #hasBrackets: boolean;
  /** The last digit that `FM` does not drop. */
  readonly #lastRelevant: number | undefined;
  readonly #end: number;
  #isSigned: boolean;
  #isInside = false;
  #place = 0;
  #next = 0;
  #out = "";

  constructor(template: NumberTemplate, { text, isNegative }: Digits, behind: number) {
    const before = template.before + template.shift;
    const length = text.includes(".") ? text.indexOf(".") : text.length;
    const isOver = length > before;
    this.#template = template;
    this.#isNegative = isNegative;
    this.#digits = isOver ? `${"#".repeat(before)}.${"#".repeat(behind)}` : text;
    this.#spaces = isOver ? 0 : before - length;
    const { hasPlus, hasMinus, isFilled, sign } = template;
    this.#hasBrackets = template.hasBrackets && !(isFilled && !isNegative);
    this.#isSigned = hasPlus || hasMinus ? hasMinus : !isNegative && isFilled && sign === "none";
    this.#lastRelevant = isFilled && template.hasPoint ? this.#relevant() : undefined;
    const count = behind + before - 1 + (!this.#isSigned && this.#spaces === 0 ? 1 : 0);
    this.#end = count + (this.#spaces > 0 ? 1 : 0) + (template.hasPoint ? 1 : 0);
  }

  #relevant(): number | undefined {
    const digits = this.#digits;
    const point = digits.indexOf(".");
    if (point < 0) return undefined;
    let last = point;
    for (let i = point + 1; i < digits.length; i++) if (digits[i] !== "0") last = i;
    const { zeroEnd } = this.#template;
    if (zeroEnd <= this.#spaces) return last;
    return Math.max(last, Math.min(digits.length - 1, zeroEnd - this.#spaces));
  }

  write(): string {
    const { nodes, isFilled, hasPoint } = this.#template;
    const blank = isFilled ? "" : " ";
    for (const node of nodes) {
      if (node.kind !== "field") {
        this.#out += node.text;
        continue;
      }
      const name = node.text.toUpperCase();
      if (name === "9" || name === "0" || name === "." || name === "D") this.#digit(name);
      else if (name === "," || name === "G") this.#out += this.#isInside ? "," : blank;
      else if (name === "L") this.#out += " ";
      else if (name === "MI") this.#out += this.#isNegative ? "-" : blank;
      else if (name === "PL") this.#out += this.#isNegative ? blank : "+";
      else if (name === "SG") this.#out += this.#isNegative ? "-" : "+";
      else if (name === "TH") {
        const isPlain = !this.#digits.startsWith("#") && !this.#isNegative && !hasPoint;
        if (isPlain) this.#out += ordinalOf(this.#digits, node.text as "TH" | "th");
      }
    }
    return this.#out;
  }

  /** A leading zero that a template without `0` leaves out: `.5`. */
  get #isZeroLeft(): boolean {
    const { zeroStart, behind } = this.#template;
    return zeroStart === undefined && this.#next === 0 && this.#digits[0] === "0" && behind !== 0;
  }

  #sign(): void {
    const { zeroStart, sign, isFilled } = this.#template;
    if (this.#isSigned) return;
    if (this.#place < this.#spaces && zeroStart !== this.#place) return;
    if (this.#isZeroLeft && this.#digits[this.#lastRelevant ?? -1] !== ".") return;
    if (sign !== "none") {
      if (sign === "behind") return;
      this.#out += this.#isNegative ? "-" : "+";
    } else if (this.#hasBrackets) this.#out += this.#isNegative ? "<" : " ";
    else if (this.#isNegative) this.#out += "-";
    else if (!isFilled) this.#out += " ";
    this.#isSigned = true;
  }

  #digit(name: string): void {
    const { zeroStart, isFilled } = this.#template;
    this.#sign();
    if (this.#place < this.#spaces) {
      if (zeroStart !== undefined && zeroStart <= this.#place) {
        this.#out += "0";
        this.#isInside = true;
      } else if (!isFilled) this.#out += " ";
    } else this.#shown(name);
    this.#close();
    this.#place++;
  }

  #shown(name: string): void {
    const { isFilled } = this.#template;
    const digit = this.#digits[this.#next];
    const last = this.#lastRelevant;
    const isPointLast = last !== undefined && this.#digits[last] === ".";
    if (digit === ".") {
      if (!isPointLast || isFilled) this.#out += ".";
    } else if (last !== undefined && this.#next > last && name !== "0") {
      // `FM` leaves out the zeros at the end.
    } else if (this.#isZeroLeft) {
      if (!isFilled) this.#out += " ";
      else if (isPointLast) this.#out += "0";
    } else if (digit !== undefined) {
      this.#out += digit;
      this.#isInside = true;
    }
    if (digit !== undefined) this.#next++;
  }

  /** What stands behind the last digit: a bracket or a sign. */
  #close(): void {
    const end = this.#lastRelevant === this.#next ? this.#place : this.#end;
    if (this.#place + 1 !== end) return;
    if (this.#isSigned && this.#hasBrackets) this.#out += this.#isNegative ? ">" : " ";
    else if (this.#template.sign === "behind") this.#out += this.#isNegative ? "-" : "+";
  }
}

/**
 * Writes a number by a template.
 *
 * @param round the number with so many digits behind the point, times 10 to the power of `shift`
 * @param whole the number without a fraction, for Roman numerals
 */
export function numberToChar(
  template: NumberTemplate,
  round: (behind: number, shift: number) => Digits & { readonly behind?: number },
  whole: () => number,
): string {
  if (template.isScientific) throw notSupported("EEEE in to_char");
  if (template.isRoman) return romanText(template, whole());
  const digits = round(template.behind, template.shift);
  return new NumberWriter(template, digits, digits.behind ?? template.behind).write();
}

function romanText({ nodes, isFilled }: NumberTemplate, value: number): string {
  const text = roman(value);
  const shown = isFilled ? text : text.padStart(15);
  return nodes
    .map((node) => {
      if (node.kind !== "field") return node.text;
      if (node.text === "RN") return shown;
      if (node.text === "rn") return shown.toLowerCase();
      if (/^(?:9|0|\.|D|FM|RN|B|V|EEEE|TH|S|SP|PR)$/i.test(node.text)) return "";
      throw notSupported("other fields beside Roman numerals in to_char");
    })
    .join("");
}
