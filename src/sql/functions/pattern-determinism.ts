/*
 * PostgreSQL takes the longest match at the leftmost place, and the longest of each group from left
 * to right; V8 takes the first that its order of trial finds. Both find the same, in the whole and
 * in each group, where every text has one way through the pattern: where no two places of the
 * pattern that may come next take the same character (a "one-unambiguous" expression, Brüggemann-
 * Klein and Wood, 1998), nothing is lazy, and no branch may be empty.
 */

/** ASCII, and one more for all other characters together. */
const SYMBOLS = 129;
const OTHER = 128;
const MAX_PLACES = 400;

type Symbols = Uint8Array;

interface Part {
  readonly isNullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const EMPTY: Part = { isNullable: true, first: [], last: [] };

/** What a pattern is known to be, before it is searched for by its parts. */
export interface PatternShape {
  /** Whether V8 and PostgreSQL take the same of every text. */
  readonly isUnambiguous: boolean;
  readonly mayBeEmpty: boolean;
  readonly groups: number;
}

class Ambiguous extends Error {}

/** Reads the expressions that `pattern.ts` writes, and no others. */
class ShapeReader {
  readonly source: string;
  at = 0;
  groups = 0;
  readonly symbols: Symbols[] = [];
  readonly follow: Set<number>[] = [];

  constructor(source: string) {
    this.source = source;
  }

  whole(): Part {
    const part = this.alternatives();
    if (this.at < this.source.length) throw new Ambiguous();
    return part;
  }

  alternatives(): Part {
    const branches = [this.sequence()];
    while (this.source[this.at] === "|") {
      this.at++;
      branches.push(this.sequence());
    }
    if (branches.length === 1) return branches[0] as Part;
    if (branches.some(({ isNullable }) => isNullable)) throw new Ambiguous();
    return {
      isNullable: false,
      first: branches.flatMap(({ first }) => first),
      last: branches.flatMap(({ last }) => last),
    };
  }

  sequence(): Part {
    let part = EMPTY;
    while (this.at < this.source.length && !"|)".includes(this.source[this.at] as string)) {
      part = this.joined(part, this.quantified());
    }
    return part;
  }

  joined(left: Part, right: Part): Part {
    for (const place of left.last) {
      for (const next of right.first) this.follow[place]?.add(next);
    }
    return {
      isNullable: left.isNullable && right.isNullable,
      first: left.isNullable ? [...left.first, ...right.first] : left.first,
      last: right.isNullable ? [...left.last, ...right.last] : right.last,
    };
  }

  quantified(): Part {
    const [start, groups] = [this.at, this.groups];
    const part = this.atom();
    const found = /[*+?]|\{(\d+)(?:(,)(\d*))?\}/y;
    found.lastIndex = this.at;
    const quantifier = found.exec(this.source);
    if (quantifier === null) return part;
    const end = this.at + quantifier[0].length;
    if (this.source[end] === "?") throw new Ambiguous();
    const [least, most] = boundsOf(quantifier);
    if (most > 1 && this.groups > groups) throw new Ambiguous();
    const counted = quantifier[1] === undefined ? part : this.copies(start, part, least, most);
    this.at = end;
    if (quantifier[1] !== undefined) return counted;
    if (most > 1) this.joined(part, part);
    return least === 0 ? { ...part, isNullable: true } : part;
  }

  /** A counted part, written out: each copy has other places, behind those of the copy before. */
  copies(start: number, first: Part, least: number, most: number): Part {
    if (first.isNullable && most > 1) throw new Ambiguous();
    const end = this.at;
    const isOpen = most === Number.POSITIVE_INFINITY;
    let part = EMPTY;
    let left: Part | undefined;
    let before = first;
    for (let i = 0; i < (isOpen ? Math.max(least, 1) : most); i++) {
      let copy = first;
      if (i > 0) {
        this.at = start;
        copy = this.atom();
        this.at = end;
      }
      if (i < least || isOpen) part = this.joined(part, copy);
      else if (left === undefined) left = copy;
      else {
        this.joined(before, copy);
        left = { ...left, last: [...left.last, ...copy.last] };
      }
      before = copy;
    }
    if (isOpen) {
      this.joined(before, before);
      return least === 0 ? { ...part, isNullable: true } : part;
    }
    return left === undefined ? part : this.joined(part, { ...left, isNullable: true });
  }

