import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "./server-process.ts";

const HERE = import.meta.dirname;
const VENV = join(HERE, ".venv");
const REQUIREMENTS = join(HERE, "requirements.txt");
/** Written last, so that a half-made environment is made anew. */
const STAMP = join(VENV, "requirements.sha256");
const PYTHON = join(VENV, "bin", "python");

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

function finish({ passed, failed, skipped }: Counts): void {
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed > 0 || passed + skipped === 0 ? 1 : 0;
}

/** Runs a command in the foreground, its output shown. */
function run(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] }).status === 0;
}

/** The first Python 3.10 or newer that can make virtual environments. */
function findPython(): string | undefined {
  const test = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
  return ["python3", "python3.13", "python3.12", "python3.11", "python3.10"].find(
    (name) => spawnSync(name, ["-c", test], { stdio: "ignore" }).status === 0,
  );
}

async function readStamp(): Promise<string> {
  try {
    return await readFile(STAMP, "utf8");
  } catch {
    return "";
  }
}

/** Makes the virtual environment, unless it already holds what `requirements.txt` asks for. */
async function prepare(python: string): Promise<void> {
  const text = await readFile(REQUIREMENTS, "utf8");
  const wanted = createHash("sha256").update(text).digest("hex");
  if ((await readStamp()) === wanted) return;
  console.log(`installing into test/clients/.venv: ${text.trim().split("\n").join(", ")}`);
  await rm(VENV, { recursive: true, force: true });
  const quiet = ["-q", "--disable-pip-version-check"];
  const done =
    run(python, ["-m", "venv", VENV]) &&
    run(PYTHON, ["-m", "pip", "install", ...quiet, "-r", REQUIREMENTS]);
  if (!done) throw new Error("the Python environment cannot be made");
  await writeFile(STAMP, wanted);
}

/** The counts of pytest's closing line; errors of fixtures count as failures. */
function countsOf(output: string): Counts | undefined {
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

/** Runs pytest against a URL, its output shown while it comes. */
async function pytest(url: string, args: readonly string[]): Promise<Counts> {
  const child = spawn(PYTHON, ["-m", "pytest", "-q", "--color=no", ...args], {
    cwd: join(HERE, "pyiceberg"),
    env: { ...process.env, FIRN_TEST_URL: url, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const [exitCode] = await once(child, "close");
  const counts = countsOf(output);
  if (counts === undefined) return { passed: 0, failed: 1, skipped: 0 };
  // A red exit without a red test is an internal error, or no test at all.
  const silent = exitCode !== 0 && counts.failed === 0;
  return silent ? { ...counts, failed: 1 } : counts;
}

/** Against a server of this checkout, or the one that FIRN_TEST_URL names. */
async function main(args: readonly string[]): Promise<void> {
  const python = findPython();
  if (python === undefined) {
    console.log("PyIceberg is not tried: no Python 3.10 or newer with venv (apt: python3-venv)");
    const inCi = process.env["CI"] === "true";
    return finish(
      inCi ? { passed: 0, failed: 1, skipped: 0 } : { passed: 0, failed: 0, skipped: 1 },
    );
  }
  await prepare(python);
  const given = process.env["FIRN_TEST_URL"];
  if (given !== undefined) return finish(await pytest(given, args));
  const directory = await mkdtemp(join(tmpdir(), "firn-clients-"));
  const server = await startServer(directory, ["--log-level", "warn"]);
  try {
    console.log(`serving at ${server.url} from ${directory}`);
    finish(await pytest(`${server.url}/iceberg`, args));
  } finally {
    const exitCode = await server.stop();
    if (exitCode !== 0) {
      console.log(`the server ended with exit code ${exitCode}`);
      process.exitCode = 1;
    }
    await rm(directory, { recursive: true, force: true });
  }
}

await main(process.argv.slice(2));
