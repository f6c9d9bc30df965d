import type { OperationName } from "../../api/operations.ts";

/** Verbs of every day, each with a function of `daily.ts`. */
export const DAILY = [
  "ls",
  "describe",
  "log",
  "diff",
  "files",
  "stats",
  "check",
  "find",
  "watch",
  "audit",
  "top",
  "rm",
  "mv",
  "tag",
  "branch",
  "rollback",
  "protect",
  "import",
  "sql",
] as const;

export type DailyVerb = (typeof DAILY)[number];

/** A line that asks the catalog, as it was understood. */
export interface CatalogLine {
  readonly run: DailyVerb | "context" | { readonly operation: OperationName };
  /** Words without options, in order. */
  readonly words: readonly string[];
  /** Options, by name in camel case. */
  readonly values: Readonly<Record<string, unknown>>;
}
