import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/*
 * What the programs of Java, Go and Rust are built of, into `target/` beside this file, once for
 * each version of their sources.
 */

const HERE = import.meta.dirname;
const TARGET = join(HERE, "target");

/** A program of another language, with what runs it. */
export interface Build {
  readonly name: string;
  /** Of the program and of what pins its dependencies; relative to this file's folder. */
  readonly sources: readonly string[];
  /** The commands that it needs, each with the oldest version that will do. */
  readonly tools: readonly (readonly [command: string, version: string, least: number])[];
  readonly steps: readonly Step[];
  readonly command: readonly [string, ...string[]];
}

interface Step {
  readonly cwd: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const JAVA_CLASSES = join(TARGET, "java");
/** The driver beside the classes: the wildcard names every archive of the folder. */
const CLASS_PATH = `${JAVA_CLASSES}:${join(JAVA_CLASSES, "*")}`;
const GO_PROGRAM = join(TARGET, "go", "session");
const RUST_TARGET = join(TARGET, "rust");

export const JDBC: Build = {
  name: "jdbc",
  sources: ["jdbc/pom.xml", "jdbc/Session.java"],
  tools: [
    ["mvn", "-version", 3],
    ["javac", "-version", 17],
    ["java", "-version", 17],
  ],
  steps: [
    {
      cwd: join(HERE, "jdbc"),
      command: "mvn",
      args: ["-q", "-B", "dependency:copy-dependencies", `-DoutputDirectory=${JAVA_CLASSES}`],
    },
    {
      cwd: join(HERE, "jdbc"),
      command: "javac",
      args: ["-cp", CLASS_PATH, "-d", JAVA_CLASSES, "Session.java"],
    },
  ],
  // A short run is over before the second compiler is worth its work.
  command: ["java", "-XX:TieredStopAtLevel=1", "-cp", CLASS_PATH, "Session"],
};

export const PGX: Build = {
  name: "pgx",
  sources: ["go/go.mod", "go/go.sum", "go/main.go"],
  tools: [["go", "version", 25]],
  steps: [
    {
      cwd: join(HERE, "go"),
      command: "go",
      args: ["build", "-p", "1", "-mod=readonly", "-o", GO_PROGRAM, "."],
      // Another toolchain is not fetched.
      env: { GOTOOLCHAIN: "local" },
    },
  ],
  command: [GO_PROGRAM],
};

export const TOKIO: Build = {
  name: "tokio-postgres",
  sources: ["rust/Cargo.toml", "rust/Cargo.lock", "rust/src/main.rs"],
  tools: [["cargo", "--version", 85]],
  steps: [
    {
      cwd: join(HERE, "rust"),
      command: "cargo",
      args: ["build", "-q", "-j1", "--locked", "--target-dir", RUST_TARGET],
    },
  ],
  command: [join(RUST_TARGET, "debug", "session")],
};

export const BUILDS: readonly Build[] = [JDBC, PGX, TOKIO];

/** What this machine lacks to build and run a program; undefined where it has everything. */
export function lacking({ tools }: Build): string | undefined {
  for (const [command, option, least] of tools) {
    const { stdout, stderr, status } = spawnSync(command, [option], { encoding: "utf8" });
    if (status !== 0) return `${command} is not installed`;
    const printed = `${stdout}${stderr}`;
    // Go and Rust count behind a 1 that never changes.
    const version = /(?:go1|cargo 1|Maven |javac |version ")\.?(\d+)/.exec(printed)?.[1];
    if (Number(version) < least) return `${command} is too old: ${printed.split("\n")[0]}`;
  }
  return undefined;
}

/** Builds a program unless it is built. @throws Error where a step fails; it has said why. */
export async function build({ name, sources, steps, command }: Build): Promise<void> {
  const hash = createHash("sha256").update(JSON.stringify(steps));
  for (const source of sources) hash.update(await readFile(resolve(HERE, source)));
  const wanted = hash.digest("hex");
  // Written last, so that a half-made program is made anew.
  const stamp = join(TARGET, `${name}.sha256`);
  if (existsSync(stamp) && (await readFile(stamp, "utf8")) === wanted) return;
  console.log(`building ${name}: ${command.join(" ")}`);
  await mkdir(TARGET, { recursive: true });
  await rm(stamp, { force: true });
  for (const { cwd, command: tool, args, env } of steps) {
    const stdio = ["ignore", "inherit", "inherit"] as const;
    const { status } = spawnSync(tool, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: [...stdio],
    });
    if (status !== 0) throw new Error(`${name} cannot be built: ${tool} ${args.join(" ")}`);
  }
  await writeFile(stamp, wanted);
}
