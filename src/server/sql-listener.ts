import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { isLoopbackHost } from "../base/loopback.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Prng } from "../base/prng.ts";
import { asFirnError } from "../http/failure.ts";
import { WireListener } from "../pgwire/listener.ts";
import type { Settings } from "../runtime/settings.ts";
import type { Access } from "../service/access/access.ts";
import { actorOf } from "../service/access/access.ts";
import type { SignedIn } from "../service/access/session-sign-in.ts";
import { type Actor, DEFAULT_ACCOUNT } from "../service/actor.ts";
import type { SqlService } from "../service/sql/service.ts";
import type { AuditLog } from "./audit-log.ts";
import { auditedSession, auditedSignIn } from "./audit-sessions.ts";
import { errorFields } from "./log.ts";
import type { ServerTls } from "./tls.ts";

export interface SqlListenerParts {
  readonly sql: Pick<SqlService, "open">;
  readonly clock: Clock;
  readonly prng: Prng;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Who may open sessions; absent: everybody. */
  readonly access?: Pick<Access, "sessions"> | undefined;
  /** What TLS is spoken with; absent: sessions are not encrypted. */
  readonly tls?: ServerTls | undefined;
  /** Where sign-ins are recorded; absent: nowhere. */
  readonly audit?: AuditLog | undefined;
}

type PortSettings = Pick<Settings, "host" | "pgPort" | "maxConnections" | "given">;

/** Where PostgreSQL clients connect. */
export interface SqlListener {
  /** A connection string of the default catalog. */
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

const DATABASE = "default";

/** Who a session acts as. What it may do is looked at again with each use. */
function actorFor(
  asked: Pick<Actor, "requestId" | "address">,
  user: string,
  signedIn: SignedIn | undefined,
): Actor {
  if (signedIn === undefined) return { ...asked, principal: user, account: DEFAULT_ACCOUNT };
  return {
    ...actorOf(signedIn.identity, asked),
    get rights() {
      return signedIn.identity.rights;
    },
  };
}

/**
 * Listens for PostgreSQL clients, where the settings say so.
 *
 * @returns undefined where it is off, or where the default port is taken: that is logged.
 * @throws FirnError `LISTEN_FAILED` where a port that was asked for cannot be taken.
 */
export async function listenForSql(
  { host, pgPort, maxConnections, given }: PortSettings,
  { sql, clock, prng, metrics, log, access, tls, audit }: SqlListenerParts,
): Promise<SqlListener | undefined> {
  if (pgPort === undefined) return undefined;
  let sessions = 0;
  const listener = new WireListener({
    clock,
    prng,
    metrics,
    maxConnections,
    signIn: access && auditedSignIn(access.sessions, audit),
    tls: tls && (() => tls.current),
    // What no HTTP client may do from another machine, sessions may not either.
    requiresTls: tls !== undefined && !isLoopbackHost(host),
    openSession: ({ user, database, settings }, address, signedIn) => {
      const actor = actorFor({ requestId: `sql-${++sessions}`, address }, user, signedIn);
      // A key's id signs in as its principal. A database is named after the user where none is.
      const login = { user: actor.principal, database, settings };
      return auditedSession(audit, actor, sql.open(actor, login));
    },
    onDefect: (error) => log.error(errorFields(asFirnError(error)), "SQL session failed"),
  });
  try {
    const port = await listener.listen(host, pgPort);
    const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
    const user = isLoopbackHost(host) ? "" : "firn@";
    const parameters = tls === undefined ? "" : "?sslmode=require";
    const url = `postgresql://${user}${name}:${port}/${DATABASE}${parameters}`;
    return { url, port, stop: () => listener.stop() };
  } catch (error) {
    const isTaken = error instanceof FirnError && error.context["reason"] === "EADDRINUSE";
    if (!isTaken || given.includes("pgPort")) throw error;
    log.warn(
      { port: pgPort },
      "no PostgreSQL clients are served: the port is in use; choose another --pg-port",
    );
    return undefined;
  }
}
