import type { AuditDecision, AuditRecord } from "../../api/audit-operations.ts";
import { OPERATIONS } from "../../api/operations.ts";
import { SystemClock } from "../../runtime/clock.ts";
import { spanMs } from "../../runtime/setting-values.ts";
import { EXIT } from "../exit-codes.ts";
import { paint, plain, type Screen } from "../screen.ts";
import { type Column, showList } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { answerMembers } from "./noun-table.ts";

/** Interval between two looks at a log that has no more. */
const LOOK_MS = 1_000;
const PAGE = 1_000;

interface AuditValues {
  readonly principal?: string;
  readonly operation?: string;
  readonly decision?: AuditDecision;
  readonly object?: string;
  readonly since?: string;
  readonly until?: string;
  readonly follow?: boolean;
  readonly limit?: number;
}

const COLUMNS: readonly Column<AuditRecord>[] = [
  { header: "TIME", value: ({ time }) => time },
  { header: "DECISION", value: ({ decision = "" }) => decision },
  { header: "PRINCIPAL", value: ({ principal = "" }) => principal },
  { header: "OPERATION", value: whatOf },
  { header: "OBJECT", value: objectOf },
  { header: "ADDRESS", value: ({ address = "" }) => address },
  { header: "CODE", value: ({ code, status }) => code ?? String(status ?? "") },
];

/** `firn audit`: entries of the audit log of the server's node, or with `--follow` new ones. */
export async function audit({ values, format, screen, place }: VerbCall): Promise<number> {
  const clock = new SystemClock();
  const asked = values as AuditValues;
  const { limit = Number.POSITIVE_INFINITY, follow = false, principal, operation } = asked;
  const query = {
    ...(principal !== undefined && { principal }),
    ...(operation !== undefined && { operation }),
    ...(asked.decision !== undefined && { decision: asked.decision }),
    ...(asked.object !== undefined && { object: asked.object }),
    ...timeOf("since", asked.since, clock.nowMs()),
    ...timeOf("until", asked.until, clock.nowMs()),
    ...(follow && { follow }),
  };
  const pages = (async function* (): AsyncGenerator<readonly AuditRecord[]> {
    for (let left = limit, pageToken: string | undefined; left > 0; ) {
      const page = pageToken === undefined ? query : { ...query, pageToken };
      const pageSize = Math.min(left, PAGE);
      const answer = await place.client.call("listAudit", { query: { ...page, pageSize } });
      yield answer.items;
      left -= answer.items.length;
      pageToken = answer.nextPageToken;
      if (pageToken === undefined) return;
      if (follow && !answer.hasMore && left > 0) await clock.sleep(LOOK_MS);
    }
  })();
  if (!follow) {
    const listing = {
      columns: COLUMNS,
      pages,
      id: ({ requestId = "" }: AuditRecord) => requestId,
      members: Object.keys(answerMembers(OPERATIONS.listAudit)),
      empty: "no entry of the audit log is like that",
    };
    await showList(listing, format, screen);
    return EXIT.ok;
  }
  for await (const records of pages) {
    for (const record of records) print(record, format.form, screen);
    await screen.drained();
  }
  return EXIT.ok;
}

/** A time as it is given, or a duration before now. */
function timeOf(
  name: "since" | "until",
  given: string | undefined,
  nowMs: number,
): { readonly since?: string; readonly until?: string } {
  if (given === undefined) return {};
  const ms = spanMs(given);
  return { [name]: ms === undefined ? given : new Date(nowMs - ms).toISOString() };
}

function print(record: AuditRecord, form: VerbCall["format"]["form"], screen: Screen): void {
  if (form === "json" || form === "ndjson") {
    screen.print(`${JSON.stringify(record)}\n`);
    return;
  }
  if (form === "ids") {
    screen.print(`${record.requestId ?? ""}\n`);
    return;
  }
  const cells = COLUMNS.map(({ value }) => plain(value(record)));
  if (!screen.isTerminal) {
    screen.print(`${cells.join("\t")}\n`);
    return;
  }
  const [time = "", decision = "", ...rest] = cells;
  const colour = decision === "allowed" ? "green" : "red";
  const head = `${paint(screen, "dim", time.slice(11, 19))}  ${paint(screen, colour, decision)}`;
  screen.print(`${head}  ${rest.filter((cell) => cell !== "").join("  ")}\n`);
}

function whatOf({ operation, missing, mode, reads, writes }: AuditRecord): string {
  if (missing !== undefined) return `${missing} entries are missing`;
  const signed = reads === undefined && writes === undefined;
  return [operation ?? "", mode ?? "", signed ? "" : `${reads ?? 0} reads, ${writes ?? 0} writes`]
    .filter((text) => text !== "")
    .join(" ");
}

function objectOf({ object = {} }: AuditRecord): string {
  return Object.values(object).join(".");
}
