import type { ApiError } from "../../client/client.ts";
import { client, type Loaded, useLoaded } from "../data.ts";
import { Code } from "../parts/copy.tsx";
import { Link } from "../parts/link.tsx";
import { Refused, Shown } from "../parts/states.tsx";
import type { Path } from "../route.ts";
import { STRINGS } from "../strings.ts";

const QUERY = `
SELECT viewname::text, definition FROM pg_views
WHERE schemaname::text = $1 ORDER BY 1 LIMIT 1000`;

interface Place {
  readonly catalog: string;
  readonly namespace: Path;
}

type Listed = readonly (readonly [name: string, text: string])[];

/** The catalog does not know views of SQL: SQL's own catalog does. */
function useSqlViews({ catalog, namespace }: Place): Loaded<Listed> {
  return useLoaded(`sql views ${JSON.stringify([catalog, namespace])}`, async () => {
    const transaction = { readOnly: true };
    const parameters = [namespace.join(".")];
    const body = { statement: QUERY, parameters, catalog, transaction };
    return (await client.call("runSql", { body })).rows as unknown as Listed;
  });
}

interface SqlViewProps extends Place {
  readonly name: string;
  /** What the catalog says of a view of this name. */
  readonly refusal: ApiError;
}

/** A view of SQL: its text. */
export function SqlView({ name, refusal, ...place }: SqlViewProps) {
  const views = useSqlViews(place);
  // Who may not use SQL is told what the catalog says.
  if (views.error !== undefined) return <Refused error={refusal} />;
  return (
    <Shown {...views}>
      {(found) => {
        const view = found.find(([one]) => one === name);
        if (view === undefined) return <Refused error={refusal} />;
        return (
          <section aria-label="postgres">
            <p class="dim">{STRINGS.sqlView}</p>
            <h2>
              <span class="badge">postgres</span>
            </h2>
            <Code text={view[1]} />
          </section>
        );
      }}
    </Shown>
  );
}

/** Names of the views of SQL in a namespace. */
export function SqlViews(place: Place) {
  const views = useSqlViews(place);
  return (
    <Shown {...views}>
      {(found) =>
        found.length === 0 ? (
          <p class="dim">{STRINGS.none}</p>
        ) : (
          <ul>
            {found.map(([name]) => (
              <li key={name}>
                <Link to={{ view: "view", ...place, name }}>{name}</Link>
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  );
}
