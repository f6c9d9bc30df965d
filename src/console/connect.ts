/** How one client reaches one table: text to copy. */
export interface Snippet {
  readonly client: string;
  readonly code: string;
}

export interface ConnectTarget {
  /** Of this server, without a slash at its end. */
  readonly url: string;
  readonly catalog: string;
  readonly namespace: readonly string[];
  readonly table: string;
}

/** A name as SQL takes it, in its quotes. */
function quoted(name: string, quote: string): string {
  return `${quote}${name.replaceAll(quote, quote + quote)}${quote}`;
}

/** A text of Python, JSON's escapes among them. */
function text(value: string): string {
  return JSON.stringify(value);
}

/** A value of a properties file or an option of a shell, in single quotes. */
function shell(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

export interface RowTarget extends Omit<ConnectTarget, "url"> {
  readonly host: string;
  readonly port: number;
}

/** A part of a connection string. */
function uriPart(value: string): string {
  return encodeURIComponent(value).replaceAll("'", "%27");
}

/** How clients of PostgreSQL reach a row table. A namespace of several levels is one schema. */
export function rowSnippets({
  host,
  port,
  catalog,
  namespace,
  table,
}: RowTarget): readonly Snippet[] {
  const from = [namespace.join("."), table].map((name) => quoted(name, '"')).join(".");
  const address = `postgresql://${host}:${port}/${uriPart(catalog)}`;
  return [
    {
      client: "psql",
      code: `psql ${shell(address)} -c ${shell(`SELECT * FROM ${from} LIMIT 10`)}`,
    },
  ];
}

export function connectSnippets({
  url,
  catalog,
  namespace,
  table,
}: ConnectTarget): readonly Snippet[] {
  const uri = `${url}/iceberg`;
  const names = [...namespace, table];
  const inSql = (quote: string) => names.map((name) => quoted(name, quote)).join(".");
  return [
    {
      client: "PyIceberg",
      code: [
        "from pyiceberg.catalog import load_catalog",
        "",
        `catalog = load_catalog("firn", type="rest", uri=${text(uri)}, warehouse=${text(catalog)})`,
        `table = catalog.load_table((${names.map(text).join(", ")}))`,
        "print(table.scan(limit=10).to_arrow())",
      ].join("\n"),
    },
    {
      client: "Spark",
      code: [
        "spark-sql \\",
        "  --packages org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.11.0 \\",
        "  --conf spark.sql.catalog.firn=org.apache.iceberg.spark.SparkCatalog \\",
        "  --conf spark.sql.catalog.firn.type=rest \\",
        `  --conf spark.sql.catalog.firn.uri=${shell(uri)} \\`,
        `  --conf spark.sql.catalog.firn.warehouse=${shell(catalog)} \\`,
        `  -e ${shell(`SELECT * FROM firn.${inSql("`")} LIMIT 10`)}`,
      ].join("\n"),
    },
    {
      client: "Trino",
      code: [
        "# etc/catalog/firn.properties",
        "connector.name=iceberg",
        "iceberg.catalog.type=rest",
        `iceberg.rest-catalog.uri=${uri}`,
        `iceberg.rest-catalog.warehouse=${catalog}`,
        "iceberg.rest-catalog.nested-namespace-enabled=true",
        "",
        `-- SELECT * FROM firn.${quoted(namespace.join("."), '"')}.${quoted(table, '"')} LIMIT 10;`,
      ].join("\n"),
    },
    {
      client: "DuckDB",
      code: [
        "INSTALL iceberg; LOAD iceberg;",
        `ATTACH ${quoted(catalog, "'")} AS firn (`,
        `  TYPE iceberg, ENDPOINT ${quoted(uri, "'")}, AUTHORIZATION_TYPE 'none'`,
        ");",
        `SELECT * FROM firn.${inSql('"')} LIMIT 10;`,
      ].join("\n"),
    },
    {
      client: "Flink",
      code: [
        "CREATE CATALOG firn WITH (",
        "  'type' = 'iceberg', 'catalog-type' = 'rest',",
        `  'uri' = ${quoted(uri, "'")}, 'warehouse' = ${quoted(catalog, "'")}`,
        ");",
        `SELECT * FROM firn.${quoted(namespace.join("."), "`")}.${quoted(table, "`")} LIMIT 10;`,
      ].join("\n"),
    },
  ];
}
