/** What a first session installs. */
export const INSTALL = 'pip install "pyiceberg[pyarrow]"';

/** What it prints, also when it is run again. */
export const PRINTED =
  "[{'id': 1, 'name': 'firn'}, {'id': 2, 'name': 'snow'}, {'id': 3, 'name': 'ice'}]";

/** A first session in Python, to paste; `url` is the server's, without a slash at its end. */
export function firstSession(url: string): string {
  return `import pyarrow as pa
from pyiceberg.catalog import load_catalog

catalog = load_catalog("firn", type="rest", uri="${url}/iceberg")
catalog.create_namespace_if_not_exists("demo")
rows = pa.table({"id": [1, 2, 3], "name": ["firn", "snow", "ice"]})
table = catalog.create_table_if_not_exists("demo.layers", schema=rows.schema)
if table.current_snapshot() is None:
    table.append(rows)
print(table.scan().to_arrow().to_pylist())
`;
}
