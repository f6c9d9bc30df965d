import { connect, type Socket } from "node:net";

/** One statement's answer: its columns' type OIDs and rows as text, or the error. */
export interface Answer {
  readonly types: readonly number[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** What the server calls it: `SELECT 1`. Empty for an error. */
  readonly tag: string;
  readonly error?: { readonly sqlState: string; readonly message: string };
}

interface Waiting {
  readonly copy: readonly string[];
  copied: number;
  readonly answers: Answer[];
  readonly done: (answers: readonly Answer[]) => void;
  readonly fail: (error: Error) => void;
}

/**
 * The simple query protocol, as little as tests need of it: no driver's own conversions stand
 * between a server's answer and what a test compares.
 */
export class PostgresWire {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #unread: Buffer = Buffer.alloc(0);
  #types: number[] = [];
  #columns: string[] = [];
  #rows: (string | null)[][] = [];
  /** Where the last answer left the session: idle, in a transaction, or in a failed one. */
  status = "I";

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    const end = (error?: Error): void => {
      for (const waiting of this.#waiting.splice(0)) {
        waiting.fail(error ?? new Error("the server closed the connection"));
      }
    };
    socket.on("error", end);
    socket.on("close", () => end());
  }

  static async connect(
    port: number,
    user = "postgres",
    database: string = user,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<PostgresWire> {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    const wire = new PostgresWire(socket);
    const given = { user, database, client_encoding: "UTF8", ...settings };
    const parameters = `${Object.entries(given).flat().join("\0")}\0\0`;
    const body = Buffer.concat([Buffer.from([0, 3, 0, 0]), Buffer.from(parameters)]);
    await wire.#send(Buffer.concat([int4(body.length + 4), body]));
    return wire;
  }

  /**
   * Sends statements (several with `;`) and gives one answer for each. `copy` has what each COPY
   * FROM STDIN of them reads; what a COPY TO STDOUT writes comes as rows of one value.
   */
  async query(statements: string, copy: readonly string[] = []): Promise<readonly Answer[]> {
    return await this.#send(message("Q", Buffer.from(`${statements}\0`)), copy);
  }

  close(): void {
    this.#socket.end(Buffer.concat([Buffer.from("X"), int4(4)]));
  }

  #send(bytes: Buffer, copy: readonly string[] = []): Promise<readonly Answer[]> {
    return new Promise((done, fail) => {
      this.#waiting.push({ copy, copied: 0, answers: [], done, fail });
      this.#socket.write(bytes);
    });
  }

  #read(bytes: Buffer): void {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    let at = 0;
    while (this.#unread.length - at >= 5) {
      const length = this.#unread.readInt32BE(at + 1);
      if (this.#unread.length - at < length + 1) break;
      const kind = String.fromCharCode(this.#unread[at] as number);
      this.#message(kind, this.#unread.subarray(at + 5, at + 1 + length));
      at += length + 1;
    }
    this.#unread = this.#unread.subarray(at);
  }

  #message(kind: string, body: Buffer): void {
    const waiting = this.#waiting[0];
    if (waiting === undefined) return;
    if (kind === "T") this.#describe(body);
    else if (kind === "D") this.#rows.push(fields(body));
    else if (kind === "d") this.#rows.push([body.toString("utf8")]);
    else if (kind === "G") {
      const data = Buffer.from(waiting.copy[waiting.copied++] ?? "");
      this.#socket.write(Buffer.concat([message("d", data), message("c")]));
    } else if (kind === "C" || kind === "I") {
      waiting.answers.push(this.#take(body.toString("utf8").replaceAll("\0", "")));
    } else if (kind === "E") waiting.answers.push({ ...this.#take(), error: errorOf(body) });
    else if (kind === "R" && body.readInt32BE(0) !== 0) {
      waiting.fail(new Error("the server asks for a password"));
    } else if (kind === "Z") {
      this.status = body.toString("latin1");
      this.#waiting.shift();
      waiting.done(waiting.answers);
    }
  }

  #describe(body: Buffer): void {
    let at = 2;
    this.#types = [];
    this.#columns = [];
    for (let i = body.readInt16BE(0); i > 0; i--) {
      const end = body.indexOf(0, at);
      this.#columns.push(body.toString("utf8", at, end));
      this.#types.push(body.readUInt32BE(end + 7));
      at = end + 19;
    }
  }

  #take(tag = ""): Answer {
    const answer = { types: this.#types, columns: this.#columns, rows: this.#rows, tag };
    this.#types = [];
    this.#columns = [];
    this.#rows = [];
    return answer;
  }
}

function int4(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function message(kind: string, body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(kind), int4(body.length + 4), body]);
}

function fields(body: Buffer): (string | null)[] {
  const row: (string | null)[] = [];
  let at = 2;
  for (let i = body.readInt16BE(0); i > 0; i--) {
    const length = body.readInt32BE(at);
    at += 4;
    row.push(length < 0 ? null : body.toString("utf8", at, at + length));
    at += Math.max(length, 0);
  }
  return row;
}

function errorOf(body: Buffer): { readonly sqlState: string; readonly message: string } {
  const parts = new Map(
    body
      .toString("utf8")
      .split("\0")
      .map((part) => [part.slice(0, 1), part.slice(1)]),
  );
  return { sqlState: parts.get("C") ?? "", message: parts.get("M") ?? "" };
}
