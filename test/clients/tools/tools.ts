import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { findPython, PythonEnvironment } from "../python.ts";
import { type Build, build, lacking } from "../sql/builds.ts";
import { DIALECT, prepareDialect } from "./dialect.ts";

const HERE = import.meta.dirname;
const NODE = join(HERE, "node");
const JAVA = join(HERE, "java");
const CLASSES = join(JAVA, "target");
/** The wildcard names every archive of the folder. */
const CLASS_PATH = `${CLASSES}:${join(CLASSES, "*")}`;
const JAVA_SOURCES = ["Transcript", "HibernateSession", "FlywaySession", "JooqSession"].map(
  (name) => `${name}.java`,
);

/** The sessions of tools that are libraries of Java. */
const JAVA_TOOLS: Build = {
  name: "java-tools",
  sources: ["pom.xml", ...JAVA_SOURCES].map((file) => join(JAVA, file)),
  tools: [
    ["mvn", "-version", 3],
    ["javac", "-version", 17],
    ["java", "-version", 17],
  ],
  steps: [
    {
      cwd: JAVA,
      command: "mvn",
      args: ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${CLASSES}`],
    },
    { cwd: JAVA, command: "javac", args: ["-cp", CLASS_PATH, "-d", CLASSES, ...JAVA_SOURCES] },
  ],
  // A short run is over before the second compiler is worth its work.
  command: ["java", "-XX:TieredStopAtLevel=1", "-cp", CLASS_PATH],
};
/** A session hangs that takes longer, on a slow machine too. */
const LIMIT_MS = 600_000;

/** Tools over PostgreSQL's protocol: a session of each runs on both servers. */
export interface Tool {
  /** Of the tool, and of the database that its session has for itself. */
  readonly name: string;
  readonly language: keyof Runtimes;
  /** In the folder of its language; of Java, a class. */
  readonly file: string;
  /** A statement that the tool cannot do without; it is skipped where the server refuses it. */
  readonly needs?: string;
  /** Other databases that its session uses. */
  readonly databases?: readonly string[];
}

const ADVISORY = "SELECT pg_advisory_xact_lock(1)";

export const TOOLS: readonly Tool[] = [
  { name: "sqlalchemy", language: "python", file: "sqlalchemy_session.py" },
  { name: "alembic", language: "python", file: "alembic_session.py" },
  { name: "django", language: "python", file: "django_session.py" },
  { name: "dbt", language: "dbt", file: "dbt_session.py" },
  { name: "kysely", language: "node", file: "kysely.mjs", needs: ADVISORY },
  { name: "drizzle", language: "node", file: "drizzle.mjs" },
  { name: "prisma", language: "node", file: "prisma.mjs", databases: ["prisma_shadow"] },
  { name: "hibernate", language: "java", file: "HibernateSession" },
  { name: "flyway", language: "java", file: "FlywaySession" },
  { name: "jooq", language: "java", file: "JooqSession" },
  { name: "grafana", language: "queries", file: "grafana.mjs" },
  { name: "metabase", language: "queries", file: "metabase.mjs" },
  { name: "pg_dump", language: "queries", file: "pg-dump.mjs" },
];

/** What the sessions are run by: undefined for a language that this machine lacks. */
export interface Runtimes {
  readonly python: Command | undefined;
  /** An environment of its own: it wants other versions of what others want too. */
  readonly dbt: Command | undefined;
  readonly node: Command;
  /** Of queries that the sessions send with the driver of this checkout. */
  readonly queries: Command;
  readonly java: Command | undefined;
}

/** What runs a session; its file, or its class, comes behind. */
export type Command = readonly [program: string, ...args: string[]];

/** What a machine without the runtime of a language lacks. */
export const LACKING: Readonly<Record<keyof Runtimes, string>> = {
  python: "no Python 3.10 or newer with venv",
  dbt: "no Python 3.10 or newer with venv",
  node: "no Node",
  queries: "no Node",
  java: "no Java 17 or newer with Maven 3",
};

/**
 * Installs the tools of some languages, and the suite for dialects.
 * @throws Error where that fails; it has said why.
 */
export async function prepareTools(
  wanted: ReadonlySet<string> = new Set([...Object.keys(LACKING), DIALECT]),
): Promise<Runtimes> {
  const node: Command = [process.execPath];
  if (wanted.has("node")) installNode();
  const base = findPython();
  const hasJava = wanted.has("java") && lacking(JAVA_TOOLS) === undefined;
  if (hasJava) await build(JAVA_TOOLS);
  const java = hasJava ? JAVA_TOOLS.command : undefined;
  const others = { node, queries: node, java };
  if (base === undefined) return { python: undefined, dbt: undefined, ...others };
  const python = new PythonEnvironment(join(HERE, ".venv"), join(HERE, "requirements.txt"));
  if (wanted.has("python")) await python.prepare(base);
  const dbt = new PythonEnvironment(join(HERE, ".venv-dbt"), join(HERE, "dbt-requirements.txt"));
  if (wanted.has("dbt")) await dbt.prepare(base);
  if (wanted.has(DIALECT)) await prepareDialect(base);
  return { python: [python.python], dbt: [dbt.python], ...others };
}

/** As the lock file says; no script of a package is run. */
function installNode(): void {
  // npm writes it last: an older one is of other packages.
  const done = statSync(join(NODE, "node_modules", ".package-lock.json"), {
    throwIfNoEntry: false,
  });
  if (done !== undefined && done.mtimeMs >= statSync(join(NODE, "package-lock.json")).mtimeMs)
    return;
  console.log("installing into test/clients/tools/node/node_modules");
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
  const { status } = spawnSync("npm", args, { cwd: NODE, stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new Error("the tools of Node cannot be installed");
}

const FOLDERS = { node: "node", queries: "queries", python: "python", dbt: "python" } as const;

/** Runs a session, and gives what it printed. */
export async function runSession(
  { language, file }: Tool,
  [program, ...args]: Command,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const session = language === "java" ? file : join(HERE, FOLDERS[language], file);
  const child = spawn(program, [...args, session], {
    env: { ...process.env, ...env, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: LIMIT_MS,
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const [exitCode] = await once(child, "close");
  if (exitCode !== 0) console.log(`  ${file} ended with exit code ${exitCode}: ${errors}`);
  return output;
}
