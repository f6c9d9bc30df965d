import type { Privilege } from "../../api/privileges.ts";
import { LIMITS } from "../../base/limits.ts";
import { functionNotFound } from "../../catalog/errors.ts";
import type { Delegation, IcebergService } from "../../service/requests.ts";
import type { Answer } from "../answer.ts";
import { parseEntityTags } from "../etags.ts";
import type { Call } from "./call.ts";
import { decodeMetricsReport } from "./metrics-report.ts";
import { dryRunOf, pageOf, parentOf, purgeRequestedOf, snapshotsOf } from "./query.ts";
import * as decode from "./requests.ts";
import * as answer from "./responses.ts";

export type Method = "GET" | "HEAD" | "POST" | "DELETE";

/** One operation of the Iceberg REST contract, by name. */
export interface Endpoint {
  readonly method: Method;
  /** The contract's own: routes, the config's `endpoints` and metric labels are made of it. */
  readonly template: string;
}

/**
 * What a repeated request under one `Idempotency-Key` gets: the first answer (`replayed`); or it is
 * done again, because that does no harm, and only the form of the key is checked.
 */
export type IdempotencyRule = "replayed" | "checked" | "none";

export interface OperationLimits {
  /** The largest body that is read. */
  readonly bodyBytes: number;
  /** Overload protection counts it; what does not count is served however much is under way. */
  readonly counted: boolean;
}

/** One operation as served. A member that is missing here does not compile. */
export interface Operation extends Endpoint {
  /** What its actor needs; several where the body or the query decides which of them. */
  readonly needs: readonly [Privilege, ...Privilege[]];
  /** Whether it can change anything, which decides how failures are answered. */
  readonly writes: boolean;
  /** Whether it can say what it would change, and change nothing. */
  readonly dryRuns: boolean;
  readonly idempotency: IdempotencyRule;
  readonly limits: OperationLimits;
  readonly handle: (service: IcebergService, call: Call) => Promise<Answer>;
}

const NAMESPACES = "/v1/{prefix}/namespaces";
const NAMESPACE = `${NAMESPACES}/{namespace}`;
const TABLES = `${NAMESPACE}/tables`;
const TABLE = `${TABLES}/{table}`;
const VIEWS = `${NAMESPACE}/views`;
const VIEW = `${VIEWS}/{view}`;

type Needs = Operation["needs"];

const READ = {
  writes: false,
  dryRuns: false,
  idempotency: "none",
  limits: { bodyBytes: 0, counted: true },
} as const;
const WRITE = {
  writes: true,
  dryRuns: false,
  idempotency: "replayed",
  limits: { bodyBytes: LIMITS.bodyBytes, counted: true },
} as const;

function read(
  needs: Needs,
  method: "GET" | "HEAD",
  template: string,
  handle: Operation["handle"],
): Operation {
  return { ...READ, needs, method, template, handle };
}

function write(
  needs: Needs,
  method: "POST" | "DELETE",
  template: string,
  handle: Operation["handle"],
): Operation {
  return { ...WRITE, needs, method, template, handle };
}

/** A commit: written, or with `dry-run=true` only tried. */
function commit(
  needs: Needs,
  template: string,
  handle: Operation["handle"],
  dryRun: Operation["handle"],
): Operation {
  return {
    ...WRITE,
    needs,
    method: "POST",
    template,
    dryRuns: true,
    handle: (service, call) =>
      dryRunOf(call.query) ? dryRun(service, call) : handle(service, call),
  };
}

const CONFIG_OPERATIONS: readonly Operation[] = [
  {
    // It costs next to nothing, and no client starts without it.
    ...READ,
    limits: { bodyBytes: 0, counted: false },
    needs: ["see"],
    method: "GET",
    template: "/v1/config",
    handle: async (service, call) => {
      const config = await service.config(call.actor, call.query.get("warehouse"));
      return answer.configAnswer(config, ENDPOINTS);
    },
  },
];

const NAMESPACE_OPERATIONS: readonly Operation[] = [
  read(["see"], "GET", NAMESPACES, async (service, call) => {
    const parent = parentOf(call.query);
    const page = pageOf(call.query);
    return answer.namespacesAnswer(
      await service.listNamespaces(call.actor, call.catalog, parent, page),
    );
  }),
  write(["create"], "POST", NAMESPACES, async (service, call) => {
    const { namespace, properties } = decode.decodeCreateNamespace(call.json());
    const ref = { catalog: call.catalog, namespace };
    return answer.namespaceAnswer(await service.createNamespace(call.actor, ref, properties));
  }),
  read(["read-metadata"], "GET", NAMESPACE, async (service, call) =>
    answer.namespaceAnswer(await service.loadNamespace(call.actor, call.namespaceRef)),
  ),
  read(["see"], "HEAD", NAMESPACE, async (service, call) => {
    await service.namespaceExists(call.actor, call.namespaceRef);
    return answer.NO_CONTENT;
  }),
  write(["drop"], "DELETE", NAMESPACE, async (service, call) => {
    await service.dropNamespace(call.actor, call.namespaceRef);
    return answer.NO_CONTENT;
  }),
  write(["alter"], "POST", `${NAMESPACE}/properties`, async (service, call) => {
    const update = decode.decodeUpdateProperties(call.json());
    return answer.propertiesAnswer(
      await service.updateNamespace(call.actor, call.namespaceRef, update),
    );
  }),
];

