import { type Frame, FrameReader } from "../../../src/pgwire/frames.ts";
import { fieldsOf, message, query, startup, valuesOf } from "../../pgwire/wire-client.ts";
import type { Host } from "../harness/host.ts";
import { type Sim, Violation } from "../harness/sim.ts";
import type { MemorySocket } from "./socket.ts";

/** A statement that takes longer hangs: no chain of stalled store calls is so long. */
const HANGS_MS = 200_000_000;

export type Cells = readonly (string | null)[];

/** What the server answers to a text. */
export interface Reply {
  readonly rows: readonly Cells[];
  readonly tag: string;
}

/** An error that the server told. */
export class Refused extends Error {
  readonly state: string;
  readonly fields: Readonly<Record<string, string>>;

  constructor(fields: Readonly<Record<string, string>>) {
    super(`${fields["C"]} ${fields["M"]}`);
    this.fields = fields;
    this.state = fields["C"] ?? "";
  }
}

/** The connection ended, or its server did, before the answer came. */
export class Gone extends Error {
  override readonly name = "Gone";
}

/** How a statement is disturbed by its own client. */
export interface Disturbance {
  readonly kind: "cut" | "cancel";
  readonly afterMs: number;
}

/** A PostgreSQL client of one server, over a connection in memory. */
export class SqlClient {
  readonly name: string;
  readonly #sim: Sim;
  readonly #host: Host;
  readonly #socket: MemorySocket;
  readonly #cancel: (pid: number, secret: number) => void;
  readonly #frames = new FrameReader();
  readonly #gone = Promise.withResolvers<undefined>();
  readonly #over = Promise.withResolvers<void>();
  #isGone = false;
  #wake: () => void = () => undefined;
  #status = "I";
  #pid = 0;
  #secret = 0;

  /** @param connect makes the server's end of the connection. */
  constructor(
    parts: { readonly sim: Sim; readonly host: Host; readonly name: string },
    connect: (onBytes: (bytes: Buffer) => void, onGone: () => void) => MemorySocket,
    cancel: (pid: number, secret: number) => void,
  ) {
    this.#sim = parts.sim;
    this.#host = parts.host;
    this.name = parts.name;
    this.#cancel = cancel;
    this.#frames.startTyped();
    this.#socket = connect(
      (bytes) => {
        this.#frames.push(Buffer.from(bytes));
        this.#wake();
      },
      () => this.#lost(),
    );
    void parts.host.death.then(() => this.#lost());
  }

  get isGone(): boolean {
    return this.#isGone || !this.#host.alive;
  }

  /** As the last answer told: idle, in a transaction, in one that has failed. */
  get status(): string {
    return this.#status;
  }

  /** @throws Refused, Gone. */
  async start(settings: Readonly<Record<string, string>>): Promise<void> {
    await this.#exchange([startup({ user: "sim", database: "default", ...settings })]);
  }

  /** Sends one text of statements. @throws Refused, Gone. */
  async query(sql: string, disturbance?: Disturbance): Promise<Reply> {
    return await this.#exchange([query(sql)], disturbance);
  }

  /** Copies lines in, in pieces. @throws Refused, Gone. */
  async copyIn(sql: string, pieces: readonly string[], disturbance?: Disturbance): Promise<Reply> {
    const data = pieces.map((piece) => message("d", Buffer.from(piece)));
    return await this.#exchange([query(sql), ...data, message("c")], disturbance);
  }

  /** Sends messages that end with an answer. @throws Refused, Gone. */
  async extended(messages: readonly Buffer[], disturbance?: Disturbance): Promise<Reply> {
    return await this.#exchange(messages, disturbance);
  }

  /** Resolves once nothing of it is under way any more, where its connection has ended. */
  async ended(): Promise<void> {
    if (this.#isGone) await Promise.race([this.#over.promise, this.#host.death]);
  }

  /** The server is done with the connection. */
  over(): void {
    this.#over.resolve();
  }

  /** Says goodbye, and waits for the server's. */
  async end(): Promise<void> {
    if (this.isGone) return;
    this.#socket.receive(message("X"));
    await this.#gone.promise;
  }

  cut(): void {
    this.#socket.destroy();
  }

  async #exchange(messages: readonly Buffer[], disturbance?: Disturbance): Promise<Reply> {
    await Promise.race([this.#host.thawed(), this.#gone.promise]);
    if (this.isGone) throw new Gone();
    const over = new AbortController();
    void this.#sim.spawn(() => this.#watch(over.signal));
    if (disturbance !== undefined) {
      void this.#sim.spawn(() => this.#disturb(disturbance, over.signal));
    }
    try {
      for (const [index, each] of messages.entries()) {
        if (index > 1) await this.#sim.sleep(this.#sim.spanMs(0.1, 20));
        this.#socket.receive(each);
      }
      return await this.#answer();
    } finally {
      over.abort();
    }
  }

  async #answer(): Promise<Reply> {
    const rows: Cells[] = [];
    const copied: string[] = [];
    let tag = "";
    let refused: Refused | undefined;
    for (;;) {
      const { type, body } = await this.#next();
      const kind = String.fromCharCode(type);
      if (kind === "D") rows.push(valuesOf({ type: kind, body }));
      else if (kind === "d") copied.push(body.toString());
      else if (kind === "C") tag = body.toString("utf8", 0, body.length - 1);
      else if (kind === "E") refused ??= new Refused(fieldsOf({ type: kind, body }));
      else if (kind === "K") [this.#pid, this.#secret] = [body.readInt32BE(0), body.readInt32BE(4)];
      else if (kind === "Z") {
        this.#status = body.toString();
        if (refused !== undefined) throw refused;
        for (const line of copied) rows.push(line.replace(/\n$/, "").split("\t"));
        return { rows, tag };
      }
    }
  }

  async #next(): Promise<Frame> {
    for (;;) {
      if (this.isGone) throw new Gone();
      const frame = this.#frames.next(() => undefined);
      if (frame !== undefined) return frame;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #disturb({ kind, afterMs }: Disturbance, over: AbortSignal): Promise<void> {
    await this.#sim.clock.sleep(afterMs, over);
    if (over.aborted) return;
    this.#sim.log(`${this.name} ${kind}s`);
    this.#sim.coverage.note(`client ${kind}s`);
    if (kind === "cut") this.cut();
    else this.#cancel(this.#pid, this.#secret);
  }

  async #watch(over: AbortSignal): Promise<void> {
    await this.#sim.clock.sleep(HANGS_MS, over);
    if (!over.aborted) throw new Violation(`${this.name}: a statement hangs`);
  }

  #lost(): void {
    this.#isGone = true;
    this.#gone.resolve(undefined);
    this.#wake();
  }
}
