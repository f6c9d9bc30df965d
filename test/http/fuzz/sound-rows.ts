import { IN_NAMESPACE, type Send, type Session, SNAPSHOT, told } from "./sound-session.ts";

/** Sessions on patterns, statistics and constraints: an answer tells what the next request says. */

interface Collection {
  /** In the path that makes one. */
  readonly kind: string;
  /** The one that is there. */
  readonly name: string;
}

/** The tables of patterns, by the operation that makes one. */
export const COLLECTIONS: Readonly<Record<string, Collection>> = {
  createLeases: { kind: "leases", name: "leases" },
  createQueue: { kind: "queues", name: "queue" },
  createLog: { kind: "logs", name: "log" },
  createCounters: { kind: "counters", name: "counters" },
  createCommands: { kind: "idempotency", name: "commands" },
  createDeduplication: { kind: "deduplication", name: "keys" },
  createLinks: { kind: "links", name: "links" },
  createConfiguration: { kind: "configurations", name: "configuration" },
  createArchive: { kind: "archives", name: "archive" },
};

function at(table: string): { readonly path: Readonly<Record<string, string>> } {
  return { path: { ...IN_NAMESPACE, table } };
}

const MINUTE_MS = 60_000;

async function leased(send: Send, name: string): Promise<{ name: string; fence: string }> {
  const body = { name, owner: "session", ttlMs: MINUTE_MS };
  const { lease, fence } = await send("acquireLease", { ...at("leases"), body });
  return { name, fence: told(fence ?? (lease as { fence?: unknown } | undefined)?.fence) };
}

const LEASES: Readonly<Record<string, Session>> = {
  acquireLease: leased,
  renewLease: async (send, name) => {
    const body = { ...(await leased(send, name)), ttlMs: MINUTE_MS };
    return send("renewLease", { ...at("leases"), body });
  },
  releaseLease: async (send, name) =>
    send("releaseLease", { ...at("leases"), body: await leased(send, name) }),
  getLease: async (send, name) => {
    await leased(send, name);
    return send("getLease", { ...at("leases"), body: { name } });
  },
};

interface Claimed {
  readonly id: string;
  readonly fence: string;
}

/** One of several, so that one is left where others claim beside it. */
async function claimed(send: Send): Promise<Claimed> {
  await send("enqueueTasks", { ...at("queue"), body: { payloads: [1, { a: [null] }, "x"] } });
  const body = { max: 1, visibilityMs: MINUTE_MS };
  const { tasks } = await send("claimTasks", { ...at("queue"), body });
  const [{ id, fence } = { id: "", fence: "0" }] = (tasks ?? []) as readonly Claimed[];
  return { id, fence };
}

/** @returns the id of a task that is dead. */
async function dead(send: Send): Promise<string> {
  const task = await claimed(send);
  await send("nackTask", { ...at("queue"), body: { ...task, maxAttempts: 1, reason: "no" } });
  return task.id;
}

const QUEUES: Readonly<Record<string, Session>> = {
  enqueueTasks: (send) => send("enqueueTasks", { ...at("queue"), body: { payloads: [1] } }),
  claimTasks: claimed,
  ackTask: async (send) => send("ackTask", { ...at("queue"), body: await claimed(send) }),
  nackTask: dead,
  extendTask: async (send) => {
    const body = { ...(await claimed(send)), visibilityMs: MINUTE_MS };
    return send("extendTask", { ...at("queue"), body });
  },
  listDeadTasks: (send) => send("listDeadTasks", at("queue")),
  redriveTask: async (send) =>
    send("redriveTask", { ...at("queue"), body: { id: await dead(send) } }),
  discardTask: async (send) =>
    send("discardTask", { ...at("queue"), body: { id: await dead(send) } }),
};

/** What is acted on by a name alone. */
function named(operation: string, table: string, more: object = {}): Session {
  return (send, name) => send(operation, { ...at(table), body: { name, ...more } });
}

const COUNTED: Readonly<Record<string, Session>> = {
  appendEvents: (send, name) =>
    send("appendEvents", { ...at("log"), body: { stream: name, events: [1, { a: 2 }] } }),
  readEvents: (send) => send("readEvents", { ...at("log"), query: { max: "10" } }),
  addToCounter: named("addToCounter", "counters", { n: "3" }),
  getCounter: named("getCounter", "counters"),
  foldCounter: named("foldCounter", "counters"),
  setEntry: named("setEntry", "configuration", { value: { a: 1 } }),
  getEntry: named("getEntry", "configuration"),
  removeEntry: named("removeEntry", "configuration"),
  listEntryChanges: (send) => send("listEntryChanges", at("configuration")),
};

interface Command {
  readonly scope: string;
  readonly key: string;
  readonly hash: string;
}

async function reserved(send: Send, key: string): Promise<Command & { readonly fence: string }> {
  const command = { scope: "session", key, hash: "h" };
  const body = { ...command, leaseMs: MINUTE_MS };
  const { fence } = await send("reserveCommand", { ...at("commands"), body });
  return { ...command, fence: told(fence) };
}

