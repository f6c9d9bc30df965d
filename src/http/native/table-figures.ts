import type { TableLine } from "../../api/page-operations.ts";
import type { Found, Summary } from "../../api/resources.ts";
import { FirnError } from "../../base/error.ts";
import { healthOfTotals } from "../../iceberg/table-health.ts";
import type { Actor } from "../../service/actor.ts";
import type { ModelService } from "../../service/resources/service.ts";
import { timeText } from "./times.ts";

/** Tables whose snapshots are read at once. */
export const READS = 16;

/** A part of a page that the actor may not see is left out; the others are shown. */
export async function unlessForbidden<T>(part: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await part;
  } catch (error) {
    if (error instanceof FirnError && error.kind === "Forbidden") return otherwise;
    throw error;
  }
}

/** Something asked of each of a list, of a few at once. */
export async function aFewAtOnce<T, R>(
  list: readonly T[],
  ask: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  for (let from = 0; from < list.length; from += READS) {
    answers.push(...(await Promise.all(list.slice(from, from + READS).map(ask))));
  }
  return answers;
}

/** Those of some tables that want care, by what their totals tell. */
export async function thoseWithFindings<T extends Found>(
  service: ModelService,
  actor: Actor,
  tables: readonly T[],
): Promise<readonly (T & { readonly findings: readonly string[] })[]> {
  const found = await aFewAtOnce(tables, async (one) => {
    const { catalog = "", namespace = [], name } = one;
    const ref = { catalog, namespace, table: name };
    const { findings = [] } = await unlessForbidden(figuresOf(service, actor, ref, {}), {});
    return findings.length === 0 ? [] : [{ ...one, findings }];
  });
  return found.flat();
}

export type Figures = Omit<TableLine, keyof Summary>;

/** A table without a snapshot, or one that has gone since, or whose file is damaged, has none. */
export async function figuresOf(
  service: ModelService,
  actor: Actor,
  ref: Parameters<ModelService["snapshots"]["current"]>[1],
  { format }: Pick<Summary, "format">,
): Promise<Figures> {
  if (format !== undefined && format !== "ICEBERG") return {};
  try {
    const { summary, timestampMs, operation } = await service.snapshots.current(actor, ref);
    const figure = (name: string): string | undefined => {
      const text = summary[name];
      return text !== undefined && /^\d{1,18}$/.test(text) ? text : undefined;
    };
    const [rows, bytes, files] = ["total-records", "total-files-size", "total-data-files"].map(
      figure,
    );
    const findings = await findingsOf(service, actor, ref, summary);
    return {
      ...(findings.length > 0 && { findings }),
      ...(rows !== undefined && { rows }),
      ...(bytes !== undefined && { bytes }),
      ...(files !== undefined && { files }),
      lastCommit: timeText(timestampMs),
      operation,
    };
  } catch (error) {
    if (error instanceof FirnError && ["NotFound", "Invalid", "Corrupt"].includes(error.kind)) {
      return {};
    }
    throw error;
  }
}

/** Below this no table has so many files that a rewrite is worth it. */
const LEAST_FILES = 10;

/** What totals tell of a table; its metadata is read only where it may matter. */
async function findingsOf(
  { snapshots }: ModelService,
  actor: Actor,
  ref: Parameters<ModelService["snapshots"]["metadata"]>[1],
  summary: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const total = (name: string): bigint => {
    const text = summary[`total-${name}`] ?? "";
    return /^\d{1,18}$/.test(text) ? BigInt(text) : 0n;
  };
  const deleted = total("position-deletes") + total("equality-deletes");
  const files = Number(total("data-files"));
  if (files < LEAST_FILES && deleted === 0n) return [];
  const totals = {
    files,
    deleted,
    bytes: total("files-size"),
    rows: total("records"),
    deleteFiles: Number(total("delete-files")),
  };
  return healthOfTotals(totals, await snapshots.metadata(actor, ref));
}
