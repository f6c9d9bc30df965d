/**
 * Templates of `to_char`, `to_date` and `to_timestamp`: keywords, each with modifiers, between
 * characters that stand for themselves.
 */
export type TemplateNode =
  | {
      readonly kind: "field";
      /** The keyword as the template writes it: its letters decide the case of words. */
      readonly text: string;
      readonly isFilled: boolean;
      /** The ordinal ending behind a number: `TH` or `th`. */
      readonly ordinal: "TH" | "th" | undefined;
      readonly isTranslated: boolean;
    }
  | { readonly kind: "space" | "separator" | "character"; readonly text: string };

export interface TemplateRules {
  /** Longest first, as upper and as lower case of them is told apart. */
  readonly keywords: readonly string[];
  /** Whether `FM` and `TM` stand before a field, and `TH` behind it. */
  readonly hasModifiers: boolean;
}

const ASCII_SEPARATOR = /[!-/:-@[-`{-~]/;

/** Splits a template; what is not a keyword stands for itself, quoted or not. */
export function parseTemplate(template: string, rules: TemplateRules): readonly TemplateNode[] {
  const nodes: TemplateNode[] = [];
  let at = 0;
  const takes = (word: string): boolean => {
    if (!template.startsWith(word, at)) return false;
    at += word.length;
    return true;
  };
  while (at < template.length) {
    let isFilled = false;
    let isTranslated = false;
    if (rules.hasModifiers) {
      if (takes("FM") || takes("fm")) isFilled = true;
      else if (takes("TM") || takes("tm")) isTranslated = true;
      if (at === template.length) break;
    }
    const keyword = rules.keywords.find(takes);
    if (keyword !== undefined) {
      const ordinal = rules.hasModifiers ? (["TH", "th"] as const).find(takes) : undefined;
      // Spelled-out numbers are read and have no effect.
      if (rules.hasModifiers && ordinal === undefined) takes("SP") || takes("sp");
      nodes.push({ kind: "field", text: keyword, isFilled, ordinal, isTranslated });
    } else at = literal(template, at, nodes);
  }
  return nodes;
}

/** Characters for themselves: up to the closing quotation mark, or one. @returns what follows. */
function literal(template: string, from: number, nodes: TemplateNode[]): number {
  let at = from;
  if (template[at] === '"') {
    at++;
    while (at < template.length && template[at] !== '"') {
      if (template[at] === "\\" && at + 1 < template.length) at++;
      const text = String.fromCodePoint(template.codePointAt(at) as number);
      nodes.push({ kind: "character", text });
      at += text.length;
    }
    return at + 1;
  }
  if (template[at] === "\\" && template[at + 1] === '"') at++;
  const text = String.fromCodePoint(template.codePointAt(at) as number);
  const kind = ASCII_SEPARATOR.test(text)
    ? "separator"
    : /[ \t\n\r\v\f]/.test(text)
      ? "space"
      : "character";
  nodes.push({ kind, text });
  return at + text.length;
}

const CACHED = 200;

/** Parses with a memory: the templates of a statement come again with each row. */
export function templateCache<Parsed>(
  parse: (template: string) => Parsed,
): (template: string) => Parsed {
  const known = new Map<string, Parsed>();
  return (template) => {
    const found = known.get(template);
    if (found !== undefined) return found;
    const parsed = parse(template);
    if (known.size >= CACHED) known.clear();
    known.set(template, parsed);
    return parsed;
  };
}

/** `1st`, `2nd`, `3rd`, `4th`, `11th`. @param digits ends with the digits of a whole number. */
export function ordinalOf(digits: string, as: "TH" | "th"): string {
  const [last = "0", before] = [digits.at(-1), digits.at(-2)];
  const ending = before === "1" ? "th" : ({ "1": "st", "2": "nd", "3": "rd" }[last] ?? "th");
  return as === "TH" ? ending.toUpperCase() : ending;
}
