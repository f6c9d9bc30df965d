import { client } from "./data.ts";

/** A relation as the catalogs of SQL list it. `written` is what names it in a statement. */
export interface KnownRelation {
  readonly schema: string;
  readonly name: string;
  readonly writtenSchema: string;
  readonly written: string;
  readonly isView: boolean;
}

export interface KnownColumn {
  readonly name: string;
  readonly written: string;
  readonly type: string;
  readonly table: string;
}

export interface KnownSchema {
  readonly name: string;
  readonly written: string;
}

export interface Relations {
  readonly schemas: readonly KnownSchema[];
  readonly items: readonly KnownRelation[];
  /** More have this beginning than are listed: a longer one is to be asked for. */
  readonly isCut: boolean;
}

/** Relations in one answer. */
const MOST = 1_000;
const MOST_COLUMNS = 2_000;
const TIMEOUT_MS = 10_000;
const FRESH_MS = 60_000;

/**
 * Schemas come as rows without a name, where none is given. Tables and views of Iceberg are named
 * in the catalogs of SQL, and have no rows there; of such a view SQL knows no definition.
 */
const RELATIONS = `(SELECT schema_name AS s, NULL AS n, quote_ident(schema_name), NULL, false
FROM information_schema.schemata
WHERE $2 = '' AND starts_with(lower(schema_name), $1) ORDER BY s LIMIT ${MOST + 1})
UNION ALL
(SELECT table_schema AS s, table_name AS n, quote_ident(table_schema), quote_ident(table_name),
  table_type = 'VIEW'
FROM information_schema.tables LEFT JOIN information_schema.views USING (table_schema, table_name)
WHERE starts_with(lower(table_name), $1) AND CASE WHEN $2 <> '' THEN table_schema = $2
    ELSE table_schema NOT IN ('pg_catalog', 'information_schema') END
  AND (table_type = 'BASE TABLE' OR table_type = 'VIEW'
    AND (view_definition IS NOT NULL OR $2 IN ('pg_catalog', 'information_schema')))
ORDER BY s, n LIMIT ${MOST + 1})`;

const COLUMNS = `SELECT column_name, quote_ident(column_name), data_type, table_name
FROM information_schema.columns
WHERE (table_schema, table_name) IN (SELECT * FROM unnest($1::text[], $2::text[]))
ORDER BY table_schema, table_name, ordinal_position LIMIT ${MOST_COLUMNS}`;

/** Names of a catalog, as SQL lists them to this user: asked for when needed, kept a while. */
export class SqlNames {
  readonly #catalog: string;
  readonly #kept = new Map<string, Promise<unknown>>();
  #keptMs = 0;

  constructor(catalog: string) {
    this.#catalog = catalog;
  }

  /**
   * Relations whose name has a beginning, of a schema or of all that are not the system's. Of few
   * all are answered, whatever they begin with: the next letter then asks for nothing.
   */
  async relations(beginning: string, schema = ""): Promise<Relations> {
    const all = await this.#relations("", schema);
    return all.isCut ? this.#relations(beginning.toLowerCase(), schema) : all;
  }

  async #relations(beginning: string, schema: string): Promise<Relations> {
    const rows = await this.#rows(RELATIONS, [beginning, schema]);
    const isSchema = ([, name]: readonly unknown[]) => name === null;
    const schemas = rows.filter(isSchema);
    const items = rows.filter((row) => !isSchema(row));
    return {
      schemas: schemas.slice(0, MOST).map(([name, , written]) => ({
        name: String(name),
        written: String(written),
      })),
      items: items.slice(0, MOST).map(relationOf),
      isCut: schemas.length > MOST || items.length > MOST,
    };
  }

  async columns(of: readonly (readonly [string, string])[]): Promise<readonly KnownColumn[]> {
    if (of.length === 0) return [];
    const [schemas, names] = [of.map(([schema]) => schema), of.map(([, name]) => name)];
    const rows = await this.#rows(COLUMNS, [schemas, names]);
    return rows.map(([name, written, type, table]) => ({
      name: String(name),
      written: String(written),
      type: String(type),
      table: String(table),
    }));
  }

  #rows(
    statement: string,
    parameters: readonly unknown[],
  ): Promise<readonly (readonly unknown[])[]> {
    if (Date.now() - this.#keptMs > FRESH_MS) {
      this.#kept.clear();
      this.#keptMs = Date.now();
    }
    const key = JSON.stringify([statement, parameters]);
    const known = this.#kept.get(key) as Promise<readonly (readonly unknown[])[]> | undefined;
    if (known !== undefined) return known;
    const body = {
      statement,
      parameters,
      catalog: this.#catalog,
      transaction: { readOnly: true },
      timeoutMs: TIMEOUT_MS,
    };
    const asked = client.call("runSql", { body }).then(({ rows }) => rows);
    // What failed is asked for again.
    asked.catch(() => this.#kept.delete(key));
    this.#kept.set(key, asked);
    return asked;
  }
}

function relationOf([
  schema,
  name,
  writtenSchema,
  written,
  isView,
]: readonly unknown[]): KnownRelation {
  return {
    schema: String(schema),
    name: String(name),
    writtenSchema: String(writtenSchema),
    written: String(written),
    isView: isView === true,
  };
}
