import type { ArchiveOperations } from "../../api/archive-operations.ts";
import type { CommandOperations } from "../../api/command-operations.ts";
import type {
  ConfigurationOperations,
  ConfigurationEntry as TextEntry,
} from "../../api/configuration-operations.ts";
import type { CounterOperations } from "../../api/counter-operations.ts";
import type { LeaseOperations } from "../../api/lease-operations.ts";
import type { LinkOperations } from "../../api/link-operations.ts";
import type { LogOperations } from "../../api/log-operations.ts";
import type { PatternOperations } from "../../api/pattern-operations.ts";
import type { NewPattern } from "../../api/pattern-schema.ts";
import type { QueueOperations } from "../../api/queue-operations.ts";
import type {
  ArchivedRows,
  ConfigurationChange,
  Lease,
  LinkDirection,
  LogEvent,
} from "../../patterns/index.ts";
import { INT64_MAX } from "../../rows/index.ts";
import {
  ARCHIVES,
  COMMANDS,
  CONFIGURATION,
  COUNTERS,
  LEASES,
  LINKS,
  LOG,
  type Pattern,
  queueOf,
  SEEN_SHAPE,
  seenFor,
} from "../../service/rows/pattern-requests.ts";
import type { Call, Handlers, StreamCall } from "./call.ts";
import { JsonText, objectText } from "./json-text.ts";
import { namespaceOf, relationOf } from "./names.ts";
import { timeText } from "./times.ts";

/** A request should be answered within seconds. */
const REQUEST_OBJECTS = 100;

type Asked = Pick<Call<keyof PatternOperations>, "actor" | "service" | "params">;
type Creation = Asked & { readonly body: NewPattern };

function create(pattern: Pick<Pattern<unknown>, "shape">) {
  return ({ actor, service, params, body }: Creation) =>
    service.patterns.create(actor, namespaceOf(params), body, pattern);
}

function read<T, Result>(
  { actor, service, params }: Asked,
  pattern: Pattern<T>,
  work: (pattern: T) => Promise<Result>,
): Promise<Result> {
  return service.patterns.read(actor, relationOf(params), pattern, work);
}

function write<T, Result>(
  { actor, service, params }: Asked,
  pattern: Pattern<T>,
  work: (pattern: T) => Promise<Result>,
): Promise<Result> {
  return service.patterns.write(actor, relationOf(params), pattern, work);
}

function exchange<T, Result>(
  { actor, service, params }: Asked,
  pattern: Pattern<T>,
  work: (pattern: T) => Promise<Result>,
): Promise<Result> {
  return service.patterns.exchange(actor, relationOf(params), pattern, work);
}

function renderLease({ name, owner, fence, expiresAtMs }: Lease) {
  return { name, owner, fence: String(fence), expiresAt: timeText(expiresAtMs) };
}

const LEASE_HANDLERS: Handlers<keyof LeaseOperations> = {
  createLeases: create(LEASES),
  acquireLease: (call) => {
    const { name, owner, ttlMs } = call.body;
    return write(call, LEASES, async (leases) =>
      renderLease(await leases.acquire(name, { owner, ttlMs })),
    );
  },
  renewLease: (call) => {
    const { name, fence, ttlMs } = call.body;
    return write(call, LEASES, async (leases) =>
      renderLease(await leases.renew(name, { fence: BigInt(fence), ttlMs })),
    );
  },
  releaseLease: (call) => {
    const { name, fence } = call.body;
    return write(call, LEASES, async (leases) => ({
      released: await leases.release(name, BigInt(fence)),
    }));
  },
  getLease: (call) =>
    read(call, LEASES, async (leases) => {
      const lease = await leases.get(call.body.name);
      return { lease: lease === undefined ? null : renderLease(lease) };
    }),
};

