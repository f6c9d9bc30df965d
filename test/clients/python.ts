import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Counts, ONE_FAILED } from "./counts.ts";

/** Runs a command in the foreground, its output shown. */
function run(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] }).status === 0;
}

/** The first Python 3.10 or newer that can make virtual environments. */
export function findPython(): string | undefined {
  const test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
  return ["python3", "python3.13", "python3.12", "python3.11", "python3.10"].find(
    (name) => spawnSync(name, ["-c", test], { stdio: "ignore" }).status === 0,
  );
}

async function readStamp(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return "";
  }
}

/** A virtual environment with the packages that a file lists. */
export class PythonEnvironment {
  readonly #directory: string;
  readonly #requirements: string;

  /** `directory` is the environment's own: it is removed when the list changes. */
  constructor(directory: string, requirements: string) {
    this.#directory = directory;
    this.#requirements = requirements;
  }

  get python(): string {
    return join(this.#directory, "bin", "python");
  }

  /** Makes the environment, unless it already holds what the list asks for. */
  async prepare(basePython: string): Promise<void> {
    const text = await readFile(this.#requirements, "utf8");
    const wanted = createHash("sha256").update(text).digest("hex");
    // Written last, so that a half-made environment is made anew.
    const stamp = join(this.#directory, "requirements.sha256");
    if ((await readStamp(stamp)) === wanted) return;
    const shown = relative(process.cwd(), this.#directory);
    console.log(`installing into ${shown}: ${text.trim().split("\n").join(", ")}`);
    await rm(this.#directory, { recursive: true, force: true });
    const made =
      run(basePython, ["-m", "venv", this.#directory]) &&
      this.pip("install", "-r", this.#requirements);
    if (!made) throw new Error("the Python environment cannot be made");
    await writeFile(stamp, wanted);
  }

  /** Whether the interpreter succeeded; its output is shown. */
  run(...args: readonly string[]): boolean {
    return run(this.python, args);
  }

  /** Whether a pip command succeeded; its complaints are shown. */
  pip(command: string, ...args: readonly string[]): boolean {
    return this.run("-m", "pip", command, "-q", "--disable-pip-version-check", ...args);
  }

  /** Runs pytest in a directory, its output shown while it comes. */
  async pytest(
    cwd: string,
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<Counts> {
    const child = spawn(this.python, ["-m", "pytest", "-q", "--color=no", ...args], {
      cwd,
      env: {
        ...process.env,
        ...env,
        // What runs this, for tests that run scripts of the checkout with it.
        FIRN_TEST_NODE: process.execPath,
        PYTHONDONTWRITEBYTECODE: "1",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      process.stdout.write(text);
    });
    const [exitCode] = await once(child, "close");
    const counts = countsOf(output);
    if (counts === undefined) return ONE_FAILED;
    // A red exit without a red test is an internal error, or no test at all.
    const silent = exitCode !== 0 && counts.failed === 0;
    return silent ? { ...counts, failed: 1 } : counts;
  }
}

/** The counts of pytest's closing line; errors of fixtures count as failures. */
export function countsOf(output: string): Counts | undefined {
  const closing = output
    .trimEnd()
    .split("\n")
    .findLast((line) => / in [\d.]+s\b/.test(line));
  if (closing === undefined) return undefined;
  const count = (word: string): number =>
    Number(new RegExp(String.raw`(\d+) ${word}\b`).exec(closing)?.[1] ?? 0);
  return {
    passed: count("passed"),
    failed: count("failed") + count("errors?") + count("xpassed"),
    skipped: count("skipped") + count("xfailed"),
  };
}
