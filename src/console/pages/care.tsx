import { useState } from "preact/hooks";
import type { AdvisedTable, Home } from "../../api/page-operations.ts";
import { type Advice, lookAtAll, useAdvice } from "../advice.ts";
import { now } from "../data.ts";
import { countText, spanText } from "../format.ts";
import { findingsText } from "../parts/findings.tsx";
import { fullName } from "../parts/full-name.tsx";
import { Icon } from "../parts/icon.tsx";
import { Link } from "../parts/link.tsx";
import type { Route } from "../route.ts";
import { STRINGS } from "../strings.ts";

/** Tables that are shown until all are asked for. */
const FEW = 8;

/** The page that says what is wrong with the files of a table. */
function filesOf(table: AdvisedTable): Route {
  const { catalog = "", namespace = [], name } = table;
  return { view: "table", catalog, namespace, table: name, tab: "files" };
}

/** Tables that want care: those that changed just now first. */
function tablesOf({ unhealthy }: Home, { items }: Advice): readonly AdvisedTable[] {
  return [...new Map([...unhealthy, ...items].map((one) => [fullName(one), one])).values()];
}

/** What wants attention: jobs, tables, what is soon gone. */
export function Care({ home }: { readonly home: Home }) {
  const { failedJobs, dropped } = home;
  const advice = useAdvice(home.advice);
  const [isWhole, setWhole] = useState(false);
  const tables = tablesOf(home, advice);
  const shown = isWhole ? tables : tables.slice(0, FEW);
  const isWell = failedJobs.length + tables.length + dropped.length === 0;
  return (
    <section class="panel" aria-label={STRINGS.needsCare}>
      <h2>{STRINGS.needsCare}</h2>
      {isWell && advice.next === undefined && (
        <p class="marked good">
          <Icon name="good" />
          {STRINGS.allWell}
        </p>
      )}
      <ul class="plain">
        {failedJobs.map(({ id, kind, error }) => (
          <li key={id} class="marked bad">
            <Icon name="warning" />
            <Link to={{ view: "jobs" }}>
              Job {kind} failed: {error?.code}
            </Link>
          </li>
        ))}
        {shown.map((table) => (
          <li key={fullName(table)} class="marked warn">
            <Icon name="warning" />
            <Link to={filesOf(table)}>{fullName(table)}</Link>
            <span class="dim">{findingsText(table.findings)}</span>
          </li>
        ))}
        {shown.length < tables.length && (
          <li>
            <button type="button" onClick={() => setWhole(true)}>
              Show {countText(tables.length)} tables
            </button>
          </li>
        )}
        {dropped.map(({ id, catalog, namespace = [], name, type, purgeAfter }) => (
          <li key={id} class="marked">
            <Icon name="dropped" />
            <Link to={{ view: "dropped" }}>
              {type} {[...(catalog === undefined ? [] : [catalog]), ...namespace, name].join(".")}
            </Link>
            <span class="dim">
              is purged in {spanText(Math.max(0, Date.parse(purgeAfter) - now.value))}
            </span>
          </li>
        ))}
      </ul>
      <Looked advice={advice} />
    </section>
  );
}

/** How many tables were judged, of how many. */
function Looked({ advice }: { readonly advice: Advice }) {
  const { looked, tables, isPartial, next, isGoing, found, items } = advice;
  if (looked === 0 && next === undefined) return null;
  const all = tables === undefined || tables < looked ? undefined : tables;
  const of = all === undefined ? "" : ` of ${countText(all)}${isPartial ? "+" : ""}`;
  return (
    <p class="looked dim">
      {next === undefined
        ? `Judged by their totals: ${looked === 1 ? "1 table" : `all ${countText(looked)} tables`}.`
        : `Looked at ${countText(looked)}${of} tables.`}
      {found > items.length && ` ${countText(found)} want care; the first are shown.`}
      {next !== undefined && all !== undefined && (
        <progress value={looked} max={all} aria-label={STRINGS.looked} />
      )}
      {next !== undefined && !isGoing && (
        <button type="button" onClick={lookAtAll}>
          {STRINGS.lookAtAll}
        </button>
      )}
    </p>
  );
}
