import { FirnError } from "../../../src/base/error.ts";
import { IdSource, type TableId } from "../../../src/base/ids.ts";
import { beginIndex, buildIndex, type RowStore } from "../../../src/rows/index.ts";
import type { CatalogView, Claim, TableName } from "../../../src/sql/catalog/view.ts";
import { SqlError } from "../../../src/sql/error.ts";
import type { Host } from "../harness/host.ts";
import { never, type Sim } from "../harness/sim.ts";

/** The one schema. */
const PUBLIC = "public";

/** How often a look at a name, or a change of one, fails without an effect. */
const REFUSALS = 0.01;

/**
 * The catalog's names of a shard's tables, which all processes share and which survive each of
 * them. They behave as those of `service/rows/row-tables.ts`: a name whose table the shard does not
 * have makes way.
 */
export class SimNames {
  readonly #sim: Sim;
  readonly #tables = new Map<string, TableId>();
  #isFair = true;

  constructor(sim: Sim) {
    this.#sim = sim;
  }

  /** Whether nothing fails from here on. */
  set isFair(isFair: boolean) {
    this.#isFair = isFair;
  }

  /** As one process reaches them. */
  view(host: Host, store: RowStore): CatalogView {
    const ids = new IdSource(host.clock, this.#sim.fork());
    const claimed = new Set<TableId>();
    return {
      begin: (options) => store.begin(options),
      list: async (rows) => {
        const known = new Map((await rows.tables.list()).map((table) => [table.id, table]));
        const relations = [...this.#tables].flatMap(([name, id]) => {
          const table = known.get(id);
          if (table === undefined) return [];
          const at = { path: [PUBLIC], name: bare(name) };
          return [{ id, ...at, kind: "rows" as const, comment: "", table }];
        });
        return { databases: ["default"], namespaces: [{ path: [PUBLIC] }], relations };
      },
      hasNamespace: async (path) => path.length === 1 && path[0] === PUBLIC,
      entry: async (at) => {
        const id = await this.#reach(host, () => this.#tables.get(nameOf(at)));
        return id && { id };
      },
      newTableId: () => ids.mint<TableId>(),
      contentOf: async () => ({
        tables: [...this.#tables].map(([name, id]) => ({ name: bare(name), id })),
      }),
      claimNamespace: async ([name]) => {
        throw new SqlError("42P06", `schema "${name}" already exists`);
      },
      dropNamespace: async () => undefined,
      claimTable: async (at, { id }) => {
        claimed.add(id);
        try {
          await this.#claim(host, store, at, id, claimed);
        } catch (error) {
          claimed.delete(id);
          throw error;
        }
        const kept = (): void => void claimed.delete(id);
        const undo = async (): Promise<void> => {
          kept();
          await this.#release(host, at, id);
        };
        return { kept, undo };
      },
      releaseTable: (at, id) => this.#release(host, at, id),
      renameTable: (from, to) => this.#rename(host, from, to),
      moveTable: async () => undefined,
      buildIndex: async (table, spec, signal) => {
        await beginIndex(store, table, spec);
        await buildIndex(store, table, spec.name, () => signal.throwIfAborted());
      },
    };
  }

  async #claim(
    host: Host,
    store: RowStore,
    at: TableName,
    id: TableId,
    claimed: ReadonlySet<TableId>,
  ): Promise<void> {
    const name = nameOf(at);
    const take = (): TableId | undefined => {
      const other = this.#tables.get(name);
      if (other === undefined) this.#tables.set(name, id);
      return other;
    };
    const other = await this.#reach(host, take);
    if (other === undefined) return;
    const taken = new SqlError("42P07", `relation "${at.name}" already exists`);
    if (claimed.has(other)) throw taken;
    const known = await store.run((tx) => tx.tables.find(other), { readOnly: true });
    if (known !== undefined || claimed.has(other)) throw taken;
    this.#sim.coverage.note("a name makes way");
    await this.#release(host, at, other);
    if ((await this.#reach(host, take)) !== undefined) throw taken;
  }

  async #release(host: Host, at: TableName, id: TableId): Promise<void> {
    const name = nameOf(at);
    await this.#reach(host, () => {
      if (this.#tables.get(name) === id) this.#tables.delete(name);
    });
  }

  async #rename(host: Host, from: TableName, to: TableName): Promise<Claim> {
    const move = (a: string, b: string): void => {
      const id = this.#tables.get(a);
      if (id === undefined) throw new SqlError("42P01", `relation "${a}" does not exist`);
      if (this.#tables.has(b)) throw new SqlError("42P07", `relation "${b}" already exists`);
      this.#tables.delete(a);
      this.#tables.set(b, id);
    };
    await this.#reach(host, () => move(nameOf(from), nameOf(to)));
    const undo = (): Promise<void> => this.#reach(host, () => move(nameOf(to), nameOf(from)));
    return { kept: () => undefined, undo };
  }

  /** Runs a change at once, on its way there and back; a dead process's is made or not. */
  async #reach<T>(host: Host, change: () => T): Promise<T> {
    if (!host.alive) return await never();
    await this.#sim.sleep(this.#sim.spanMs(0.2, 8));
    if (!host.alive) {
      if (this.#sim.chance(0.5)) change();
      return await never();
    }
    if (!this.#isFair && this.#sim.chance(REFUSALS)) {
      throw new FirnError("Unavailable", "NAMES_UNAVAILABLE", "no such luck");
    }
    const result = change();
    await this.#sim.sleep(this.#sim.spanMs(0.2, 8));
    await host.thawed();
    return host.alive ? result : await never();
  }
}

function nameOf({ path, name }: TableName): string {
  return [...path, name].join(".");
}

function bare(name: string): string {
  return name.slice(PUBLIC.length + 1);
}
