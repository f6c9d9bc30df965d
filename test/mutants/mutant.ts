/** One seeded bug: a patch of the source, and what should see it. */
export interface Mutant {
  readonly name: string;
  /** What is broken. */
  readonly what: string;
  /** Run in this order until one sees it. */
  readonly runs: readonly Run[];
  readonly patch: string;
}

interface Run {
  readonly program: "vitest" | "sim" | "faults";
  readonly args: readonly string[];
}

export type Verdict =
  /** `by`: the first assertion that failed. */
  | { readonly state: "caught"; readonly by: string }
  | { readonly state: "survived" }
  /** The source has moved on: the patch has to be made anew. */
  | { readonly state: "stale"; readonly why: string }
  /** Red, but not because anything was noticed. */
  | { readonly state: "wrong"; readonly why: string };

/**
 * Reads a patch whose first line says what is broken, and whose lines `run: PROGRAM ARGUMENTS` say
 * what should see it.
 *
 * @throws Error where either is missing.
 */
export function parseMutant(file: string, text: string): Mutant {
  const name = file.replace(/\.patch$/, "");
  const start = text.indexOf("--- a/");
  const [what = "", ...lines] = text.slice(0, Math.max(0, start)).split("\n");
  const runs = lines
    .filter((line) => line.startsWith("run: "))
    .map((line): Run => {
      const [program, ...args] = line.slice("run: ".length).split(" ");
      if (isProgram(program)) return { program, args };
      throw new Error(`${name}: nothing runs ${program}`);
    });
  if (what === "" || runs.length === 0) throw new Error(`${name}: no header`);
  return { name, what, runs, patch: text.slice(start) };
}

function isProgram(name: string | undefined): name is Run["program"] {
  return name === "vitest" || name === "sim" || name === "faults";
}

/** Errors that say that the copy is broken rather than that a bug was noticed. */
const BROKEN = /SyntaxError|ReferenceError|ERR_MODULE_NOT_FOUND|Failed to load|Cannot find module/;

/** Behind the project that it is of. */
const RED_TEST = /^FAIL\s+(?:\|?\w+\|?\s+)?(\S+\.(?:test|over|machine|sizes)\.ts > )/;

/** What a run came to, by its exit code and what it printed. */
export function verdictOf(program: Run["program"], code: number, output: string): Verdict {
  if (code === 0) return { state: "survived" };
  const lines = output.split("\n").map((line) => line.trim());
  const broken = lines.find((line) => BROKEN.test(line));
  if (broken !== undefined) return { state: "wrong", why: broken };
  if (program === "sim") {
    const seed = lines.find((line) => line.startsWith("FAILED seed"))?.replace(/:.*/, "");
    const said = lines.find((line) => line.startsWith("Violation:"));
    if (seed === undefined || said === undefined) return { state: "wrong", why: tailOf(lines) };
    return { state: "caught", by: `${seed.replace("FAILED ", "sim ")}: ${said}` };
  }
  if (program === "faults") {
    const at = lines.findIndex((line) => /^FAILED .*: /.test(line));
    // Behind it, how it is repeated; then what was wrong.
    const said = lines[at + 2];
    if (at < 0 || said === undefined || /^\w*Error\b/.test(said)) {
      return { state: "wrong", why: tailOf(lines) };
    }
    return { state: "caught", by: `${lines[at]?.replace("FAILED", "faults")}: ${said}` };
  }
  const test = lines.find((line) => RED_TEST.test(line));
  const at = test === undefined ? -1 : lines.indexOf(test);
  const said = lines.slice(at + 1).find((line) => /^\w*(?:Error|Violation)\b/.test(line));
  if (test === undefined) return { state: "wrong", why: tailOf(lines) };
  return { state: "caught", by: `${test.replace(RED_TEST, "$1")}: ${said ?? "failed"}` };
}

function tailOf(lines: readonly string[]): string {
  return lines
    .filter((line) => line !== "")
    .slice(-3)
    .join(" | ");
}
