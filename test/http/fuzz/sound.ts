import { OF_STORAGE } from "./of-storage.ts";
import { ROW_SESSIONS } from "./sound-rows.ts";
import {
  type Answer,
  CALM,
  IN_CATALOG,
  IN_NAMESPACE,
  type Send,
  type Session,
  SNAPSHOT,
  TABLE,
  told,
} from "./sound-session.ts";

type Texts = Readonly<Record<string, string>>;

const VIEW: Texts = { ...IN_NAMESPACE, view: "v" };
/** A table whose files are there. */
const PLANTED: Texts = { ...IN_NAMESPACE, table: "planted" };
const ROWS: Texts = { ...IN_NAMESPACE, table: "r" };

function reads(path: Texts = {}, query: Texts = {}): (operation: string) => Session {
  return (operation) => (send) => send(operation, { path, query });
}

function all(make: (operation: string) => Session, names: string): Record<string, Session> {
  return Object.fromEntries(names.split(" ").map((name) => [name, make(name)]));
}

const READS: Readonly<Record<string, Session>> = {
  ...all(
    reads(),
    "getInfo getMe getNode getHome getUsage listDropped listJobs listChanges listPrincipals " +
      "listAccounts listAudit listShards listCatalogs listConnectors listAdvice " +
      "listStorageProfiles",
  ),
  ...all(reads(IN_CATALOG), "getCatalog listCatalogVersions listNamespaces getCatalogPage"),
  ...all(
    reads(IN_NAMESPACE),
    "getNamespace listNamespaceVersions listTables listViews getNamespacePage",
  ),
  ...all(reads(VIEW), "getView listViewVersions getViewPage"),
  ...all(reads(TABLE), "getTable listTableVersions listSnapshots listConstraints getTablePage"),
  ...all(reads(SNAPSHOT), "getSnapshot listAncestors listStats listFileStats getConstraints"),
  ...all(reads(PLANTED), "resolveSnapshot getLayout listColumnFigures getHealth"),
  resolveName: reads({}, { name: "calm.n.t" })("resolveName"),
  searchNames: reads({}, { q: "calm" })("searchNames"),
  listGrants: reads({}, { principal: "anonymous" })("listGrants"),
  diffCatalog: reads(IN_CATALOG, { from: "1" })("diffCatalog"),
  diffNamespace: reads(IN_NAMESPACE, { from: "1" })("diffNamespace"),
  diffTable: reads(TABLE, { from: "1" })("diffTable"),
  diffView: reads(VIEW, { from: "1" })("diffView"),
};

/** A principal, role, account or other thing of the account that a session makes and may remove. */
const ACCOUNTS: Readonly<Record<string, Session>> = {
  ...madeAndUsed("principal", "createPrincipal", "getPrincipal deletePrincipal"),
  updatePrincipal: async (send, name) => {
    await send("createPrincipal", { body: { name } });
    const path = { principal: name };
    return send("updatePrincipal", { path, body: { description: "of a session" } });
  },
  createRole: (send, name) => send("createRole", { body: { name } }),
  createKey: keyed,
  deleteKey: async (send, name) => send("deleteKey", { path: await keyed(send, name) }),
  rotateKey: async (send, name) => send("rotateKey", { path: await keyed(send, name), body: {} }),
  addMember: (send, name) => member(send, name),
  removeMember: async (send, name) => {
    await member(send, name);
    return send("removeMember", { path: { role: `${name}-role`, member: name } });
  },
  ...granted("grant"),
  ...granted("revoke"),
  explainAccess: async (send, name) => {
    await send("createPrincipal", { body: { name } });
    const body = { principal: name, privilege: "create", catalog: CALM.catalog };
    return send("explainAccess", { body });
  },
  ...madeAndUsed("account", "createAccount", "getAccount dropAccount"),
  updateAccount: async (send, name) => {
    await send("createAccount", { body: { name } });
    return send("updateAccount", { path: { account: name }, body: { description: "x" } });
  },
  createAccountAdmin: async (send, name) => {
    await send("createAccount", { body: { name } });
    return send("createAccountAdmin", { path: { account: name }, body: { principal: "admin" } });
  },
};

