import { FirnError } from "../base/error.ts";
import type { RowScan, RowTransaction, TableDescriptor } from "../rows/index.ts";
import { Groups, type Outcome } from "./groups.ts";
import {
  ANSWER_CHARS,
  checkedName,
  checkedNumber,
  jsonText,
  jsonValue,
  type PatternShape,
  type PatternTable,
  patternTable,
} from "./pattern-table.ts";
import { rowsOf } from "./rows-of.ts";
import { Wakes } from "./wakes.ts";

export const LOG_SHAPE: PatternShape = {
  columns: [
    /** 1, 2, 3, … in the order of the commits. */
    { name: "position", type: { kind: "int8" } },
    { name: "stream", type: { kind: "text" }, nullable: false },
    /** 1, 2, 3, … in a stream. */
    { name: "version", type: { kind: "int8" }, nullable: false },
    { name: "at", type: { kind: "int8" }, nullable: false },
    { name: "event", type: { kind: "json" }, nullable: false },
  ],
  primaryKey: { parts: [{ column: "position" }] },
  indexes: [
    { name: "by_stream", parts: [{ column: "stream" }, { column: "version" }], unique: true },
  ],
};
const BY_STREAM = 1;

export interface LogEvent {
  readonly position: bigint;
  readonly stream: string;
  readonly version: bigint;
  /** When it was appended, by the clock of the shard's owner: for people, not for order. */
  readonly atMs: number;
  readonly event: unknown;
}

export interface Appended {
  /** Of the last of the events. */
  readonly version: bigint;
  readonly position: bigint;
}

interface Append {
  readonly stream: string;
  readonly texts: readonly string[];
  readonly expectedVersion: bigint | undefined;
}

const MOST_EVENTS = 1_000;
/** Appends of one transaction. */
const MOST_APPENDS = 64;
/** How often a subscriber looks for events of other processes. */
const POLL_MS = 200;

/**
 * Streams of events in one log. Versions of a stream and positions of the log have no gaps: an
 * append reads the newest of both in the transaction that writes the next, so a reader who has seen
 * a position has seen all before it.
 */
export class EventLog {
  readonly #table: PatternTable;
  readonly #appends: Groups<Append, Appended>;
  readonly #wakes: Wakes;

  constructor(table: PatternTable) {
    this.#table = table;
    this.#wakes = new Wakes(table.clock, POLL_MS);
    this.#appends = new Groups(1, MOST_APPENDS, (group) => this.#write(group));
  }

  /**
   * Appends events to a stream, all or none.
   *
   * @param options `expectedVersion`: of the stream's last event, 0 for none.
   * @throws FirnError `Conflict`, code `LOG_VERSION_CONFLICT`: the stream has another version.
   */
  async append(
    stream: string,
    events: readonly unknown[],
    { expectedVersion }: { readonly expectedVersion?: bigint } = {},
  ): Promise<Appended> {
    checkedName("stream", stream);
    checkedNumber("events", events.length, 1, MOST_EVENTS);
    const texts = events.map((event) => jsonText(this.#table, "event", event));
    const appended = await this.#appends.add({ stream, texts, expectedVersion });
    this.#wakes.wake();
    return appended;
  }

  /** Events of a stream behind a version; fewer than `limit` where they are large. */
  async read(
    stream: string,
    { after = 0n, limit = 100 }: { readonly after?: bigint; readonly limit?: number } = {},
  ): Promise<readonly LogEvent[]> {
    checkedNumber("limit", limit, 1, MOST_EVENTS);
    const range = { index: BY_STREAM, equal: [checkedName("stream", stream)] };
    return await this.#reading((tx, table) =>
      tx.scan(table, { ...range, lower: { value: after, inclusive: false }, limit }),
    );
  }

  /** Events of all streams behind a position, in the order of their commits. */
  async readAll({
    after = 0n,
    limit = 100,
  }: {
    readonly after?: bigint;
    readonly limit?: number;
  } = {}): Promise<readonly LogEvent[]> {
    checkedNumber("limit", limit, 1, MOST_EVENTS);
    return await this.#reading((tx, table) =>
      tx.scan(table, { lower: { value: after, inclusive: false }, limit }),
    );
  }

