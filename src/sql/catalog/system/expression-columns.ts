import { type TableDescriptor, visibleColumns } from "../../../rows/index.ts";

/** A string, a name in quotes, a word, a number, `::`, or any other character. */
const TOKEN =
  /'(?:[^']|'')*'|"((?:[^"]|"")*)"|([a-z_\u0080-\uffff][\w$\u0080-\uffff]*)|\d+|::|\S/giu;

/**
 * Ids of the columns that the stored text of an expression reads, in the order of their first use.
 * The text was printed from its tree: it has no comments, and names are in lower case or quoted.
 */
export function columnsRead(table: TableDescriptor, text: string): readonly number[] {
  const byName = new Map(visibleColumns(table).map(({ name, id }) => [name, id]));
  const tokens = [...text.matchAll(TOKEN)];
  const found = new Set<number>();
  for (const [i, [whole, quoted, word]] of tokens.entries()) {
    const name = quoted?.replaceAll('""', '"') ?? word;
    const id = name === undefined ? undefined : byName.get(name);
    if (id === undefined || isOther(whole, tokens[i - 1]?.[0], tokens[i + 1]?.[0])) continue;
    found.add(id);
  }
  return [...found];
}

/** Whether a name is one of a type, a function or a table. */
function isOther(name: string, before: string | undefined, behind: string | undefined): boolean {
  if (before === "::" || behind === "(" || behind === ".") return true;
  const isLiteral = behind?.startsWith("'") === true && !name.startsWith('"');
  return isLiteral || /^as$/i.test(before ?? "");
}

/** The text of a domain's check, with its value as PostgreSQL writes it. */
export function domainCheckText(text: string): string {
  return text.replace(TOKEN, (whole, _quoted, word?: string) =>
    word?.toLowerCase() === "value" ? "VALUE" : whole,
  );
}
