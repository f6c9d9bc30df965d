import type { Asks, AtQuery, DiffQuery, DropQuery, ListQuery, PageQuery } from "./asks.ts";
import { AT, historyOperations } from "./history-operations.ts";
import type { ApiOperation } from "./operation.ts";
import {
  type Diff,
  JOB,
  type Job,
  NAMESPACE,
  type Namespace,
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
  object,
  PATH,
  PROPERTIES,
  PROPERTIES_PATCH,
  pageOf,
  patchOf,
  RECURSIVE,
} from "./schema.ts";
import { type PropertiesPatch, UPDATE_MASK, type UpdateMask } from "./updates.ts";

export interface CreateNamespace {
  readonly path: readonly string[];
  readonly properties?: Properties;
}

export interface UpdateNamespace {
  readonly description?: string;
  readonly protected?: boolean;
  readonly properties?: PropertiesPatch;
}

type At = "catalog" | "namespace";

export interface NamespaceOperations {
  listNamespaces: Asks<
    "catalog",
    ListQuery & { readonly parent?: string },
    undefined,
    Page<Summary>
  >;
  createNamespace: Asks<"catalog", object, CreateNamespace, Namespace>;
  getNamespace: Asks<At, AtQuery, undefined, Namespace>;
  updateNamespace: Asks<At, UpdateMask, UpdateNamespace, Namespace>;
  dropNamespace: Asks<At, DropQuery, undefined, Job | undefined>;
  renameNamespace: Asks<At, object, { readonly path: readonly string[] }, Namespace>;
  listNamespaceVersions: Asks<At, PageQuery, undefined, Page<Version>>;
  diffNamespace: Asks<At, DiffQuery, undefined, Diff>;
}

const NAMESPACES = "/catalogs/{catalog}/namespaces";
const AT_NAMESPACE = `${NAMESPACES}/{namespace}`;
const HISTORY = historyOperations(AT_NAMESPACE, "namespace");

export const NAMESPACE_OPERATIONS: Readonly<Record<keyof NamespaceOperations, ApiOperation>> = {
  listNamespaces: {
    method: "GET",
    template: NAMESPACES,
    tag: "namespaces",
    summary: "List the namespaces of a catalog, or below a parent",
    needs: ["see", "read-metadata"],
    query: {
      ...LIST,
      parent: {
        type: "string",
        minLength: 1,
        maxLength: 32_768,
        description: "A namespace, its levels joined by dots: lists its children",
      },
    },
    status: 200,
    answer: pageOf(SUMMARY),
  },
  createNamespace: {
    method: "POST",
    template: NAMESPACES,
    tag: "namespaces",
    summary: "Create a namespace",
    needs: ["create"],
    body: object({ path: PATH }, { properties: PROPERTIES }),
    status: 201,
    answer: NAMESPACE,
    once: true,
  },
  getNamespace: {
    method: "GET",
    template: AT_NAMESPACE,
    tag: "namespaces",
    summary: "Get a namespace",
    needs: ["read-metadata"],
    query: AT,
    status: 200,
    answer: NAMESPACE,
    conditional: "read",
  },
  updateNamespace: {
    method: "PATCH",
    template: AT_NAMESPACE,
    tag: "namespaces",
    summary: "Update a namespace",
    needs: ["alter"],
    query: UPDATE_MASK,
    body: patchOf({ description: DESCRIPTION, protected: FLAG, properties: PROPERTIES_PATCH }),
    status: 200,
    answer: NAMESPACE,
    conditional: "write",
    once: true,
  },
  dropNamespace: {
    method: "DELETE",
    template: AT_NAMESPACE,
    tag: "namespaces",
    summary: "Drop an empty namespace, or one with all that is in it",
    needs: ["drop"],
    query: RECURSIVE,
    status: 204,
    job: JOB,
    conditional: "write",
    once: true,
  },
  renameNamespace: {
    method: "POST",
    template: `${AT_NAMESPACE}:rename`,
    tag: "namespaces",
    summary: "Rename or move a namespace without child namespaces",
    needs: ["drop", "create"],
    body: object({ path: PATH }),
    status: 200,
    answer: NAMESPACE,
    conditional: "write",
    once: true,
  },
  listNamespaceVersions: HISTORY.versions,
  diffNamespace: HISTORY.diff,
};
