/** Properties by key, in order; nothing where there are none. */
export function PropertyList({
  properties,
}: {
  readonly properties: Readonly<Record<string, string>>;
}) {
  const entries = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return null;
  return (
    <section>
      <h2>Properties</h2>
      <table class="small">
        <tbody>
          {entries.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
