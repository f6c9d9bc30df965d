import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

/*
 * What Maven fetches for the engines, into `target/` beside this file, once. Each answers undefined
 * where it could not be had; Maven has said why.
 */

const HERE = import.meta.dirname;
const TARGET = join(HERE, "target");
const DOCUMENTS = join(HERE, "..", "..", "..", "docs");
const TRINO = "476";

/** Whether a goal of Maven succeeded in a folder; its complaints are shown. */
function maven(cwd: string, ...args: readonly string[]): boolean {
  mkdirSync(cwd, { recursive: true });
  const { status } = spawnSync("mvn", ["-q", "-B", ...args], {
    cwd,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return status === 0;
}

/** Iceberg's runtime for Spark, the very one that the documentation names. */
export function sparkJar(): string | undefined {
  const named = /--packages ([^:\s]+:[^:\s]+:[^:,\s]+) /.exec(documented("iceberg.md"));
  if (named?.[1] === undefined) throw new Error("docs/iceberg.md names no runtime for Spark");
  return jarOf(named[1]);
}

/** What it needs beside that for files on S3. */
export function sparkAwsJar(): string | undefined {
  const named = /--packages \S+,(\S+:iceberg-aws-bundle:\S+) /.exec(documented("access.md"));
  if (named?.[1] === undefined) throw new Error("docs/access.md names no bundle for AWS");
  return jarOf(named[1]);
}

function documented(page: string): string {
  return readFileSync(join(DOCUMENTS, page), "utf8");
}

function jarOf(coordinates: string): string | undefined {
  const [, artifact, version] = coordinates.split(":");
  const jar = join(TARGET, `${artifact}-${version}.jar`);
  if (existsSync(jar)) return jar;
  console.log(`fetching ${artifact} ${version}`);
  const copied = ["dependency:copy", `-Dartifact=${coordinates}`];
  return maven(TARGET, ...copied, `-DoutputDirectory=${TARGET}`) ? jar : undefined;
}

/** A folder with Trino's server and its plugin for Iceberg, unpacked. */
export async function trinoHome(): Promise<string | undefined> {
  const home = join(TARGET, `trino-${TRINO}`);
  // Written last, so that a half-unpacked one is made anew.
  const stamp = join(home, "complete");
  if (existsSync(stamp)) return home;
  const shown = relative(process.cwd(), home);
  console.log(`unpacking Trino ${TRINO} into ${shown}; the first time fetches 540 MB`);
  await rm(home, { recursive: true, force: true });
  for (const artifact of [`trino-server-core:${TRINO}:tar.gz`, `trino-iceberg:${TRINO}:zip`]) {
    const unpacked = ["dependency:unpack", `-Dartifact=io.trino:${artifact}`];
    // It notes what it has unpacked where it runs, and goes by that the next time.
    if (!maven(home, ...unpacked, `-DoutputDirectory=${home}`)) return undefined;
  }
  await writeFile(stamp, "");
  return home;
}

/** The class path that `flink/pom.xml` comes to. */
export async function flinkClassPath(): Promise<string | undefined> {
  const pom = join(HERE, "flink", "pom.xml");
  const wanted = createHash("sha256")
    .update(await readFile(pom))
    .digest("hex");
  const file = join(TARGET, `flink-${wanted.slice(0, 12)}.class-path`);
  if (existsSync(file)) {
    const found = (await readFile(file, "utf8")).trim();
    if (found.split(":").every((jar) => existsSync(jar))) return found;
  }
  console.log("resolving Flink; the first time fetches 220 MB");
  const built = ["-f", pom, "dependency:build-classpath", `-Dmdep.outputFile=${file}`];
  return maven(TARGET, ...built) ? (await readFile(file, "utf8")).trim() : undefined;
}
