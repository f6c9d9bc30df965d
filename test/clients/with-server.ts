import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { add, type Counts, ONE_FAILED } from "./counts.ts";
import { startServer } from "./server-process.ts";

/** An empty catalog to judge, gone when the judgement is over. */
export interface Judged {
  /** Where the Iceberg REST catalog is mounted. */
  readonly url: string;
  /** Of PostgreSQL's protocol, where the server listens for it. */
  readonly postgresPort?: number;
  /** For the suite's own files. Tables may be located below it. */
  readonly scratch: string;
}

/**
 * Runs a suite against a server of this checkout that nobody else uses, with its default settings
 * but for `flags` and `env`. A server that does not end cleanly afterwards is one more failure.
 */
export async function withServer(
  suite: (judged: Judged) => Promise<Counts>,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Counts> {
  const directory = await mkdtemp(join(tmpdir(), "firn-clients-"));
  const scratch = join(directory, "scratch");
  await mkdir(scratch);
  const allowed = ["--allow-location", pathToFileURL(scratch).href];
  const store = join(directory, "firn");
  try {
    const given = ["--log-level", "warn", ...allowed, ...flags];
    const server = await startServer(store, given, env);
    console.log(`serving at ${server.url} from ${store}`);
    let counts = ONE_FAILED;
    let exitCode: number | null = null;
    try {
      const { postgresPort } = server;
      const port = postgresPort === undefined ? {} : { postgresPort };
      counts = await suite({ url: `${server.url}/iceberg`, scratch, ...port });
    } finally {
      exitCode = await server.stop();
    }
    if (exitCode === 0) return counts;
    console.log(`the server ended with exit code ${exitCode}`);
    return add(counts, ONE_FAILED);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
