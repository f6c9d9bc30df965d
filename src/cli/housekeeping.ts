import { FirnError } from "../base/error.ts";
import { ApiError } from "../client/client.ts";
import type { Housekeeping } from "../http/admin/housekeeping.ts";
import { SystemClock } from "../runtime/clock.ts";
import type { Settings } from "../runtime/settings.ts";
import type { BesideReport, BesideRequest } from "../service/backup/beside.ts";
import type { BackupRequest } from "../service/backup/store.ts";
import type { JobInfo } from "../service/jobs-admin.ts";
import { failureOf } from "./failure-text.ts";
import {
  droppedRow,
  jobRow,
  placeOf,
  plain,
  printJob,
  printPages,
  timeText,
} from "./housekeeping-text.ts";
import type { Output } from "./output.ts";
import { openOwnerPlace, printOwnerFailure } from "./owner-place.ts";
import { openPlace } from "./place.ts";
import type { ServerAt } from "./server-at.ts";
import { UrlHousekeeping } from "./url-housekeeping.ts";
import type { Where } from "./where.ts";

/** A server that is asked by its native API. */
export type UrlAt = Extract<Where, { readonly kind: "url" }>;

/** A line of `firn dropped`, `firn undrop`, `firn backup` …, as it was understood. */
export type HousekeepingCommand = {
  readonly at: ServerAt | Settings | UrlAt;
  readonly json: boolean;
} & (
  | { readonly command: "dropped" | "jobs list" }
  /** `target`: an id or a name. `name`: the new one. */
  | { readonly command: "undrop"; readonly target: string; readonly name: string | undefined }
  | { readonly command: "jobs show" | "jobs retry" | "jobs cancel"; readonly id: string }
  /** `uri`: absolute, as the server is to read it. */
  | { readonly command: "backup"; readonly request: BackupRequest }
  /** Beside what is there. */
  | { readonly command: "restore"; readonly request: BesideRequest }
);

const USAGE = 2;
/** Interval between two looks at a job that a server runs, and how long it is followed. */
const LOOK_MS = 200;
const FOLLOW_MS = 60_000;

/** A catalog that a line asks. */
interface Place {
  readonly catalog: Housekeeping;
  /** Where this process is to run a job, since no server does. */
  readonly runJob?: (id: string) => Promise<JobInfo | undefined>;
  readonly close: () => Promise<void>;
}

/**
 * Asks a server, or opens the store that no server owns.
 *
 * @returns the exit code: 1 where something is missing, refused or failed; 2 where the line makes
 *   no sense.
 */
export async function housekeeping(line: HousekeepingCommand, output: Output): Promise<number> {
  try {
    const place = await placeAt(line.at, output);
    try {
      return await run(line, place, output);
    } finally {
      await place.close();
    }
  } catch (error) {
    if (error instanceof ApiError) {
      const failure = failureOf(error);
      if (failure === undefined) throw error;
      output.printError(failure.text);
      return failure.exitCode;
    }
    if (!(error instanceof FirnError)) throw error;
    printOwnerFailure(error, output);
    return error.code === "OPERATOR_URL_INVALID" ? USAGE : 1;
  }
}

async function placeAt(at: HousekeepingCommand["at"], output: Output): Promise<Place> {
  if ("url" in at) {
    const { client, close } = await openPlace(at, output);
    return { catalog: new UrlHousekeeping(client), close };
  }
  const { housekeeping: catalog, ...place } = await openOwnerPlace(at, output);
  return { catalog, ...place };
}

async function run(line: HousekeepingCommand, place: Place, output: Output): Promise<number> {
  const { catalog } = place;
  switch (line.command) {
    case "dropped":
      return printPages((after) => catalog.dropped({ ...(after && { after }) }), {
        header: ["ID", "TYPE", "NAME", "PURGE AFTER", "FILES"],
        row: droppedRow,
        json: line.json,
        output,
      });
    case "undrop": {
      const back = await catalog.undrop(line.target, line.name);
      if (line.json) output.print(`${JSON.stringify(back)}\n`);
      else output.print(`restored ${back.type} ${placeOf(back)} (${back.id})\n`);
      return 0;
    }
    case "backup": {
      const report = await catalog.backup(line.request);
      const { id, accounts, pointers, payloads, copied, copiedBytes } = report;
      if (line.json) output.print(`${JSON.stringify(report)}\n`);
      else {
        output.print(
          `backup ${id}: ${accounts.length} account${accounts.length === 1 ? "" : "s"}, ` +
            `${pointers} pointers, ${payloads} payloads, ${copied} of them copied ` +
            `(${copiedBytes} bytes); read back and verified\n`,
        );
      }
      return 0;
    }
    case "restore": {
      const report = await catalog.restore(line.request);
      if (line.json) output.print(`${JSON.stringify(report)}\n`);
      else printRestored(report, output);
      return report.leftOut.length === 0 ? 0 : 1;
    }
    case "jobs list":
      return printPages((after) => catalog.jobs({ ...(after && { after }) }), {
        header: ["ID", "KIND", "STATE", "NEXT TRY", "TRIES", "ERROR"],
        row: jobRow,
        json: line.json,
        output,
      });
    case "jobs show":
      printJob(await catalog.job(line.id), line.json, output);
      return 0;
    case "jobs retry":
      return retry(line.id, line.json, place, output);
    case "jobs cancel": {
      const asked = await catalog.cancelJob(line.id);
      const found = place.runJob === undefined ? asked : await place.runJob(line.id);
      printJob(found ?? asked, line.json, output);
      return 0;
    }
  }
}

function printRestored(report: BesideReport, { print, printError }: Output): void {
  const { id, atMs, catalog, namespaces, tables, views, statistics, constraints } = report;
  for (const { type, name, code } of report.leftOut) {
    printError(`firn: left out ${type} ${plain(name)} [${code}]\n`);
  }
  print(
    `restored backup ${id} as of ${timeText(atMs)} as catalog ${plain(catalog)}: ` +
      `${namespaces} namespaces, ${tables} tables, ${views} views, ${statistics} statistics, ` +
      `${constraints} constraints\n`,
  );
}

async function retry(id: string, json: boolean, place: Place, output: Output): Promise<number> {
  const { catalog, runJob } = place;
  const asked = await catalog.retryJob(id);
  const found = runJob === undefined ? await followed(asked, catalog) : await runJob(id);
  if (found === undefined) {
    output.print(json ? `${JSON.stringify({ id, state: "done" })}\n` : `done ${id}\n`);
    return 0;
  }
  printJob(found, json, output);
  return found.state === "failed" || found.error !== undefined ? 1 : 0;
}

/** As the job stands when its run has ended, or after a while; undefined where it is over. */
async function followed(asked: JobInfo, catalog: Housekeeping): Promise<JobInfo | undefined> {
  const clock = new SystemClock();
  for (let job = asked, waitedMs = 0; ; waitedMs += LOOK_MS) {
    const ended = job.state === "failed" || job.state === "over";
    if (ended || waitedMs >= FOLLOW_MS) return job;
    await clock.sleep(LOOK_MS);
    try {
      job = await catalog.job(asked.id);
    } catch (error) {
      if (error instanceof FirnError && error.code === "JOB_NOT_FOUND") return undefined;
      throw error;
    }
  }
}
