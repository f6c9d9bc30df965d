/** The statement that reads the first rows of a row table. A namespace is one schema. */
export function previewOf(namespace: readonly string[], table: string): string {
  const quoted = [namespace.join("."), table].map((name) => `"${name.replaceAll('"', '""')}"`);
  return `SELECT * FROM ${quoted.join(".")} LIMIT 100`;
}
