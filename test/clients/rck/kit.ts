import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KitTest, readJUnitReport } from "./junit.ts";

const HERE = import.meta.dirname;
const TARGET = join(HERE, "target");
const SOURCES = ["pom.xml", "src/main/java/org/apache/iceberg/rest/ExtendedCatalogTests.java"];
const CLASS_PATH = join(TARGET, "class-path.txt");
/** Written last, so that a half-made kit is made anew. */
const STAMP = join(TARGET, "sources.sha256");
const JAR = join(TARGET, "rck-kit-1.jar");
const PACKAGE = "org.apache.iceberg.rest";
const RUN_LIMIT_MS = 600_000;

/** What the kit is told of Firn. */
const SWITCHES: Readonly<Record<string, string>> = {
  "rck.local": "false",
  "rck.requires-namespace-create": "true",
  "rck.supports-names-with-dot": "true",
  // Locations are answered as `file:///…` where the kit asks for `file:/…`: the same place, in
  // the form that every client can read.
  "rck.overrides-requested-location": "true",
  warehouse: "default",
};

/** Which tests a run selects, as class names and methods without their package. */
export interface Selection {
  readonly classes?: readonly string[];
  readonly methods?: readonly string[];
  /** Methods that the classes leave out. */
  readonly except?: readonly string[];
}

/** What this machine lacks to run the kit; undefined where it has everything. */
export function lacking(): string | undefined {
  const runs = (command: string): boolean =>
    spawnSync(command, ["-version"], { stdio: "ignore" }).status === 0;
  if (!runs("mvn")) return "Maven (apt: maven)";
  const javac = spawnSync("javac", ["-version"], { encoding: "utf8" });
  const version = Number(/javac (\d+)/.exec(`${javac.stdout}${javac.stderr}`)?.[1] ?? 0);
  return runs("java") && version >= 17 ? undefined : "a JDK from 17 on (apt: default-jdk-headless)";
}

/** Builds the kit with Maven, unless it is built and every library is still there. */
export async function buildKit(): Promise<void> {
  const hash = createHash("sha256");
  for (const source of SOURCES) hash.update(await readFile(join(HERE, source)));
  const wanted = hash.digest("hex");
  if (existsSync(STAMP) && (await readFile(STAMP, "utf8")) === wanted) {
    const jars = (await readFile(CLASS_PATH, "utf8")).trim().split(":");
    if ([JAR, ...jars].every((jar) => existsSync(jar))) return;
  }
  console.log("building the kit with Maven; the first time fetches 100 MB of libraries");
  await rm(TARGET, { recursive: true, force: true });
  const goals = ["package", "dependency:build-classpath", `-Dmdep.outputFile=${CLASS_PATH}`];
  const { status } = spawnSync("mvn", ["-q", "-B", ...goals], { cwd: HERE, stdio: "inherit" });
  if (status !== 0) throw new Error("the kit cannot be built");
  await writeFile(STAMP, wanted);
}

/**
 * Runs a selection against a catalog that must be empty.
 *
 * @param scratch where the kit puts tables of its own choosing; their location must be allowed
 * @param client properties of the kit's catalog, beside those that every run has
 * @throws Error when the kit leaves no whole report.
 */
export async function runKit(
  name: string,
  selection: Selection,
  url: string,
  scratch: string,
  client: Readonly<Record<string, string>> = {},
): Promise<readonly KitTest[]> {
  const reports = join(TARGET, "reports", name);
  await rm(reports, { recursive: true, force: true });
  await mkdir(reports, { recursive: true });
  const properties = { ...SWITCHES, ...client, uri: url, "java.io.tmpdir": scratch };
  const classPath = `${JAR}:${(await readFile(CLASS_PATH, "utf8")).trim()}`;
  const child = spawn(
    "java",
    [
      ...["-Xmx1g", "-cp", classPath, "-Dorg.slf4j.simpleLogger.defaultLogLevel=off"],
      ...Object.entries(properties).map(([key, value]) => `-D${key}=${value}`),
      ...["org.junit.platform.console.ConsoleLauncher", "execute", ...argumentsOf(selection)],
      ...["--config", "rck.local=false", "--disable-banner", "--details=none"],
      ...["--reports-dir", reports],
    ],
    { cwd: scratch, stdio: ["ignore", "ignore", "inherit"], timeout: RUN_LIMIT_MS },
  );
  // The exit code says no more than the report, which is only there when the run ended.
  await once(child, "close");
  return readJUnitReport(await readFile(join(reports, "TEST-junit-jupiter.xml"), "utf8"));
}

function argumentsOf({ classes = [], methods = [], except = [] }: Selection): readonly string[] {
  return [
    ...classes.map((name) => `--select-class=${PACKAGE}.${name}`),
    ...methods.map((name) => `--select-method=${PACKAGE}.${name}`),
    ...except.map((name) => String.raw`--exclude-methodname=^.*[.#]${name}(\(.*)?$`),
  ];
}
