import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { FirnError } from "../base/error.ts";
import type { Answer } from "../http/answer.ts";
import { asFirnError } from "../http/failure.ts";
import { ICEBERG_ERRORS } from "../http/iceberg/protocol.ts";
import { NATIVE_ERRORS } from "../http/native/protocol.ts";
import { PROBLEMS } from "../http/problem.ts";
import type { ErrorForm } from "../http/protocol.ts";
import { HostGuard } from "./guard.ts";
import { createHttpServer } from "./http-server.ts";
import { type Listening, listenOn } from "./listen.ts";
import { sendAnswer } from "./send.ts";
import { ownerOf, parseTarget } from "./target.ts";
import type { ServerTls } from "./tls.ts";

export interface StandbyServerOptions {
  readonly host: string;
  readonly port: number;
  readonly nodeId: string;
  readonly allowHost: readonly string[];
  /** What TLS is spoken with; absent: plain HTTP. */
  readonly tls?: ServerTls | undefined;
}

/** Who is waited for, for any caller that asks why. */
export type WaitingFor = Readonly<Record<"host" | "url", string>> & { readonly pid: number };

const RETRY_MS = 2_000;

/** How the protocols of the server to come word errors. */
const FORMS: readonly ErrorForm[] = [ICEBERG_ERRORS, NATIVE_ERRORS, PROBLEMS];

/**
 * What a process answers that waits for the directory of another one: that it lives, that it is not
 * ready and whom it waits for, and to everything else that it cannot serve yet.
 */
export class StandbyServer {
  readonly url: string;
  readonly port: number;
  readonly #server: Server;
  readonly #closeOthers: () => void;
  readonly #unwatchTls: () => void;
  readonly #nodeId: string;
  readonly #guard: HostGuard;
  #waitsFor: WaitingFor | undefined;

  private constructor(
    { nodeId, allowHost, tls }: StandbyServerOptions,
    server: Server,
    { url, port, closeOthers }: Listening,
  ) {
    this.url = url;
    this.port = port;
    this.#server = server;
    this.#closeOthers = closeOthers;
    this.#nodeId = nodeId;
    this.#unwatchTls = tls?.watch() ?? (() => {});
    this.#guard = new HostGuard(allowHost);
    server.on("request", (request, response) => this.#receive(request, response));
  }

  /** @throws FirnError as `listenOn`. */
  static async open(options: StandbyServerOptions): Promise<StandbyServer> {
    const server = createHttpServer(undefined, options.tls);
    return new StandbyServer(options, server, await listenOn(server, options.host, options.port));
  }

  waitFor({ host, pid, url }: WaitingFor): void {
    this.#waitsFor = { host, pid, url };
  }

  /** Leaves the port, so that the server itself can take it. */
  async close(): Promise<void> {
    this.#closeOthers();
    this.#unwatchTls();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const target = parseTarget(request.url ?? "/");
    let answer: Answer;
    try {
      this.#guard.check(request);
      answer = this.#answer(request.method ?? "", target.path);
    } catch (thrown) {
      const { refuse } = ownerOf(FORMS, target);
      answer = refuse(asFirnError(thrown), request.method ?? "", false);
    }
    request.resume();
    response.on("error", () => undefined);
    sendAnswer(response, answer);
  }

  #answer(method: string, path: string): Answer {
    if (method === "GET" && path === "/livez") {
      return jsonAnswer(200, { status: "live", node: this.#nodeId });
    }
    const owner = this.#waitsFor;
    if (method === "GET" && path === "/readyz") {
      return jsonAnswer(503, { status: "standby", ...(owner && { owner }) });
    }
    const context = { ...owner, retryAfterMs: RETRY_MS };
    const message = "this process waits for another one to end";
    throw new FirnError("Unavailable", "STANDBY", message, context);
  }
}

function jsonAnswer(status: number, body: object): Answer {
  const headers = { "Content-Type": "application/json; charset=utf-8" };
  return { status, headers, body: JSON.stringify(body) };
}
