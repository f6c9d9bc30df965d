import type { Asks, AtQuery, DiffQuery, DropQuery, ListQuery, PageQuery } from "./asks.ts";
import { AT, historyOperations } from "./history-operations.ts";
import type { ApiOperation } from "./operation.ts";
import {
  CATALOG,
  type Catalog,
  type Diff,
  JOB,
  type Job,
  type Page,
  type Properties,
  SUMMARY,
  type Summary,
  type Version,
} from "./resources.ts";
import {
  DESCRIPTION,
  FLAG,
  LIST,
  LOCATION,
  NAME,
  object,
  PROPERTIES,
  PROPERTIES_PATCH,
  pageOf,
  patchOf,
  RECURSIVE,
} from "./schema.ts";
import { type PropertiesPatch, UPDATE_MASK, type UpdateMask } from "./updates.ts";

export interface CreateCatalog {
  readonly name: string;
  readonly defaultLocation?: string;
  readonly allowedLocations?: readonly string[];
  readonly description?: string;
  readonly properties?: Properties;
}

export interface UpdateCatalog {
  readonly description?: string;
  readonly protected?: boolean;
  readonly properties?: PropertiesPatch;
}

export interface CatalogOperations {
  listCatalogs: Asks<never, ListQuery, undefined, Page<Summary>>;
  createCatalog: Asks<never, object, CreateCatalog, Catalog>;
  getCatalog: Asks<"catalog", AtQuery, undefined, Catalog>;
  updateCatalog: Asks<"catalog", UpdateMask, UpdateCatalog, Catalog>;
  dropCatalog: Asks<"catalog", DropQuery, undefined, Job | undefined>;
  renameCatalog: Asks<"catalog", object, { readonly name: string }, Catalog>;
  listCatalogVersions: Asks<"catalog", PageQuery, undefined, Page<Version>>;
  diffCatalog: Asks<"catalog", DiffQuery, undefined, Diff>;
}

const AT_CATALOG = "/catalogs/{catalog}";
const HISTORY = historyOperations(AT_CATALOG, "catalog");

export const CATALOG_OPERATIONS: Readonly<Record<keyof CatalogOperations, ApiOperation>> = {
  listCatalogs: {
    method: "GET",
    template: "/catalogs",
    tag: "catalogs",
    summary: "List catalogs",
    needs: ["see", "read-metadata"],
    query: LIST,
    status: 200,
    answer: pageOf(SUMMARY),
  },
  createCatalog: {
    method: "POST",
    template: "/catalogs",
    tag: "catalogs",
    summary: "Create a catalog",
    needs: ["create"],
    body: object(
      { name: NAME },
      {
        defaultLocation: LOCATION,
        allowedLocations: { type: "array", items: LOCATION, maxItems: 100 },
        description: DESCRIPTION,
        properties: PROPERTIES,
      },
    ),
    status: 201,
    answer: CATALOG,
    once: true,
  },
  getCatalog: {
    method: "GET",
    template: AT_CATALOG,
    tag: "catalogs",
    summary: "Get a catalog",
    needs: ["read-metadata"],
    query: AT,
    status: 200,
    answer: CATALOG,
    conditional: "read",
  },
  updateCatalog: {
    method: "PATCH",
    template: AT_CATALOG,
    tag: "catalogs",
    summary: "Update a catalog",
    needs: ["alter"],
    query: UPDATE_MASK,
    body: patchOf({ description: DESCRIPTION, protected: FLAG, properties: PROPERTIES_PATCH }),
    status: 200,
    answer: CATALOG,
    conditional: "write",
    once: true,
  },
  dropCatalog: {
    method: "DELETE",
    template: AT_CATALOG,
    tag: "catalogs",
    summary: "Drop an empty catalog, or one with all that is in it",
    needs: ["drop"],
    query: RECURSIVE,
    status: 204,
    job: JOB,
    conditional: "write",
    once: true,
  },
  renameCatalog: {
    method: "POST",
    template: `${AT_CATALOG}:rename`,
    tag: "catalogs",
    summary: "Rename a catalog",
    needs: ["drop", "create"],
    body: object({ name: NAME }),
    status: 200,
    answer: CATALOG,
    conditional: "write",
    once: true,
  },
  listCatalogVersions: HISTORY.versions,
  diffCatalog: HISTORY.diff,
};
