import pg from "pg";
import type { Ledger } from "./ledger.ts";
import type { Node } from "./world.ts";

/** A client gives up on a request after this, and does not know what became of it. */
const PATIENCE_MS = 40_000;
const PAUSE_MS = 50;

export interface Load {
  /** The node that serves the next request. */
  readonly route: () => Node;
  readonly ledger: Ledger;
  readonly ended: AbortSignal;
  readonly name: string;
}

/** A statement over HTTP. */
export async function sql(node: Node, statement: string): Promise<unknown[][]> {
  const response = await post(node, statement);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  return (JSON.parse(text) as { rows: unknown[][] }).rows;
}

function post(node: Node, statement: string): Promise<Response> {
  return fetch(`${node.url}/api/v1/sql`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ statement, timeoutMs: PATIENCE_MS }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
}

function insertion(op: string): string {
  return `insert into log values ('${op}')`;
}

/** Inserts over HTTP, one row after the other, each at a node that is drawn. */
export async function httpClient({ route, ledger, ended, name }: Load): Promise<void> {
  for (let n = 0; !ended.aborted; n++) {
    const op = `${name}-${n}`;
    try {
      const { status } = await post(route(), insertion(op));
      if (status === 200) ledger.tell(op, "acknowledged");
      else {
        // The server says by these that nothing has happened.
        ledger.tell(op, status === 429 || status === 503 ? "refused" : "doubtful");
        await pause();
      }
    } catch (error) {
      ledger.tell(op, isRefusedConnection(error) ? "refused" : "doubtful");
      await pause();
    }
  }
}

/** Inserts over PostgreSQL's protocol, a few rows a connection, each at a node that is drawn. */
export async function postgresClient({ route, ledger, ended, name }: Load): Promise<void> {
  const most = 25;
  for (let n = 0; !ended.aborted; ) {
    const client = await connected(route());
    if (client === undefined) {
      await pause();
      continue;
    }
    for (let i = 0; i < most && !ended.aborted; i++) {
      const op = `${name}-${n++}`;
      const told = await insert(client, op);
      ledger.tell(op, told);
      if (told !== "acknowledged") break;
    }
    await client.end().catch(() => undefined);
  }
}

/** Resolves to nothing where the node cannot be reached, or opens no session. */
async function connected(node: Node): Promise<pg.Client | undefined> {
  const connectionString = node.postgres.replace("://", "://firn@");
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: PATIENCE_MS });
  // A connection that breaks while it is idle is found by the next statement.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch {
    await client.end().catch(() => undefined);
    return undefined;
  }
}

async function insert(
  client: pg.Client,
  op: string,
): Promise<"acknowledged" | "refused" | "doubtful"> {
  try {
    await client.query(insertion(op));
    return "acknowledged";
  } catch (error) {
    const { code = "" } = error as { code?: string };
    // By these the server says that nothing has happened.
    return /^(?:57P0|53)/.test(code) ? "refused" : "doubtful";
  }
}

function isRefusedConnection(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === "ECONNREFUSED";
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
