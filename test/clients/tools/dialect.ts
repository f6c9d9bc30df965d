import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Counts } from "../counts.ts";
import { PythonEnvironment } from "../python.ts";
import { stepsOf } from "./compare.ts";

/*
 * SQLAlchemy's suite for dialects, on both servers: what PostgreSQL passes, Firn passes. Its tests
 * come with the package; what they require of PostgreSQL is in its sources alone.
 */

/** SQLAlchemy's suite for dialects, which judges itself. */
export const DIALECT = "dialect";
const HERE = join(import.meta.dirname, "dialect");
const VERSION = "2.0.58";
const TARGET = join(HERE, "target");
const ARCHIVE = join(TARGET, `sqlalchemy-${VERSION}.tar.gz`);
const ARCHIVE_SHA256 = "2acdcec9836b7c1514a9ad426e7731669a1186d96481a2e82c50bf2aebb49061";
const UNPACKED = join(TARGET, `sqlalchemy-${VERSION}`);
const ENVIRONMENT = new PythonEnvironment(join(HERE, ".venv"), join(HERE, "requirements.txt"));
const LIMIT_MS = 600_000;

/** PostgreSQL passes more: a suite that runs nothing finds nothing. */
const AT_LEAST = { whole: 1_500, short: 850 };
/** Half of the suite: many tables reflected by one call, in all combinations of what to tell. */
const COMBINATIONS = "test_get_multi_";
/** Of what PostgreSQL passes. */
const LEAST_SHARE = 0.95;

/** Tests that PostgreSQL passes and Firn does not, and why. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  [
    "ComponentReflectionTest::test_column_collation_reflection",
    "a column does not keep its COLLATE: every text sorts by its bytes",
  ],
]);

interface Became {
  readonly outcome: "passed" | "failed" | "skipped";
  readonly why?: string;
}

type Outcomes = ReadonlyMap<string, Became>;

/** Installs the suite. @throws Error where that fails. */
export async function prepareDialect(basePython: string): Promise<void> {
  await ENVIRONMENT.prepare(basePython);
  if (!existsSync(ARCHIVE)) {
    console.log(`fetching the sources of SQLAlchemy ${VERSION}`);
    const what = ["--no-deps", "--no-binary", "SQLAlchemy", `SQLAlchemy==${VERSION}`];
    if (!ENVIRONMENT.pip("download", ...what, "-d", TARGET)) throw new Error("no sources");
  }
  const found = createHash("sha256")
    .update(await readFile(ARCHIVE))
    .digest("hex");
  if (found !== ARCHIVE_SHA256) throw new Error(`${ARCHIVE} is not the release: ${found}`);
  if (!ENVIRONMENT.run("-m", "tarfile", "-e", ARCHIVE, TARGET)) throw new Error("no archive");
  await cp(join(UNPACKED, "test", "requirements.py"), join(TARGET, "theirs.py"));
}

/** What became of each test on one server. */
async function runSuite(
  env: Readonly<Record<string, string>>,
  isWhole: boolean,
): Promise<Outcomes> {
  const flags = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:logging", "--color=no"];
  const selected = isWhole ? [] : ["-k", `not ${COMBINATIONS}`];
  const args = [
    "-m",
    "pytest",
    ...flags,
    ...selected,
    "--tb=short",
    "--maxfail=100000",
    "test_suite.py",
  ];
  const child = spawn(ENVIRONMENT.python, args, {
    cwd: HERE,
    env: { ...process.env, ...env, PYTHONPATH: TARGET, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: LIMIT_MS,
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(child, "close");
  const became = new Map<string, Became>();
  for (const [test, { told }] of stepsOf(output)) became.set(test, told as Became);
  if (became.size === 0) console.log(output.slice(-2_000));
  return became;
}

/** Runs the suite on both servers, and counts what Firn passes of what PostgreSQL does. */
export async function runDialect(
  postgres: Readonly<Record<string, string>>,
  firn: Readonly<Record<string, string>>,
  isWhole: boolean,
): Promise<Counts> {
  const [expected, actual] = await Promise.all([
    runSuite(postgres, isWhole),
    runSuite(firn, isWhole),
  ]);
  return judge(expected, actual, isWhole ? AT_LEAST.whole : AT_LEAST.short);
}

function judge(expected: Outcomes, actual: Outcomes, least: number): Counts {
  const wanted = [...expected].filter(([, { outcome }]) => outcome === "passed");
  // A class of tests that requires what the server refuses tells nothing.
  const absent = actual.get("not run") ?? { outcome: "failed", why: "it did not run" };
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  const wrong = (why: string): void => {
    failed += 1;
    console.log(`  not ok ${why}`);
  };
  for (const [test] of wanted) {
    const { outcome, why } = actual.get(test) ?? absent;
    const known = KNOWN.get(test);
    if (outcome === "passed") passed += 1;
    if (outcome === "passed" && known !== undefined) wrong(`${test}: known to fail, but passes`);
    else if (outcome === "failed" && known === undefined) wrong(`${test}: ${why}`);
    else if (outcome !== "passed") {
      skipped += 1;
      console.log(`  skip: ${test}: ${known ?? why}`);
    }
  }
  const share = passed / wanted.length;
  console.log(`  ${passed} of the ${wanted.length} tests that PostgreSQL passes`);
  if (wanted.length < least) wrong(`PostgreSQL passes ${wanted.length}, not ${least}`);
  if (!(share >= LEAST_SHARE)) wrong(`less than ${LEAST_SHARE * 100} %`);
  return { passed, failed, skipped };
}