  atom(): Part {
    const c = this.source[this.at] as string;
    if (c === "(") return this.group();
    if (c === "^" || c === "$") {
      this.at++;
      return EMPTY;
    }
    if (c === "\\" && /[bB]/.test(this.source[this.at + 1] ?? "")) {
      this.at += 2;
      return EMPTY;
    }
    const symbols = c === "[" ? this.bracket() : this.character();
    if (this.symbols.length >= MAX_PLACES) throw new Ambiguous();
    const place = this.symbols.push(symbols) - 1;
    this.follow.push(new Set());
    return { isNullable: false, first: [place], last: [place] };
  }

  group(): Part {
    this.at++;
    if (this.source.startsWith("?:", this.at)) this.at += 2;
    else this.groups++;
    const part = this.alternatives();
    if (this.source[this.at] !== ")") throw new Ambiguous();
    this.at++;
    return part;
  }

  /** A character, escaped or not. */
  code(): number {
    const c = this.source[this.at++] as string;
    if (c !== "\\") return c.charCodeAt(0);
    const escaped = this.source[this.at++] as string;
    if (escaped === "x") {
      const digits = this.source.slice(this.at, this.at + 2);
      this.at += 2;
      return Number.parseInt(digits, 16);
    }
    const control = { t: 9, n: 10, v: 11, f: 12, r: 13 }[escaped];
    if (control === undefined && /[a-zA-Z0-9]/.test(escaped)) throw new Ambiguous();
    return control ?? escaped.charCodeAt(0);
  }

  character(): Symbols {
    const symbols = new Uint8Array(SYMBOLS);
    symbols[Math.min(this.code(), OTHER)] = 1;
    return symbols;
  }

  bracket(): Symbols {
    this.at++;
    const isNegated = this.source[this.at] === "^";
    if (isNegated) this.at++;
    const symbols = new Uint8Array(SYMBOLS);
    while (this.source[this.at] !== "]") {
      const low = this.code();
      let high = low;
      if (this.source[this.at] === "-" && this.source[this.at + 1] !== "]") {
        this.at++;
        high = this.code();
      }
      for (let code = low; code <= Math.min(high, OTHER - 1); code++) symbols[code] = 1;
      if (high >= OTHER) symbols[OTHER] = 1;
    }
    this.at++;
    if (!isNegated) return symbols;
    // Of the characters beyond ASCII some are left, whatever is taken out.
    const hasOthers = 1;
    const rest = symbols.map((taken) => 1 - taken);
    rest[OTHER] = hasOthers;
    return rest;
  }
}

function boundsOf(quantifier: RegExpExecArray): readonly [number, number] {
  const [text, low, comma, high] = quantifier;
  if (text === "*") return [0, Number.POSITIVE_INFINITY];
  if (text === "+") return [1, Number.POSITIVE_INFINITY];
  if (text === "?") return [0, 1];
  const least = Number(low);
  if (comma === undefined) return [least, least];
  return [least, high === "" ? Number.POSITIVE_INFINITY : Number(high)];
}

/** Whether no two of some places take the same character. */
function isDisjoint(places: Iterable<number>, symbols: readonly Symbols[]): boolean {
  const taken = new Uint8Array(SYMBOLS);
  for (const place of new Set(places)) {
    const own = symbols[place] as Symbols;
    for (let i = 0; i < SYMBOLS; i++) {
      if (own[i] === 1 && taken[i] === 1) return false;
      if (own[i] === 1) taken[i] = 1;
    }
  }
  return true;
}

/** @param source a pattern of JavaScript that `pattern.ts` has translated */
export function shapeOf(source: string): PatternShape {
  const reader = new ShapeReader(source);
  try {
    const { first, isNullable } = reader.whole();
    const { symbols, follow, groups } = reader;
    const isUnambiguous =
      isDisjoint(first, symbols) && follow.every((next) => isDisjoint(next, symbols));
    return { isUnambiguous, mayBeEmpty: isNullable, groups };
  } catch (error) {
    if (!(error instanceof Ambiguous)) throw error;
    return { isUnambiguous: false, mayBeEmpty: true, groups: 0 };
  }
}
