import { SqlError } from "../error.ts";

/** Key words that PostgreSQL does not take as names without quotation marks. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "all analyse analyze and any array as asc asymmetric authorization between bigint binary " +
    "bit boolean both case cast char character check coalesce collate collation column " +
    "concurrently constraint create cross current_catalog current_date current_role " +
    "current_schema current_time current_timestamp current_user dec decimal default deferrable " +
    "desc distinct do else end except exists extract false fetch float for foreign freeze from " +
    "full grant greatest group grouping having ilike in initially inner inout int integer " +
    "intersect interval into is isnull join lateral leading least left like limit localtime " +
    "localtimestamp national natural nchar none normalize not notnull null nullif numeric " +
    "offset on only or order out outer overlaps overlay placing position precision primary real " +
    "references returning right row select session_user setof similar smallint some substring " +
    "symmetric table tablesample then time timestamp to trailing treat trim true union unique " +
    "user using values varchar variadic verbose when where window with xmlattributes xmlconcat " +
    "xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable "
  )
    .trim()
    .split(" "),
);

export function quoteIdentifier(name: string): string {
  if (/^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name)) return name;
  return `"${name.replaceAll('"', '""')}"`;
}

/** Names as SQL has them, with blanks around. Upper case is folded in ASCII alone. */
const QUOTED = '"([^"]*(?:""[^"]*)*)"(?!")';
const BARE = String.raw`([A-Za-z_\x80-\u{10ffff}][\w$\x80-\u{10ffff}]*)`;
const PART = new RegExp(String.raw`[ \t\n\r\f]*(?:${QUOTED}|${BARE})`, "uy");
const BLANKS = /[ \t\n\r\f]*/y;

/** Skips blanks. @returns where they end. */
function afterBlanks(text: string, from: number): number {
  BLANKS.lastIndex = from;
  BLANKS.test(text);
  return BLANKS.lastIndex;
}

/** Why no name begins at a place. */
function missing(text: string, at: number, isAfterDot: boolean): string | undefined {
  if (text[at] === '"') return "String has unclosed double quotes.";
  if (text[at] === ".") return 'No valid identifier before ".".';
  return isAfterDot ? 'No valid identifier after ".".' : undefined;
}

/**
 * The parts of a qualified name.
 * @param isStrict Whether anything behind the name is an error.
 */
export function parseIdentifier(text: string, isStrict: boolean): readonly string[] {
  const wrong = (detail: string | undefined): SqlError =>
    new SqlError("22023", `string is not a valid identifier: "${text}"`, detail ? { detail } : {});
  const parts: string[] = [];
  let at = -1;
  do {
    PART.lastIndex = ++at;
    const found = PART.exec(text);
    if (found === null) throw wrong(missing(text, afterBlanks(text, at), parts.length > 0));
    const [, quoted, bare] = found;
    if (quoted === "") throw wrong("Quoted identifier must not be empty.");
    parts.push(quoted?.replaceAll('""', '"') ?? (bare ?? "").replace(/[A-Z]/g, lowered));
    at = afterBlanks(text, PART.lastIndex);
  } while (text[at] === ".");
  if (isStrict && at < text.length) throw wrong(undefined);
  return parts;
}

function lowered(letter: string): string {
  return letter.toLowerCase();
}
