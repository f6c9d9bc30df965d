import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Where the reference server keeps what: on disk as it is deployed, or on the heap alone. */
export type PeerForm = "sqlite" | "in-memory";

/** A running reference server. */
export interface PeerProcess {
  /** `http://127.0.0.1:PORT`, without a slash at its end. */
  readonly url: string;
  readonly pid: number;
  /** How it was started, class path aside. */
  readonly options: string;
  stop(): Promise<void>;
}

const HERE = import.meta.dirname;
const CLASSES = join(HERE, "target", "classes");
const CLASS_PATH = join(HERE, "target", "cp.txt");
const POM = join(HERE, "pom.xml");
const MAIN = "org.apache.iceberg.rest.LoopbackRESTCatalogServer";
const JVM_OPTIONS: readonly string[] = ["-Xmx4g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"];
const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;

/** Java or Maven is not there, or the build failed: nothing can be compared. */
export class PeerMissing extends Error {
  override readonly name = "PeerMissing";
}

/** Builds the reference server unless that is done. @throws PeerMissing */
export function buildPeer(): void {
  assertRuns("java", "-version");
  if (isBuilt()) return;
  assertRuns("mvn", "-version");
  console.log("building the reference server with Maven …");
  const goals = ["package", "dependency:build-classpath", "-Dmdep.outputFile=target/cp.txt"];
  const { status } = spawnSync("mvn", ["-q", "-B", ...goals], { cwd: HERE, stdio: "inherit" });
  if (status !== 0 || !isBuilt()) throw new PeerMissing("Maven could not build bench/peer");
}

function isBuilt(): boolean {
  if (!existsSync(CLASS_PATH) || !existsSync(CLASSES)) return false;
  if (statSync(CLASS_PATH).mtimeMs < statSync(POM).mtimeMs) return false;
  // The local repository may have been emptied since.
  return readFileSync(CLASS_PATH, "utf8").trim().split(":").every(existsSync);
}

function assertRuns(command: string, flag: string): void {
  const { status } = spawnSync(command, [flag], { stdio: "ignore" });
  if (status !== 0) throw new PeerMissing(`${command} cannot be run`);
}

/**
 * Starts it on a free port of the loopback interface.
 *
 * @param directory holds its database and its warehouse.
 * @throws Error with all that it wrote, when it ends or stays silent instead.
 */
export async function startPeer(form: PeerForm, directory: string): Promise<PeerProcess> {
  const classPath = `${CLASSES}:${readFileSync(CLASS_PATH, "utf8").trim()}`;
  const settings = settingsOf(form, directory);
  const child = spawn("java", [...JVM_OPTIONS, "-cp", classPath, MAIN], {
    env: { ...process.env, ...settings, CATALOG_REST_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = await announcedUrl(child);
  if (child.pid === undefined) throw new Error("the reference server has no process id");
  const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const options = [...given, "java", ...JVM_OPTIONS].join(" ");
  return { url, pid: child.pid, options, stop: () => stop(child) };
}

function settingsOf(form: PeerForm, directory: string): Readonly<Record<string, string>> {
  const CATALOG_WAREHOUSE = `file:${directory}/warehouse`;
  switch (form) {
    case "sqlite":
      return { CATALOG_WAREHOUSE, CATALOG_URI: `jdbc:sqlite:${directory}/catalog.db` };
    case "in-memory":
      return {
        CATALOG_WAREHOUSE,
        CATALOG_CATALOG__IMPL: "org.apache.iceberg.inmemory.InMemoryCatalog",
      };
  }
}

function announcedUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let written = "";
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new Error(`the reference server ${why}; it wrote:\n${written}`));
    };
    const timer = setTimeout(() => fail("named no URL in time"), START_LIMIT_MS);
    const look = (chunk: Buffer): void => {
      written = (written + chunk.toString("utf8")).slice(-65_536);
      const port = /reference catalog on http:\/\/[^:/]+:(\d+)/.exec(written)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(`http://127.0.0.1:${port}`);
    };
    child.stdout?.on("data", look);
    child.stderr?.on("data", look);
    child.on("error", (error) => fail(`cannot be started: ${error.message}`));
    child.on("exit", (code) => fail(`ended with exit code ${code}`));
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
  await ended;
  clearTimeout(timer);
}
