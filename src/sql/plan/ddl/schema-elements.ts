import type { Node } from "libpg-query";
import { notSupported, SqlError } from "../../error.ts";
import { kindOf } from "../../parse/statement.ts";

/** What an element of CREATE SCHEMA makes, by the field that names it; in the order of the work. */
const MADE: readonly (readonly [kind: string, field: string])[] = [
  ["CreateSeqStmt", "sequence"],
  ["CreateStmt", "relation"],
  ["ViewStmt", "view"],
  ["IndexStmt", "relation"],
  ["GrantStmt", ""],
];

type Tree = Record<string, unknown>;

/**
 * The statements within CREATE SCHEMA: tables before views, and what those before one have made
 * with the name of the schema. It has nothing else: all other names mean what they do outside.
 *
 * @throws SqlError 42P15; 0A000 for a statement that cannot stand there.
 */
export function schemaElements(schema: string, elements: readonly Node[]): readonly Node[] {
  const ordered = MADE.flatMap(([kind]) => elements.filter((node) => kindOf(node) === kind));
  const other = elements.find((node) => !ordered.includes(node));
  if (other !== undefined) throw notSupported(`${kindOf(other)} in CREATE SCHEMA`);
  const made = new Set<string>();
  return ordered.map((node) => {
    const own = structuredClone(node);
    const kind = kindOf(own);
    const field = MADE.find((each) => each[0] === kind)?.[1] ?? "";
    const statement = (own as unknown as Record<string, Tree>)[kind] ?? {};
    if (statement["concurrent"] === true) {
      throw notSupported("CREATE INDEX CONCURRENTLY in CREATE SCHEMA");
    }
    const { schemaname, relname } = (statement[field] ?? {}) as Tree;
    if (schemaname !== undefined && schemaname !== schema) {
      const given = `CREATE specifies a schema (${schemaname})`;
      const message = `${given} different from the one being created (${schema})`;
      throw new SqlError("42P15", message);
    }
    if (kind !== "IndexStmt" && typeof relname === "string") made.add(relname);
    const hidden = withNames(own);
    const seen = new Set([...made].filter((name) => !hidden.includes(name)));
    if (typeof relname === "string") seen.add(relname);
    place(own, schema, seen);
    return own;
  });
}

/** Names of WITH, which come before those of tables. */
function withNames(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const { ctename } = value as Tree;
  const own = typeof ctename === "string" ? [ctename] : [];
  return [...own, ...Object.values(value).flatMap(withNames)];
}

function place(value: unknown, schema: string, made: ReadonlySet<string>): void {
  if (typeof value !== "object" || value === null) return;
  const node = value as Tree;
  const { relname, schemaname } = node;
  if (typeof relname === "string" && schemaname === undefined && made.has(relname)) {
    node["schemaname"] = schema;
  }
  for (const each of Object.values(node)) place(each, schema, made);
}