const QUEUE_HANDLERS: Handlers<keyof QueueOperations> = {
  createQueue: create(queueOf()),
  enqueueTasks: (call) => {
    const { payloads, ...options } = call.body;
    return write(call, queueOf(), async (queue) => ({
      ids: await queue.enqueue(payloads, options),
    }));
  },
  claimTasks: (call) => {
    const { maxAttempts, ...options } = call.body;
    return exchange(call, queueOf(attempts(maxAttempts)), async (queue) => {
      const tasks = (await queue.claim(options)).map(({ fence, claimedUntilMs, ...task }) => ({
        ...task,
        fence: String(fence),
        claimedUntil: timeText(claimedUntilMs),
      }));
      return withTexts({ tasks }, "payload");
    });
  },
  ackTask: (call) =>
    write(call, queueOf(), async (queue) => ({
      acknowledged: await queue.ack(claimOf(call.body)),
    })),
  nackTask: (call) => {
    const { maxAttempts, id, fence, ...options } = call.body;
    return write(call, queueOf(attempts(maxAttempts)), async (queue) => {
      await queue.nack(claimOf({ id, fence }), options);
      return undefined;
    });
  },
  extendTask: (call) =>
    write(call, queueOf(), async (queue) => {
      const { visibilityMs } = call.body;
      await queue.extend(claimOf(call.body), { visibilityMs });
      return undefined;
    }),
  listDeadTasks: (call) => {
    const { max } = call.query;
    return read(call, queueOf(), async (queue) => {
      const dead = await queue.deadLetters(max === undefined ? {} : { limit: max });
      const tasks = dead.map(({ diedAtMs, ...task }) => ({ ...task, diedAt: timeText(diedAtMs) }));
      return withTexts({ tasks }, "payload");
    });
  },
  redriveTask: (call) =>
    write(call, queueOf(), async (queue) => ({
      redriven: await queue.redrive(call.body.id.toLowerCase()),
    })),
  discardTask: (call) =>
    write(call, queueOf(), async (queue) => ({
      discarded: await queue.discard(call.body.id.toLowerCase()),
    })),
};

function attempts(maxAttempts: number | undefined) {
  return maxAttempts === undefined ? {} : { maxAttempts };
}

function claimOf({ id, fence }: { readonly id: string; readonly fence: string }) {
  return { id: id.toLowerCase(), fence: BigInt(fence) };
}

function renderEvent({ position, version, atMs, stream, event }: LogEvent) {
  const known = { position: String(position), stream, version: String(version) };
  return { ...known, at: timeText(atMs), event };
}

const LOG_HANDLERS: Handlers<keyof LogOperations> = {
  createLog: create(LOG),
  appendEvents: (call) => {
    const { stream, events, expectedVersion: expected } = call.body;
    const options = expected === undefined ? {} : { expectedVersion: BigInt(expected) };
    return write(call, LOG, async (log) => {
      const { version, position } = await log.append(stream, events, options);
      return { version: String(version), position: String(position) };
    });
  },
  readEvents: (call) => {
    const { stream, after, max } = call.query;
    const range = {
      ...(after !== undefined && { after: BigInt(after) }),
      ...(max !== undefined && { limit: max }),
    };
    return read(call, LOG, async (log) => {
      const found = stream === undefined ? log.readAll(range) : log.read(stream, range);
      return withTexts({ events: (await found).map(renderEvent) }, "event");
    });
  },
};

/** A proxy may close a connection on which nothing comes. */
const BEAT_MS = 10_000;

/** The events of a log as they are appended, each with its position as its id. */
export async function followLog(call: StreamCall<"readEvents">): Promise<AsyncIterable<string>> {
  const { query, lastEventId, ended } = call;
  const after = BigInt(positionOf(lastEventId ?? query.after));
  const { stream } = query;
  const log = await read(call, LOG, async (one) => {
    // What is wrong with the table is told before the stream begins.
    await one.readAll({ after, limit: 1 });
    return one;
  });
  async function* pieces(): AsyncGenerator<string> {
    yield "retry: 1000\n\n";
    for await (const events of log.batches({ after, signal: ended, beatMs: BEAT_MS })) {
      if (events.length === 0) yield ": beat\n\n";
      for (const event of events) {
        if (stream !== undefined && event.stream !== stream) continue;
        const { text } = objectText({ ...renderEvent(event), event: textIn(event.event) });
        yield `event: event\nid: ${event.position}\ndata: ${text}\n\n`;
      }
    }
  }
  return pieces();
}

