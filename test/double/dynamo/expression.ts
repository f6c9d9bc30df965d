import { invalid } from "./refusal.ts";
import type { Value } from "./value-types.ts";
import type { TypeName } from "./values.ts";

/** An attribute of the top level; the store's items have no others. */
export interface Path {
  readonly kind: "path";
  readonly name: string;
}

export type Operand =
  | Path
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "size"; readonly path: Path };

export type Comparator = "=" | "<>" | "<" | "<=" | ">" | ">=";

export type Condition =
  | { readonly kind: "and" | "or"; readonly left: Condition; readonly right: Condition }
  | { readonly kind: "not"; readonly inner: Condition }
  | {
      readonly kind: "compare";
      readonly comparator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | {
      readonly kind: "between";
      readonly operand: Operand;
      readonly low: Operand;
      readonly high: Operand;
    }
  | { readonly kind: "in"; readonly operand: Operand; readonly list: readonly Operand[] }
  | { readonly kind: "exists"; readonly path: Path; readonly exists: boolean }
  | { readonly kind: "type"; readonly path: Path; readonly type: TypeName }
  | { readonly kind: "begins_with" | "contains"; readonly path: Path; readonly with: Operand };

/** What an attribute is set to. */
export type SetValue =
  | Operand
  | {
      readonly kind: "sum";
      readonly left: SetValue;
      readonly right: SetValue;
      readonly sign: 1 | -1;
    }
  | { readonly kind: "if_not_exists"; readonly path: Path; readonly otherwise: SetValue };

export type UpdateAction =
  | { readonly action: "set"; readonly path: Path; readonly value: SetValue }
  | { readonly action: "remove"; readonly path: Path }
  | { readonly action: "add"; readonly path: Path; readonly value: Operand };

/** The substitutes of a request, and which of them its expressions have named. */
export class Substitutes {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Readonly<Record<string, Value>>;
  readonly #used = new Set<string>();

  constructor(
    names: Readonly<Record<string, string>> = {},
    values: Readonly<Record<string, Value>> = {},
  ) {
    this.#names = names;
    this.#values = values;
  }

  name(token: string): string {
    const name = this.#names[token];
    if (name === undefined) {
      throw invalid(
        "Invalid expression: An expression attribute name used in the document path is not " +
          `defined; attribute name: ${token}`,
      );
    }
    this.#used.add(token);
    return name;
  }

  value(token: string): Value {
    const value = this.#values[token];
    if (value === undefined) {
      throw invalid(
        "Invalid expression: An expression attribute value used in expression is not defined; " +
          `attribute value: ${token}`,
      );
    }
    this.#used.add(token);
    return value;
  }

  /** Every substitute that is given must be used. @throws Refused `ValidationException` */
  assertUsed(): void {
    const unused = (all: object): string[] =>
      Object.keys(all).filter((key) => !this.#used.has(key));
    const values = unused(this.#values);
    if (values.length > 0) {
      throw invalid(
        `Value provided in ExpressionAttributeValues unused in expressions: keys: {${values}}`,
      );
    }
    const names = unused(this.#names);
    if (names.length > 0) {
      throw invalid(
        `Value provided in ExpressionAttributeNames unused in expressions: keys: {${names}}`,
      );
    }
  }
}

export function parseCondition(text: string, substitutes: Substitutes): Condition {
  const parser = new Parser(text, substitutes);
  const condition = parser.condition();
  parser.end();
  return condition;
}

export function parseUpdate(text: string, substitutes: Substitutes): readonly UpdateAction[] {
  const parser = new Parser(text, substitutes);
  const actions = parser.update();
  parser.end();
  return actions;
}

/** Names of the attributes that a projection keeps. */
export function parseProjection(text: string, substitutes: Substitutes): readonly string[] {
  const parser = new Parser(text, substitutes);
  const paths = parser.separated(() => parser.path().name);
  parser.end();
  return paths;
}

const TOKEN = /\s*(?:([#:]?[A-Za-z0-9_]+)|(<>|<=|>=|[=<>(),+.[\]-]))/y;
const COMPARATORS: ReadonlySet<string> = new Set(["=", "<>", "<", "<=", ">", ">="]);
const KEYWORDS: ReadonlySet<string> = new Set([
  ...["AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"],
]);

class Parser {
  readonly #tokens: readonly string[];
  readonly #substitutes: Substitutes;
  #at = 0;

  constructor(text: string, substitutes: Substitutes) {
    this.#tokens = tokensOf(text);
    this.#substitutes = substitutes;
  }

  condition(): Condition {
    let left = this.#conjunction();
    while (this.#takeKeyword("OR")) left = { kind: "or", left, right: this.#conjunction() };
    return left;
  }

  update(): readonly UpdateAction[] {
    const actions: UpdateAction[] = [];
    const seen = new Set<string>();
    while (this.#peek() !== undefined) {
      const clause = this.#next().toUpperCase();
      if (!["SET", "REMOVE", "ADD"].includes(clause) || seen.has(clause)) throw this.#wrong();
      seen.add(clause);
      actions.push(...this.separated(() => this.#action(clause)));
    }
    const paths = new Set(actions.map(({ path }) => path.name));
    if (actions.length === 0) throw this.#wrong();
    if (paths.size !== actions.length) {
      throw invalid("Invalid UpdateExpression: Two document paths overlap with each other");
    }
    return actions;
  }

  separated<T>(one: () => T): T[] {
    const all = [one()];
    while (this.#take(",")) all.push(one());
    return all;
  }

  path(): Path {
    const token = this.#next();
    const isName = /^#?[A-Za-z_0-9]+$/.test(token) && !KEYWORDS.has(token.toUpperCase());
    // Nested paths are not modelled: better refused than misread.
    if (!isName || this.#peek() === "." || this.#peek() === "[") throw this.#wrong();
    return { kind: "path", name: token.startsWith("#") ? this.#substitutes.name(token) : token };
  }

  end(): void {
    if (this.#peek() !== undefined) throw this.#wrong();
  }

  #conjunction(): Condition {
    let left = this.#negation();
    while (this.#takeKeyword("AND")) left = { kind: "and", left, right: this.#negation() };
    return left;
  }

  #negation(): Condition {
    if (this.#takeKeyword("NOT")) return { kind: "not", inner: this.#negation() };
    if (this.#take("(")) {
      const inner = this.condition();
      this.#expect(")");
      return inner;
    }
    return this.#isCall() && this.#peek() !== "size" ? this.#function() : this.#comparison();
  }

  #function(): Condition {
    const name = this.#next();
    this.#expect("(");
    const path = this.path();
    const condition = this.#functionOf(name, path);
    this.#expect(")");
    return condition;
  }

  #functionOf(name: string, path: Path): Condition {
    switch (name) {
      case "attribute_exists":
        return { kind: "exists", path, exists: true };
      case "attribute_not_exists":
        return { kind: "exists", path, exists: false };
      case "begins_with":
      case "contains":
        this.#expect(",");
        return { kind: name, path, with: this.#operand() };
      case "attribute_type": {
        this.#expect(",");
        const operand = this.#operand();
        if (operand.kind !== "value" || !("S" in operand.value)) throw this.#wrong();
        return { kind: "type", path, type: operand.value.S as TypeName };
      }
      default:
        throw invalid(`Invalid expression: Invalid function name; function: ${name}`);
    }
  }

  #comparison(): Condition {
    const operand = this.#operand();
    if (this.#takeKeyword("BETWEEN")) {
      const low = this.#operand();
      if (!this.#takeKeyword("AND")) throw this.#wrong();
      return { kind: "between", operand, low, high: this.#operand() };
    }
    if (this.#takeKeyword("IN")) {
      this.#expect("(");
      const list = this.separated(() => this.#operand());
      this.#expect(")");
      return { kind: "in", operand, list };
    }
    const comparator = this.#next();
    if (!COMPARATORS.has(comparator)) throw this.#wrong();
    return {
      kind: "compare",
      comparator: comparator as Comparator,
      left: operand,
      right: this.#operand(),
    };
  }

  #operand(): Operand {
    const token = this.#peek();
    if (token?.startsWith(":")) {
      return { kind: "value", value: this.#substitutes.value(this.#next()) };
    }
    if (token !== "size" || !this.#isCall()) return this.path();
    this.#next();
    this.#expect("(");
    const path = this.path();
    this.#expect(")");
    return { kind: "size", path };
  }

  #action(clause: string): UpdateAction {
    const path = this.path();
    if (clause === "REMOVE") return { action: "remove", path };
    if (clause === "ADD") return { action: "add", path, value: this.#operand() };
    this.#expect("=");
    return { action: "set", path, value: this.#sum() };
  }

  #sum(): SetValue {
    const left = this.#setOperand();
    const sign = this.#take("+") ? 1 : this.#take("-") ? -1 : undefined;
    return sign === undefined ? left : { kind: "sum", left, right: this.#setOperand(), sign };
  }

  #setOperand(): SetValue {
    if (this.#peek() !== "if_not_exists" || !this.#isCall()) return this.#operand();
    this.#next();
    this.#expect("(");
    const path = this.path();
    this.#expect(",");
    const otherwise = this.#setOperand();
    this.#expect(")");
    return { kind: "if_not_exists", path, otherwise };
  }

  #isCall(): boolean {
    return this.#tokens[this.#at + 1] === "(" && /^[a-z_]+$/.test(this.#peek() ?? "");
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw this.#wrong();
    return token;
  }

  #take(token: string): boolean {
    if (this.#peek() !== token) return false;
    this.#at++;
    return true;
  }

  #takeKeyword(word: string): boolean {
    if (this.#peek()?.toUpperCase() !== word) return false;
    this.#at++;
    return true;
  }

  #expect(token: string): void {
    if (!this.#take(token)) throw this.#wrong();
  }

  #wrong(): Error {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2).join(" ");
    return invalid(`Invalid expression: Syntax error; near: "${near}"`);
  }
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text);
    if (match === null) throw invalid("Invalid expression: Syntax error; a token is not known");
    tokens.push(match[1] ?? match[2] ?? "");
  }
  if (tokens.length === 0) throw invalid("Invalid expression: The expression can not be empty;");
  return tokens;
}
