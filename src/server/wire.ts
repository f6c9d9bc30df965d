import { StoreObservers } from "../base/store-observers.ts";
import type { CollectGarbage } from "../http/admin/gc-admin.ts";
import type { HotTables } from "../http/admin/hot-tables.ts";
import type { Housekeeping } from "../http/admin/housekeeping.ts";
import type { KeyAdmin } from "../http/admin/key-admin.ts";
import { adminProtocol } from "../http/admin/protocol.ts";
import { ShardAdmin } from "../http/admin/shard-admin.ts";
import { StoreAdmin, type StoreCheck } from "../http/admin/store-admin.ts";
import { consoleProtocol } from "../http/console/protocol.ts";
import { consoleSessionProtocol } from "../http/console/session.ts";
import { Framework } from "../http/framework.ts";
import { IcebergProtocol, type ReadBody } from "../http/iceberg/protocol.ts";
import { NativeProtocol } from "../http/native/protocol.ts";
import { probesProtocol } from "../http/probes/protocol.ts";
import type { Protocol } from "../http/protocol.ts";
import type { Engine } from "../lsm/index.ts";
import type { Composition } from "../runtime/compose.ts";
import { readConsoleFiles } from "../runtime/console-files.ts";
import { readDocsFile } from "../runtime/docs-files.ts";
import type { ShownSetting } from "../runtime/shown-settings.ts";
import { packageVersion } from "../runtime/version.ts";
import type { Access } from "../service/access/access.ts";
import { type Actor, DEFAULT_ACCOUNT } from "../service/actor.ts";
import type { IcebergService } from "../service/requests.ts";
import type { ModelService } from "../service/resources/service.ts";
import { StoreCosts } from "../service/stores/store-costs.ts";
import { UsageMeter } from "../service/usage.ts";
import { createHttpServer } from "./http-server.ts";
import { errorFields } from "./log.ts";
import { OperatorAccess } from "./operator-access.ts";
import { sharedShardAdmin } from "./peers/shard-admin.ts";
import { FirnServer, type ServerOptions } from "./server.ts";

/** What the protocols serve, and what their server is made of. */
export interface Serving
  extends Omit<ServerOptions, "protocols" | "operators" | "usage" | "signIn"> {
  /** As `/livez` answers it; empty where no other node asks for it. */
  readonly nodeId?: string;
  readonly iceberg: IcebergService;
  /** What the native API serves; absent: nothing. */
  readonly model?: ModelService;
  /** Parses large bodies elsewhere; in place where it is absent. */
  readonly readBody?: ReadBody;
  /** Rejects while the stores cannot be reached. */
  readonly ready: () => Promise<void>;
  /** Of the shards that this process owns. */
  readonly shards?: readonly ShardAdmin[];
  /** A check of everything that this process stores. */
  readonly check?: StoreCheck;
  /** Of the catalog that it serves. */
  readonly housekeeping?: Housekeeping;
  /** The row tables that are read and written most. */
  readonly hotTables?: () => Promise<HotTables>;
  readonly keyAdmin?: KeyAdmin;
  /** Collects garbage at once, or says what would go. */
  readonly collect?: CollectGarbage;
  /** Tells who asks; absent: every request is anonymous. */
  readonly access?: Pick<Access, "authenticator" | "tokens" | "oidc"> | undefined;
  /** Where operators find socket and token; absent: they are not served. */
  readonly dir?: string | undefined;
  /** What administrators may see of the settings; absent: nothing. */
  readonly settings?: readonly ShownSetting[];
  /** Where PostgreSQL clients connect, once they can. */
  readonly postgresPort?: () => number | undefined;
}

type OfComposition =
  | "iceberg"
  | "model"
  | "metrics"
  | "readBody"
  | "shards"
  | "housekeeping"
  | "hotTables"
  | "keyAdmin"
  | "ready"
  | "check"
  | "collect"
  | "access";

/** What a composition gives the protocols of its server. */
export function servingOf(composition: Composition): Pick<Serving, OfComposition> {
  const { iceberg, model, metrics, readBody, shards, housekeeping, keyAdmin, access } = composition;
  return {
    iceberg,
    model,
    metrics,
    readBody,
    shards,
    housekeeping,
    keyAdmin,
    access,
    ready: () => composition.ready(),
    check: (repair) => composition.check(repair),
    collect: (force, ended) => composition.collect(force, ended),
    hotTables: () => composition.hotTables(),
  };
}

/** Signing in from a browser, where that is asked for at all. */
function sessionsOf({ access, tls, edge }: Serving): readonly Protocol[] {
  if (access === undefined) return [];
  const { authenticator, oidc } = access;
  const end = (token: string) => authenticator.endSession(token);
  const scheme = tls === undefined ? "http" : "https";
  return [consoleSessionProtocol({ oidc, origin: edge.oidcOrigin, scheme, end })];
}

/** The server of every protocol. It does not listen yet. */
export function wireServer(serving: Serving): FirnServer {
  const { nodeId = "", iceberg, readBody, metrics, clock, prng, log, ready } = serving;
  const { shards = [], housekeeping, requestMs, dir } = serving;
  const operators = new OperatorAccess(createHttpServer(requestMs), { dir, log, prng });
  const { check, collect } = serving;
  const store = check === undefined ? undefined : new StoreAdmin(check, clock);
  const framework = new Framework();
  const authorize = operators.authorize.bind(operators);
  const onUnready = (error: Parameters<typeof errorFields>[0]) =>
    log.warn(errorFields(error), "not ready");
  const version = packageVersion();
  const usage = new UsageMeter(clock, DEFAULT_ACCOUNT, StoreCosts.of(metrics).prices);
  const levelsOf = (shard: string, engine: Engine) =>
    new ShardAdmin(shard, () => engine, clock).levels();
  const observers = StoreObservers.of(metrics);
  observers.add(usage);
  if (serving.tracing !== undefined) observers.trace(serving.tracing);
  const node = {
    version,
    nowMs: () => clock.nowMs(),
    shards: () => Promise.all(shards.map((shard) => shard.levels())),
    levelsOf,
    usage: (actor: Actor) => usage.report(actor),
    settings: serving.settings ?? [],
    postgresPort: () => serving.postgresPort?.(),
    shared: serving.peers && sharedShardAdmin(serving.peers, levelsOf),
  };
  const protocols = [
    new IcebergProtocol(iceberg, clock, readBody, serving.access?.tokens),
    ...(serving.model === undefined
      ? []
      : [
          new NativeProtocol({ service: serving.model, node, readDocs: readDocsFile }),
          ...sessionsOf(serving),
          consoleProtocol(readConsoleFiles),
        ]),
    adminProtocol(framework, {
      shards,
      store,
      housekeeping,
      hotTables: serving.hotTables,
      keys: serving.keyAdmin,
      gc: collect && { collect, clock },
      authorize,
    }),
    probesProtocol(framework, { nodeId, version, metrics, ready, onUnready }),
  ];
  const signIn = serving.access?.authenticator;
  return new FirnServer({ ...serving, protocols, operators, usage, signIn });
}
