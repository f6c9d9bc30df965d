import { IdSource, type TableId } from "../../src/base/ids.ts";
import { SeededPrng } from "../../src/base/prng.ts";
import { beginIndex, buildIndex, type RowStore } from "../../src/rows/index.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import type { CatalogView, Claim, TableName } from "../../src/sql/catalog/view.ts";
import { SqlError } from "../../src/sql/error.ts";

const ids = new IdSource(new SystemClock(), new SeededPrng(11));

/** Names of a store's tables, in memory: one catalog for all sessions of a test. */
export class MemoryCatalog {
  readonly #namespaces = new Set<string>(["lake", "public"]);
  readonly #tables = new Map<string, TableId>();
  readonly #store: RowStore;

  constructor(store: RowStore) {
    this.#store = store;
  }

  /** Its entries: names of tables, with their namespaces. */
  get names(): readonly string[] {
    return [...this.#tables.keys()];
  }

  view(): CatalogView {
    const [namespaces, tables] = [this.#namespaces, this.#tables];
    return {
      begin: (options) => this.#store.begin(options),
      list: async (rows) => {
        const known = new Map((await rows.tables.list()).map((table) => [table.id, table]));
        const relations = [...tables].flatMap(([name, id]) => {
          const table = known.get(id);
          if (table === undefined) return [];
          const at = name.lastIndexOf(".");
          const path = name.slice(0, at).split(".");
          const kind = "rows" as const;
          return [{ id, path, name: name.slice(at + 1), kind, comment: "", table }];
        });
        const paths = [...namespaces].map((name) => ({ path: name.split(".") }));
        return { databases: ["default"], namespaces: paths, relations };
      },
      hasNamespace: async (path) => namespaces.has(path.join(".")),
      entry: async (at) => {
        const id = tables.get(nameOf(at));
        return id && { id };
      },
      newTableId: () => ids.mint<TableId>(),
      contentOf: async (path) => ({
        tables: [...tables]
          .filter(([name]) => name.slice(0, name.lastIndexOf(".")) === path.join("."))
          .map(([name, id]) => ({ name: name.slice(name.lastIndexOf(".") + 1), id })),
      }),
      claimNamespace: async (path) => claim(namespaces, path.join(".")),
      dropNamespace: async (path) => {
        namespaces.delete(path.join("."));
      },
      claimTable: async (at, table) => {
        const name = nameOf(at);
        if (tables.has(name)) throw taken(at);
        tables.set(name, table.id);
        return { kept: () => undefined, undo: async () => void tables.delete(name) };
      },
      moveTable: async () => undefined,
      buildIndex: async (table, spec) => {
        await beginIndex(this.#store, table, spec);
        await buildIndex(this.#store, table, spec.name);
      },
      releaseTable: async (at, id) => {
        if (tables.get(nameOf(at)) === id) tables.delete(nameOf(at));
      },
      renameTable: async (from, to) => {
        this.#move(from, to);
        return { kept: () => undefined, undo: async () => this.#move(to, from) };
      },
    };
  }

  #move(from: TableName, to: TableName): void {
    const id = this.#tables.get(nameOf(from));
    if (id === undefined) throw new Error(`nothing to rename: ${nameOf(from)}`);
    if (this.#tables.has(nameOf(to))) throw taken(to);
    this.#tables.delete(nameOf(from));
    this.#tables.set(nameOf(to), id);
  }
}

function nameOf({ path, name }: TableName): string {
  return [...path, name].join(".");
}

function taken({ name }: TableName): SqlError {
  return new SqlError("42P07", `relation "${name}" already exists`);
}

function claim(names: Set<string>, name: string): Claim {
  if (names.has(name)) throw new SqlError("42P06", `schema "${name}" already exists`);
  names.add(name);
  return { kept: () => undefined, undo: async () => void names.delete(name) };
}