/** Where a client renews credentials or asks for signatures, relative to the catalog's URI. */
function pathOf(call: Call, table: string, end: "credentials" | "sign"): string {
  const { catalog, namespace } = call.namespaceRef;
  const [prefix, path, name] = [catalog, namespace.join("\x1f"), table].map(encodeURIComponent);
  return `v1/${prefix}/namespaces/${path}/tables/${name}/${end}`;
}

/** How a client wants to reach the files: it sends a list of what it takes. */
function delegationOf(call: Call, table: string): Delegation | undefined {
  const header = String(call.headers["x-iceberg-access-delegation"] ?? "").toLowerCase();
  const asked = header.split(",").map((each) => each.trim());
  const credentials = asked.includes("vended-credentials");
  const signs = asked.includes("remote-signing");
  if (!credentials && !signs) return undefined;
  return {
    refreshEndpoint: pathOf(call, table, "credentials"),
    signEndpoint: signs ? pathOf(call, table, "sign") : undefined,
    credentials,
  };
}

const TABLE_OPERATIONS: readonly Operation[] = [
  read(["see"], "GET", TABLES, async (service, call) => {
    const ref = call.namespaceRef;
    const page = await service.listTables(call.actor, ref, pageOf(call.query));
    return answer.identifiersAnswer(ref.namespace, page);
  }),
  write(["create"], "POST", TABLES, async (service, call) => {
    const request = decode.decodeCreateTable(call.json());
    const delegation = delegationOf(call, request.name);
    const asked = { ...request, delegation };
    return answer.tableAnswer(await service.createTable(call.actor, call.namespaceRef, asked));
  }),
  write(["create", "drop"], "POST", `${NAMESPACE}/register`, async (service, call) => {
    const request = decode.decodeRegisterTable(call.json());
    const asked = { ...request, delegation: delegationOf(call, request.name) };
    return answer.tableAnswer(await service.registerTable(call.actor, call.namespaceRef, asked));
  }),
  read(["read-metadata"], "GET", TABLE, async (service, call) => {
    const snapshots = snapshotsOf(call.query);
    const ifNoneMatch = parseEntityTags(call.headers["if-none-match"]);
    const ref = call.tableRef;
    const options = { snapshots, ifNoneMatch, delegation: delegationOf(call, ref.table) };
    const loaded = await service.loadTable(call.actor, ref, options);
    return loaded === "not-modified"
      ? answer.notModifiedAnswer(ifNoneMatch)
      : answer.loadAnswer(loaded);
  }),
  read(["read-metadata", "read-data"], "GET", `${TABLE}/credentials`, async (service, call) => {
    const ref = call.tableRef;
    const delegation = { refreshEndpoint: pathOf(call, ref.table, "credentials") };
    return answer.credentialsAnswer(await service.loadCredentials(call.actor, ref, delegation));
  }),
  {
    // It changes nothing here, and is asked again where it fails.
    ...READ,
    limits: { bodyBytes: LIMITS.bodyBytes, counted: true },
    needs: ["read-data", "write-data"],
    method: "POST",
    template: `${TABLE}/sign`,
    handle: async (service, call) => {
      const asked = decode.decodeSignRequest(call.json());
      return answer.signedAnswer(await service.signRequest(call.actor, call.tableRef, asked));
    },
  },
  read(["see"], "HEAD", TABLE, async (service, call) => {
    await service.tableExists(call.actor, call.tableRef);
    return answer.NO_CONTENT;
  }),
  commit(
    ["write-data", "alter", "create"],
    TABLE,
    async (service, call) => {
      const request = decode.decodeCommitTable(call.json());
      return answer.commitAnswer(await service.commitTable(call.actor, call.tableRef, request));
    },
    async (service, call) => {
      const request = decode.decodeCommitTable(call.json());
      return answer.dryRunAnswer(await service.dryRunTable(call.actor, call.tableRef, request));
    },
  ),
  write(["drop", "write-data"], "DELETE", TABLE, async (service, call) => {
    const purgeRequested = purgeRequestedOf(call.query);
    await service.dropTable(call.actor, call.tableRef, { purgeRequested });
    return answer.NO_CONTENT;
  }),
  write(["drop", "create"], "POST", "/v1/{prefix}/tables/rename", async (service, call) => {
    const names = decode.decodeRenameTable(call.json());
    await service.renameTable(call.actor, { catalog: call.catalog, ...names });
    return answer.NO_CONTENT;
  }),
  write(["drop"], "POST", `${TABLE}/unregister`, async (service, call) =>
    answer.commitAnswer(await service.unregisterTable(call.actor, call.tableRef)),
  ),
  commit(
    ["write-data", "alter", "create"],
    "/v1/{prefix}/transactions/commit",
    async (service, call) => {
      const changes = await call.inTurns(decode.decodeCommitTransaction);
      await service.commitTransaction(call.actor, call.catalog, changes);
      return answer.NO_CONTENT;
    },
    async (service, call) => {
      const changes = await call.inTurns(decode.decodeCommitTransaction);
      const tried = await service.dryRunTransaction(call.actor, call.catalog, changes);
      return answer.dryRunsAnswer(tried);
    },
  ),
  {
    // A report changes no state: there is nothing to replay.
    ...WRITE,
    idempotency: "checked",
    needs: ["read-metadata"],
    method: "POST",
    template: `${TABLE}/metrics`,
    handle: async (service, call) => {
      const report = decodeMetricsReport(call.json());
      await service.reportMetrics(call.actor, call.tableRef, report);
      return answer.NO_CONTENT;
    },
  },
];

