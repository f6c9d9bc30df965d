import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Part } from "./parts.ts";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** What came of a part. */
export interface Outcome {
  readonly name: string;
  readonly command: readonly string[];
  readonly seconds: number;
  /** Of the processor, as far as its processes were waited for. */
  readonly cpuSeconds: number;
  readonly counts: Counts;
  /** What its counts do not say. */
  readonly why: string;
  /** All that it printed, in its order. */
  readonly log: string;
}

const GRACE_MS = 10_000;
const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };
const ONE_PASSED: Counts = { ...NONE, passed: 1 };
const ONE_FAILED: Counts = { ...NONE, failed: 1 };
const ONE_SKIPPED: Counts = { ...NONE, skipped: 1 };

/** Runs `$@`, its processor time in the file `$0`. What waits gives way to what computes. */
const TIMED = `TIMEFORMAT="%U %S"; { time "$@" 2>&3; } 3>&2 2>"$0"`;

/** What a part comes to, by its exit code and its log. */
export function judge(
  part: Pick<Part, "counts">,
  exitCode: number,
  log: string,
): Pick<Outcome, "counts" | "why"> {
  const failed = exitCode !== 0;
  if (part.counts === "none") return { counts: NONE, why: failed ? "not ready" : "ready" };
  if (part.counts === "one") return { counts: failed ? ONE_FAILED : ONE_PASSED, why: "" };
  const line = [...log.matchAll(/^(\d+) passed, (\d+) failed, (\d+) skipped$/gm)].at(-1);
  if (line === undefined)
    return { counts: ONE_FAILED, why: `no plain line, exit code ${exitCode}` };
  const counts = { passed: Number(line[1]), failed: Number(line[2]), skipped: Number(line[3]) };
  // Red without a red test: the part itself broke.
  if (!failed || counts.failed > 0) return { counts, why: "" };
  return { counts: { ...counts, failed: 1 }, why: `exit code ${exitCode}` };
}

/** Runs parts, each with a log of its own. */
export class PartRunner {
  readonly #cwd: string;
  readonly #logs = mkdtempSync(join(tmpdir(), "firn-ci-"));
  readonly #running = new Set<ChildProcess>();

  readonly #limitMs: number;

  /** @param limitSeconds ends a part that takes longer. */
  constructor(cwd: string, limitSeconds: number) {
    this.#cwd = cwd;
    this.#limitMs = limitSeconds * 1_000;
  }

  async run(part: Part): Promise<Outcome> {
    const { name, command, needs = [] } = part;
    const lacks = needs.find(([program = "", ...args]) => spawnSync(program, args).status !== 0);
    if (lacks !== undefined) {
      const why = `${lacks.join(" ")} does not answer`;
      return { name, command, seconds: 0, cpuSeconds: 0, counts: ONE_SKIPPED, why, log: "" };
    }
    const startedMs = performance.now();
    const [log, times] = [join(this.#logs, name), join(this.#logs, `${name}.times`)];
    const exitCode = await this.#spawned(part, log, times);
    const text = readFileSync(log, "utf8");
    const seconds = (performance.now() - startedMs) / 1_000;
    const cpuSeconds = readFileSync(times, "utf8")
      .split(/\s+/)
      .reduce((sum, text) => sum + (Number(text) || 0), 0);
    return { name, command, seconds, cpuSeconds, log: text, ...judge(part, exitCode, text) };
  }

  async #spawned({ command, stream }: Part, log: string, times: string): Promise<number> {
    const file = openSync(log, "w");
    const nice = stream === "waits" ? ["nice", "-n", "5"] : [];
    try {
      const child = spawn("bash", ["-c", TIMED, times, ...nice, ...command], {
        cwd: this.#cwd,
        stdio: ["ignore", file, file],
        detached: true,
      });
      this.#running.add(child);
      const late = setTimeout(() => signal(child, "SIGTERM"), this.#limitMs);
      const tooLate = setTimeout(() => signal(child, "SIGKILL"), this.#limitMs + GRACE_MS);
      const [code] = (await once(child, "close")) as [number | null];
      for (const timer of [late, tooLate]) clearTimeout(timer);
      this.#running.delete(child);
      return code ?? 1;
    } finally {
      closeSync(file);
    }
  }

  /** Ends what runs, and removes the logs. */
  end(): void {
    for (const child of this.#running) signal(child, "SIGTERM");
    rmSync(this.#logs, { recursive: true, force: true });
  }
}

/** To the whole group of a child's processes. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has ended just now.
  }
}

/** Shows each part whole when it ends, then all of them in short, and what is red once more. */
export class Report {
  readonly #print: (text: string) => void;
  readonly #outcomes: Outcome[] = [];
  readonly #startedMs = performance.now();

  constructor(print: (text: string) => void) {
    this.#print = print;
  }

  get failed(): number {
    return this.#sum(({ counts }) => counts.failed);
  }

  begin({ name }: Pick<Part, "name">): void {
    this.#print(`\n... ${name} begins\n`);
  }

  add(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    const { name, command, log, why } = outcome;
    this.#print(`\n=== ${name}: ${command.join(" ")}\n${log}`);
    if (outcome.counts === ONE_SKIPPED) this.#print(`skipped: ${why}\n`);
  }

  /** The sum is the last line. */
  close(): void {
    this.#print(`\n=== summary\n${this.#outcomes.map(summary).join("\n")}\n`);
    const cpu = this.#sum(({ cpuSeconds }) => cpuSeconds);
    const seconds = (performance.now() - this.#startedMs) / 1_000;
    this.#print(`${"all".padEnd(12)} ${column(seconds)} s ${column(cpu)} s\n`);
    for (const outcome of this.#outcomes) {
      if (outcome.counts.failed > 0) this.#print(shownRed(outcome));
    }
    const passed = this.#sum(({ counts }) => counts.passed);
    const skipped = this.#sum(({ counts }) => counts.skipped);
    this.#print(`\n${passed} passed, ${this.failed} failed, ${skipped} skipped\n`);
  }

  #sum(of: (outcome: Outcome) => number): number {
    return this.#outcomes.reduce((sum, outcome) => sum + of(outcome), 0);
  }
}

function column(seconds: number): string {
  return seconds.toFixed(0).padStart(5);
}

/** By the clock, of the processor, counted. */
function summary({ name, seconds, cpuSeconds, counts, why }: Outcome): string {
  const { passed, failed, skipped } = counts;
  const line =
    passed + failed + skipped === 0
      ? []
      : [`${passed} passed, ${failed} failed, ${skipped} skipped`];
  const said = [...line, ...(why === "" ? [] : [why])].join(", ");
  return `${name.padEnd(12)} ${column(seconds)} s ${column(cpuSeconds)} s cpu  ${said}`;
}

const RED = /^ *(?:FAIL|FAILED|×|✗|survived|stale|wrong|missing|.*Error:)/;

/** Whoever reads only the end of a long log finds here what was wrong. */
function shownRed({ name, log }: Outcome): string {
  const lines = log.trimEnd().split("\n");
  const red = lines.filter((line) => RED.test(line)).slice(0, 30);
  return `\n=== red: ${[name, ...red, "...", ...lines.slice(-30)].join("\n")}\n`;
}
