import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import { acceptsEvents } from "../http/accept.ts";
import { type Composition, compose } from "../runtime/compose.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import type { Settings } from "../runtime/settings.ts";
import { createLogger, defectLogger } from "./log.ts";
import type { FirnServer } from "./server.ts";
import { wireServer } from "./wire.ts";

/** A whole Firn in this process, which a program holds. */
export interface Embedded {
  readonly server: FirnServer;
  readonly composition: Composition;
  /** Where it listens, if it does. */
  readonly url: string | undefined;
  /** Lets requests under way finish, for at most 10 s, and closes everything. */
  close(): Promise<void>;
}

/** What an embedded Firn takes from its program. */
export interface EmbeddedParts {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly listens: boolean;
}

/** A folder that the program neither named nor needs is not made for operators. */
function operatorDirectory({ dir, profile, given }: Settings): string | undefined {
  const needed = profile === "local" || (profile !== "memory" && given.includes("dir"));
  return needed ? dir : undefined;
}

/** Opens the stores and the server over them. @throws FirnError as `compose`, `LISTEN_FAILED`. */
export async function openEmbedded(
  settings: Settings,
  { clock, prng, listens }: EmbeddedParts,
): Promise<Embedded> {
  const nodeId = mintNodeId(prng);
  const log = createLogger(settings.logLevel, clock, { text: settings.logFormat === "text" });
  const composition = await compose(settings, {
    clock,
    prng,
    nodeId,
    onDefect: defectLogger(log),
    notify: (text, facts) => log.info(facts, text),
    warn: (text, facts) => log.warn(facts, text),
  });
  const server = wireServer({
    nodeId,
    clock,
    prng,
    iceberg: composition.iceberg,
    model: composition.model,
    metrics: composition.metrics,
    log,
    readBody: composition.readBody,
    ready: () => composition.ready(),
    shards: composition.shards,
    check: (repair) => composition.check(repair),
    housekeeping: composition.housekeeping,
    collect: (force, ended) => composition.collect(force, ended),
    edge: settings,
    dir: operatorDirectory(settings),
    maxInFlight: settings.maxInFlight,
  });
  try {
    const url = listens ? await server.listen(settings.host, settings.port) : undefined;
    if (url !== undefined) await composition.listens(url);
    const close = async (): Promise<void> => {
      await composition.drain();
      await server.stop();
      await composition.close();
    };
    return { server, composition, url, close };
  } catch (error) {
    await server.stop();
    await composition.close();
    throw error;
  }
}

/**
 * Answers a request as the server would, without a socket. Only path, query, method, headers and
 * body of the request count, not the host of its URL.
 */
export async function answerOf(server: FirnServer, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const sent: Record<string, string> = Object.fromEntries(request.headers);
  const headers = { ...sent, host: "localhost" };
  if (request.method === "GET" && acceptsEvents(sent["accept"])) {
    const answer = await server.injectStream(`${pathname}${search}`, headers);
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  }
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  const answer = await server.inject(request.method, `${pathname}${search}`, headers, body);
  return new Response(answer.body, { status: answer.status, headers: answer.headers });
}
