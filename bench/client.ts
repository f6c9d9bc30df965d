import { Agent, request } from "node:http";

/** An answer as the wire gave it. */
export interface WireAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Plain HTTP over kept connections, so that the client costs as little as it can. */
export class BenchClient {
  readonly #agent: Agent;
  readonly #base: URL;

  constructor(url: string, connections: number) {
    this.#base = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Sends one request and reads the whole answer. @throws Error on another status than 2xx. */
  async send(method: string, path: string, body?: string): Promise<string> {
    const answer = await this.exchange(method, path, body);
    const text = answer.body.toString("utf8");
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 300)}`);
    }
    return text;
  }

  /**
   * As `send`, but the body is read and dropped: a large one would cost us more than the server.
   */
  async drain(method: string, path: string): Promise<void> {
    const { status } = await this.#request(method, path, undefined, undefined);
    if (status < 200 || status > 299) throw new Error(`${method} ${path} answered ${status}`);
  }

  /** Sends one request and reads the whole answer, whatever its status. */
  async exchange(method: string, path: string, body?: string): Promise<WireAnswer> {
    const chunks: Buffer[] = [];
    const { status } = await this.#request(method, path, body, chunks);
    return { status, body: Buffer.concat(chunks) };
  }

  close(): void {
    this.#agent.destroy();
  }

  #request(
    method: string,
    path: string,
    body: string | undefined,
    chunks: Buffer[] | undefined,
  ): Promise<{ readonly status: number }> {
    const headers: Record<string, string> = { accept: "application/json" };
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      headers["content-length"] = String(Buffer.byteLength(body));
    }
    const { hostname: host, port } = this.#base;
    return new Promise((resolve, reject) => {
      const sent = request({ agent: this.#agent, host, port, method, path, headers }, (answer) => {
        if (chunks === undefined) answer.resume();
        else answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0 }));
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }
}
