import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { FirnError } from "../base/error.ts";
import { Counts, type Metrics, readWhenPrinted } from "../base/metrics.ts";
import type { StreamedAnswer } from "../http/answer.ts";
import { idleTimer } from "../runtime/clock.ts";
import { SERVER_LIMITS } from "./limits.ts";

export interface StreamLimits {
  /** How many there may be at once. */
  readonly most: number;
  /** How long a client may take nothing of what was sent. */
  readonly stallMs: number;
}

/**
 * Answers that do not end by themselves: how many there are, and that a drain ends them. What is
 * sent waits for the client to take it, so a slow one costs a buffer and never a queue.
 */
export class Streams {
  readonly #open = new Set<AbortController>();
  readonly #limits: StreamLimits;
  readonly #refused: Counts;
  #isDraining = false;

  constructor(metrics: Metrics, limits: Partial<StreamLimits> = {}) {
    this.#limits = {
      most: SERVER_LIMITS.streams,
      stallMs: SERVER_LIMITS.streamStallMs,
      ...limits,
    };
    const open = { name: "firn_http_streams", help: "Open streams of events" };
    readWhenPrinted(metrics, "gauge", open, () => [[this.#open.size]]);
    this.#refused = new Counts(metrics, {
      name: "firn_http_streams_refused_total",
      help: "Streams of events refused with 429 because too many were open",
    });
  }

  /**
   * Takes a place for one stream. It ends when its client goes, and with a drain.
   *
   * @throws FirnError `Overloaded` `STREAMS_FULL`; `Unavailable` `SERVER_STOPPED`.
   */
  open(response: ServerResponse): AbortSignal {
    if (this.#isDraining) {
      throw new FirnError("Unavailable", "SERVER_STOPPED", "server is stopped");
    }
    if (this.#open.size >= this.#limits.most) {
      this.#refused.add(1);
      const message = "too many streams are open: try again later, or read pages";
      throw new FirnError("Overloaded", "STREAMS_FULL", message, { limit: this.#limits.most });
    }
    const ended = new AbortController();
    this.#open.add(ended);
    response.once("close", () => {
      this.#open.delete(ended);
      ended.abort();
    });
    return ended.signal;
  }

  /** Sends a stream to its end. `common`: as for `sendAnswer`. */
  async send(
    response: ServerResponse,
    { status, headers, pieces }: StreamedAnswer,
    ended: AbortSignal,
    common: readonly string[],
  ): Promise<void> {
    const last = ["Connection", "close"];
    response.writeHead(status, [...Object.entries(headers).flat(), ...common, ...last]);
    response.flushHeaders();
    for await (const piece of pieces) {
      if (ended.aborted || response.destroyed) break;
      if (!response.write(piece)) await this.#taken(response, ended);
    }
    response.end();
  }

  /** Resolves when the client has taken what waits for it, or the stream has ended. */
  async #taken(response: ServerResponse, ended: AbortSignal): Promise<void> {
    const stall = idleTimer(this.#limits.stallMs, () => response.destroy());
    try {
      await once(response, "drain", { signal: ended });
    } catch {
      // The stream has ended: its loop sees that.
    } finally {
      stall.stop();
    }
  }

  /** Ends all of them, and refuses new ones. */
  drain(): void {
    this.#isDraining = true;
    for (const ended of this.#open) ended.abort();
  }
}
