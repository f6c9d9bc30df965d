import type { IncomingMessage } from "node:http";
import { type Clock, Stopwatch } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { Counts, type Metrics } from "../../base/metrics.ts";
import type { Answer, StreamedAnswer } from "../../http/answer.ts";
import { type OwnedPointer, ShardElsewhere } from "../../service/shards/shard-elsewhere.ts";
import type { SharedShards } from "../../service/shards/shared-shards.ts";
import { bodyOf, type PeerClient, type Sent } from "./peer-client.ts";
import type { PeerRequest } from "./peer-mac.ts";

/** How long a request waits for a shard to have an owner that answers. */
const PATIENCE_MS = 25_000;
/** Between two looks at a shard that is on its way to another node. */
const PAUSE_MS = 200;
/** An owner that has not answered a request for so long is probed, again and again. */
const WATCH_MS = 2_000;

/** Answers by which a node says that it has done nothing, because the shard is not its own. */
const NOT_MINE: ReadonlySet<string> = new Set(["SHARD_ELSEWHERE", "SHARD_CLOSING"]);

/** Headers of another node's answer that are this node's to write. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "transfer-encoding",
  "content-length",
  "date",
  "x-request-id",
]);

/** A request that may be another node's. */
export interface Forwarded extends Omit<PeerRequest, "to"> {
  /** Whether it can change anything: then it is sent once. */
  readonly writes: boolean;
}

export interface ForwarderParts {
  readonly shards: SharedShards;
  readonly client: PeerClient;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/**
 * Serves requests where their rows are: here, or at the node that owns the shard. An owner that
 * does not answer is probed, and replaced once it is found dead.
 */
export class Forwarder {
  readonly #parts: ForwarderParts;
  readonly #counts: Counts;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
    this.#counts = new Counts(parts.metrics, {
      name: "firn_forwarded_requests_total",
      help: "Requests sent to the node that owns their shard, by what became of them",
      labels: ["outcome"],
    });
  }

  /**
   * Runs a request here, or has its answer from another node.
   *
   * @throws FirnError what `local` throws; `Unknown`, code `FORWARD_LOST`: the owner may have
   *   carried out the request; `Unavailable`, codes `SHARD_UNREACHABLE`, `PEER_REFUSED`.
   */
  answer(request: Forwarded, local: () => Promise<Answer>): Promise<Answer> {
    return this.#run(request, local, answerOf);
  }

  /** As `answer`, of a stream. */
  stream(
    request: Forwarded,
    local: () => Promise<StreamedAnswer>,
    ended: AbortSignal,
  ): Promise<StreamedAnswer> {
    return this.#run(request, local, async (response) => streamOf(response, ended));
  }

  /**
   * Runs `local` until it finds its shard here, and `remote` with the owner otherwise.
   *
   * @param remote `never` where the owner was not reached, `moved` where it is not the owner.
   */
  async settle<T>(
    local: () => Promise<T>,
    remote: (elsewhere: ShardElsewhere) => Promise<T | "never" | "moved">,
  ): Promise<T> {
    const { clock, shards } = this.#parts;
    const waited = new Stopwatch(clock);
    for (;;) {
      const elsewhere = await local().then(
        (value) => ({ value }),
        (error: unknown) => {
          if (error instanceof ShardElsewhere) return error;
          throw error;
        },
      );
      if (!(elsewhere instanceof ShardElsewhere)) return elsewhere.value;
      const { shard, pointer } = elsewhere;
      const found = await remote(elsewhere);
      if (found !== "never" && found !== "moved") return found;
      if (waited.elapsedMs() > PATIENCE_MS) throw unreachable(elsewhere);
      const isAlive = found === "moved" || (await shards.doubt(shard, pointer)) === "alive";
      shards.of(shard).forget();
      if (isAlive) await clock.sleep(PAUSE_MS);
    }
  }

  #run<T>(
    request: Forwarded,
    local: () => Promise<T>,
    read: (response: IncomingMessage) => Promise<T>,
  ): Promise<T> {
    return this.settle(local, async (elsewhere) => {
      const sent = await this.#send(request, elsewhere);
      if (sent.sent === "answered") {
        const code = String(sent.response.headers["x-firn-error"] ?? "");
        if (code === "PEER_REFUSED") throw await peerRefused(sent.response);
        if (NOT_MINE.has(code)) {
          sent.response.resume();
          this.#counts.add(1, "moved");
          return "moved";
        }
        const answer = await read(sent.response).catch(() => undefined);
        this.#counts.add(1, answer === undefined ? "lost" : "answered");
        if (answer !== undefined) return answer;
      } else this.#counts.add(1, sent.sent);
      if (sent.sent === "never" || !request.writes) return "never";
      throw lost(elsewhere.pointer);
    });
  }

  /** Sends a request to an owner, and probes that for as long as it does not answer. */
  async #send(request: Forwarded, elsewhere: ShardElsewhere): Promise<Sent> {
    const { url, node } = elsewhere.pointer.owner;
    if (url === "") return { sent: "never" };
    return await this.watched(elsewhere, (given) =>
      this.#parts.client.send(url, { ...request, to: node }, given),
    );
  }

  /** Runs `work` with an owner, and ends it where that stops answering, or owns no longer. */
  async watched<T>(
    { shard, pointer }: ShardElsewhere,
    work: (given: AbortSignal) => Promise<T>,
    isWaiting: () => boolean = () => true,
  ): Promise<T> {
    const { clock, shards } = this.#parts;
    const given = new AbortController();
    const done = new AbortController();
    const watch = async (): Promise<void> => {
      for (;;) {
        await clock.sleep(WATCH_MS, done.signal);
        if (done.signal.aborted) return;
        if (isWaiting() && (await shards.doubt(shard, pointer)) !== "alive") return given.abort();
      }
    };
    watch().catch(() => given.abort());
    try {
      return await work(given.signal);
    } finally {
      done.abort();
    }
  }
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const body = await bodyOf(response);
  const status = response.statusCode ?? 502;
  const isEmpty = body.length === 0 && (status === 204 || status === 304);
  return { status, headers: headersOf(response), body: isEmpty ? undefined : body };
}

