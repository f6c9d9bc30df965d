import { FirnError } from "../../base/error.ts";
import { Parser } from "../../sql/parse/parser.ts";
import { AdvisoryLocks } from "../../sql/session/advisory-locks.ts";
import { ExportedSnapshots } from "../../sql/session/exported-snapshots.ts";
import { openSession } from "../../sql/session/open.ts";
import type { SqlSession } from "../../sql/session/session.ts";
import { TemporarySchemas } from "../../sql/session/temporary-schemas.ts";
import type { Actor } from "../actor.ts";
import { catalogView, type SqlParts } from "./catalog-view.ts";
import type { SqlLogin } from "./login.ts";
import { SessionAccess } from "./session-access.ts";

/** What opens sessions, once it has been loaded. */
export interface SessionOpener {
  open(actor: Actor, login: SqlLogin): SqlSession;
  close(): Promise<void>;
}

export function sessionOpener(parts: SqlParts): SessionOpener {
  const { clock, prng } = parts.catalog.context;
  const parser = new Parser(clock);
  const locks = new AdvisoryLocks(parts.shards.waits);
  const { spillSpace } = parts;
  const temporary = new TemporarySchemas();
  const snapshots = new ExportedSnapshots();
  return {
    open: (actor, login) => {
      const access = new SessionAccess(actor, clock);
      const catalog = catalogView(parts, access, login.database);
      const onUnreleased = (error: unknown): void => {
        const code = error instanceof FirnError ? error.code : "INTERNAL";
        parts.onUnreleased?.({
          catalog: login.database,
          code,
          message: error instanceof Error ? error.message : String(error),
        });
      };
      // Sessions on a catalog's rows are all on one node, so that memory holds their locks.
      const advisory = { locks, space: `${actor.account}\0${login.database}` };
      const shared = { parser, clock, prng, advisory, temporary, snapshots, spillSpace };
      return openSession({ ...shared, catalog, onUnreleased, ...login });
    },
    close: () => parser.close(),
  };
}