function positionOf(text = "0"): string {
  return /^[0-9]{1,18}$/.test(text) ? text : "0";
}

const COUNTER_HANDLERS: Handlers<keyof CounterOperations> = {
  createCounters: create(COUNTERS),
  addToCounter: (call) =>
    write(call, COUNTERS, async (counters) => {
      await counters.add(call.body.name, BigInt(call.body.n ?? "1"));
      return undefined;
    }),
  getCounter: (call) => {
    const { name, maxAgeMs = 0 } = call.body;
    return read(call, COUNTERS, async (counters) => {
      const value = maxAgeMs === 0 ? counters.get(name) : counters.getCached(name, { maxAgeMs });
      return { value: String(await value) };
    });
  },
  foldCounter: (call) =>
    write(call, COUNTERS, async (counters) => {
      await counters.fold(call.body.name);
      return undefined;
    }),
};

const COMMAND_HANDLERS: Handlers<keyof CommandOperations> = {
  createCommands: create(COMMANDS),
  reserveCommand: (call) => {
    const { leaseMs, ...command } = call.body;
    return exchange(call, COMMANDS, async (commands) => {
      const told = await commands.reserve(command, { leaseMs });
      if (told.state === "reserved") return { ...told, fence: String(told.fence) };
      return answered(objectText({ state: "done", reply: textIn(told.reply) }));
    });
  },
  completeCommand: (call) => {
    const { fence, reply, ...command } = call.body;
    return write(call, COMMANDS, async (commands) => {
      await commands.complete(command, BigInt(fence), reply);
      return undefined;
    });
  },
  abandonCommand: (call) => {
    const { fence, ...command } = call.body;
    return write(call, COMMANDS, async (commands) => {
      await commands.abandon(command, BigInt(fence));
      return undefined;
    });
  },
  forgetCommand: (call) =>
    write(call, COMMANDS, async (commands) => ({ forgotten: await commands.forget(call.body) })),
  createDeduplication: create(SEEN_SHAPE),
  findNewKeys: (call) => {
    const { keys, ...options } = call.body;
    return exchange(call, seenFor(options), async (seen) => ({ isNew: await seen.first(keys) }));
  },
  dropExpiredKeys: (call) =>
    write(call, seenFor(call.body), async (seen) => {
      await seen.dropExpired();
      return undefined;
    }),
};

const LINK_HANDLERS: Handlers<keyof LinkOperations> = {
  createLinks: create(LINKS),
  addNode: (call) =>
    write(call, LINKS, async (links) => ({ added: await links.addNode(call.body.node) })),
  removeNode: (call) =>
    write(call, LINKS, async (links) => ({ removed: await links.removeNode(call.body.node) })),
  linkNodes: (call) => {
    const { from, to } = call.body;
    return write(call, LINKS, async (links) => ({ linked: await links.link(from, to) }));
  },
  unlinkNodes: (call) => {
    const { from, to } = call.body;
    return write(call, LINKS, async (links) => ({ unlinked: await links.unlink(from, to) }));
  },
  listLinked: (call) => {
    const { node, direction, after, max } = call.query;
    const range = {
      direction: direction as LinkDirection,
      ...(after !== undefined && { after }),
      ...(max !== undefined && { limit: max }),
    };
    return read(call, LINKS, async (links) => ({ nodes: await links.linked(node, range) }));
  },
};

function renderArchived({ bucket, part, rows, bytes, sha256, location, atMs }: ArchivedRows) {
  return {
    bucket: String(bucket),
    part: String(part),
    rows: String(rows),
    bytes: String(bytes),
    sha256,
    location,
    at: timeText(atMs),
  };
}

