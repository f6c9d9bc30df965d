import { asFirnError } from "../http/failure.ts";
import { SystemClock, sinceProcessStartMs } from "../runtime/clock.ts";
import { compose } from "../runtime/compose.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import { shownSettings } from "../runtime/shown-settings.ts";
import { onStopSignal } from "../runtime/signals.ts";
import { openTelemetry } from "../runtime/telemetry.ts";
import { packageVersion } from "../runtime/version.ts";
import { FileAccessAudit } from "../server/audit-file-access.ts";
import { AuditLog } from "../server/audit-log.ts";
import { createLogger, defectLogger, errorFields } from "../server/log.ts";
import { openPeers } from "../server/peers/open-peers.ts";
import { listenForSql, type SqlListener } from "../server/sql-listener.ts";
import { StandbyServer } from "../server/standby-server.ts";
import { ServerTls } from "../server/tls.ts";
import { servingOf, wireServer } from "../server/wire.ts";
import { banner, firstKey } from "./banner.ts";
import { fatalText } from "./fatal.ts";

/** Logged once, at startup. */
const NO_AUTHENTICATION =
  "no authentication: every client that reaches this server can read and change every table";

/**
 * Serves until a signal asks to stop.
 *
 * @returns the exit code: 0 after a whole stop, 1 where the start or the stop failed.
 */
export async function serve(settings: Settings): Promise<number> {
  const clock = new SystemClock();
  const prng = new SystemPrng();
  const nodeId = mintNodeId(prng);
  const log = createLogger(settings.logLevel, clock, { text: logsText(settings) });
  const stopped = Promise.withResolvers<number>();
  try {
    const tls = await ServerTls.open(settings, { log, clock });
    const standby = await openStandby(settings, nodeId, tls);
    const composition = await compose(settings, {
      clock,
      prng,
      nodeId,
      onDefect: defectLogger(log),
      tellKey: (key) => process.stdout.write(firstKey(key)),
      notify: (text, facts) => log.info(facts, text),
      warn: (text, facts) => log.warn(facts, text),
      ...(standby && { url: standby.url, onWaiting: (owner) => standby.waitFor(owner) }),
    });
    await standby?.close();
    const version = packageVersion();
    const { metrics } = composition;
    const audit = await AuditLog.open(settings, { clock, log, metrics });
    const files = audit && new FileAccessAudit(audit, clock);
    composition.fileNews.listener = files;
    const telemetry = await openTelemetry({ metrics: composition.metrics, version });
    let postgres: SqlListener | undefined;
    const peers = await openPeers(settings, composition, { clock, log, tls });
    const server = wireServer({
      ...servingOf(composition),
      peers,
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
    const url = await server.listen(settings.host, standby?.port ?? settings.port);
    const { sql, access } = composition;
    const sessions = { sql, clock, prng, metrics, log, access, tls, audit, peers };
    postgres = await listenForSql(settings, sessions);
    await composition.listens(url);
    const stop = async () => {
      log.info("stopping");
      await composition.drain();
      await postgres?.stop();
      await server.stop();
      await composition.close();
      // Until now it says that this node lives, and which of its shards are on their way.
      await peers?.close();
      files?.close();
      await audit?.close();
      await telemetry?.close();
      log.info("stopped");
    };
    onStopSignal(
      () => stop().then(() => stopped.resolve(0), stopped.reject),
      () => stopped.resolve(1),
    );
    process.stdout.write(banner(url, version, settings, postgres?.url));
    const startMs = Math.round(sinceProcessStartMs());
    log.info(
      { url, postgres: postgres?.url, version, startMs, profile: settings.profile },
      "listening",
    );
    if (settings.auth === "none") log.warn(NO_AUTHENTICATION);
    return await stopped.promise;
  } catch (error) {
    process.stderr.write(fatalText(error));
    log.debug(errorFields(asFirnError(error)), "cannot serve");
    return 1;
  }
}

/**
 * A stateless node makes no folder that it was not given: on profile `aws` operators open the
 * stores themselves.
 */
function operatorDirectory({ profile, dir, given }: Settings): string | undefined {
  return profile !== "aws" || given.includes("dir") ? dir : undefined;
}

function logsText({ logFormat }: Settings): boolean {
  return logFormat === "text" || (logFormat === "auto" && process.stderr.isTTY === true);
}

/** While it may have to wait, it says so where it is to listen. */
async function openStandby(
  settings: Settings,
  nodeId: string,
  tls: ServerTls | undefined,
): Promise<StandbyServer | undefined> {
  const { host, port, allowHost, standby, takeover } = settings;
  if (!standby && !takeover) return undefined;
  return StandbyServer.open({ host, port, allowHost, nodeId, tls });
}