const COMMANDS: Readonly<Record<string, Session>> = {
  reserveCommand: reserved,
  completeCommand: async (send, name) => {
    const body = { ...(await reserved(send, name)), reply: { done: true } };
    return send("completeCommand", { ...at("commands"), body });
  },
  abandonCommand: async (send, name) =>
    send("abandonCommand", { ...at("commands"), body: await reserved(send, name) }),
  forgetCommand: async (send, name) => {
    const { scope, key } = await reserved(send, name);
    return send("forgetCommand", { ...at("commands"), body: { scope, key } });
  },
};

const SPAN = { ttlMs: MINUTE_MS, bucketMs: 1_000 };

async function linked(send: Send, name: string): Promise<{ from: string; to: string }> {
  const ends = { from: `${name}-a`, to: `${name}-b` };
  for (const node of [ends.from, ends.to]) {
    await send("addNode", { ...at("links"), body: { node } });
  }
  await send("linkNodes", { ...at("links"), body: ends });
  return ends;
}

const LINKED: Readonly<Record<string, Session>> = {
  findNewKeys: (send, name) =>
    send("findNewKeys", { ...at("keys"), body: { keys: [name, "again"], ...SPAN } }),
  dropExpiredKeys: (send) => send("dropExpiredKeys", { ...at("keys"), body: SPAN }),
  addNode: (send, node) => send("addNode", { ...at("links"), body: { node } }),
  removeNode: async (send, node) => {
    await send("addNode", { ...at("links"), body: { node } });
    return send("removeNode", { ...at("links"), body: { node } });
  },
  linkNodes: linked,
  unlinkNodes: async (send, name) =>
    send("unlinkNodes", { ...at("links"), body: await linked(send, name) }),
  listLinked: async (send, name) => {
    const { from } = await linked(send, name);
    return send("listLinked", { ...at("links"), query: { node: from, direction: "from" } });
  },
  archiveRows: (send) =>
    send("archiveRows", {
      ...at("archive"),
      body: { table: "archive", keepMs: MINUTE_MS, bucketMs: 1_000 },
    }),
  listArchivedRows: (send) => send("listArchivedRows", at("archive")),
};

function created(operation: string): Session {
  return (send, name) => send(operation, { path: IN_NAMESPACE, body: { name } });
}

const FIGURES = { target: { kind: "COLUMN", fieldId: 1 }, rowCount: "7", nullCount: "0" };
const PATH = "s3://calm/1.parquet";

const STATISTICS: Readonly<Record<string, Session>> = {
  putStats: (send) => send("putStats", { path: SNAPSHOT, body: FIGURES }),
  putStatsBatch: (send) =>
    send("putStatsBatch", {
      path: SNAPSHOT,
      body: { target: { kind: "FILE", path: PATH }, rowCount: "1" },
    }),
  getStats: async (send, name) => send("getStats", { path: await put(send, name) }),
  deleteStats: async (send, name) => send("deleteStats", { path: await put(send, name) }),
  getFileStats: async (send) => {
    await send("putStatsBatch", { path: SNAPSHOT, body: { target: { kind: "FILE", path: PATH } } });
    return send("getFileStats", { path: SNAPSHOT, query: { path: PATH } });
  },
};

/** Statistics of an expression that is the session's alone. */
async function put(send: Send, name: string): Promise<Readonly<Record<string, string>>> {
  const target = { kind: "EXPRESSION", engine: "spark", expression: name };
  const { id } = await send("putStats", { path: SNAPSHOT, body: { target, rowCount: "1" } });
  return { ...SNAPSHOT, target: told(id) };
}

/** A constraint that is the session's alone. */
function constraints(name: string): object {
  return { constraints: [{ name, kind: "CHECK", expression: "a > 0", enforced: true }] };
}

const CONSTRAINTS: Readonly<Record<string, Session>> = {
  putConstraints: (send, name) =>
    send("putConstraints", { path: SNAPSHOT, body: constraints(name) }),
  mergeConstraints: (send, name) =>
    send("mergeConstraints", { path: SNAPSHOT, body: constraints(name) }),
  appendConstraints: (send, name) =>
    send("appendConstraints", { path: SNAPSHOT, body: constraints(name) }),
  deleteConstraint: async (send, name) => {
    await send("mergeConstraints", { path: SNAPSHOT, body: constraints(name) });
    return send("deleteConstraint", { path: { ...SNAPSHOT, constraint: name } });
  },
  deleteConstraints: (send) => send("deleteConstraints", { path: SNAPSHOT }),
};

export const ROW_SESSIONS: Readonly<Record<string, Session>> = {
  ...Object.fromEntries(Object.keys(COLLECTIONS).map((name) => [name, created(name)])),
  ...LEASES,
  ...QUEUES,
  ...COUNTED,
  ...COMMANDS,
  ...LINKED,
  ...STATISTICS,
  ...CONSTRAINTS,
};
