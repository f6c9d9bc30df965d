import { compareUtf8 } from "../../../src/base/bytes.ts";
import { encodeSegment } from "../../../src/base/key-text.ts";

type RelationType = "table" | "view";

/** A table or view as the model knows it. */
interface ModelRelation {
  readonly type: RelationType;
  location: string;
  metadata: string;
}

interface ModelNamespace {
  marks: string;
  /** Tables and views share their names. */
  readonly relations: Map<string, ModelRelation>;
}

/** Namespaces by their path as JSON. */
type ModelCatalog = Map<string, ModelNamespace>;

/** Something dropped: the very thing, what it was called, and where it stood. */
type ModelDropped =
  | { readonly type: "catalog"; readonly name: string; readonly thing: ModelCatalog }
  | {
      readonly type: "namespace";
      readonly name: string;
      readonly thing: ModelNamespace;
      readonly path: Path;
      readonly catalog: ModelCatalog;
    }
  | {
      readonly type: RelationType;
      readonly name: string;
      readonly thing: ModelRelation;
      readonly parent: ModelNamespace;
      readonly catalog: ModelCatalog;
    };

/** What an undrop by name answers where the name does not tell which one is meant. */
export const NOT_ONE = "not one";

/** An error as the model answers it: the kind and the code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

const notFound = (what: Uppercase<RelationType> | "CATALOG" | "NAMESPACE"): Refusal =>
  new Refusal(`NotFound ${what}_NOT_FOUND`);
const exists = (what: Uppercase<RelationType> | "CATALOG" | "NAMESPACE"): Refusal =>
  new Refusal(`AlreadyExists ${what}_ALREADY_EXISTS`);
const taken = (): Refusal => new Refusal("Invalid LOCATION_TAKEN");
const overlaps = (): Refusal => new Refusal("Invalid LOCATION_OVERLAPS");

export type Path = readonly string[];

/**
 * The tree of one account as maps in memory: what every operation of the catalog must come to, one
 * after the other. Names are legal here; what is refused for its form never gets this far.
 */