function streamOf(response: IncomingMessage, ended: AbortSignal): StreamedAnswer {
  const stop = (): void => void response.destroy();
  ended.addEventListener("abort", stop, { once: true });
  if (ended.aborted) stop();
  response.setEncoding("utf8");
  const pieces = response as AsyncIterable<string>;
  return { status: response.statusCode ?? 502, headers: headersOf(response), pieces };
}

/** As the other node wrote them. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? "";
    if (!OWN_HEADERS.has(name.toLowerCase())) headers[name] = rawHeaders[i + 1] ?? "";
  }
  return headers;
}

async function peerRefused(response: IncomingMessage): Promise<FirnError> {
  const text = (await bodyOf(response).catch(() => "")).toString();
  const message = "the node that owns the rows refuses this node: check secrets and clocks";
  return new FirnError("Unavailable", "PEER_REFUSED", message, { answer: text.slice(0, 500) });
}

function lost({ owner: { node, host } }: OwnedPointer): FirnError {
  const message = "the node that owns the rows did not answer: read before a retry";
  return new FirnError("Unknown", "FORWARD_LOST", message, { node, host, sqlState: "08007" });
}

function unreachable({ shard, pointer: { owner } }: ShardElsewhere): FirnError {
  const { node, host, url, state } = owner;
  const message =
    'the node that owns the rows cannot be reached: see "A row shard is stuck" in docs/runbook.md';
  const facts = { shard, node, host, url, state, sqlState: "57P03" };
  return new FirnError("Unavailable", "SHARD_UNREACHABLE", message, facts);
}
