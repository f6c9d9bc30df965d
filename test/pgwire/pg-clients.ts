import pg from "pg";
import { afterEach, beforeEach, expect } from "vitest";
import { openServer, type TestServer } from "./wire-client.ts";

/** A server for each test of a file, and the clients that its tests open. */
export interface PgClients {
  /** The server of the running test. */
  readonly server: TestServer;
  connect(): Promise<pg.Client>;
}

/** `fill`: what each test starts with. Each ends with its clients closed and no defect logged. */
export function pgClients(fill: (clients: PgClients) => Promise<void>): PgClients {
  let server: TestServer | undefined;
  const open: pg.Client[] = [];
  const clients: PgClients = {
    get server() {
      if (server === undefined) throw new Error("no test is running");
      return server;
    },
    connect: async () => {
      const { port } = clients.server;
      const client = new pg.Client({ host: "127.0.0.1", port, user: "tester" });
      await client.connect();
      open.push(client);
      return client;
    },
  };
  beforeEach(async () => {
    server = await openServer();
    await fill(clients);
  });
  afterEach(async () => {
    for (const client of open.splice(0)) await client.end();
    await clients.server.close();
    expect(clients.server.defects).toEqual([]);
  });
  return clients;
}

/** The rows of an answer: values apart by commas, rows by spaces. */
export async function rowsOf(client: pg.Client, text: string): Promise<string> {
  const { rows } = await client.query<unknown[]>({ text, rowMode: "array" });
  return rows.map((row) => row.join(",")).join(" ");
}

/** `SQLSTATE: message (detail)` of a statement that fails, `done` of another. */
export async function failureOf(client: pg.Client, text: string): Promise<string> {
  return await client.query(text).then(
    () => "done",
    ({ code, message, detail }: { code?: string; message: string; detail?: string }) =>
      `${code}: ${message}${detail === undefined ? "" : ` (${detail})`}`,
  );
}

/** The SQLSTATE of a statement that fails, `done` of another. */
export async function stateOf(client: pg.Client, text: string): Promise<string> {
  return await client.query(text).then(
    () => "done",
    ({ code }: { code?: string }) => code ?? "no code",
  );
}
