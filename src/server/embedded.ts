import type { Clock } from "../base/clock.ts";
import type { Prng } from "../base/prng.ts";
import { acceptsEvents } from "../http/accept.ts";
import { type Composition, compose } from "../runtime/compose.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import type { Settings } from "../runtime/settings.ts";
import { shownSettings } from "../runtime/shown-settings.ts";
import type { Telemetry } from "../runtime/telemetry.ts";
import { packageVersion } from "../runtime/version.ts";
import { FileAccessAudit } from "./audit-file-access.ts";
import { AuditLog } from "./audit-log.ts";
import { createLogger, defectLogger } from "./log.ts";
import type { FirnServer } from "./server.ts";
import { listenForSql, type SqlListener } from "./sql-listener.ts";
import { ServerTls } from "./tls.ts";
import { servingOf, wireServer } from "./wire.ts";

/** A whole Firn in this process, which a program holds. */
export interface Embedded {
  readonly server: FirnServer;
  readonly composition: Composition;
  /** Where it listens, if it does. */
  readonly url: string | undefined;
  /** Where PostgreSQL clients connect, if they are served. */
  readonly postgresUrl: string | undefined;
  /** Lets requests under way finish, for at most 10 s, and closes everything. */
  close(): Promise<void>;
}

/** What an embedded Firn takes from its program. */
export interface EmbeddedParts {
  readonly clock: Clock;
  readonly prng: Prng;
  readonly listens: boolean;
  /** Sends traces and metrics, as the variables of OpenTelemetry say. */
  readonly tells?: boolean | undefined;
}

/** A folder that the program neither named nor needs is not made for operators. */
function operatorDirectory({ dir, profile, given }: Settings): string | undefined {
  const needed = profile === "local" || (profile !== "memory" && given.includes("dir"));
  return needed ? dir : undefined;
}

/** Opens the stores and the server over them. @throws FirnError as `compose`, `LISTEN_FAILED`. */
export async function openEmbedded(
  settings: Settings,
  { clock, prng, listens, tells = false }: EmbeddedParts,
): Promise<Embedded> {
  const nodeId = mintNodeId(prng);
  const log = createLogger(settings.logLevel, clock, { text: settings.logFormat === "text" });
  const tls = listens ? await ServerTls.open(settings, { log, clock }) : undefined;
  const composition = await compose(settings, {
    clock,
    prng,
    nodeId,
    onDefect: defectLogger(log),
    notify: (text, facts) => log.info(facts, text),
    warn: (text, facts) => log.warn(facts, text),
  });
  const { metrics } = composition;
  const telemetry = tells ? await telemetryOf(composition) : undefined;
  const audit = await AuditLog.open(settings, { clock, log, metrics }).catch(async (error) => {
    await composition.close();
    await telemetry?.close();
    throw error;
  });
  const files = audit && new FileAccessAudit(audit, clock);
  composition.fileNews.listener = files;
  let postgres: SqlListener | undefined;
  const server = wireServer({
    ...servingOf(composition),
    tracing: telemetry?.tracing,
    nodeId,
    clock,
    prng,
    log,
    edge: settings,
    dir: operatorDirectory(settings),
    maxInFlight: settings.maxInFlight,
    settings: shownSettings(settings),
    postgresPort: () => postgres?.port,
    tls,
    audit,
  });
  try {
    const url = listens ? await server.listen(settings.host, settings.port) : undefined;
    if (listens && settings.given.includes("pgPort")) {
      const { sql, access } = composition;
      const sessions = { sql, clock, prng, metrics, log, access, tls, audit };
      postgres = await listenForSql(settings, sessions);
    }
    if (url !== undefined) await composition.listens(url);
    const close = async (): Promise<void> => {
      await composition.drain();
      await postgres?.stop();
      await server.stop();
      await composition.close();
      await telemetry?.close();
      files?.close();
      await audit?.close();
    };
    return { server, composition, url, postgresUrl: postgres?.url, close };
  } catch (error) {
    await postgres?.stop();
    await server.stop();
    await composition.close();
    await telemetry?.close();
    await audit?.close();
    throw error;
  }
}

/** @throws what makes its packages unusable; then nothing stays open. */
async function telemetryOf(composition: Composition): Promise<Telemetry | undefined> {
  try {
    const { openTelemetry } = await import("../runtime/telemetry.ts");
    return await openTelemetry({ metrics: composition.metrics, version: packageVersion() });
  } catch (error) {
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
