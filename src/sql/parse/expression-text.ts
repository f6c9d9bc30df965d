import type { Node } from "libpg-query";
import { SqlError } from "../error.ts";
import type { Parser } from "./parser.ts";
import type { Source } from "./source.ts";
import { contentOf, kindOf } from "./statement.ts";

/** Before the text in what is parsed, in bytes: places of errors count without it. */
const BEFORE = "SELECT (";
const BEHIND = "\n)";

/** An expression that stands alone, parsed. */
export interface ParsedExpression {
  readonly node: Node;
  readonly source: Source;
  /** Names of columns as they stand in the text, in its order. */
  readonly columns: readonly NamedColumn[];
}

interface NamedColumn {
  readonly name: string;
  /** Names before it: of its table. */
  readonly qualifiers: number;
  /** Where its first name begins, in bytes of the expression. */
  readonly offset: number;
}

/**
 * Parses an expression of a stored constraint, default or index.
 *
 * @throws SqlError 42601, 0A000; `what` says in the message what the text is.
 */
export async function parseExpression(
  parser: Pick<Parser, "parse">,
  text: string,
  what: string,
): Promise<ParsedExpression> {
  const [statement, second] = await parser.parse(`${BEFORE}${text}${BEHIND}`);
  const select = contentOf(statement?.node, "SelectStmt");
  const { targetList = [], limitOption: _, op: __, ...rest } = select ?? {};
  const target = contentOf(targetList[0], "ResTarget");
  const isAlone = statement !== undefined && second === undefined && targetList.length === 1;
  if (!isAlone || target?.val === undefined || target.name || Object.keys(rest).length > 0) {
    throw new SqlError("42601", `not an expression: ${text}`);
  }
  const columns: NamedColumn[] = [];
  visit(target.val, (node) => {
    if (kindOf(node) === "SubLink") throw new SqlError("0A000", `cannot use subquery in ${what}`);
    const column = contentOf(node, "ColumnRef");
    if (column === undefined) return;
    const names = (column.fields ?? []).map((field) => contentOf(field, "String")?.sval);
    const name = names.at(-1);
    if (name === undefined) throw new SqlError("0A000", `cannot use a whole row in ${what}`);
    const offset = (column.location ?? 0) - BEFORE.length;
    columns.push({ name, qualifiers: names.length - 1, offset });
  });
  return { node: target.val, source: statement.source, columns };
}

/** The text of an expression with another name for one of its columns. */
export function renamedColumn(
  text: string,
  { columns }: ParsedExpression,
  from: string,
  to: string,
): string {
  let bytes = Buffer.from(text);
  const found = columns.filter(({ name }) => name === from).sort((a, b) => b.offset - a.offset);
  for (const { offset, qualifiers } of found) {
    let begin = offset;
    for (let i = 0; i < qualifiers; i++) begin = behindDot(bytes, nameEnd(bytes, begin));
    const rest = bytes.subarray(nameEnd(bytes, begin));
    bytes = Buffer.concat([bytes.subarray(0, begin), Buffer.from(quoted(to)), rest]);
  }
  return bytes.toString();
}

/** A name as SQL reads it: in quotes, which no name needs to be without. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const QUOTE = 0x22;
const DOT = 0x2e;

/** Where the name ends that begins at a byte. */
function nameEnd(bytes: Buffer, begin: number): number {
  let at = begin;
  if (bytes[begin] !== QUOTE) {
    // Letters, digits, _, $ and what is not ASCII.
    while (at < bytes.length && isOfName(bytes[at] as number)) at++;
    return at;
  }
  for (at++; at < bytes.length; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (bytes[at + 1] !== QUOTE) return at + 1;
    at++;
  }
  return at;
}

function isOfName(byte: number): boolean {
  return byte >= 0x80 || /[A-Za-z0-9_$]/.test(String.fromCharCode(byte));
}

/** Where the next name begins: there may be blanks around the dot. */
function behindDot(bytes: Buffer, end: number): number {
  const dot = bytes.indexOf(DOT, end);
  let at = dot + 1;
  while (at < bytes.length && /\s/.test(String.fromCharCode(bytes[at] as number))) at++;
  return at;
}

/** Calls `see` for each node of a tree. */
function visit(tree: unknown, see: (node: Node) => void): void {
  const waiting: unknown[] = [tree];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (Array.isArray(one)) waiting.push(...one);
    else if (typeof one === "object" && one !== null) {
      const names = Object.keys(one);
      if (names.length === 1 && /^[A-Z]/.test(names[0] ?? "")) see(one as Node);
      waiting.push(...Object.values(one));
    }
  }
}