/** Functions cannot be made yet, so there are none; engines ask all the same. */
const FUNCTION_OPERATIONS: readonly Operation[] = [
  read(["see"], "GET", `${NAMESPACE}/functions`, async (service, call) => {
    const ref = call.namespaceRef;
    await service.namespaceExists(call.actor, ref);
    pageOf(call.query);
    return answer.identifiersAnswer(ref.namespace, { items: [], nextPageToken: null });
  }),
  read(["see"], "GET", `${NAMESPACE}/functions/{function}`, async (service, call) => {
    const ref = call.namespaceRef;
    await service.namespaceExists(call.actor, ref);
    throw functionNotFound(ref.namespace, call.functionName);
  }),
];

const VIEW_OPERATIONS: readonly Operation[] = [
  read(["see"], "GET", VIEWS, async (service, call) => {
    const ref = call.namespaceRef;
    const page = await service.listViews(call.actor, ref, pageOf(call.query));
    return answer.identifiersAnswer(ref.namespace, page);
  }),
  write(["create"], "POST", VIEWS, async (service, call) => {
    const request = decode.decodeCreateView(call.json());
    return answer.viewAnswer(await service.createView(call.actor, call.namespaceRef, request));
  }),
  write(["create"], "POST", `${NAMESPACE}/register-view`, async (service, call) => {
    const request = decode.decodeRegisterView(call.json());
    return answer.viewAnswer(await service.registerView(call.actor, call.namespaceRef, request));
  }),
  read(["read-metadata"], "GET", VIEW, async (service, call) =>
    answer.viewAnswer(await service.loadView(call.actor, call.viewRef)),
  ),
  read(["see"], "HEAD", VIEW, async (service, call) => {
    await service.viewExists(call.actor, call.viewRef);
    return answer.NO_CONTENT;
  }),
  commit(
    ["alter"],
    VIEW,
    async (service, call) => {
      const request = decode.decodeCommitView(call.json());
      return answer.viewAnswer(await service.commitView(call.actor, call.viewRef, request));
    },
    async (service, call) => {
      const request = decode.decodeCommitView(call.json());
      return answer.dryRunAnswer(await service.dryRunView(call.actor, call.viewRef, request));
    },
  ),
  write(["drop"], "DELETE", VIEW, async (service, call) => {
    await service.dropView(call.actor, call.viewRef);
    return answer.NO_CONTENT;
  }),
  write(["drop", "create"], "POST", "/v1/{prefix}/views/rename", async (service, call) => {
    const names = decode.decodeRenameView(call.json());
    await service.renameView(call.actor, { catalog: call.catalog, ...names });
    return answer.NO_CONTENT;
  }),
];

/** Everything that is served, and nothing else. */
export const OPERATIONS: readonly Operation[] = [
  ...CONFIG_OPERATIONS,
  ...NAMESPACE_OPERATIONS,
  ...TABLE_OPERATIONS,
  ...VIEW_OPERATIONS,
  ...FUNCTION_OPERATIONS,
];

/** What the config advertises. Clients call nothing that is not listed here. */
export const ENDPOINTS: readonly string[] = OPERATIONS.map(
  ({ method, template }) => `${method} ${template}`,
);
