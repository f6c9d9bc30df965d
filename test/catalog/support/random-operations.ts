import fc from "fast-check";
import { FirnError } from "../../../src/base/error.ts";
import type { AccountCatalog } from "../../../src/catalog/catalog.ts";
import type { Page, PageRequest } from "../../../src/catalog/pages.ts";
import { ACTOR } from "../../support/open-catalog.ts";
import { type Model, NOT_ONE, type Path, Refusal } from "./model.ts";
import { expireDropped, relationsOf, undropNamed } from "./operations.ts";

/** One operation as the catalog and as the model carry it out; both answer in words. */
export interface Step {
  readonly name: string;
  readonly real: (catalog: AccountCatalog) => Promise<unknown>;
  readonly model: (model: Model) => unknown;
  /** Several batches, not one. */
  readonly many?: true;
}

/** Mostly one value, so that operations meet; sometimes another. */
function mostly<T>(usual: readonly T[], rare: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: rare },
  );
}

const catalogName = mostly(["c"], fc.constantFrom("d", "Ä"));
/** Names that other levels have too, that need escapes, or that are kept as a hash. */
const level = fc.constantFrom("a", "b", "by-name", "é/%", "n".repeat(255));
const path: fc.Arbitrary<Path> = mostly(
  [["a"], ["b"], ["a", "b"]],
  fc.array(level, { minLength: 1, maxLength: 3 }),
);
const tableName = mostly(["t", "u"], fc.constantFrom("~t", "x".repeat(230)));
const location = mostly(
  ["file:///w/1", "file:///w/2", "file:///w/3", "file:///w/1/in"],
  fc.constantFrom("s3://b/ü", `s3://${"y".repeat(900)}`),
);
const type = fc.constantFrom("table" as const, "table" as const, "view" as const);
const mark = fc.constantFrom("A", "B");

async function everything<T>(list: (request: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  for (let after: string | undefined; ; ) {
    const page = await list({ limit: 2, ...(after !== undefined && { after }) });
    items.push(...page.items);
    if (page.next === undefined) return items;
    after = page.next;
  }
}

function step(
  name: string,
  real: (catalog: AccountCatalog) => Promise<unknown>,
  model: (model: Model) => unknown,
): Step {
  return { name, real, model };
}

const done = async (work: Promise<unknown>): Promise<string> => {
  await work;
  return "done";
};

const catalogStep: fc.Arbitrary<Step> = fc.oneof(
  catalogName.map((name) =>
    step(
      `create catalog ${name}`,
      ({ catalogs }) => done(catalogs.create(ACTOR, { name, defaultLocation: "file:///w" })),
      (model) => model.createCatalog(name),
    ),
  ),
  fc.tuple(catalogName, catalogName).map(([from, to]) =>
    step(
      `rename catalog ${from} to ${to}`,
      ({ catalogs }) => done(catalogs.rename(ACTOR, from, to)),
      (model) => model.renameCatalog(from, to),
    ),
  ),
  catalogName.map((name) =>
    step(
      `drop catalog ${name}`,
      ({ catalogs }) => done(catalogs.drop(ACTOR, name)),
      (model) => model.dropCatalog(name),
    ),
  ),
  fc.constant(
    step(
      "list catalogs",
      ({ catalogs }) => everything((request) => catalogs.list(request)),
      (model) => model.listCatalogs(),
    ),
  ),
);

const namespaceStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(catalogName, path).map(([catalog, path]) =>
      step(
        `create namespace ${catalog} ${path}`,
        ({ namespaces }) => done(namespaces.create(ACTOR, { catalog, path }, {})),
        (model) => model.createNamespace(catalog, path),
      ),
    ),
  },
  fc.tuple(catalogName, path, mark).map(([catalog, path, mark]) =>
    step(
      `update namespace ${catalog} ${path} ${mark}`,
      ({ namespaces }) =>
        namespaces.update(ACTOR, { catalog, path }, ({ properties }) => {
          const detail = `${properties["marks"] ?? ""}${mark}`;
          return { properties: { marks: detail }, detail };
        }),
      (model) => model.updateNamespace(catalog, path, mark),
    ),
  ),
  fc.tuple(catalogName, path, path).map(([catalog, from, to]) =>
    step(
      `rename namespace ${catalog} ${from} to ${to}`,
      ({ namespaces }) => done(namespaces.rename(ACTOR, { catalog, path: from }, to)),
      (model) => model.renameNamespace(catalog, from, to),
    ),
  ),
  fc.tuple(catalogName, path).map(([catalog, path]) =>
    step(
      `drop namespace ${catalog} ${path}`,
      ({ namespaces }) => done(namespaces.drop(ACTOR, { catalog, path })),
      (model) => model.dropNamespace(catalog, path),
    ),
  ),
  fc.tuple(catalogName, fc.oneof(path, fc.constant<Path>([]))).map(([catalog, path]) =>
    step(
      `list namespaces ${catalog} ${path}`,
      async ({ namespaces }) => {
        const found = await everything((request) => namespaces.list({ catalog, path }, request));
        return found.map((child) => child.at(-1));
      },
      (model) => model.listNamespaces(catalog, path),
    ),
  ),
);

const relationStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(type, catalogName, path, tableName, location)
      .map(([type, catalog, path, name, at]) =>
        step(
          `create ${type} ${catalog} ${path} ${name} at ${at}`,
          (real) => {
            const said = { location: at, metadata: "0" };
            return done(relationsOf(real, type).create({ catalog, path, name }, said));
          },
          (model) => model.create(type, catalog, path, name, at),
        ),
      ),
  },
  fc
    .tuple(type, catalogName, path, tableName, mark, fc.option(location, { nil: undefined }))
    .map(([type, catalog, path, name, mark, to]) =>
      step(
        `commit ${mark} to ${type} ${catalog} ${path} ${name} at ${to}`,
        (real) =>
          relationsOf(real, type).update({ catalog, path, name }, (was) => ({
            location: to ?? was.location,
            metadata: `${was.metadata}${mark}`,
          })),
        (model) => model.commit(type, catalog, path, name, mark, to),
      ),
    ),
  fc
    .tuple(type, catalogName, path, tableName, path, tableName)
    .map(([type, catalog, from, name, to, newName]) =>
      step(
        `rename ${type} ${catalog} ${from} ${name} to ${to} ${newName}`,
        (real) => {
          const target = { catalog, path: to, name: newName };
          return done(relationsOf(real, type).rename({ catalog, path: from, name }, target));
        },
        (model) => model.rename(type, catalog, from, name, to, newName),
      ),
    ),
  fc.tuple(type, catalogName, path, tableName).map(([type, catalog, path, name]) =>
    step(
      `drop ${type} ${catalog} ${path} ${name}`,
      (real) => done(relationsOf(real, type).drop({ catalog, path, name })),
      (model) => model.drop(type, catalog, path, name),
    ),
  ),
  fc.tuple(type, catalogName, path, tableName).map(([type, catalog, path, name]) =>
    step(
      `load ${type} ${catalog} ${path} ${name}`,
      async (real) => {
        const { location, metadata } = await relationsOf(real, type).get({ catalog, path, name });
        return `${location} ${metadata}`;
      },
      (model) => model.load(type, catalog, path, name),
    ),
  ),
  fc.tuple(type, catalogName, path).map(([type, catalog, path]) =>
    step(
      `list ${type}s ${catalog} ${path}`,
      (real) => everything((request) => relationsOf(real, type).list({ catalog, path }, request)),
      (model) => model.list(type, catalog, path),
    ),
  ),
);

const newName = fc.option(tableName, { nil: undefined });
const newParent = fc.option(path, { nil: undefined });

const lifeStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.oneof(type, fc.constant("namespace" as const)),
        tableName,
        level,
        newParent,
        newName,
      )
      .map(([type, tableName, level, parent, name]) => {
        const was = type === "namespace" ? level : tableName;
        const to = { ...(parent && { parent }), ...(name !== undefined && { name }) };
        return step(
          `undrop ${type} ${was} to ${parent} ${name}`,
          async (catalog) => {
            const answer = await undropNamed(catalog, type, was, to);
            return answer === NOT_ONE ? answer : "done";
          },
          (model) => model.undrop(type, was, to),
        );
      }),
  },
  fc.tuple(catalogName, fc.option(catalogName, { nil: undefined })).map(([was, name]) =>
    step(
      `undrop catalog ${was} to ${name}`,
      async (catalog) => {
        const answer = await undropNamed(
          catalog,
          "catalog",
          was,
          name === undefined ? {} : { name },
        );
        return answer === NOT_ONE ? answer : "done";
      },
      (model) => model.undrop("catalog", was, name === undefined ? {} : { name }),
    ),
  ),
  fc.constant({
    ...step(
      "the retention passes",
      (catalog) => done(expireDropped(catalog)),
      (model) => model.expire(),
    ),
    many: true as const,
  }),
  fc.constant(
    step(
      "list what is dropped",
      async ({ dropped }) => {
        const found = await everything((request) => dropped.list(request));
        return found.map(({ type, name }) => `${type} ${name}`).sort();
      },
      (model) => model.listDropped(),
    ),
  ),
);

/** What every history starts with: somewhere to put things. */
export const START: readonly Step[] = [
  step(
    "create catalog c",
    ({ catalogs }) => done(catalogs.create(ACTOR, { name: "c", defaultLocation: "file:///w" })),
    (model) => model.createCatalog("c"),
  ),
  ...[["a"], ["b"]].map((path) =>
    step(
      `create namespace ${path}`,
      ({ namespaces }) => done(namespaces.create(ACTOR, { catalog: "c", path }, {})),
      (model) => model.createNamespace("c", path),
    ),
  ),
];

/** Any operation, weighted so that trees grow before they are torn down. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: catalogStep },
  { weight: 4, arbitrary: namespaceStep },
  { weight: 8, arbitrary: relationStep },
  { weight: 3, arbitrary: lifeStep },
);

/** What a step came to on either side: an answer, or a refusal by kind and code. */
export async function outcomeOf(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    if (error instanceof FirnError && error.kind !== "Internal") {
      return `${error.kind} ${error.code}`;
    }
    throw error;
  }
}
