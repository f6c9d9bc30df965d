/** Answers of a request that must succeed. */
export async function ask(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
}

const ICEBERG = "/iceberg/v1/lake";
const TABLES = `${ICEBERG}/namespaces/glacier/tables`;

/** The first snapshot of `cores`: no double holds it. */
export const FIRST_ID = 9_007_199_254_740_993n;
export const HOSTILE = "<img src=x onerror=alert(1)>";

/** The query of the view. */
export const MELTING =
  "SELECT date_trunc('day', at) AS day, avg(density)\nFROM melt_rates\nGROUP BY 1";

const FIELDS = [
  { id: 1, name: "depth", type: "long", required: true },
  { id: 2, name: "density", type: "double", required: false, doc: "g per cm3" },
  { id: 3, name: "at", type: "timestamptz", required: false },
];
const NEXT_SCHEMA = {
  type: "struct",
  "schema-id": 1,
  fields: [
    FIELDS[0],
    { id: 2, name: "g_per_cm3", type: "double", required: false },
    FIELDS[2],
    { id: 4, name: "note", type: "string", required: false },
  ],
};

interface Totals {
  rows: number;
  files: number;
}

/** Adds a snapshot behind another and points a branch at it. */
async function commit(
  url: string,
  totals: Totals,
  { id, parent, ref, rows }: { id: bigint; parent?: bigint; ref: string; rows: number },
): Promise<void> {
  totals.rows += rows;
  totals.files += 1;
  const snapshot = JSON.stringify({
    "sequence-number": totals.files,
    "timestamp-ms": Date.now() - 60_000 + totals.files * 1_000,
    "manifest-list": "file:///nowhere/x.avro",
    "schema-id": 0,
    summary: {
      operation: rows < 0 ? "delete" : "append",
      "added-records": String(Math.max(rows, 0)),
      "deleted-records": String(Math.max(-rows, 0)),
      "added-data-files": "1",
      "total-records": String(totals.rows),
      "total-data-files": String(totals.files),
      "total-files-size": String(totals.rows * 137),
      "total-delete-files": "0",
    },
  }).slice(1);
  const above = parent === undefined ? "" : `"parent-snapshot-id":${parent},`;
  await ask(
    url,
    "POST",
    `${TABLES}/cores`,
    `{"requirements":[],"updates":[{"action":"add-snapshot","snapshot":{"snapshot-id":${id},` +
      `${above}${snapshot}},{"action":"set-snapshot-ref","ref-name":"${ref}","type":"branch",` +
      `"snapshot-id":${id}}]}`,
  );
}

/** Gives a table its first snapshot. */
async function plant(
  url: string,
  table: string,
  { rows, files, bytes }: { readonly rows: number; readonly files: number; readonly bytes: number },
): Promise<void> {
  const snapshot = {
    "snapshot-id": 1,
    "sequence-number": 1,
    "timestamp-ms": Date.now(),
    "manifest-list": "file:///nowhere/x.avro",
    summary: {
      operation: "append",
      "added-records": String(rows),
      "total-records": String(rows),
      "total-data-files": String(files),
      "total-files-size": String(bytes),
    },
  };
  const ref = { "ref-name": "main", type: "branch", "snapshot-id": 1 };
  await ask(url, "POST", `${TABLES}/${table}`, {
    requirements: [],
    updates: [
      { action: "add-snapshot", snapshot },
      { action: "set-snapshot-ref", ...ref },
    ],
  });
}

/** A catalog `lake` as the console shows it: namespaces, branches, a view, something dropped. */
export async function seed(url: string): Promise<void> {
  await ask(url, "POST", "/api/v1/catalogs", { name: "lake", properties: { owner: "ann" } });
  for (const namespace of [["glacier"], ["glacier", "deep"], ["many"]]) {
    await ask(url, "POST", `${ICEBERG}/namespaces`, { namespace, properties: { team: "ice" } });
  }
  const schema = { type: "struct", "schema-id": 0, fields: FIELDS };
  const fields = [{ "source-id": 3, "field-id": 1000, name: "day", transform: "day" }];
  for (const name of ["cores", "empty", "gone", "melt_rates", "weather"]) {
    await ask(url, "POST", TABLES, { name, schema, "partition-spec": { fields } });
  }
  await ask(url, "POST", TABLES.replace("glacier", "glacier%1Fdeep"), { name: HOSTILE, schema });
  await plant(url, "weather", { rows: 211, files: 1, bytes: 48_900 });
  // Far smaller than its target.
  await plant(url, "melt_rates", { rows: 84_120, files: 46, bytes: 2_104_000 });
  const id = (at: number) => FIRST_ID + BigInt(at) * 100_000_000_000_007n;
  const totals = { rows: 0, files: 0 };
  const history = [
    [0, undefined, "main", 1_000],
    [1, 0, "main", 300],
    [2, 1, "main", 600],
    [3, 1, "audit", 90],
    [4, 2, "main", -200],
    [5, 3, "audit", 40],
    [6, 0, "backfill", 4_000],
    [7, 4, "main", 500],
  ] as const;
  for (const [at, parent, ref, rows] of history) {
    const above = parent === undefined ? {} : { parent: id(parent) };
    await commit(url, totals, { id: id(at), ...above, ref, rows });
  }
  const changed = JSON.stringify({ action: "add-schema", schema: NEXT_SCHEMA });
  const tag = `"ref-name":"season-1","type":"tag","snapshot-id":${id(2)}`;
  await ask(
    url,
    "POST",
    `${TABLES}/cores`,
    `{"requirements":[],"updates":[{"action":"set-snapshot-ref",${tag}},${changed},` +
      `{"action":"set-current-schema","schema-id":1}]}`,
  );
  const version = {
    "version-id": 1,
    "timestamp-ms": Date.now(),
    "schema-id": 0,
    summary: {},
    "default-namespace": ["glacier"],
    representations: [{ type: "sql", sql: MELTING, dialect: "spark" }],
  };
  const view = { name: "melting", schema, "view-version": version, properties: {} };
  await ask(url, "POST", `${ICEBERG}/namespaces/glacier/views`, view);
  await ask(url, "DELETE", `${TABLES}/gone`);
}

/** Tables of another format, so many in one namespace that no page may draw them all. */
export async function seedMany(url: string, root: string, tables: number): Promise<void> {
  for (let from = 0; from < tables; from += 20) {
    await Promise.all(
      Array.from({ length: Math.min(20, tables - from) }, (_, i) =>
        ask(url, "POST", "/api/v1/catalogs/lake/namespaces/many/tables", {
          name: `t${String(from + i).padStart(5, "0")}`,
          format: "OTHER",
          location: `${root}/t${from + i}`,
        }),
      ),
    );
  }
}
