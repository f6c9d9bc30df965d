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
  /** Who is signed in; absent where the server asks for nothing. */
  readonly principal?: string;
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
export function rowSnippets(target: RowTarget): readonly Snippet[] {
  const { host, port, catalog, namespace, table, principal } = target;
  const from = [namespace.join("."), table].map((name) => quoted(name, '"')).join(".");
  const user = principal === undefined ? "" : `${uriPart(principal)}@`;
  const address = `postgresql://${user}${host}:${port}/${uriPart(catalog)}`;
  const password = principal === undefined ? "" : 'PGPASSWORD="$FIRN_TOKEN" ';
  const statement = `SELECT * FROM ${from} LIMIT 10`;
  return [{ client: "psql", code: `${password}psql ${shell(address)} -c ${shell(statement)}` }];
}

/** How each client reaches an Iceberg table. What is signed in needs a token: an API key is one. */
export function connectSnippets(target: ConnectTarget): readonly Snippet[] {
  return [pyiceberg(target), spark(target), trino(target), duckdb(target), flink(target)];
}

function uriOf({ url }: ConnectTarget): string {
  return `${url}/iceberg`;
}

function namesOf({ namespace, table }: ConnectTarget): readonly string[] {
  return [...namespace, table];
}

function inSql(target: ConnectTarget, quote: string): string {
  return namesOf(target)
    .map((name) => quoted(name, quote))
    .join(".");
}

/** Trino and Flink have one level of schemas: those of a namespace are joined. */
function inOneSchema({ namespace, table }: ConnectTarget, quote: string): string {
  return `${quoted(namespace.join("."), quote)}.${quoted(table, quote)}`;
}

function pyiceberg(target: ConnectTarget): Snippet {
  const hasToken = target.principal !== undefined;
  const given = [
    '"firn", type="rest"',
    `uri=${text(uriOf(target))}`,
    `warehouse=${text(target.catalog)}`,
    ...(hasToken ? ['token=os.environ["FIRN_TOKEN"]'] : []),
  ];
  const lines = [
    ...(hasToken ? ["import os", ""] : []),
    "from pyiceberg.catalog import load_catalog",
    "",
    `catalog = load_catalog(${given.join(", ")})`,
    `table = catalog.load_table((${namesOf(target).map(text).join(", ")}))`,
    "print(table.scan(limit=10).to_arrow())",
  ];
  return { client: "PyIceberg", code: lines.join("\n") };
}

function spark(target: ConnectTarget): Snippet {
  const lines = [
    "spark-sql \\",
    "  --packages org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0 \\",
    "  --conf spark.sql.catalog.firn=org.apache.iceberg.spark.SparkCatalog \\",
    "  --conf spark.sql.catalog.firn.type=rest \\",
    `  --conf spark.sql.catalog.firn.uri=${shell(uriOf(target))} \\`,
    `  --conf spark.sql.catalog.firn.warehouse=${shell(target.catalog)} \\`,
    ...(target.principal === undefined
      ? []
      : ['  --conf spark.sql.catalog.firn.token="$FIRN_TOKEN" \\']),
    `  -e ${shell(`SELECT * FROM firn.${inSql(target, "`")} LIMIT 10`)}`,
  ];
  return { client: "Spark", code: lines.join("\n") };
}

function trino(target: ConnectTarget): Snippet {
  const lines = [
    "# etc/catalog/firn.properties",
    "connector.name=iceberg",
    "iceberg.catalog.type=rest",
    `iceberg.rest-catalog.uri=${uriOf(target)}`,
    `iceberg.rest-catalog.warehouse=${target.catalog}`,
    "iceberg.rest-catalog.nested-namespace-enabled=true",
    ...(target.principal === undefined
      ? []
      : [
          "iceberg.rest-catalog.security=OAUTH2",
          `iceberg.rest-catalog.oauth2.token=\${ENV:FIRN_TOKEN}`,
        ]),
    "",
    `-- SELECT * FROM firn.${inOneSchema(target, '"')} LIMIT 10;`,
  ];
  return { client: "Trino", code: lines.join("\n") };
}

function duckdb(target: ConnectTarget): Snippet {
  const signed = target.principal === undefined ? "AUTHORIZATION_TYPE 'none'" : "TOKEN '…'";
  const lines = [
    "INSTALL iceberg; LOAD iceberg;",
    `ATTACH ${quoted(target.catalog, "'")} AS firn (`,
    `  TYPE iceberg, ENDPOINT ${quoted(uriOf(target), "'")}, ${signed}`,
    ");",
    `SELECT * FROM firn.${inSql(target, '"')} LIMIT 10;`,
  ];
  return { client: "DuckDB", code: lines.join("\n") };
}

function flink(target: ConnectTarget): Snippet {
  const signed = target.principal === undefined ? "" : ", 'token' = '…'";
  const uri = quoted(uriOf(target), "'");
  const lines = [
    "CREATE CATALOG firn WITH (",
    "  'type' = 'iceberg', 'catalog-type' = 'rest',",
    `  'uri' = ${uri}, 'warehouse' = ${quoted(target.catalog, "'")}${signed}`,
    ");",
    `SELECT * FROM firn.${inOneSchema(target, "`")} LIMIT 10;`,
  ];
  return { client: "Flink", code: lines.join("\n") };
}
