import { connect, type Socket } from "node:net";
import { createMetrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { atOnce } from "../../src/base/steps.ts";
import { tableCommitSteps, viewCommitSteps } from "../../src/iceberg/commit.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { createLogger } from "../../src/server/log.ts";
import type { FirnServer, ServerOptions } from "../../src/server/server.ts";
import { type Serving, wireServer } from "../../src/server/wire.ts";
import type {
  DryRun,
  IcebergService,
  LoadedTable,
  LoadedView,
} from "../../src/service/requests.ts";

/** One call as the service saw it. */
export interface Seen {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** An id over 2^53, which JSON.parse would round. */
export const BIG_ID = "9223372036854775807";
export const LOCATION = "file:///w/ns/t/metadata/1.metadata.json";
export const METADATA: string = `{"format-version":2,"current-snapshot-id":${BIG_ID},"x":1.0}`;

export function loaded(parts: Partial<LoadedTable> = {}): LoadedTable {
  return {
    etag: '"v1"',
    metadataLocation: LOCATION,
    metadata: [Buffer.from(METADATA)],
    config: { "io.x": "y" },
    ...parts,
  };
}

const VIEW: LoadedView = {
  metadataLocation: LOCATION,
  metadata: [Buffer.from(METADATA)],
  config: { "io.x": "y" },
};

const DRY_RUN: DryRun = {
  baseMetadataLocation: LOCATION,
  changed: ["properties"],
  metadata: [Buffer.from(METADATA)],
};

/**
 * A service of fixed answers that notes its calls: what stands between the adapter and the real one
 * is exactly its interface, so what is tested with it is the adapter alone. Commits it reads as the
 * real one does, and refuses what cannot be read.
 */
export function scripted(overrides: Partial<IcebergService> = {}): {
  readonly service: IcebergService;
  readonly seen: Seen[];
} {
  const seen: Seen[] = [];
  const answers: IcebergService = {
    config: async (_ctx, warehouse) => ({
      catalog: warehouse || "default",
      defaults: {},
      overrides: {},
    }),
    listNamespaces: async () => ({ items: [["a"], ["b", "c"]], nextPageToken: null }),
    createNamespace: async (_ctx, ref, properties) => ({ namespace: ref.namespace, properties }),
    loadNamespace: async (_ctx, ref) => ({ namespace: ref.namespace, properties: { k: "v" } }),
    namespaceExists: async () => undefined,
    dropNamespace: async () => undefined,
    updateNamespace: async () => ({ updated: ["a"], removed: ["b"], missing: ["c"] }),
    listTables: async () => ({ items: ["t1", "t2"], nextPageToken: "next" }),
    createTable: async (_ctx, _ref, request) =>
      request.stageCreate ? loaded({ etag: undefined, metadataLocation: undefined }) : loaded(),
    registerTable: async () => loaded(),
    loadTable: async (_ctx, _ref, { ifNoneMatch }) =>
      ifNoneMatch?.includes('"v1"') === true ? "not-modified" : loaded(),
    loadCredentials: async () => [],
    signRequest: async (_ctx, _ref, { uri }) => {
      return { uri, headers: [], cacheable: false, writes: false };
    },
    tableExists: async () => undefined,
    commitTable: async (_ctx, _ref, request) => {
      atOnce(tableCommitSteps(request));
      return loaded({ etag: '"v2"' });
    },
    dryRunTable: async () => DRY_RUN,
    dryRunTransaction: async (_ctx, _catalog, changes) =>
      changes.map(({ namespace, table }) => ({ namespace, table, ...DRY_RUN })),
    dryRunView: async () => ({ ...DRY_RUN, baseMetadataLocation: undefined, changed: [] }),
    dropTable: async () => undefined,
    unregisterTable: async () => loaded(),
    commitTransaction: async () => undefined,
    renameTable: async () => undefined,
    reportMetrics: async () => undefined,
    listViews: async () => ({ items: ["v1", "v2"], nextPageToken: "next" }),
    createView: async () => VIEW,
    registerView: async () => VIEW,
    loadView: async () => VIEW,
    viewExists: async () => undefined,
    commitView: async (_ctx, _ref, request) => {
      atOnce(viewCommitSteps(request));
      return VIEW;
    },
    dropView: async () => undefined,
    renameView: async () => undefined,
    ...overrides,
  };
  const service = new Proxy(answers, {
    get(target, method: keyof IcebergService) {
      const answer = target[method] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        seen.push({ method, args: args.slice(1) });
        return answer(...args);
      };
    },
  });
  return { service, seen };
}

export interface Running {
  readonly server: FirnServer;
  readonly port: number;
  readonly url: string;
  readonly logs: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** What the settings are by default. */
export const EDGE: ServerOptions["edge"] = {
  allowHost: [],
  trustedProxy: [],
  maxConnections: 8_192,
  maxConnectionsPerAddress: 2_048,
};

/** A real server on loopback, by default on a free port. */
export async function serving(
  service: IcebergService,
  options: Partial<Serving> = {},
  atPort = 0,
): Promise<Running> {
  const logs: string[] = [];
  const clock = new SystemClock();
  const server = wireServer({
    iceberg: service,
    metrics: createMetrics(),
    clock,
    prng: new SeededPrng(1),
    log: createLogger("debug", clock, { stream: { write: (line) => void logs.push(line) } }),
    ready: async () => undefined,
    edge: EDGE,
    maxInFlight: 128,
    ...options,
  });
  const url = await server.listen("127.0.0.1", atPort);
  return {
    server,
    url,
    logs,
    port: Number(new URL(url).port),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Sends bytes as they are and collects everything until the peer closes. */
export function exchange(port: number, sent: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket: Socket = connect(port, "127.0.0.1", () => socket.write(sent));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
}

/** One request as text, closing after its answer. */
export function requestText(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): string {
  const all: Record<string, string> = { Host: "localhost", Connection: "close", ...headers };
  if (body !== "") {
    all["Content-Type"] ??= "application/json";
    all["Content-Length"] = String(Buffer.byteLength(body));
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${target} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n${body}`;
}

export interface RawAnswer {
  readonly status: number;
  /** Header lines as sent, capitals included. */
  readonly headerLines: readonly string[];
  readonly body: string;
}

/** The first answer in collected bytes. */
export function parseAnswer(raw: string): RawAnswer {
  const end = raw.indexOf("\r\n\r\n");
  const [statusLine = "", ...headerLines] = raw.slice(0, Math.max(0, end)).split("\r\n");
  return { status: Number(statusLine.split(" ")[1]), headerLines, body: raw.slice(end + 4) };
}

export async function ask(
  port: number,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): Promise<RawAnswer> {
  return parseAnswer(await exchange(port, requestText(method, target, headers, body)));
}

/** Value of a header by its exact name. */
export function header(answer: RawAnswer, name: string): string | undefined {
  return answer.headerLines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
}
