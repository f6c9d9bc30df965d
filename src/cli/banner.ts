import type { Settings } from "../runtime/settings.ts";

/** What a person sees who starts the server: where it is, and a first thing to paste. */
export function banner(url: string, version: string, settings: Settings): string {
  return `Firn ${version} serves ${url}

  Iceberg REST catalog  ${url}/iceberg
  warehouse             ${settings.warehouse}
  profile               ${profileText(settings)}

Try it: pip install "pyiceberg[pyarrow]", then in Python

import pyarrow as pa
from pyiceberg.catalog import load_catalog

catalog = load_catalog("firn", type="rest", uri="${url}/iceberg")
catalog.create_namespace_if_not_exists("demo")
rows = pa.table({"id": [1, 2, 3], "name": ["firn", "snow", "ice"]})
table = catalog.create_table_if_not_exists("demo.layers", schema=rows.schema)
table.append(rows)
print(table.scan().to_arrow().to_pylist())

Ctrl-C stops it.
`;
}

function profileText({ profile }: Settings): string {
  return profile === "memory"
    ? "memory: tables vanish with this process, their files stay in the warehouse"
    : profile;
}
