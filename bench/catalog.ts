import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRemote, type Profile } from "../src/runtime/settings.ts";
import { type ServerProcess, startServer } from "../test/clients/server-process.ts";
import { BenchClient } from "./client.ts";
import { drive, type Figures } from "./driver.ts";
import { SCHEMA } from "./history.ts";
import { formatTable } from "./report.ts";
import { NO_STORES, type Stores, startStores } from "./stores.ts";

const PREFIX = "/iceberg/v1/default";
/** What runs on this machine alone. */
const PROFILES: readonly Profile[] = ["memory", "local"];
const START_GOAL_MS = 500;
/** Tables of the namespace that is listed. */
const LISTED = 1_000;
const LISTED_IN_SMOKE = 100;

export interface CatalogOptions {
  /** A short run that shows that every cell works; its figures mean nothing. */
  readonly smoke: boolean;
  /** This one alone; `memory` and `local` if absent. */
  readonly profile?: Profile;
}

export interface CatalogCell extends Figures {
  readonly name: string;
  readonly clients: number;
}

export interface CatalogFigures {
  readonly profile: string;
  /** From the spawn of the process to the first answer of `/livez`. */
  readonly startMs: number;
  readonly cells: readonly CatalogCell[];
}

interface Cell {
  readonly name: string;
  readonly clients: number;
  readonly operation: (client: number, count: number) => Promise<unknown>;
}

/** Measures servers of this checkout, one of each profile, over HTTP on the loopback interface. */
export async function benchCatalog(options: CatalogOptions): Promise<readonly CatalogFigures[]> {
  const all: CatalogFigures[] = [];
  const profiles = options.profile === undefined ? PROFILES : [options.profile];
  for (const profile of profiles) all.push(await benchProfile(profile, options));
  return all;
}

async function benchProfile(profile: Profile, options: CatalogOptions): Promise<CatalogFigures> {
  const directory = await mkdtemp(join(tmpdir(), "firn-bench-"));
  const stores = isRemote(profile) ? await startStores(profile) : NO_STORES;
  const beganMs = performance.now();
  const flags = ["--profile", profile, ...stores.flags, "--log-level", "error"];
  const server = await startServer(directory, flags, stores.env);
  const client = new BenchClient(server.url, 16);
  try {
    await client.send("GET", "/livez");
    const startMs = performance.now() - beganMs;
    const start = `${startMs.toFixed(0)} ms (goal ${START_GOAL_MS} ms)`;
    console.log(`\nprofile ${profile}: start to first /livez: ${start}\n`);
    const cells = await measure(server, stores, client, options);
    console.log(show(cells));
    return { profile, startMs, cells };
  } finally {
    client.close();
    await server.stop();
    await stores.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(
  server: ServerProcess,
  stores: Stores,
  client: BenchClient,
  { smoke }: CatalogOptions,
): Promise<readonly CatalogCell[]> {
  const listed = smoke ? LISTED_IN_SMOKE : LISTED;
  await client.send("POST", `${PREFIX}/namespaces`, `{"namespace":["listed"]}`);
  for (let i = 0; i < listed; i++) await createTable(client, "listed", `t${i}`);
  const results: CatalogCell[] = [];
  for (const clients of [1, 16]) {
    for (const cell of await cellsFor(client, clients, listed)) {
      const figures = await drive({
        clients,
        warmUpMs: smoke ? 100 : 1_000,
        measureMs: smoke ? 300 : 4_000,
        serverPid: server.pid,
        storePids: stores.pids,
        operation: async (id, count) => {
          await cell.operation(id, count);
          return "done";
        },
      });
      results.push({ name: cell.name, clients, ...figures });
    }
  }
  return results;
}

function createTable(client: BenchClient, namespace: string, name: string): Promise<string> {
  const body = JSON.stringify({ name, schema: SCHEMA, properties: { owner: "bench" } });
  return client.send("POST", `${PREFIX}/namespaces/${namespace}/tables`, body);
}

/** The cells of one number of clients, over a namespace of their own with one table a client. */
async function cellsFor(
  client: BenchClient,
  clients: number,
  listed: number,
): Promise<readonly Cell[]> {
  const space = `bench${clients}`;
  const tables = `${PREFIX}/namespaces/${space}/tables`;
  await client.send("POST", `${PREFIX}/namespaces`, JSON.stringify({ namespace: [space] }));
  const uuids: string[] = [];
  for (let id = 0; id < clients; id++) {
    const made: unknown = JSON.parse(await createTable(client, space, `own${id}`));
    uuids.push((made as { metadata: { "table-uuid": string } }).metadata["table-uuid"]);
  }
  const commit = (table: number, value: string): Promise<string> =>
    client.send(
      "POST",
      `${tables}/own${table}`,
      JSON.stringify({
        requirements: [{ type: "assert-table-uuid", uuid: uuids[table] }],
        updates: [{ action: "set-properties", updates: { value } }],
      }),
    );
  let created = 0;
  const cells: Cell[] = [
    { name: "create", clients, operation: () => createTable(client, space, `new${created++}`) },
    { name: "load", clients, operation: (id) => client.send("GET", `${tables}/own${id}`) },
    { name: "commit", clients, operation: (id, count) => commit(id, `${id}-${count}`) },
    {
      name: `list ${listed}`,
      clients,
      operation: () => client.send("GET", `${PREFIX}/namespaces/listed/tables`),
    },
  ];
  const contended: Cell = {
    name: "commit, one table",
    clients,
    operation: (id, count) => commit(0, `${id}-${count}`),
  };
  return clients > 1 ? [...cells, contended] : cells;
}

function show(cells: readonly CatalogCell[]): string {
  const rows = cells.map((cell) => [
    cell.name,
    String(cell.clients),
    cell.perSecond.toFixed(0),
    cell.p50Ms.toFixed(2),
    cell.p99Ms.toFixed(2),
    cell.serverCpuMs.toFixed(3),
    ...(cell.storesCpuMs === undefined ? [] : [cell.storesCpuMs.toFixed(3)]),
    String(cell.errors),
  ]);
  const stores = cells.some((cell) => cell.storesCpuMs !== undefined);
  const cpu = ["server CPU ms/op", ...(stores ? ["doubles' CPU ms/op"] : [])];
  return formatTable(["operation", "clients", "ops/s", "p50 ms", "p99 ms", ...cpu, "errors"], rows);
}
