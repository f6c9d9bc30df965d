import type { Home } from "../../api/page-operations.ts";
import { client, now, useLoaded } from "../data.ts";
import { agoText, countText } from "../format.ts";
import { Code } from "../parts/copy.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { Bars } from "../pictures/bars.tsx";
import { STRINGS } from "../strings.ts";
import { ChangeLines } from "./changes.tsx";

function firstCatalog(): string {
  return `curl -X POST ${location.origin}/api/v1/catalogs \\\n  -H 'Content-Type: application/json' \\\n  -d '{"name": "lake"}'`;
}

/** What is there, what is new, and what wants attention. */
export function HomePage() {
  const { data, error } = useLoaded("home", () => client.call("getHome", {}));
  return (
    <>
      <h1 tabIndex={-1}>{STRINGS.home}</h1>
      <Shown data={data} error={error}>
        {(home) => (
          <div class="columns">
            <Catalogs home={home} />
            <Care home={home} />
            <section class="wide">
              <Bars
                title={STRINGS.changesAMinute}
                bars={home.minutes.map(({ minute, changes }) => ({
                  name: new Date(minute).toLocaleTimeString([], {
                    hour: "2-digit",
                    minute: "2-digit",
                  }),
                  value: changes,
                  text: countText(changes),
                }))}
              />
              {home.isPartial && <p class="dim">{STRINGS.atLeast}</p>}
            </section>
            <section class="wide">
              <h2>{STRINGS.whatChanged}</h2>
              {home.changes.length === 0 ? (
                <Empty text={STRINGS.noChanges} />
              ) : (
                <ChangeLines changes={home.changes} />
              )}
            </section>
          </div>
        )}
      </Shown>
    </>
  );
}

function Catalogs({ home: { catalogs } }: { readonly home: Home }) {
  return (
    <section>
      <h2>{STRINGS.catalogs}</h2>
      {catalogs.length === 0 ? (
        <>
          <p>{STRINGS.noCatalogs}</p>
          <Code text={firstCatalog()} />
        </>
      ) : (
        <ul class="cards">
          {catalogs.map(({ id, name }) => (
            <li key={id}>
              <Link to={{ view: "catalog", catalog: name }}>{name}</Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Care({ home: { failedJobs, dropped } }: { readonly home: Home }) {
  return (
    <section>
      <h2>{STRINGS.needsCare}</h2>
      {failedJobs.length + dropped.length === 0 && <p>{STRINGS.allWell}</p>}
      <ul class="plain">
        {failedJobs.map(({ id, kind, error }) => (
          <li key={id}>
            <Link to={{ view: "jobs" }}>
              Job {kind} failed: {error?.code}
            </Link>
          </li>
        ))}
        {dropped.map(({ id, name, type, purgeAfter }) => (
          <li key={id}>
            <Link to={{ view: "dropped" }}>
              {type} {name} goes {agoText(purgeAfter, now.value)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
