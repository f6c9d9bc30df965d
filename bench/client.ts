import { connect, type Socket } from "node:net";
import { AnswerReader, type WireAnswer } from "./wire.ts";

/** What is read at once; what is kept of it is copied out. */
const READ_BYTES = 262_144;

interface Waiting {
  readonly head: string;
  readonly body: string;
  readonly reader: AnswerReader;
  readonly resolve: (answer: WireAnswer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * HTTP over kept connections, one request at a time on each, written to plain sockets: on a small
 * machine the client takes its share from the server, and a general client's share is larger than
 * that of a fast server.
 */
export class BenchClient {
  readonly #host: string;
  readonly #port: number;
  readonly #limit: number;
  readonly #idle: Connection[] = [];
  readonly #all: Set<Connection> = new Set();
  readonly #queue: Waiting[] = [];

  constructor(url: string, connections: number) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#limit = connections;
  }

  /** Sends one request and reads the whole answer. @throws Error on another status than 2xx. */
  async send(method: string, path: string, body?: string): Promise<string> {
    const answer = await this.exchange(method, path, body);
    const text = answer.body.toString("utf8");
    assertDone(method, path, answer.status, text);
    return text;
  }

  /** As `send`, but the body is dropped: keeping a large one costs more than sending it. */
  async drain(method: string, path: string): Promise<void> {
    const { status } = await this.#request(method, path, undefined, false);
    assertDone(method, path, status, "");
  }

  /** Sends one request and reads the whole answer, whatever its status. */
  exchange(method: string, path: string, body?: string): Promise<WireAnswer> {
    return this.#request(method, path, body, true);
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #request(
    method: string,
    path: string,
    body: string | undefined,
    keep: boolean,
  ): Promise<WireAnswer> {
    const host = `${this.#host}:${this.#port}`;
    const common = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/json\r\n`;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const own =
      body === undefined ? "" : `Content-Type: application/json\r\nContent-Length: ${length}\r\n`;
    return new Promise((resolve, reject) => {
      const reader = new AnswerReader(method === "HEAD", keep);
      const head = `${common}${own}\r\n`;
      this.#start({ head, body: body ?? "", reader, resolve, reject });
    });
  }

  #start(waiting: Waiting): void {
    const idle = this.#idle.pop();
    if (idle !== undefined) idle.begin(waiting);
    else if (this.#all.size < this.#limit) this.#open().begin(waiting);
    else this.#queue.push(waiting);
  }

  #open(): Connection {
    const connection = new Connection(this.#host, this.#port, {
      free: () => {
        const next = this.#queue.shift();
        if (next === undefined) this.#idle.push(connection);
        else connection.begin(next);
      },
      closed: () => {
        this.#all.delete(connection);
        const at = this.#idle.indexOf(connection);
        if (at >= 0) this.#idle.splice(at, 1);
        const next = this.#queue.shift();
        if (next !== undefined) this.#start(next);
      },
    });
    this.#all.add(connection);
    return connection;
  }
}

interface Owner {
  readonly free: () => void;
  readonly closed: () => void;
}

/** One kept connection. */
class Connection {
  readonly #socket: Socket;
  readonly #owner: Owner;
  #waiting: Waiting | undefined;

  constructor(host: string, port: number, owner: Owner) {
    this.#owner = owner;
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const callback = (length: number): boolean => this.#read(buffer.subarray(0, length));
    this.#socket = connect({ host, port, noDelay: true, onread: { buffer, callback } });
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("close", () => {
      this.#fail(new Error("the server closed a connection before its answer was whole"));
      owner.closed();
    });
  }

  begin(waiting: Waiting): void {
    this.#waiting = waiting;
    this.#socket.write(waiting.head + waiting.body);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** @returns true: go on reading. */
  #read(bytes: Buffer): boolean {
    const waiting = this.#waiting;
    try {
      if (waiting === undefined) throw new Error("bytes that nobody asked for");
      const answer = waiting.reader.read(bytes);
      if (answer === undefined) return true;
      this.#waiting = undefined;
      this.#owner.free();
      waiting.resolve(answer);
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      this.#socket.destroy();
    }
    return true;
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.reject(error);
  }
}

function assertDone(method: string, path: string, status: number, text: string): void {
  if (status >= 200 && status <= 299) return;
  throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`);
}
