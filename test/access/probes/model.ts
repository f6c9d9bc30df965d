import type { Sent } from "./world.ts";

/*
 * Who may do what, a second time: written from the table of privileges in docs/access.md, and from
 * nothing in `src/`. `matrix.ts` compares it with what the server does.
 */

export type Privilege =
  | "see"
  | "read-metadata"
  | "read-data"
  | "write-data"
  | "alter"
  | "create"
  | "drop"
  | "manage-grants"
  | "admin";

export const PRIVILEGES: readonly Privilege[] = [
  "see",
  "read-metadata",
  "read-data",
  "write-data",
  "alter",
  "create",
  "drop",
  "manage-grants",
  "admin",
];

/** Account, catalog, namespace, table, view: all on one path, the view beside the table. */
export type Level = "A" | "C" | "N" | "T" | "V";

const ABOVE: Readonly<Record<Level, readonly Level[]>> = {
  A: [],
  C: ["A"],
  N: ["C", "A"],
  T: ["N", "C", "A"],
  V: ["N", "C", "A"],
};

/** What one request needs: all of it. */
export type Needs = readonly (readonly [Level, Privilege])[];

/** What a principal was granted, and where. */
export type Held = readonly (readonly [Level, Privilege])[];

export type Expected = "allowed" | "forbidden" | "hidden" | "forbidden or hidden";

function holds(held: Held, level: Level, wanted: Privilege): boolean {
  const here = held.filter(([at]) => at === level || ABOVE[level].includes(at));
  return here.some(([, privilege]) => privilege === wanted || privilege === "admin");
}

/** Any privilege on a thing or above it shows its name, and one below it does so upwards. */
function sees(held: Held, level: Level): boolean {
  return (
    level === "A" ||
    held.some(([at]) => at === level || ABOVE[level].includes(at) || ABOVE[at].includes(level))
  );
}

export function expected(held: Held, needs: Needs): Expected {
  const missing = needs.filter(([level, privilege]) =>
    privilege === "see" ? !sees(held, level) : !holds(held, level, privilege),
  );
  if (missing.length === 0) return "allowed";
  const hidden = missing.filter(([level]) => !sees(held, level));
  if (hidden.length === 0) return "forbidden";
  return hidden.length === missing.length ? "hidden" : "forbidden or hidden";
}

type Rule = Needs | ((sent: Sent) => Needs);

const bodyOf = ({ body }: Sent) => (body ?? {}) as Readonly<Record<string, unknown>>;
const asks = ({ path }: Sent, query: string) => path.split("?")[1]?.includes(query) === true;

/** A list of what is there needs to see where it lies; of what was dropped, it is the account's. */
const list =
  (level: Level): Rule =>
  (sent) =>
    asks(sent, "state=DROPPED") ? [["A", "read-metadata"]] : [[level, "see"]];

const alter =
  (level: Level): Rule =>
  (sent) => [
    [level, "alter"],
    ...("protected" in bodyOf(sent) ? ([[level, "admin"]] as const) : []),
  ];

function ofUpdates(updates: unknown): Privilege {
  const text = JSON.stringify(updates);
  if (text.includes("set-location")) return "admin";
  return text.includes("snapshot-ref") ? "write-data" : "alter";
}

const commit: Rule = (sent) => [["T", ofUpdates(bodyOf(sent))]];

const dropTable: Rule = (sent) => [
  ["T", "drop"],
  ...(asks(sent, "purge=true") || asks(sent, "purgeRequested=true")
    ? ([["T", "write-data"]] as const)
    : []),
];

const giving: Rule = (sent) =>
  (["manage-grants", ...(bodyOf(sent)["privileges"] as Privilege[])] as const).map(
    (each) => ["T", each] as const,
  );

const writeRows: Rule = (sent) => {
  const { writes, returning, fences } = bodyOf(sent);
  const isConditional = JSON.stringify(writes ?? []).includes('"ifVersion"');
  const reads = returning === true || fences !== undefined || isConditional;
  return [["T", "write-data"], ...(reads ? ([["T", "read-data"]] as const) : [])];
};

const ANY: Rule = [];
const readMetadata = (level: Level): Rule => [[level, "read-metadata"]];
const NAMESPACE = "/v1/{prefix}/namespaces/{namespace}";
const TABLE = `${NAMESPACE}/tables/{table}`;
const VIEW = `${NAMESPACE}/views/{view}`;

const ICEBERG: Readonly<Record<string, Rule>> = {
  "GET /v1/config": [["C", "see"]],
  "GET /v1/{prefix}/namespaces": [["C", "see"]],
  "POST /v1/{prefix}/namespaces": [["N", "create"]],
  [`GET ${NAMESPACE}`]: readMetadata("N"),
  [`HEAD ${NAMESPACE}`]: [["N", "see"]],
  [`DELETE ${NAMESPACE}`]: [["N", "drop"]],
  [`POST ${NAMESPACE}/properties`]: [["N", "alter"]],
  [`GET ${NAMESPACE}/tables`]: [["N", "see"]],
  [`POST ${NAMESPACE}/tables`]: [["N", "create"]],
  [`POST ${NAMESPACE}/register`]: [["N", "create"]],
  [`GET ${TABLE}`]: readMetadata("T"),
  [`GET ${TABLE}/credentials`]: [
    ["T", "read-metadata"],
    ["T", "read-data"],
  ],
  [`POST ${TABLE}/sign`]: (sent) => [
    ["T", bodyOf(sent)["method"] === "GET" ? "read-data" : "write-data"],
  ],
  [`HEAD ${TABLE}`]: [["T", "see"]],
  [`POST ${TABLE}`]: commit,
  [`DELETE ${TABLE}`]: dropTable,
  [`POST ${TABLE}/unregister`]: [["T", "drop"]],
  [`POST ${TABLE}/metrics`]: readMetadata("T"),
  "POST /v1/{prefix}/tables/rename": [
    ["T", "drop"],
    ["N", "create"],
  ],
  "POST /v1/{prefix}/transactions/commit": commit,
  [`GET ${NAMESPACE}/views`]: [["N", "see"]],
  [`POST ${NAMESPACE}/views`]: [["N", "create"]],
  [`POST ${NAMESPACE}/register-view`]: [["N", "create"]],
  [`GET ${VIEW}`]: readMetadata("V"),
  [`HEAD ${VIEW}`]: [["V", "see"]],
  [`POST ${VIEW}`]: [["V", "alter"]],
  [`DELETE ${VIEW}`]: [["V", "drop"]],
  "POST /v1/{prefix}/views/rename": [
    ["V", "drop"],
    ["N", "create"],
  ],
  [`GET ${NAMESPACE}/functions`]: [["N", "see"]],
  [`GET ${NAMESPACE}/functions/{function}`]: [["N", "see"]],
};

