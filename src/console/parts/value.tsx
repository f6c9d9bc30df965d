/** A value as the server wrote it. */
export function Value({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span class="dim">NULL</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return (
    <span class="value" title={text.length > 40 ? text.slice(0, 2_000) : undefined}>
      {text.slice(0, 1_000)}
    </span>
  );
}
