import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ServerProcess, spawnServer } from "../clients/server-process.ts";

const DOUBLE = join(import.meta.dirname, "..", "double", "main.ts");
const NAME = "firn-nodes";
const START_LIMIT_MS = 60_000;

/** A node of the deployment under test: a server in a process of its own. */
export interface Node extends Pick<ServerProcess, "url" | "pid"> {
  readonly postgres: string;
  readonly child: ChildProcess;
  /** What it wrote to its log. */
  readonly log: () => string;
}

/** Nodes over one bucket and one table, each a process of its own, as are the two services. */
export class World {
  readonly #dir: string;
  readonly #doubles: readonly ChildProcess[];
  readonly #env: Readonly<Record<string, string>>;
  readonly nodes: Set<Node> = new Set();

  private constructor(dir: string, doubles: readonly ChildProcess[], env: Record<string, string>) {
    this.#dir = dir;
    this.#doubles = doubles;
    this.#env = env;
  }

  static async open(): Promise<World> {
    const dir = await mkdtemp(join(tmpdir(), "firn-nodes-"));
    const doubles = [startDouble("s3", "--bucket"), startDouble("dynamo", "--table")];
    const [objects, items] = await Promise.all(doubles.map(urlOf));
    return new World(dir, doubles, {
      AWS_ENDPOINT_URL_S3: objects ?? "",
      AWS_ENDPOINT_URL_DYNAMODB: items ?? "",
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_EC2_METADATA_DISABLED: "true",
      FIRN_SECRET: "the secret that all nodes of this world share",
    });
  }

  async start(): Promise<Node> {
    const flags = ["--profile", "aws", "--s3-bucket", NAME, "--s3-path-style"];
    const more = ["--dynamodb-table", NAME, "--pg-port", "0", "--internal-port", "0"];
    const child = spawnServer(this.#dir, [...flags, ...more, "--log-format", "json"], {
      env: this.#env,
    });
    const node = await announced(child);
    this.nodes.add(node);
    return node;
  }

  /** Ends a node without a word. */
  async kill(node: Node): Promise<void> {
    this.nodes.delete(node);
    await ended(node.child, "SIGKILL");
  }

  /** Ends a node as an operator does. */
  async stop(node: Node): Promise<void> {
    this.nodes.delete(node);
    await ended(node.child, "SIGTERM");
  }

  async close(): Promise<void> {
    for (const { child } of this.nodes) child.kill("SIGCONT");
    await Promise.all([...this.nodes].map((node) => ended(node.child, "SIGKILL")));
    await Promise.all(this.#doubles.map((double) => ended(double, "SIGKILL")));
    await rm(this.#dir, { recursive: true, force: true });
  }
}

function startDouble(service: string, flag: string): ChildProcess {
  return spawn(process.execPath, [DOUBLE, service, flag, NAME], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function urlOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error("a double has no output");
  const [url] = await once(createInterface({ input: child.stdout }), "line");
  return String(url);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

/** Waits for the line of the log that names both ports. */
function announced(child: ChildProcess): Promise<Node> {
  let log = "";
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`no node after ${START_LIMIT_MS} ms; it wrote:\n${log}`)),
      START_LIMIT_MS,
    );
    child.once("exit", () => reject(new Error(`the node ended; it wrote:\n${log}`)));
    child.stdout?.resume();
    child.stderr?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
      const line = log.split("\n").find((one) => one.includes('"listening"'));
      if (line === undefined || child.pid === undefined) return;
      clearTimeout(timer);
      const { url, postgres } = JSON.parse(line) as { url: string; postgres: string };
      resolve({ url, postgres, pid: child.pid, child, log: () => log });
    });
  });
}
