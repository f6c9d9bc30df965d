import { SqlError } from "../error.ts";
import { parseTemplate, type TemplateNode, templateCache } from "./template.ts";

const UPPER = [
  ",",
  ".",
  "0",
  "9",
  "B",
  "C",
  "D",
  "EEEE",
  "FM",
  "G",
  "L",
  "MI",
  "PL",
  "PR",
  "RN",
  "SG",
  "SP",
  "S",
  "TH",
  "V",
];
const KEYWORDS = [...UPPER, ...UPPER.slice(4).map((word) => word.toLowerCase())];

/** A template of numbers, with what its fields say of the whole. */
export interface NumberTemplate {
  readonly nodes: readonly TemplateNode[];
  /** Digits before and behind the decimal point. */
  readonly before: number;
  readonly behind: number;
  /** Powers of ten that `V` multiplies by. */
  readonly shift: number;
  /** Digits before the first `0`, where there is one. */
  readonly zeroStart: number | undefined;
  /** Digits up to the last `0`. */
  readonly zeroEnd: number;
  readonly hasPoint: boolean;
  readonly isFilled: boolean;
  /** Where `S` puts the sign; as the number's first digit or behind its last one. */
  readonly sign: "none" | "before" | "behind";
  readonly hasMinus: boolean;
  readonly hasPlus: boolean;
  /** `PR`: negative numbers in angle brackets. */
  readonly hasBrackets: boolean;
  readonly isRoman: boolean;
  readonly isScientific: boolean;
}

type Draft = { -readonly [Key in keyof NumberTemplate]: NumberTemplate[Key] } & {
  signAt: number;
  isShifted: boolean;
  hasSign: boolean;
  isBlank: boolean;
};

function refuse(message: string, detail?: string): never {
  throw new SqlError("42601", message, detail === undefined ? {} : { detail });
}

/** What each keyword adds. */
const TAKE: Readonly<Record<string, (draft: Draft) => void>> = {
  "9": (draft) => digit(draft, "9"),
  "0": (draft) => {
    if (draft.hasBrackets) refuse('"0" must be ahead of "PR"');
    if (draft.zeroStart === undefined && !draft.hasPoint) draft.zeroStart = draft.before;
    if (draft.hasPoint) draft.behind++;
    else draft.before++;
    draft.zeroEnd = draft.before + draft.behind;
  },
  ".": point,
  D: point,
  B: (draft) => {
    draft.isBlank ||= draft.before + draft.behind === 0 && draft.zeroStart === undefined;
  },
  FM: (draft) => {
    draft.isFilled = true;
  },
  S: (draft) => {
    if (draft.hasSign) refuse('cannot use "S" twice');
    if (draft.hasPlus || draft.hasMinus || draft.hasBrackets) {
      refuse('cannot use "S" and "PL"/"MI"/"SG"/"PR" together');
    }
    draft.sign = draft.hasPoint ? "behind" : "before";
    draft.signAt = draft.before;
    draft.hasSign = true;
  },
  MI: (draft) => {
    if (draft.hasSign) refuse('cannot use "S" and "MI" together');
    draft.hasMinus = true;
  },
  PL: (draft) => {
    if (draft.hasSign) refuse('cannot use "S" and "PL" together');
    draft.hasPlus = true;
  },
  SG: (draft) => {
    if (draft.hasSign) refuse('cannot use "S" and "SG" together');
    draft.hasMinus = true;
    draft.hasPlus = true;
  },
  PR: (draft) => {
    if (draft.hasSign || draft.hasPlus || draft.hasMinus) {
      refuse('cannot use "PR" and "S"/"PL"/"MI"/"SG" together');
    }
    draft.hasBrackets = true;
  },
  RN: (draft) => {
    draft.isRoman = true;
  },
  V: (draft) => {
    if (draft.hasPoint) refuse('cannot use "V" and decimal point together');
    draft.isShifted = true;
  },
  EEEE: (draft) => {
    if (draft.isScientific) refuse('cannot use "EEEE" twice');
    const { isBlank, isFilled, hasSign, hasBrackets, hasMinus, hasPlus, isRoman } = draft;
    const others = [isBlank, isFilled, hasSign, hasBrackets, hasMinus, hasPlus, isRoman];
    if (others.includes(true) || draft.isShifted) {
      const detail = '"EEEE" may only be used together with digit and decimal point patterns.';
      refuse('"EEEE" is incompatible with other formats', detail);
    }
    draft.isScientific = true;
  },
};

function digit(draft: Draft, name: string): void {
  if (draft.hasBrackets) refuse(`"${name}" must be ahead of "PR"`);
  if (draft.isShifted) draft.shift++;
  else if (draft.hasPoint) draft.behind++;
  else draft.before++;
}

function point(draft: Draft): void {
  if (draft.hasPoint) refuse("multiple decimal points");
  if (draft.isShifted) refuse('cannot use "V" and decimal point together');
  draft.hasPoint = true;
}

function parse(template: string): NumberTemplate {
  const nodes = parseTemplate(template, { keywords: KEYWORDS, hasModifiers: false });
  const draft: Draft = {
    nodes,
    before: 0,
    behind: 0,
    shift: 0,
    zeroStart: undefined,
    zeroEnd: 0,
    hasPoint: false,
    isFilled: false,
    sign: "none",
    signAt: 0,
    hasMinus: false,
    hasPlus: false,
    hasBrackets: false,
    isRoman: false,
    isScientific: false,
    isShifted: false,
    hasSign: false,
    isBlank: false,
  };
  for (const node of nodes) {
    if (node.kind !== "field") continue;
    const name = node.text.toUpperCase();
    if (draft.isScientific && name !== "EEEE") refuse('"EEEE" must be the last pattern used');
    TAKE[name]?.(draft);
  }
  // A sign behind all digits before the point stands behind the number.
  if (draft.sign === "before" && draft.signAt === draft.before) draft.sign = "behind";
  return draft;
}

/** @throws SqlError 42601 for fields that exclude each other. */
export const numberTemplate: (template: string) => NumberTemplate = templateCache(parse);
