import type { Change } from "../../api/resources.ts";
import { FirnError } from "../../base/error.ts";
import { SystemClock } from "../../runtime/clock.ts";
import { spanMs } from "../../runtime/setting-values.ts";
import { EXIT } from "../exit-codes.ts";
import { paint, plain, type Screen } from "../screen.ts";
import type { VerbCall } from "./call.ts";
import { resourceOf } from "./target.ts";

/** Interval between two looks at a feed that has no more. */
const LOOK_MS = 1_000;
const PAGE = 1_000;

/**
 * `firn watch [NAME]`: follows the change feed, of everything or of one resource. Each change is
 * told once, though the feed may deliver it again.
 */
export async function watch({ words, values, format, screen, place }: VerbCall): Promise<number> {
  const { client } = place;
  if (place.reached === "store") {
    const message = "no server runs on this store, so nothing changes it: start firn serve";
    throw new FirnError("Unavailable", "NOTHING_TO_WATCH", message);
  }
  const [name] = words;
  const id = name === undefined ? undefined : (await resourceOf(place, name)).id;
  const { since, limit = Number.POSITIVE_INFINITY } = values as {
    readonly since?: string;
    readonly limit?: number;
  };
  const clock = new SystemClock();
  const begin = since === undefined ? {} : { since: sinceText(since, clock.nowMs()) };
  const seen = new Set<string>();
  let after: string | undefined;
  for (let left = limit; left > 0; ) {
    const from = after === undefined ? begin : { after };
    const page = await client.call("listChanges", { query: { ...from, pageSize: PAGE } });
    for (const change of page.items) {
      const isOurs = id === undefined || change.entities.some((entity) => entity.id === id);
      if (!isOurs || seen.has(change.id) || left === 0) continue;
      remember(seen, change.id);
      print(change, format.form, screen);
      left--;
    }
    await screen.drained();
    after = page.cursor;
    if (left > 0 && !page.hasMore) {
      if (values["follow"] === false) return EXIT.ok;
      await clock.sleep(LOOK_MS);
    }
  }
  return EXIT.ok;
}

/** A time as it is given, or a duration before now. */
function sinceText(since: string, nowMs: number): string {
  const ms = spanMs(since);
  return ms === undefined ? since : new Date(nowMs - ms).toISOString();
}

/** Changes whose repetition is recognised; older ones are not delivered again. */
const MOST = 10_000;

function remember(seen: Set<string>, id: string): void {
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > MOST && oldest !== undefined) seen.delete(oldest);
}

function print(change: Change, form: VerbCall["format"]["form"], screen: Screen): void {
  if (form === "json" || form === "ndjson") {
    screen.print(`${JSON.stringify(change)}\n`);
    return;
  }
  if (form === "ids") {
    screen.print(`${change.id}\n`);
    return;
  }
  const entities = change.entities.map(({ type, id, versionTo, deleted }) => {
    const what = deleted ? "gone" : `v${versionTo}`;
    return `${type} ${id} ${what}`;
  });
  const cells = [change.time, change.operation, change.principal, entities.join(", ")].map(plain);
  if (!screen.isTerminal) screen.print(`${cells.join("\t")}\n`);
  else {
    const [time = "", operation = "", principal = "", what = ""] = cells;
    const head = paint(screen, "dim", time.slice(11, 19));
    screen.print(`${head}  ${paint(screen, "cyan", operation)}  ${principal}  ${what}\n`);
  }
}
