import { once } from "node:events";
import { type ServerProcess, spawnServer, startServer } from "../clients/server-process.ts";
import { type Answer, type AskOptions, answerOf, Client, headersOf } from "./client.ts";
import { NAME } from "./site.ts";
import type { World } from "./world.ts";

const SECRET = "the secret that all processes of a world share";

/** A server of this checkout in a process of its own, asked over a socket. */
export class ProcessNode extends Client {
  readonly server: ServerProcess;

  private constructor(server: ServerProcess) {
    super();
    this.server = server;
  }

  /** Serves what the nodes of the world serve: those of profiles with one owner are closed. */
  static async start(world: World, ...more: readonly string[]): Promise<ProcessNode> {
    const { flags, env } = deploymentOf(world);
    return new ProcessNode(await startServer(world.dir, [...flags, ...more], env));
  }

  override async ask(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const response = await fetch(`${this.server.url}/iceberg/v1${path}`, {
      method,
      headers: headersOf(options),
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    });
    return answerOf(response.status, new Map(response.headers), await response.text());
  }
}

/** What a process says that ends by itself, and its exit code. */
export async function refusalOf(
  world: World,
): Promise<{ readonly exitCode: number | null; readonly written: string }> {
  const { flags, env } = deploymentOf(world);
  const child = spawnServer(world.dir, flags, { env });
  let written = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    written += chunk.toString("utf8");
  });
  await once(child, "close");
  return { exitCode: child.exitCode, written };
}

function deploymentOf(world: World): {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  const { profile } = world;
  const flags = ["--profile", profile, "--log-level", "warn"];
  if (profile === "local") return { flags, env: {} };
  const s3 = ["--s3-bucket", NAME, "--s3-path-style"];
  const table = profile === "aws" ? ["--dynamodb-table", NAME] : [];
  return {
    flags: [...flags, ...s3, ...table],
    env: { ...world.site.env, FIRN_SECRET: SECRET },
  };
}