export class Model {
  readonly #catalogs = new Map<string, ModelCatalog>();
  #dropped: ModelDropped[] = [];

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
    const thing = this.#catalog(name);
    if (thing.size > 0) throw new Refusal("Conflict CATALOG_NOT_EMPTY");
    this.#catalogs.delete(name);
    this.#dropped.push({ type: "catalog", name, thing });
    return "done";
  }

  listCatalogs(): readonly string[] {
    return inKeyOrder([...this.#catalogs.keys()]);
  }

  createNamespace(catalog: string, path: Path): string {
    this.#mustHaveParent(catalog, path);
    const found = this.#catalog(catalog);
    if (found.has(keyOf(path))) throw exists("NAMESPACE");
    found.set(keyOf(path), { marks: "", relations: new Map() });
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
    if (namespace.relations.size > 0 || this.#childrenOf(catalog, path).length > 0) {
      throw new Refusal("Conflict NAMESPACE_NOT_EMPTY");
    }
    const found = this.#catalog(catalog);
    found.delete(keyOf(path));
    const name = path.at(-1) ?? "";
    this.#dropped.push({ type: "namespace", name, thing: namespace, path, catalog: found });
    return "done";
  }

  listNamespaces(catalog: string, path: Path): readonly string[] {
    if (path.length > 0) this.#namespace(catalog, path);
    return inKeyOrder(this.#childrenOf(catalog, path));
  }

  create(type: RelationType, catalog: string, path: Path, name: string, location: string): string {
    const { relations } = this.#namespace(catalog, path);
    mustBeFree(relations, name);
    this.#mustBeUnclaimed(location);
    relations.set(name, { type, location, metadata: "0" });
    return "done";
  }

  /** Appends a mark to the metadata location, and moves the relation where a location is given. */
  commit(
    type: RelationType,
    catalog: string,
    path: Path,
    name: string,
    mark: string,
    location: string | undefined,
  ): string {
    const relation = this.#relation(type, catalog, path, name);
    if (location !== undefined && location !== relation.location) {
      this.#mustBeUnclaimed(location, relation);
      relation.location = location;
    } else {
      // One that was undropped may lie above it, which who says where it lies is told.
      this.#mustBeUnclaimed(relation.location, relation, "above");
    }
    relation.metadata += mark;
    return relation.metadata;
  }

  rename(
    type: RelationType,
    catalog: string,
    from: Path,
    name: string,
    to: Path,
    newName: string,
  ): string {
    const relation = this.#relation(type, catalog, from, name);
    const target = this.#namespace(catalog, to);
    mustBeFree(target.relations, newName);
    this.#namespace(catalog, from).relations.delete(name);
    target.relations.set(newName, relation);
    return "done";
  }

  drop(type: RelationType, catalog: string, path: Path, name: string): string {
    const thing = this.#relation(type, catalog, path, name);
    const parent = this.#namespace(catalog, path);
    parent.relations.delete(name);
    this.#dropped.push({ type, name, thing, parent, catalog: this.#catalog(catalog) });
    return "done";
  }

  /** Brings the one dropped thing of this type and name back, elsewhere where that is said. */
  undrop(type: ModelDropped["type"], name: string, to: { parent?: Path; name?: string }): string {
    const named = this.#dropped.filter((one) => one.type === type && one.name === name);
    const [dropped] = named;
    if (dropped === undefined || named.length > 1) return NOT_ONE;
    switch (dropped.type) {
      case "catalog":
        if (this.#catalogs.has(to.name ?? name)) throw exists("CATALOG");
        this.#catalogs.set(to.name ?? name, dropped.thing);
        break;
      case "namespace": {
        const catalog = this.#nameOf(dropped.catalog);
        const path = [...(to.parent ?? dropped.path.slice(0, -1)), to.name ?? name];
        this.#mustHaveParent(catalog, path);
        if (dropped.catalog.has(keyOf(path))) throw exists("NAMESPACE");
        dropped.catalog.set(keyOf(path), dropped.thing);
        break;
      }
      case "table":
      case "view": {
        const catalog = this.#nameOf(dropped.catalog);
        const there = [...dropped.catalog.values()].includes(dropped.parent);
        if (to.parent === undefined && !there) throw notFound("NAMESPACE");
        const parent =
          to.parent === undefined ? dropped.parent : this.#namespace(catalog, to.parent);
        mustBeFree(parent.relations, to.name ?? name);
        this.#mustBeUnclaimed(dropped.thing.location, undefined, "above");
        parent.relations.set(to.name ?? name, dropped.thing);
      }
    }
    this.#dropped = this.#dropped.filter((one) => one !== dropped);
    return "done";
  }

  /** The retention of everything that was dropped is over. */
  expire(): string {
    this.#dropped = [];
    return "done";
  }

  listDropped(): readonly string[] {
    return this.#dropped.map(({ type, name }) => `${type} ${name}`).sort();
  }

  #nameOf(catalog: ModelCatalog): string {
    const found = [...this.#catalogs].find(([, one]) => one === catalog);
    if (found === undefined) throw notFound("CATALOG");
    return found[0];
  }

  load(type: RelationType, catalog: string, path: Path, name: string): string {
    const { location, metadata } = this.#relation(type, catalog, path, name);
    return `${location} ${metadata}`;
  }

  list(type: RelationType, catalog: string, path: Path): readonly string[] {
    const all = [...this.#namespace(catalog, path).relations];
    return inKeyOrder(all.filter(([, found]) => found.type === type).map(([name]) => name));
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

  #relation(type: RelationType, catalog: string, path: Path, name: string): ModelRelation {
    const relation = this.#namespace(catalog, path).relations.get(name);
    if (relation?.type !== type) throw notFound(type === "view" ? "VIEW" : "TABLE");
    return relation;
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

  /** `looks`: whether those below are looked at too, or only those above. */
  #mustBeUnclaimed(location: string, own?: ModelRelation, looks?: "above"): void {
    const others = [...this.#catalogs.values()]
      .flatMap((catalog) => [...catalog.values()])
      .flatMap(({ relations }) => [...relations.values()])
      .filter((relation) => relation !== own)
      .map((relation) => relation.location);
    if (others.includes(location)) throw taken();
    const inside = (inner: string, outer: string) => inner.startsWith(`${outer}/`);
    const overlapping = others.some(
      (other) => inside(location, other) || (looks !== "above" && inside(other, location)),
    );
    if (overlapping) throw overlaps();
  }
}

function mustBeFree(relations: ReadonlyMap<string, ModelRelation>, name: string): void {
  const holder = relations.get(name);
  if (holder !== undefined) throw exists(holder.type === "view" ? "VIEW" : "TABLE");
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** Lists are in the order of their keys, which is that of the encoded names. */
function inKeyOrder(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => compareUtf8(encodeSegment(a), encodeSegment(b)));
}
