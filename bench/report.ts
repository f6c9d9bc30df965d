import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

const RESULTS = join(import.meta.dirname, "results.jsonl");

/** Rows as text in columns: the first column to the left, numbers to the right. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ");
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join(
    "\n",
  );
}

/** The commit that is measured, `-dirty` where the checkout differs from it. */
export function commitId(): string {
  const git = (...args: readonly string[]): string =>
    spawnSync("git", [...args], { cwd: import.meta.dirname, encoding: "utf8" }).stdout?.trim() ??
    "";
  const id = git("rev-parse", "--short=12", "HEAD");
  if (id === "") return "unknown";
  return git("status", "--porcelain", "--untracked-files=no") === "" ? id : `${id}-dirty`;
}

/** Appends one measurement, with what is needed to judge it later, to `bench/results.jsonl`. */
export function keepResult(name: string, figures: unknown): void {
  const line = {
    at: new Date().toISOString(),
    commit: commitId(),
    bench: name,
    node: process.version,
    cpu: `${cpus().length} x ${cpus()[0]?.model ?? "unknown"}`,
    figures,
  };
  appendFileSync(RESULTS, `${JSON.stringify(line)}\n`);
  console.log(`kept in bench/results.jsonl as ${line.commit}`);
}