/** The operation that makes a thing by its name, and others that only need it. */
function madeAndUsed(part: string, make: string, uses: string): Readonly<Record<string, Session>> {
  return {
    [make]: (send, name) => send(make, { body: { name } }),
    ...all(
      (operation) => async (send, name) => {
        await send(make, { body: { name } });
        return send(operation, { path: { [part]: name } });
      },
      uses,
    ),
  };
}

async function keyed(send: Send, name: string): Promise<Texts> {
  await send("createPrincipal", { body: { name } });
  const made = await send("createKey", { path: { principal: name }, body: {} });
  return { principal: name, key: told(made["id"]) };
}

async function member(send: Send, name: string): Promise<Answer> {
  await send("createPrincipal", { body: { name } });
  await send("createRole", { body: { name: `${name}-role` } });
  return send("addMember", { path: { role: `${name}-role` }, body: { principal: name } });
}

function granted(operation: "grant" | "revoke"): Readonly<Record<string, Session>> {
  return {
    [operation]: async (send, name) => {
      await send("createPrincipal", { body: { name } });
      const privileges = ["read-metadata", "create"];
      const body = { principal: name, privileges, catalog: CALM.catalog };
      if (operation === "revoke") await send("grant", { body });
      return send(operation, { body });
    },
  };
}

const JOBS: Readonly<Record<string, Session>> = {
  getJob: async (send, name) => {
    await send("createNamespace", { path: IN_CATALOG, body: { path: [name] } });
    const path = { ...IN_CATALOG, namespace: name };
    const { id } = await send("dropNamespace", { path, query: { recursive: "true" } });
    return send("getJob", { path: { job: told(id) } });
  },
};

const CATALOGS: Readonly<Record<string, Session>> = {
  createCatalog: (send, name) => send("createCatalog", { body: { name } }),
  updateCatalog: (send, name) =>
    send("updateCatalog", { path: IN_CATALOG, body: { description: name } }),
  ...all(
    (operation) => async (send, name) => {
      await send("createCatalog", { body: { name } });
      const body = operation === "renameCatalog" ? { name: `${name}-new` } : undefined;
      return send(operation, { path: { catalog: name }, body });
    },
    "renameCatalog dropCatalog",
  ),
  undrop: async (send, name) => {
    const { id } = await send("createCatalog", { body: { name } });
    await send("dropCatalog", { path: { catalog: name } });
    return send("undrop", { path: { id: told(id) }, body: {} });
  },
  findNames: async (send) => {
    const { id } = await send("getCatalog", { path: IN_CATALOG });
    return send("findNames", { body: { things: [{ type: "catalog", id }] } });
  },
  createNamespace: (send, name) =>
    send("createNamespace", { path: IN_CATALOG, body: { path: [name], properties: { k: name } } }),
  updateNamespace: (send, name) =>
    send("updateNamespace", { path: IN_NAMESPACE, body: { description: name } }),
  ...all(
    (operation) => async (send, name) => {
      await send("createNamespace", { path: IN_CATALOG, body: { path: [name] } });
      const body = operation === "renameNamespace" ? { path: [`${name}-new`] } : undefined;
      return send(operation, { path: { ...IN_CATALOG, namespace: name }, body });
    },
    "renameNamespace dropNamespace",
  ),
  createShard: (send, name) => send("createShard", { path: IN_CATALOG, body: { name } }),
  dropShard: async (send, name) => {
    await send("createShard", { path: IN_CATALOG, body: { name } });
    return send("dropShard", { path: IN_CATALOG, query: { shard: name } });
  },
  moveTable: async (send, name) => {
    const statement = `create table n."${name}" (a text primary key)`;
    await send("runSql", { body: { statement, catalog: CALM.catalog } });
    await send("createShard", { path: IN_CATALOG, body: { name } });
    return send("moveTable", { path: { ...IN_NAMESPACE, table: name }, body: { shard: name } });
  },
};

