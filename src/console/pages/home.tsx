import type { Home } from "../../api/page-operations.ts";
import type { UsagePeriod } from "../../api/status-operations.ts";
import { client, useLoaded } from "../data.ts";
import { countText, dollarsText } from "../format.ts";
import { Ago } from "../parts/ago.tsx";
import { Code } from "../parts/copy.tsx";
import { Figure } from "../parts/facts.tsx";
import { Heading } from "../parts/heading.tsx";
import { Icon } from "../parts/icon.tsx";
import { Link } from "../parts/link.tsx";
import { Empty, Shown } from "../parts/states.tsx";
import { type Bar, Bars } from "../pictures/bars.tsx";
import { STRINGS } from "../strings.ts";
import { Care } from "./care.tsx";
import { ChangeLines } from "./change-lines.tsx";

function firstCatalog(): string {
  return `curl -X POST ${location.origin}/api/v1/catalogs \\\n  -H 'Content-Type: application/json' \\\n  -d '{"name": "lake"}'`;
}

/** What is there, what is new, and what wants attention. */
export function HomePage() {
  const { data, error } = useLoaded("home", () => client.call("getHome", {}));
  return (
    <>
      <Heading name={STRINGS.home} />
      <Shown data={data} error={error}>
        {(home) => (
          <>
            <Figures home={home} />
            <div class="columns">
              <Catalogs home={home} />
              <Care home={home} />
            </div>
            <Pictures home={home} />
            <h2>{STRINGS.whatChanged}</h2>
            {home.minutes.length === 0 ? (
              <Empty text={STRINGS.changesHidden} />
            ) : home.changes.length === 0 ? (
              <Empty text={STRINGS.noChanges} />
            ) : (
              <ChangeLines changes={home.changes} names={home.names} />
            )}
          </>
        )}
      </Shown>
    </>
  );
}

function sumOf(periods: readonly UsagePeriod[], name: "requests" | "commits" | "dollars"): number {
  return periods.reduce((sum, period) => sum + period[name], 0);
}

function Figures({ home: { minutes, isPartial, hours, days, changes } }: { readonly home: Home }) {
  const changed = minutes.reduce((sum, minute) => sum + minute.changes, 0);
  const [newest] = changes;
  if (minutes.length === 0 && hours === undefined) return null;
  return (
    <div class="figures">
      <Figure
        name="Changes, last 30 min"
        value={`${countText(changed)}${isPartial ? "+" : ""}`}
        note={
          newest === undefined ? (
            "none"
          ) : (
            <>
              newest <Ago time={newest.time} />
            </>
          )
        }
      />
      {hours !== undefined && (
        <>
          <Figure
            name="Commits, last 24 h"
            value={countText(sumOf(hours, "commits"))}
            note={STRINGS.toThisNode}
          />
          <Figure
            name="Requests, last 24 h"
            value={countText(sumOf(hours, "requests"))}
            note={STRINGS.toThisNode}
          />
        </>
      )}
      {days !== undefined && (
        <Figure
          name="Stores charge today"
          value={dollarsText(days.at(-1)?.dollars ?? 0)}
          note={sumOf(days, "dollars") === 0 ? STRINGS.freeStores : "by list prices"}
        />
      )}
    </div>
  );
}

/** `14:00 UTC` of an hour; `11-27` of a day, which begins in UTC too. */
function startText(start: string, isDay: boolean): string {
  return isDay ? start.slice(5, 10) : `${start.slice(11, 16)} UTC`;
}

function barsOf(
  periods: readonly UsagePeriod[],
  name: "commits" | "dollars",
  isDay: boolean,
): readonly Bar[] {
  return periods.map(({ start, ...figures }) => ({
    name: startText(start, isDay),
    value: figures[name],
    text: name === "dollars" ? dollarsText(figures[name]) : countText(figures[name]),
  }));
}

function Pictures({ home: { minutes, isPartial, hours, days } }: { readonly home: Home }) {
  const isBilled = days !== undefined && sumOf(days, "dollars") > 0;
  return (
    <div class="columns">
      {minutes.length > 0 && (
        <Bars
          title={STRINGS.changesAMinute}
          bars={minutes.map(({ minute, changes }) => ({
            name: startText(minute, false),
            value: changes,
            text: countText(changes),
          }))}
          {...(isPartial && { note: STRINGS.atLeast })}
        />
      )}
      {hours !== undefined && (
        <Bars
          title={STRINGS.commitsAnHour}
          note={STRINGS.byThisNode}
          bars={barsOf(hours, "commits", false)}
        />
      )}
      {days !== undefined && isBilled && (
        <Bars
          title={STRINGS.dollarsADay}
          note={STRINGS.byThisNode}
          bars={barsOf(days, "dollars", true)}
        />
      )}
    </div>
  );
}

function Catalogs({ home: { catalogs } }: { readonly home: Home }) {
  return (
    <section class="panel">
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
              <Link to={{ view: "catalog", catalog: name }}>
                <Icon name="catalog" />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