  /**
   * All events behind a position, and those that are appended later, until `signal`. A subscriber
   * keeps the position of the last event that it is done with, and begins there again.
   */
  async *subscribe({
    after = 0n,
    signal,
  }: {
    readonly after?: bigint;
    readonly signal: AbortSignal;
  }): AsyncGenerator<LogEvent> {
    for await (const events of this.batches({ after, signal })) {
      for (const event of events) {
        if (signal.aborted) return;
        yield event;
      }
    }
  }

  /** As `subscribe`, in batches. An empty one comes after each `beatMs` without events. */
  async *batches({
    after = 0n,
    signal,
    beatMs = Number.POSITIVE_INFINITY,
  }: {
    readonly after?: bigint;
    readonly signal: AbortSignal;
    readonly beatMs?: number;
  }): AsyncGenerator<readonly LogEvent[]> {
    const { clock } = this.#table;
    let position = after;
    let toldAtMs = clock.monotonicMs();
    while (!signal.aborted) {
      const woken = this.#wakes.begin(signal);
      try {
        const events = await this.readAll({ after: position });
        if (events.length > 0 || clock.monotonicMs() - toldAtMs >= beatMs) {
          yield events;
          position = events.at(-1)?.position ?? position;
          toldAtMs = clock.monotonicMs();
        } else await woken.wait();
      } finally {
        woken.end();
      }
    }
  }

  async #reading(
    scanOf: (tx: RowTransaction, table: TableDescriptor) => RowScan,
  ): Promise<readonly LogEvent[]> {
    return await this.#table.store.run(
      async (tx) => {
        const scan = scanOf(tx, await patternTable(tx, this.#table, LOG_SHAPE));
        const events: LogEvent[] = [];
        let chars = 0;
        for await (const row of rowsOf(scan)) {
          const [position, stream, version, at, text] = row as EventRow;
          const event = jsonValue(this.#table, text);
          events.push({ position, stream, version, atMs: Number(at), event });
          chars += text.length;
          if (chars >= ANSWER_CHARS) break;
        }
        return events;
      },
      { isolation: "repeatable read", readOnly: true },
    );
  }

  async #write(group: readonly Append[]): Promise<readonly Outcome<Appended>[]> {
    return await this.#table.store.run(async (tx) => {
      const table = await patternTable(tx, this.#table, LOG_SHAPE);
      const versions = new Map<string, bigint>();
      let position = await newest(tx.scan(table, { reverse: true, limit: 1, columns: [1] }));
      const at = BigInt(this.#table.clock.nowMs());
      const outcomes: Outcome<Appended>[] = [];
      for (const { stream, texts, expectedVersion } of group) {
        let version = versions.get(stream) ?? (await versionOf(tx, table, stream));
        versions.set(stream, version);
        if (expectedVersion !== undefined && expectedVersion !== version) {
          outcomes.push({ error: versionConflict(stream, expectedVersion, version) });
          continue;
        }
        const rows = texts.map((text) => [++position, stream, ++version, at, text] as const);
        await tx.insert(table, rows);
        versions.set(stream, version);
        outcomes.push({ value: { version, position } });
      }
      return outcomes;
    });
  }
}

type EventRow = readonly [bigint, string, bigint, bigint, string];

async function versionOf(
  tx: RowTransaction,
  table: TableDescriptor,
  stream: string,
): Promise<bigint> {
  const last = { index: BY_STREAM, equal: [stream], reverse: true, limit: 1, columns: [3] };
  return await newest(tx.scan(table, last));
}

/** The number of the only row; 0 where there is none. */
async function newest(scan: RowScan): Promise<bigint> {
  const batch = await scan.nextBatch();
  scan.close();
  return (batch?.columns[0]?.[0] as bigint | undefined) ?? 0n;
}

function versionConflict(stream: string, expected: bigint, version: bigint): FirnError {
  const message = "the stream has another version: read it, and decide again";
  return new FirnError("Conflict", "LOG_VERSION_CONFLICT", message, { stream, expected, version });
}
