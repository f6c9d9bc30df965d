import { assert } from "../base/assert.ts";
import type { ConnectorId } from "../base/ids.ts";
import { BatchBuilder, never } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import { readEntity, type Stored } from "./entities.ts";
import { connectorExists, connectorNotFound } from "./errors.ts";
import { foundByName } from "./found-by-name.ts";
import { directoryOf, FAMILIES, keyOf } from "./keys.ts";
import { type Listed, listedPage } from "./listed.ts";
import type { Connector, Receipt } from "./model.ts";
import { visibleIn } from "./name-access.ts";
import { checkName, checkProperties } from "./names.ts";
import { listPage, type Page, type PageRequest } from "./pages.ts";
import { byIdKey } from "./paths.ts";
import { assertMayUpdate, ownedBy } from "./payloads.ts";
import { type Attempt, type Planned, REPLAN, write } from "./repository.ts";
import { anyVersion, type Expect, type Revise, reviseEntity } from "./revise.ts";
import { type RevisedEntity, revisedBy, revisedOf } from "./revised-entity.ts";
import { nameSummary, summaryOf } from "./summaries.ts";

/** What a new connector is made of. */
export type NewConnector = Pick<
  Connector,
  "name" | "description" | "kind" | "uri" | "options" | "policy" | "properties"
>;

/** The connectors of one account. */
export class Connectors {
  readonly #context: CatalogContext;

  constructor(context: CatalogContext) {
    this.#context = context;
  }

  /**
   * @throws FirnError `NAME_INVALID`, `PROPERTIES_INVALID`, `CONNECTOR_ALREADY_EXISTS`. One batch
   * of 5 operations.
   */
  async create(actor: Actor, request: NewConnector): Promise<RevisedEntity<Connector>> {
    const { account, pointers, payloads, ids } = this.#context;
    const name = checkName(request.name, "connector");
    checkProperties(request.properties);
    checkProperties(request.options);
    const id = ids.mint<ConnectorId>();
    const plan = async (attempt: Attempt): Promise<Planned<RevisedEntity<Connector>>> => {
      const { revision, updatedAtMs } = attempt.authorship;
      const held = await pointers.get(this.#nameKey(name));
      if (held.state === "live") throw connectorExists(name);
      const entity: Connector = {
        ...request,
        type: "connector",
        id,
        name,
        createdAtMs: updatedAtMs,
        state: "ACTIVE",
        nameRevision: revision,
        ...ownedBy(attempt.authorship),
      };
      const payload = payloads.encode(entity, attempt.authorship);
      const primary = byIdKey("connector", account, id);
      const batch = new BatchBuilder(account)
        .put(never(primary), { payload, summary: summaryOf(entity, payload) })
        .put(held, { summary: nameSummary(entity) })
        .bump(keyOf(FAMILIES.accountGuard, account));
      return { batch, primary, result: () => revisedBy(attempt.authorship, entity, 1n) };
    };
    return write(this.#context, actor, "create-connector", plan, (done) =>
      this.#replay(done, name),
    );
  }

  /** Two reads, and a payload. @throws FirnError `CONNECTOR_NOT_FOUND`, `NAME_INVALID`. */
  async get(text: string): Promise<Stored<Connector>> {
    return (await this.#find(checkName(text, "connector"))).stored;
  }

  async page(request: PageRequest): Promise<Page<Listed>> {
    const directory = directoryOf(FAMILIES.connectorByName, this.#context.account);
    return listedPage(
      this.#context,
      await listPage(this.#context.pointers, directory, request, visibleIn([])),
    );
  }

  /**
   * Gives a connector other content; its name stays. `change` answers undefined for what is there
   * already, and is asked again after a lost race.
   *
   * @throws FirnError as `get`, `PROPERTIES_INVALID`, and what `change` throws.
   */
  async revise(
    actor: Actor,
    text: string,
    change: Revise<Connector>,
  ): Promise<RevisedEntity<Connector>> {
    const name = checkName(text, "connector");
    const find = () => this.get(name);
    const checked: Revise<Connector> = (stored) => {
      const next = change(stored);
      if (next !== undefined) checkProperties(next.options);
      return next;
    };
    const replay = (done: Receipt) => this.#replay(done, name);
    return reviseEntity(this.#context, actor, "update-connector", find, checked, replay);
  }

  /** Deletes a connector for good; the tables that it brought stay. @throws FirnError as `get`. */
  async delete(actor: Actor, text: string, expect: Expect<Connector> = anyVersion): Promise<void> {
    const name = checkName(text, "connector");
    const plan = async (): Promise<Planned<void>> => {
      const { stored, named } = await this.#find(name);
      expect(stored);
      assertMayUpdate(stored.envelope);
      if (named.state === "absent") return REPLAN;
      assert(stored.entity.name === name, "a name leads to the connector that has it");
      const batch = new BatchBuilder(this.#context.account).delete(stored.item).delete(named);
      return { batch, primary: stored.item.key, result: () => undefined };
    };
    await write(this.#context, actor, "delete-connector", plan, async () => undefined);
  }

  async #find(name: string) {
    const key = this.#nameKey(name);
    const notFound = connectorNotFound;
    return await foundByName<Connector>(this.#context, { type: "connector", name, key, notFound });
  }

  #nameKey(name: string): string {
    return keyOf(FAMILIES.connectorByName, this.#context.account, name);
  }

  /** What an earlier request of the same key came to, as it stands now. */
  async #replay({ key }: Receipt, name: string): Promise<RevisedEntity<Connector>> {
    const item = await this.#context.pointers.get(key);
    if (item.state === "absent") throw connectorNotFound(name);
    const stored = await readEntity<Connector>(this.#context, "connector", item);
    if (stored === undefined) throw connectorNotFound(name);
    return revisedOf(stored);
  }
}
