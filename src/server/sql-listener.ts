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
import { notAuthenticated } from "../service/access/identity.ts";
import type { SignedIn } from "../service/access/session-sign-in.ts";
import { type Actor, DEFAULT_ACCOUNT } from "../service/actor.ts";
import type { SqlLogin } from "../service/sql/login.ts";
import type { SqlService } from "../service/sql/service.ts";
import type { AuditLog } from "./audit-log.ts";
import { auditedSession, auditedSignIn } from "./audit-sessions.ts";
import { errorFields } from "./log.ts";
import type { Peers } from "./peers/peers.ts";
import { type SessionLogin, SqlTunnels } from "./peers/sql-tunnels.ts";
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
  /** Other nodes, which may own the rows of a session; absent: there are none. */
  readonly peers?: Peers | undefined;
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

/** A key's id signs in as its principal. A database is named after the user where none is. */
function loginOf({ principal: user }: Actor, { database, settings }: SessionLogin): SqlLogin {
  return { user, database, settings };
}

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
  { sql, clock, prng, metrics, log, access, tls, audit, peers }: SqlListenerParts,
): Promise<SqlListener | undefined> {
  if (pgPort === undefined && peers === undefined) return undefined;
  let sessions = 0;
  const tunnels = peers && new SqlTunnels(peers);
  const listener = new WireListener({
    clock,
    prng,
    metrics,
    maxConnections,
    signIn: access && auditedSignIn(access.sessions, audit),
    tls: tls && (() => tls.current),
    // What no HTTP client may do from another machine, sessions may not either.
    requiresTls: tls !== undefined && !isLoopbackHost(host),
    openSession: (startup, address, signedIn) => {
      const requestId = `sql-${++sessions}`;
      const actor = actorFor({ requestId, address }, startup.user, signedIn);
      const open = () => sql.open(actor, loginOf(actor, startup));
      const asked = { startup, requestId, address, credential: signedIn?.credential };
      return auditedSession(audit, actor, tunnels?.open(open, asked) ?? open());
    },
    cancelElsewhere: (pid, secret) => tunnels?.cancel(pid, secret),
    onDefect: (error) => log.error(errorFields(asFirnError(error)), "SQL session failed"),
  });
  tunnels?.serve({
    listener,
    resume: async (credential) => {
      if (access === undefined) return undefined;
      const resumed = credential && (await access.sessions.resume(credential));
      if (resumed === undefined) throw notAuthenticated();
      return resumed;
    },
    open: (signedIn, { startup, requestId, address }) => {
      const actor = actorFor({ requestId, address }, startup.user, signedIn);
      return sql.open(actor, loginOf(actor, startup));
    },
  });
  // Other nodes' clients are served all the same.
  if (pgPort === undefined) return undefined;
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
