import { compareUtf8 } from "../../../src/base/bytes.ts";
import { encodeSegment } from "../../../src/pointer/key.ts";

/** A table as the model knows it. */
interface ModelTable {
  location: string;
  metadata: string;
}

interface ModelNamespace {
  marks: string;
  readonly tables: Map<string, ModelTable>;
}

/** Namespaces by their path as JSON. */
type ModelCatalog = Map<string, ModelNamespace>;

/** An error as the model answers it: the kind and the code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

const notFound = (what: "CATALOG" | "NAMESPACE" | "TABLE"): Refusal =>
  new Refusal(`NotFound ${what}_NOT_FOUND`);
const exists = (what: "CATALOG" | "NAMESPACE" | "TABLE"): Refusal =>
  new Refusal(`AlreadyExists ${what}_ALREADY_EXISTS`);
const taken = (): Refusal => new Refusal("AlreadyExists LOCATION_TAKEN");

export type Path = readonly string[];

/**
 * The tree of one account as maps in memory: what every operation of the catalog must come to, one
 * after the other. Names are legal here; what is refused for its form never gets this far.
 */
export class Model {
  readonly #catalogs = new Map<string, ModelCatalog>();

  createCatalog(name: string): string {
    if (this.#catalogs.has(name)) throw exists("CATALOG");
    this.#catalogs.set(name, new Map());
    return "done";
  }

  renameCatalog(from: string, to: string): string {
    const catalog = this.#catalog(from);
    if (this.#catalogs.has(to)) throw exists("CATALOG");
    this.#catalogs.delete(from);
    this.#catalogs.set(to, catalog);
    return "done";
  }

  dropCatalog(name: string): string {
    if (this.#catalog(name).size > 0) throw new Refusal("Conflict CATALOG_NOT_EMPTY");
    this.#catalogs.delete(name);
    return "done";
  }

  listCatalogs(): readonly string[] {
    return inKeyOrder([...this.#catalogs.keys()]);
  }

  createNamespace(catalog: string, path: Path): string {
    this.#mustHaveParent(catalog, path);
    const found = this.#catalog(catalog);
    if (found.has(keyOf(path))) throw exists("NAMESPACE");
    found.set(keyOf(path), { marks: "", tables: new Map() });
    return "done";
  }

  updateNamespace(catalog: string, path: Path, mark: string): string {
    const namespace = this.#namespace(catalog, path);
    namespace.marks += mark;
    return namespace.marks;
  }

  renameNamespace(catalog: string, from: Path, to: Path): string {
    const below = to.length > from.length && from.every((level, i) => to[i] === level);
    if (below) throw new Refusal("Invalid NAME_INVALID");
    const namespace = this.#namespace(catalog, from);
    if (this.#childrenOf(catalog, from).length > 0) {
      throw new Refusal("Conflict NAMESPACE_HAS_CHILDREN");
    }
    this.#mustHaveParent(catalog, to);
    const found = this.#catalog(catalog);
    if (found.has(keyOf(to))) throw exists("NAMESPACE");
    found.delete(keyOf(from));
    found.set(keyOf(to), namespace);
    return "done";
  }

  dropNamespace(catalog: string, path: Path): string {
    const namespace = this.#namespace(catalog, path);
    if (namespace.tables.size > 0 || this.#childrenOf(catalog, path).length > 0) {
      throw new Refusal("Conflict NAMESPACE_NOT_EMPTY");
    }
    this.#catalog(catalog).delete(keyOf(path));
    return "done";
  }

  listNamespaces(catalog: string, path: Path): readonly string[] {
    if (path.length > 0) this.#namespace(catalog, path);
    return inKeyOrder(this.#childrenOf(catalog, path));
  }

  createTable(catalog: string, path: Path, name: string, location: string): string {
    const { tables } = this.#namespace(catalog, path);
    if (tables.has(name)) throw exists("TABLE");
    if (this.#isClaimed(location)) throw taken();
    tables.set(name, { location, metadata: "0" });
    return "done";
  }

  /** Appends a mark to the metadata location, and moves the table where a location is given. */
  commitTable(
    catalog: string,
    path: Path,
    name: string,
    mark: string,
    location: string | undefined,
  ): string {
    const table = this.#table(catalog, path, name);
    if (location !== undefined && location !== table.location) {
      if (this.#isClaimed(location)) throw taken();
      table.location = location;
    }
    table.metadata += mark;
    return table.metadata;
  }

  renameTable(catalog: string, from: Path, name: string, to: Path, newName: string): string {
    const table = this.#table(catalog, from, name);
    const target = this.#namespace(catalog, to);
    if (target.tables.has(newName)) throw exists("TABLE");
    this.#namespace(catalog, from).tables.delete(name);
    target.tables.set(newName, table);
    return "done";
  }

  dropTable(catalog: string, path: Path, name: string): string {
    this.#table(catalog, path, name);
    this.#namespace(catalog, path).tables.delete(name);
    return "done";
  }

  loadTable(catalog: string, path: Path, name: string): string {
    const { location, metadata } = this.#table(catalog, path, name);
    return `${location} ${metadata}`;
  }

  listTables(catalog: string, path: Path): readonly string[] {
    return inKeyOrder([...this.#namespace(catalog, path).tables.keys()]);
  }

  #catalog(name: string): ModelCatalog {
    const catalog = this.#catalogs.get(name);
    if (catalog === undefined) throw notFound("CATALOG");
    return catalog;
  }

  #namespace(catalog: string, path: Path): ModelNamespace {
    const namespace = this.#catalog(catalog).get(keyOf(path));
    if (namespace === undefined) throw notFound("NAMESPACE");
    return namespace;
  }

  #table(catalog: string, path: Path, name: string): ModelTable {
    const table = this.#namespace(catalog, path).tables.get(name);
    if (table === undefined) throw notFound("TABLE");
    return table;
  }

  #mustHaveParent(catalog: string, path: Path): void {
    if (path.length > 1) this.#namespace(catalog, path.slice(0, -1));
    else this.#catalog(catalog);
  }

  /** Last levels of the direct children. */
  #childrenOf(catalog: string, path: Path): string[] {
    return [...this.#catalog(catalog).keys()]
      .map((key) => JSON.parse(key) as string[])
      .filter((child) => child.length === path.length + 1)
      .filter((child) => path.every((level, i) => child[i] === level))
      .map((child) => child.at(-1) ?? "");
  }

  #isClaimed(location: string): boolean {
    return [...this.#catalogs.values()].some((catalog) =>
      [...catalog.values()].some(({ tables }) =>
        [...tables.values()].some((table) => table.location === location),
      ),
    );
  }
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** Lists are in the order of their keys, which is that of the encoded names. */
function inKeyOrder(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => compareUtf8(encodeSegment(a), encodeSegment(b)));
}
