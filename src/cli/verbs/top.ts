import { FirnError } from "../../base/error.ts";
import { SystemClock } from "../../runtime/clock.ts";
import { EXIT } from "../exit-codes.ts";
import type { Place } from "../place.ts";
import { padEnd, padStart, paint, type Screen } from "../screen.ts";
import type { VerbCall } from "./call.ts";
import { type Figures, readFigures } from "./figures.ts";

const INTERVAL_MS = 2_000;
const CLEAR = "\u001b[H\u001b[J";

/** A row of `firn top`: one route of the server over the last interval. */
interface Row {
  readonly route: string;
  readonly perSecond: number;
  readonly meanMs: number;
  readonly failed: number;
}

/** `firn top`: what a node does now. On a pipe, a line for each route and interval. */
export async function top({ values, screen, place, format }: VerbCall): Promise<number> {
  if (place.reached === "store") {
    const message = "no server runs on this store: start firn serve";
    throw new FirnError("Unavailable", "NOTHING_TO_WATCH", message);
  }
  const { limit = Number.POSITIVE_INFINITY, interval = INTERVAL_MS } = values as {
    readonly limit?: number;
    readonly interval?: number;
  };
  const clock = new SystemClock();
  let before = await figuresOf(place);
  for (let left = limit; left > 0; left--) {
    const startMs = clock.monotonicMs();
    await clock.sleep(interval);
    const now = await figuresOf(place);
    const seconds = (clock.monotonicMs() - startMs) / 1_000;
    const rows = rowsOf(before, now, seconds);
    if (format.form !== "text") screen.print(`${JSON.stringify(summaryOf(now, rows))}\n`);
    else if (screen.isTerminal) screen.print(CLEAR + tableOf(now, rows, screen));
    else {
      const line = (row: Row) =>
        `${row.route}\t${row.perSecond.toFixed(2)}\t${row.meanMs.toFixed(3)}\t${row.failed}\n`;
      screen.print(rows.map(line).join(""));
    }
    await screen.drained();
    before = now;
  }
  return EXIT.ok;
}

async function figuresOf(place: Place): Promise<Figures> {
  const response = await place.fetch(new Request(`${place.url}/metrics`));
  const text = await response.text();
  if (response.ok) return readFigures(text);
  const message = "the server does not tell its figures at /metrics";
  throw new FirnError("Unavailable", "FIGURES_UNREADABLE", message, { status: response.status });
}

const SECONDS = "firn_http_request_duration_seconds";
const REQUESTS = "firn_http_requests_total";

function rowsOf(before: Figures, now: Figures, seconds: number): readonly Row[] {
  const routes = new Map<string, { count: number; sumMs: number; failed: number }>();
  const add = (figures: Figures, sign: number) => {
    for (const { name, labels, value } of figures) {
      const route = `${labels["method"] ?? ""} ${labels["route"] ?? ""}`.trim();
      const row = routes.get(route) ?? { count: 0, sumMs: 0, failed: 0 };
      if (name === `${SECONDS}_count`) row.count += sign * value;
      else if (name === `${SECONDS}_sum`) row.sumMs += sign * value * 1_000;
      else if (name === REQUESTS && /^5/.test(labels["status"] ?? "")) row.failed += sign * value;
      else continue;
      routes.set(route, row);
    }
  };
  add(now, 1);
  add(before, -1);
  return [...routes]
    .filter(([, { count }]) => count > 0)
    .map(([route, { count, sumMs, failed }]) => ({
      route,
      perSecond: count / seconds,
      meanMs: sumMs / count,
      failed,
    }))
    .sort((a, b) => b.perSecond - a.perSecond);
}

/** The sum of a metric over its labels. */
function figureIn(figures: Figures, name: string): number {
  const found = figures.filter((figure) => figure.name === name);
  return found.reduce((sum, { value }) => sum + value, 0);
}

function summaryOf(figures: Figures, rows: readonly Row[]): object {
  return {
    inFlight: figureIn(figures, "firn_http_in_flight"),
    connections: figureIn(figures, "firn_http_connections"),
    routes: rows,
  };
}

function tableOf(figures: Figures, rows: readonly Row[], screen: Screen): string {
  const all = rows.reduce((sum, { perSecond }) => sum + perSecond, 0);
  const head = [
    `${all.toFixed(1)} requests/s`,
    `${figureIn(figures, "firn_http_in_flight")} in flight`,
    `${figureIn(figures, "firn_http_connections")} connections`,
  ].join("   ");
  const width = Math.max(20, screen.columns - 34);
  const line = (cells: readonly [string, string, string, string]) =>
    [
      padEnd(cells[0].slice(0, width), width),
      padStart(cells[1], 9),
      padStart(cells[2], 9),
      padStart(cells[3], 7),
    ].join(" ");
  const header = paint(screen, "dim", line(["ROUTE", "REQ/S", "MEAN MS", "5XX"]));
  const body = rows
    .slice(0, Math.max(1, screen.rows - 4))
    .map(({ route, perSecond, meanMs, failed }) =>
      line([route, perSecond.toFixed(1), meanMs.toFixed(2), String(failed)]),
    );
  return `${[head, "", header, ...body].join("\n")}\n`;
}
