/** An expression as tests hold it: it can be written as SQL, and evaluated by Firn's registry. */
export type Expression =
  /** A literal; without a type, PostgreSQL's `unknown`. */
  | { readonly kind: "literal"; readonly text: string | null; readonly type?: string }
  | { readonly kind: "operator"; readonly name: string; readonly arguments: readonly Expression[] }
  | { readonly kind: "call"; readonly name: string; readonly arguments: readonly Expression[] }
  | { readonly kind: "cast"; readonly type: string; readonly argument: Expression };

/** Type names as SQL writes them, where they differ from PostgreSQL's internal ones. */
const SPELLINGS: Readonly<Record<string, string>> = { char: '"char"' };

function spelled(type: string): string {
  const [, name = "", modifier = ""] = /^([^(]*)(.*)$/.exec(type) ?? [];
  if (name.startsWith("_")) return `${spelled(name.slice(1) + modifier)}[]`;
  return `${SPELLINGS[name] ?? name}${modifier}`;
}

function quoted(text: string): string {
  const escaped = text.replaceAll("'", "''");
  return text.includes("\\") ? `E'${escaped.replaceAll("\\", "\\\\")}'` : `'${escaped}'`;
}

export function toSql(expression: Expression): string {
  switch (expression.kind) {
    case "literal": {
      const { text, type } = expression;
      const value = text === null ? "NULL" : quoted(text);
      return type === undefined ? value : `${value}::${spelled(type)}`;
    }
    case "operator": {
      const [left = "", right] = expression.arguments.map(toSql);
      const name = `OPERATOR(pg_catalog.${expression.name})`;
      return right === undefined ? `(${name} (${left}))` : `((${left}) ${name} (${right}))`;
    }
    case "call":
      return `pg_catalog."${expression.name}"(${expression.arguments.map(toSql).join(", ")})`;
    case "cast":
      return `(${toSql(expression.argument)})::${spelled(expression.type)}`;
  }
}
