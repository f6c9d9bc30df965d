import type { Table } from "../../api/resources.ts";
import { client, type Loaded, useLoaded } from "../data.ts";
import { Empty, Shown } from "../parts/states.tsx";
import { STRINGS } from "../strings.ts";

/** An index or a constraint of a row table, as PostgreSQL writes it. */
interface Definition {
  /** `key`: a column of the primary key. */
  readonly kind: "index" | "constraint" | "key";
  readonly name: string;
  readonly text: string;
  /** Of an index. */
  readonly isPrimary: boolean;
}

const QUERY = `
SELECT 'index', i.relname::text, pg_get_indexdef(x.indexrelid), x.indisprimary
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
JOIN pg_namespace n ON n.oid = t.relnamespace
WHERE n.nspname::text = $1 AND t.relname::text = $2
UNION ALL
SELECT 'constraint', c.conname::text, pg_get_constraintdef(c.oid), false
FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
JOIN pg_namespace n ON n.oid = t.relnamespace
WHERE n.nspname::text = $1 AND t.relname::text = $2
UNION ALL
SELECT 'key', a.attname::text, '', true
FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = ANY(x.indkey)
WHERE x.indisprimary AND n.nspname::text = $1 AND t.relname::text = $2
ORDER BY 1 DESC, 2`;

/** SQL's own catalog has them, and nothing else: without the right to use SQL they are refused. */
export function useDefinitions({ catalog, namespace, name }: Table): Loaded<readonly Definition[]> {
  return useLoaded(`definitions ${JSON.stringify([catalog, namespace, name])}`, async () => {
    const parameters = [namespace.join("."), name];
    const transaction = { readOnly: true };
    const body = { statement: QUERY, parameters, catalog, transaction };
    const { rows } = await client.call("runSql", { body });
    return rows.map(
      ([kind, of, text, isPrimary]) =>
        ({ kind, name: of, text, isPrimary }) as unknown as Definition,
    );
  });
}

/** Indexes and constraints of a row table. */
export function Definitions({ table }: { readonly table: Table }) {
  const definitions = useDefinitions(table);
  return (
    <>
      {(["index", "constraint"] as const).map((kind) => (
        <section key={kind}>
          <h2>{kind === "index" ? STRINGS.indexes : STRINGS.constraints}</h2>
          <Shown {...definitions}>
            {(data) => <Listed items={data.filter((one) => one.kind === kind)} />}
          </Shown>
        </section>
      ))}
    </>
  );
}

function Listed({ items }: { readonly items: readonly Definition[] }) {
  if (items.length === 0) return <Empty text={STRINGS.none} />;
  return (
    <table class="small">
      <tbody>
        {items.map(({ name, text }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <code>{text}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