/** Of another format: its files are read by none of these requests. */
function otherTable(name: string): Answer {
  return {
    name,
    format: "OTHER",
    columns: [{ name: "a", type: "string", nullable: true }],
    properties: { owner: "session" },
  };
}

const RELATIONS: Readonly<Record<string, Session>> = {
  createTable: (send, name) => send("createTable", { path: IN_NAMESPACE, body: otherTable(name) }),
  updateTable: (send, name) => send("updateTable", { path: TABLE, body: { description: name } }),
  ...all(
    (operation) => async (send, name) => {
      await send("createTable", { path: IN_NAMESPACE, body: otherTable(name) });
      const body = operation === "renameTable" ? { name: `${name}-new` } : undefined;
      return send(operation, { path: { ...IN_NAMESPACE, table: name }, body });
    },
    "renameTable dropTable",
  ),
  updateView: (send, name) => send("updateView", { path: VIEW, body: { description: name } }),
  // Iceberg clients make views: those that are there come back.
  renameView: async (send, name) => {
    const path = { ...IN_NAMESPACE, view: "renamed" };
    await send("renameView", { path, body: { name } });
    return send("renameView", { path: { ...path, view: name }, body: { name: "renamed" } });
  },
  dropView: async (send) => {
    const path = { ...IN_NAMESPACE, view: "dropped" };
    const { id } = await send("getView", { path });
    await send("dropView", { path });
    return send("undrop", { path: { id: told(id) }, body: {} });
  },
  runSql: (send) =>
    send("runSql", { body: { statement: "select count(*) from n.r", catalog: CALM.catalog } }),
  writeRows: (send, name) => written(send, name),
  getRows: async (send, name) => {
    await written(send, name);
    return send("getRows", { path: ROWS, body: { keys: [{ a: name }], columns: ["b"] } });
  },
  scanRows: (send) => send("scanRows", { path: ROWS, body: { pageSize: 10 } }),
  checkRows: (send) => send("checkRows", { path: ROWS, body: {} }),
  repairRows: (send) => send("repairRows", { path: ROWS, body: {} }),
};

function written(send: Send, name: string): Promise<Answer> {
  const writes = [{ op: "put", row: { a: name, b: "of a session" } }];
  return send("writeRows", { path: ROWS, body: { writes } });
}

/** A profile of a store, or a connector, of which nothing is asked. */
function stored(name: string): Answer {
  return { ...OF_STORAGE, name, roots: [`s3://${name}/p`] };
}

const ELSEWHERE: Readonly<Record<string, Session>> = {
  createConnector: (send, name) => connected(send, name),
  updateConnector: async (send, name) => {
    await connected(send, name);
    return send("updateConnector", { path: { connector: name }, body: { description: "x" } });
  },
  diffConnector: async (send, name) => {
    await connected(send, name);
    return send("diffConnector", { path: { connector: name }, query: { from: "1" } });
  },
  ...all(
    (operation) => async (send, name) => {
      await connected(send, name);
      return send(operation, { path: { connector: name } });
    },
    "getConnector listConnectorVersions deleteConnector",
  ),
  createStorageProfile: (send, name) => kept(send, name),
  updateStorageProfile: async (send, name) => {
    await kept(send, name);
    const asked = { query: { skipCheck: "true" }, body: { description: "x" } };
    return send("updateStorageProfile", { path: { profile: name }, ...asked });
  },
  ...all(
    (operation) => async (send, name) => {
      await kept(send, name);
      return send(operation, { path: { profile: name } });
    },
    "getStorageProfile deleteStorageProfile",
  ),
};

function connected(send: Send, name: string): Promise<Answer> {
  return send("createConnector", { body: { name, kind: "GLUE", uri: "https://glue" } });
}

function kept(send: Send, name: string): Promise<Answer> {
  return send("createStorageProfile", { query: { skipCheck: "true" }, body: stored(name) });
}

/** By the operation that each is for. */
export const SESSIONS: Readonly<Record<string, Session>> = {
  ...READS,
  ...ACCOUNTS,
  ...JOBS,
  ...CATALOGS,
  ...RELATIONS,
  ...ELSEWHERE,
  ...ROW_SESSIONS,
};
