import { SqlError } from "../error.ts";

/** Names as SQL writes them: folded where they are not quoted. @throws SqlError 42602. */
export function splitIdentifiers(text: string): readonly string[] {
  const names: string[] = [];
  let rest = text.trim();
  for (;;) {
    const [whole, quoted, plain] = /^(?:"((?:[^"]|"")+)"|([^\s".]+))\s*/.exec(rest) ?? [];
    if (whole === undefined) throw new SqlError("42602", "invalid name syntax");
    names.push(
      quoted === undefined ? (plain as string).toLowerCase() : quoted.replaceAll('""', '"'),
    );
    rest = rest.slice(whole.length);
    if (rest === "") return names;
    if (!rest.startsWith(".")) throw new SqlError("42602", "invalid name syntax");
    rest = rest.slice(1).trimStart();
  }
}
