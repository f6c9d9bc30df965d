import { FirnError, invalid } from "../../base/error.ts";
import type { Catalog } from "../../catalog/model.ts";
import type { SqlSession } from "../../sql/session/session.ts";
import type { Actor } from "../actor.ts";
import type { SqlParts } from "./catalog-view.ts";
import type { SqlLogin } from "./login.ts";
import type { SessionOpener } from "./open-session.ts";

/** Sessions do not judge single tables yet, so who may not do everything gets none. */
function assertWhole({ rights }: Actor): void {
  if (rights === undefined || rights.holds("admin", [])) return;
  const message =
    "the privilege admin on the account is missing: SQL does not check single tables yet";
  throw new FirnError("Forbidden", "PRIVILEGE_MISSING", message, {
    sqlState: "42501",
    fatal: true,
    privilege: "admin",
    on: "the account",
  });
}

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
    assertWhole(actor);
    const { id } = await this.#catalog(login.database);
    await this.#parts.shards.assertHere(id);
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
