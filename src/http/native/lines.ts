import { parseJsonBytes } from "../../base/json.ts";
import type { Check } from "./check.ts";
import type { RequestProblem } from "./problems.ts";

/** Lines of JSON: one value each, parted by line feeds (https://github.com/ndjson/ndjson-spec). */
export const LINES_TYPE = "application/x-ndjson";

/** Problems that one answer names; the lines behind them are not looked at. */
const MAX_PROBLEMS = 64;
const LINE_FEED = 0x0a;

/** The values of all lines; blank ones are left out, and no line at all is one empty object. */
export function parseLines(bytes: Uint8Array | undefined): readonly unknown[] {
  const values: unknown[] = [];
  const all = bytes ?? new Uint8Array();
  for (let from = 0; from < all.length; ) {
    const end = all.indexOf(LINE_FEED, from);
    const line = all.subarray(from, end < 0 ? all.length : end);
    from = end < 0 ? all.length : end + 1;
    if (!isBlank(line)) values.push(parseJsonBytes(line));
  }
  return values.length === 0 ? [{}] : values;
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}

/** What is wrong with the lines: a pointer begins with the number of its line, from 0. */
export function checkLines(check: Check, lines: readonly unknown[]): readonly RequestProblem[] {
  const problems: RequestProblem[] = [];
  for (const [i, line] of lines.entries()) {
    for (const problem of check(line)) {
      problems.push({ ...problem, pointer: `/${i}${problem.pointer ?? ""}` });
    }
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems.slice(0, MAX_PROBLEMS);
}

/** Values as lines. */
export function renderLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
