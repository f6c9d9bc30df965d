import { aggregateOf } from "../../src/sql/functions/aggregates.ts";
import { FunctionRegistry } from "../../src/sql/functions/resolve.ts";
import { type ProcedureRow, signatures } from "../../src/sql/signatures/tables.ts";
import { TypeRegistry } from "../../src/sql/types/registry.ts";
import { sqlTypeName } from "../../src/sql/types/regtype.ts";
import type { Generated } from "./generated.ts";

const PATH = "docs/sql-functions.md";
/** The same functions, as the console offers them while one types. */
const WORDS_PATH = "src/console/sql-functions.ts";
/** What types, indexes and aggregates call themselves: nothing that a statement names. */
const INNER = /^(?:bt\w+cmp|\w+_cmp|\w*(?:larger|smaller)|\w+_sum|\w+(?:eq|ne|lt|le|gt|ge))$/;

const types = new TypeRegistry();
const functions = new FunctionRegistry(types);
const nameOf = (oid: number): string => {
  const row = types.find(oid);
  return row === undefined ? "" : sqlTypeName(row);
};
const usable = (oid: number): boolean => types.isSupported(oid) || types.find(oid)?.kind === "p";

function grouped(pairs: readonly (readonly [string, string])[]): readonly string[] {
  const groups = new Map<string, Set<string>>();
  for (const [name, text] of pairs) {
    groups.set(name, (groups.get(name) ?? new Set()).add(text));
  }
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  return [...groups.keys()].sort().map((name) => {
    const texts = [...(groups.get(name) ?? [])].sort();
    return `| \`${cell(name)}\` | ${cell(texts.join("; "))} |`;
  });
}

function shownProcedures(): readonly ProcedureRow[] {
  const { operators, procedures } = signatures();
  const ofOperators = new Set(operators.map((row) => row.procedure));
  return procedures.filter(
    (row) =>
      row.kind === "f" &&
      functions.implements(row) &&
      !INNER.test(row.name) &&
      !ofOperators.has(row.oid) &&
      [...row.arguments, row.result].every(usable),
  );
}

function procedureRows(): readonly string[] {
  return grouped(
    shownProcedures().map((row) => [
      row.name,
      `(${row.arguments.map(nameOf).join(", ")}) → ${nameOf(row.result)}`,
    ]),
  );
}

function isAggregate(row: ProcedureRow): boolean {
  if (row.kind !== "a" || ![...row.arguments, row.result].every(usable)) return false;
  const { arguments: taken, result } = row;
  try {
    aggregateOf(functions, {
      kind: "call",
      procedure: row,
      arguments: taken,
      result,
      sources: taken.map((_, i) => i),
      defaults: taken.map(() => null),
      isStrict: false,
    });
    return true;
  } catch {
    return false;
  }
}

/** Names that a statement calls: functions, aggregates, functions of windows. */
function calledNames(): readonly string[] {
  const others = signatures().procedures.filter((row) => row.kind === "w" || isAggregate(row));
  const names = [...shownProcedures(), ...others].map(({ name }) => name);
  return [...new Set(names)].filter((name) => /^[a-z]/.test(name)).sort();
}

/** Words in lines of the width that sources have. */
function filled(words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > 97) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join("\n");
}

function operatorRows(): readonly string[] {
  const { operators, procedureByOid } = signatures();
  return grouped(
    operators.flatMap((row) => {
      const procedure = procedureByOid.get(row.procedure);
      const oids = row.left === 0 ? [row.right] : [row.left, row.right];
      if (procedure === undefined || !functions.implements(procedure)) return [];
      return oids.every(usable) ? [[row.name, oids.map(nameOf).join(", ")] as const] : [];
    }),
  );
}

function typeRows(): readonly string[] {
  const shown = signatures().types.filter(
    (row) => row.kind === "b" && row.category !== "A" && types.isSupported(row.oid),
  );
  return shown.map((row) => `| \`${sqlTypeName(row)}\` | \`${row.name}\` | ${row.oid} |`);
}

/** The types, operators and functions that Firn implements, from the tables it resolves with. */
export function generateSqlFunctions(): Promise<readonly Generated[]> {
  const text = [
    "# Types, operators and functions of SQL",
    "",
    "<!-- Generated from the source by `npm run gen`; do not edit. -->",
    "",
    "Firn resolves names by PostgreSQL 15's own tables and answers as PostgreSQL 15 does. What is",
    "not listed here is refused with SQLSTATE 0A000.",
    "",
    "## Types",
    "",
    "Arrays of these types, enums and domains are supported too.",
    "",
    "| type | internal name | OID |",
    "|---|---|---|",
    ...typeRows(),
    "",
    "## Operators",
    "",
    "| operator | types |",
    "|---|---|",
    ...operatorRows(),
    "",
    "## Functions",
    "",
    "| function | arguments and result |",
    "|---|---|",
    ...procedureRows(),
    "",
  ].join("\n");
  const words =
    "/* Generated from the source by `npm run gen`; do not edit. */\n\n" +
    "/** Functions of SQL that Firn implements, apart by spaces and line ends. */\n" +
    `export const SQL_FUNCTIONS = \`\n${filled(calledNames())}\n\`;\n`;
  return Promise.resolve([
    { path: PATH, text },
    { path: WORDS_PATH, text: words },
  ]);
}
