import { Agent, request } from "node:http";

/** Plain HTTP over kept connections, so that the client costs as little as it can. */
export class BenchClient {
  readonly #agent: Agent;
  readonly #base: URL;

  constructor(url: string, connections: number) {
    this.#base = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Sends one request and reads the whole answer. @throws Error on another status than 2xx. */
  send(method: string, path: string, body?: string): Promise<string> {
    const headers: Record<string, string> = { accept: "application/json" };
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      headers["content-length"] = String(Buffer.byteLength(body));
    }
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          agent: this.#agent,
          host: this.#base.hostname,
          port: this.#base.port,
          method,
          path,
          headers,
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk));
          answer.on("error", reject);
          answer.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            const status = answer.statusCode ?? 0;
            if (status >= 200 && status < 300) resolve(text);
            else reject(new Error(`${method} ${path} answered ${status}: ${text.slice(0, 300)}`));
          });
        },
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
