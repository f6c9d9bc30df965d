import type { DdlRun } from "./ddl-run.ts";

/** Names of tables and indexes of a namespace: none of them is there twice. */
export async function relationNames(on: DdlRun, path: readonly string[]): Promise<Set<string>> {
  const tables = await on.names.tablesIn(on.rows, path);
  return new Set(
    tables.flatMap(({ name, indexes, constraints }) => [
      name,
      ...indexes.map((index) => index.name),
      ...constraints.flatMap((one) => (one.kind === "primary key" ? [one.name] : [])),
    ]),
  );
}
