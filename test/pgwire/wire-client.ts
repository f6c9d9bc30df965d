import { connect, type Socket } from "node:net";
import { createMetrics, type Metrics } from "../../src/base/metrics.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { WaitGraph } from "../../src/base/wait-graph.ts";
import { WireListener, type WireOptions } from "../../src/pgwire/listener.ts";
import { TemporaryMemory } from "../../src/rows/index.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import type { VirtualRelations } from "../../src/sql/catalog/virtual.ts";
import type { SpillSpace } from "../../src/sql/exec/spill.ts";
import { LazyExpressions } from "../../src/sql/lazy-expressions.ts";
import { Parser } from "../../src/sql/parse/parser.ts";
import { AdvisoryLocks } from "../../src/sql/session/advisory-locks.ts";
import { ExportedSnapshots } from "../../src/sql/session/exported-snapshots.ts";
import { openSession } from "../../src/sql/session/open.ts";
import type { SqlSession } from "../../src/sql/session/session.ts";
import { TemporarySchemas } from "../../src/sql/session/temporary-schemas.ts";
import { openRows } from "../rows/support/open-rows.ts";
import { MemoryCatalog } from "../sql/memory-catalog.ts";

/** A message as the server sent it. */
export interface Answer {
  readonly type: string;
  readonly body: Buffer;
}

export const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value | 0);
  return bytes;
};

export const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

export const text = (value: string): Buffer => Buffer.from(`${value}\0`);

/** A message of a type. */
export function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

export const SYNC: Buffer = message("S");
export const query = (sql: string): Buffer => message("Q", text(sql));
export const parse = (name: string, sql: string, types: readonly number[] = []): Buffer =>
  message("P", text(name), text(sql), int16(types.length), ...types.map(int32));
export const describePortal = (name = ""): Buffer => message("D", Buffer.from("P"), text(name));
export const describeStatement = (name = ""): Buffer => message("D", Buffer.from("S"), text(name));
export const execute = (name = "", limit = 0): Buffer => message("E", text(name), int32(limit));

export function bind(
  portal: string,
  statement: string,
  values: readonly (string | Buffer | null)[] = [],
  formats: readonly number[] = [],
  results: readonly number[] = [],
): Buffer {
  const fields = values.flatMap((value) => {
    if (value === null) return [int32(-1)];
    const bytes = Buffer.from(value as string);
    return [int32(bytes.length), bytes];
  });
  const [given, wanted] = [formats, results].map((each) => [
    int16(each.length),
    ...each.map(int16),
  ]) as [Buffer[], Buffer[]];
  return message(
    "B",
    text(portal),
    text(statement),
    ...given,
    int16(values.length),
    ...fields,
    ...wanted,
  );
}

export function startup(settings: Readonly<Record<string, string>>, version = 196_608): Buffer {
  const pairs = Object.entries(settings).flatMap(([name, value]) => [text(name), text(value)]);
  const body = Buffer.concat([int32(version), ...pairs, Buffer.from([0])]);
  return Buffer.concat([int32(body.length + 4), body]);
}

/** The fields of an error or a notice, by their letters. */
export function fieldsOf({ body }: Answer): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const part of body.toString().split("\0")) {
    if (part !== "") fields[part[0] as string] = part.slice(1);
  }
  return fields;
}

/** The values of a row, as text. */
export function valuesOf({ body }: Answer): readonly (string | null)[] {
  let at = 2;
  return Array.from({ length: body.readUInt16BE(0) }, () => {
    const length = body.readInt32BE(at);
    at += 4 + Math.max(0, length);
    return length < 0 ? null : body.subarray(at - length, at).toString();
  });
}

/** A client that sends bytes and sees messages. */
export class WireClient {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (chunk) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  send(...bytes: readonly Uint8Array[]): void {
    this.#socket.write(Buffer.concat(bytes));
  }

  /** The next message; undefined once the connection is closed. */
  async next(): Promise<Answer | undefined> {
    for (;;) {
      if (this.#bytes.length >= 5) {
        const length = this.#bytes.readUInt32BE(1) + 1;
        if (this.#bytes.length >= length) {
          const answer = {
            type: String.fromCharCode(this.#bytes[0] as number),
            body: this.#bytes.subarray(5, length),
          };
          this.#bytes = this.#bytes.subarray(length);
          return answer;
        }
      }
      if (this.#isClosed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** One byte: the answer to a request for encryption. */
  async byte(): Promise<string> {
    while (this.#bytes.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const byte = this.#bytes.subarray(0, 1).toString();
    this.#bytes = this.#bytes.subarray(1);
    return byte;
  }

  /** All messages up to the next `ReadyForQuery`, or to the end. */
  async untilReady(): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    for (let answer = await this.next(); answer !== undefined; answer = await this.next()) {
      answers.push(answer);
      if (answer.type === "Z") break;
    }
    return answers;
  }

  /** Types of all messages up to the next `ReadyForQuery`. */
  async types(): Promise<string> {
    return (await this.untilReady()).map(({ type }) => type).join("");
  }

  async start(settings: Readonly<Record<string, string>> = {}): Promise<readonly Answer[]> {
    this.send(startup({ user: "tester", database: "default", ...settings }));
    return await this.untilReady();
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

export interface TestServer {
  readonly port: number;
  readonly defects: unknown[];
  readonly metrics: Metrics;
  readonly sessions: SqlSession[];
  readonly temporary: TemporarySchemas;
  /** Tables of the catalog. */
  readonly names: readonly string[];
  client(): WireClient;
  close(): Promise<void>;
}

/** Of temporary tables of all sessions: more than one session may have. */
export const TEMPORARY_BYTES: number = 80 * 1_024 * 1_024;

/** A listener whose sessions share one store of rows. */
export async function openServer(
  maxConnections?: number,
  virtual?: VirtualRelations,
  edge: Pick<WireOptions, "signIn" | "tls"> = {},
  spillSpace?: SpillSpace,
): Promise<TestServer> {
  const clock = new SystemClock();
  const parser = new Parser(clock);
  const defects: unknown[] = [];
  const clients: WireClient[] = [];
  const sessions: SqlSession[] = [];
  const metrics = createMetrics();
  const expressions = new LazyExpressions({ clock, prng: new SeededPrng(5) });
  const waits = new WaitGraph();
  const opened = await openRows(undefined, expressions, waits);
  const names = new MemoryCatalog(opened.rows);
  const locks = new AdvisoryLocks(waits);
  const snapshots = new ExportedSnapshots();
  const temporary = new TemporarySchemas(new TemporaryMemory(TEMPORARY_BYTES));
  const listener = new WireListener({
    clock,
    prng: new SeededPrng(7),
    metrics,
    ...edge,
    ...(maxConnections !== undefined && { maxConnections }),
    openSession: async ({ user, database, settings }) => {
      const prng = new SeededPrng(sessions.length);
      const catalog = { ...names.view(), ...(virtual && { virtual }) };
      const session = openSession({
        parser,
        clock,
        prng,
        catalog,
        advisory: { locks, space: database },
        temporary,
        snapshots,
        user,
        database,
        settings,
        spillSpace,
      });
      sessions.push(session);
      return session;
    },
    onDefect: (error) => defects.push(error),
  });
  const port = await listener.listen("127.0.0.1", 0);
  return {
    port,
    defects,
    metrics,
    sessions,
    temporary,
    get names() {
      return names.names;
    },
    client: () => {
      const client = new WireClient(port);
      clients.push(client);
      return client;
    },
    close: async () => {
      for (const client of clients) client.destroy();
      await listener.stop();
      await parser.close();
      await expressions.close();
      await opened.end();
    },
  };
}
