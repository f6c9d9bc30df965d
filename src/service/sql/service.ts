import { FirnError, invalid } from "../../base/error.ts";
import type { Catalog } from "../../catalog/model.ts";
import { SHARD_SETTING, SYSTEM_DATABASE } from "../../sql/catalog/virtual.ts";
import type { SqlSession } from "../../sql/session/session.ts";
import type { Actor } from "../actor.ts";
import { shardNamed } from "../rows/row-places.ts";
import type { SqlParts } from "./catalog-view.ts";
import type { SqlLogin } from "./login.ts";
import type { SessionOpener } from "./open-session.ts";
import { SessionAccess } from "./session-access.ts";

/** SQL over the catalogs of the account. Nothing of it is loaded before the first session. */
export class SqlService {
  readonly #parts: SqlParts;
  #opener: Promise<SessionOpener> | undefined;

  constructor(parts: SqlParts) {
    this.#parts = parts;
  }

  /**
   * @throws FirnError SQLSTATE 3D000 where there is no such catalog; 22023 for a setting;
   *   `ShardElsewhere`: the session is another node's.
   */
  async open(actor: Actor, login: SqlLogin): Promise<SqlSession> {
    const access = new SessionAccess(actor, this.#parts.catalog.context.clock);
    if (login.database !== SYSTEM_DATABASE) {
      const entity = await access.judged(() => this.#catalog(login.database));
      const { id } = shardNamed(entity, login.settings.get(SHARD_SETTING));
      await this.#parts.shards.assertHere(id);
    }
    this.#opener ??= import("./open-session.ts").then(({ sessionOpener }) =>
      sessionOpener(this.#parts),
    );
    const open = await this.#opener;
    return open.open(actor, login);
  }

  async close(): Promise<void> {
    const opener = await this.#opener;
    await opener?.close();
  }

  /** What may not be known is answered as what is not there. */
  async #catalog(name: string): Promise<Catalog> {
    const { catalogs } = this.#parts.catalog;
    try {
      return (await catalogs.get(name)).entity;
    } catch (error) {
      const isKnown = error instanceof FirnError && ["NotFound", "Invalid"].includes(error.kind);
      if (!isKnown) throw error;
      const { items } = await catalogs.list({ limit: 10 });
      const names = items.join(", ");
      throw invalid("DATABASE_NOT_FOUND", `database "${name}" does not exist`, {
        sqlState: "3D000",
        fatal: true,
        hint: `A database is a catalog. Catalogs here: ${names || "none"}.`,
      });
    }
  }
}
