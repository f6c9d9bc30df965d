import { FirnError } from "../../base/error.ts";
import { EXIT } from "../exit-codes.ts";
import { failureOf } from "../failure-text.ts";
import { Pager, pagerOf } from "../pager.ts";
import { openPlace, type Place } from "../place.ts";
import type { Screen } from "../screen.ts";
import type { SettingsContext } from "../setting-options.ts";
import type { Format } from "../show.ts";
import { whereOf } from "../where.ts";
import type { VerbCall } from "./call.ts";
import type { CatalogLine, DailyVerb } from "./catalog-line.ts";
import { runContext } from "./context.ts";
import { nearestName } from "./nearest-name.ts";

/** What a line is run in. */
export interface LineParts {
  readonly settings: SettingsContext;
  readonly screen: Screen;
  readonly stdin: NodeJS.ReadableStream;
}

/** Verbs that ask, or draw by themselves: no pager comes between. */
const UNPAGED: ReadonlySet<string> = new Set(["watch", "audit", "top", "rm", "sql"]);

/**
 * Runs a line that asks the catalog.
 *
 * @returns the exit code: see `exit-codes.ts`.
 */
export async function runCatalogLine(line: CatalogLine, parts: LineParts): Promise<number> {
  const { settings, screen } = parts;
  let place: Place | undefined;
  const [paged, pager] = pagedScreen(line, parts);
  try {
    const format = formatOf(line.values);
    if (line.run === "context") {
      return await runContext(line.words, line.values, { settings, screen, format });
    }
    const where = await whereOf(line.values, settings);
    if (where === undefined) return EXIT.usage;
    place = await openPlace(where, screen);
    const call: VerbCall = {
      words: line.words,
      values: line.values,
      format,
      place,
      screen: paged,
      cwd: settings.cwd,
      stdin: parts.stdin,
    };
    return await runVerb(line.run, call);
  } catch (error) {
    await pager?.end();
    return await toldFailure(error, line, place, screen);
  } finally {
    await pager?.end();
    await place?.close();
  }
}

async function runVerb(
  run:
    | DailyVerb
    | { readonly operation: Parameters<typeof import("./noun-call.ts").callOperation>[0] },
  call: VerbCall,
): Promise<number> {
  if (typeof run === "object") {
    return (await import("./noun-call.ts")).callOperation(run.operation, call);
  }
  return (await import("./daily.ts")).DAILY_VERBS[run](call);
}

function pagedScreen(
  { run, values }: CatalogLine,
  { settings, screen }: LineParts,
): readonly [Screen, Pager | undefined] {
  const command = pagerOf(settings.env);
  const isPaged = screen.isTerminal && values["pager"] !== false && command !== undefined;
  if (!isPaged || (typeof run === "string" && UNPAGED.has(run))) return [screen, undefined];
  const pager = new Pager(screen, { command, rows: screen.rows, env: { ...settings.env } });
  const [print, drained] = [pager.print.bind(pager), pager.drained.bind(pager)];
  return [{ ...screen, print, drained }, pager];
}

/** Says what failed, with the nearest name of what was not found. */
async function toldFailure(
  error: unknown,
  line: CatalogLine,
  place: Place | undefined,
  screen: Screen,
): Promise<number> {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  screen.printError(failure.text);
  if (place !== undefined && failure.code.endsWith("_NOT_FOUND")) {
    const near = await nearestName(place, line.words[0] ?? "").catch(() => undefined);
    if (near !== undefined) screen.printError(`nearest: ${near}\n`);
  }
  return failure.exitCode;
}

/** @throws FirnError `Invalid`, code `FORMAT_INVALID`. */
export function formatOf(values: Readonly<Record<string, unknown>>): Format {
  const { json, jsonFields, ndjson, quiet } = values;
  const forms = [json === true || jsonFields !== undefined, ndjson === true, quiet === true];
  if (forms.filter(Boolean).length > 1 && !(forms[0] && forms[1] && forms[2] !== true)) {
    throw new FirnError("Invalid", "FORMAT_INVALID", "give --json, --ndjson or --quiet alone");
  }
  const fields =
    typeof jsonFields === "string"
      ? jsonFields
          .split(",")
          .map((field) => field.trim())
          .filter((field) => field !== "")
      : undefined;
  if (ndjson === true) return { form: "ndjson", fields };
  if (forms[0] === true) return { form: "json", fields };
  return { form: quiet === true ? "ids" : "text" };
}