/** Operations of one rule. */
function all(rule: Rule, names: string): Readonly<Record<string, Rule>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, rule]));
}

/** No principal of an account but an operator may do it. */
export const OPERATORS: ReadonlySet<string> = new Set(
  "listAccounts createAccount getAccount updateAccount dropAccount createAccountAdmin".split(" "),
);

const NATIVE: Readonly<Record<string, Rule>> = {
  // A statement is judged by the names in it, which `test/sql` and `test/pgwire` show.
  ...all(ANY, "getInfo getMe getNode getHome listAdvice findNames searchNames listCatalogs runSql"),
  listCatalogs: (sent) => (asks(sent, "state=DROPPED") ? [["A", "read-metadata"]] : []),
  ...all(
    readMetadata("A"),
    "listDropped listJobs getJob listChanges listShards getUsage listConnectors " +
      "getConnector listConnectorVersions diffConnector",
  ),
  ...all([["A", "create"]], "undrop createCatalog createConnector"),
  ...all([["A", "alter"]], "updateConnector"),
  ...all([["A", "drop"]], "deleteConnector"),
  ...all(
    [["A", "admin"]],
    "retryJob cancelJob importTables beginImport checkConnector listPrincipals createPrincipal " +
      "getPrincipal updatePrincipal deletePrincipal createKey rotateKey deleteKey createRole " +
      "addMember removeMember listGrants explainAccess listAudit createShard dropShard moveShard " +
      "drainShard releaseShard listStorageProfiles createStorageProfile getStorageProfile " +
      "updateStorageProfile deleteStorageProfile checkStorageProfile",
  ),
  ...all(giving, "grant revoke"),
  ...all(readMetadata("C"), "getCatalog listCatalogVersions diffCatalog getCatalogPage"),
  updateCatalog: alter("C"),
  dropCatalog: [["C", "drop"]],
  renameCatalog: [
    ["C", "drop"],
    ["A", "create"],
  ],
  listNamespaces: (sent) =>
    asks(sent, "state=DROPPED")
      ? [["A", "read-metadata"]]
      : [[asks(sent, "parent=") ? "N" : "C", "see"]],
  createNamespace: [["C", "create"]],
  ...all(readMetadata("N"), "getNamespace listNamespaceVersions diffNamespace getNamespacePage"),
  updateNamespace: alter("N"),
  dropNamespace: [["N", "drop"]],
  renameNamespace: [
    ["N", "drop"],
    ["C", "create"],
  ],
  ...all(list("N"), "listTables listViews"),
  ...all(
    [["N", "create"]],
    "createTable createLeases createQueue createLog createCounters createCommands " +
      "createDeduplication createLinks createConfiguration createArchive",
  ),
  ...all(
    readMetadata("T"),
    "getTable listTableVersions diffTable listSnapshots resolveSnapshot getSnapshot " +
      "listAncestors getLayout listColumnFigures getHealth listStats getStats listFileStats " +
      "getFileStats listConstraints getConstraints getTablePage resolveName",
  ),
  ...all([["T", "write-data"]], "putStats putStatsBatch deleteStats"),
  ...all(
    [["T", "alter"]],
    "moveTable refreshTable putConstraints mergeConstraints appendConstraints deleteConstraint " +
      "deleteConstraints",
  ),
  updateTable: alter("T"),
  dropTable,
  renameTable: [
    ["T", "drop"],
    ["N", "create"],
  ],
  ...all(readMetadata("V"), "getView listViewVersions diffView getViewPage"),
  updateView: alter("V"),
  dropView: [["V", "drop"]],
  renameView: [
    ["V", "drop"],
    ["N", "create"],
  ],
  writeRows,
  ...all(
    [["T", "read-data"]],
    "getRows scanRows checkRows getLease listDeadTasks readEvents getCounter " +
      "listLinked getEntry listEntryChanges listArchivedRows",
  ),
  ...all(
    [["T", "write-data"]],
    "acquireLease renewLease releaseLease enqueueTasks ackTask nackTask extendTask redriveTask " +
      "discardTask appendEvents addToCounter foldCounter completeCommand abandonCommand " +
      "forgetCommand dropExpiredKeys addNode removeNode linkNodes unlinkNodes setEntry removeEntry",
  ),
  ...all(
    [
      ["T", "read-data"],
      ["T", "write-data"],
    ],
    "claimTasks reserveCommand findNewKeys repairRows archiveRows",
  ),
};

const RULES: Readonly<Record<string, Rule>> = { ...ICEBERG, ...NATIVE };

/** What a request of an operation needs; undefined for one that nothing was written of. */
export function needsOf(name: string, sent: Sent): Needs | undefined {
  const rule = RULES[name];
  return typeof rule === "function" ? rule(sent) : rule;
}