const ARCHIVE_HANDLERS: Handlers<keyof ArchiveOperations> = {
  createArchive: create(ARCHIVES),
  archiveRows: async ({ actor, service, params, body }) => {
    const request = { maxObjects: REQUEST_OBJECTS, ...body };
    const run = await service.patterns.archive(actor, relationOf(params), request);
    return { objects: run.objects.map(renderArchived), isDone: run.isDone };
  },
  listArchivedRows: async ({ actor, service, params, query }) => {
    const { afterBucket, afterPart, max = 100 } = query;
    const after = afterBucket !== undefined && {
      after: {
        bucket: BigInt(afterBucket),
        // Without a part, behind all of them.
        part: afterPart === undefined ? INT64_MAX : BigInt(afterPart),
      },
    };
    const request = { ...after, limit: max };
    const objects = await service.patterns.archived(actor, relationOf(params), request);
    return { objects: objects.map(renderArchived) };
  },
};

function renderChange(change: Omit<ConfigurationChange, "value" | "isRemoved">) {
  const { name, version, revision, atMs } = change;
  const known = { name, version: String(version), revision: String(revision) };
  return { ...known, at: timeText(atMs) };
}

const CONFIGURATION_HANDLERS: Handlers<keyof ConfigurationOperations> = {
  createConfiguration: create(CONFIGURATION),
  setEntry: (call) => {
    const { name, value, expectedVersion } = call.body;
    return write(call, CONFIGURATION, async (configuration) => {
      const set = await configuration.set(name, value, expected(expectedVersion));
      return { version: String(set.version), revision: String(set.revision) };
    });
  },
  removeEntry: (call) => {
    const { name, expectedVersion } = call.body;
    return write(call, CONFIGURATION, async (configuration) => ({
      removed: await configuration.remove(name, expected(expectedVersion)),
    }));
  },
  getEntry: (call) => {
    const { name, maxAgeMs = 0 } = call.body;
    return read(call, CONFIGURATION, async (configuration) => {
      const entry = await configuration.get(name, { maxAgeMs });
      if (entry === undefined) return { entry: null };
      const text = objectText({ ...renderChange(entry), value: textIn(entry.value) });
      return answered<{ readonly entry: TextEntry }>(objectText({ entry: text }));
    });
  },
  listEntryChanges: (call) => {
    const { after, max } = call.query;
    const range = {
      ...(after !== undefined && { after: BigInt(after) }),
      ...(max !== undefined && { limit: max }),
    };
    return read(call, CONFIGURATION, async (configuration) => {
      const { changes, revision } = await configuration.changes(range);
      const texts = changes.map((change) => {
        const { isRemoved } = change;
        const value = isRemoved ? {} : { value: textIn(change.value) };
        return objectText({ ...renderChange(change), isRemoved, ...value });
      });
      return answered(objectText({ changes: texts, revision: String(revision) }));
    });
  },
};

function expected(version: string | undefined) {
  return version === undefined ? {} : { expectedVersion: BigInt(version) };
}

export const PATTERN_HANDLERS: Handlers<keyof PatternOperations> = {
  ...LEASE_HANDLERS,
  ...QUEUE_HANDLERS,
  ...LOG_HANDLERS,
  ...COUNTER_HANDLERS,
  ...COMMAND_HANDLERS,
  ...LINK_HANDLERS,
  ...CONFIGURATION_HANDLERS,
  ...ARCHIVE_HANDLERS,
};

/** The service gives stored JSON as text. */
function textIn(value: unknown): JsonText {
  return new JsonText(value as string);
}

/** An answer with one list, a member of whose entries is JSON text. */
function withTexts<T extends object>(answer: T, member: string): T {
  const lists = Object.entries(answer).map(([name, entries]) => {
    const list = entries as readonly Readonly<Record<string, unknown>>[];
    return [
      name,
      list.map((one) => objectText({ ...one, [member]: textIn(one[member]) })),
    ] as const;
  });
  return answered(objectText(Object.fromEntries(lists)));
}

/** The text of an answer, which the table's type of the answer describes. */
function answered<T>(text: JsonText): T {
  return text as unknown as T;
}
