import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation } from "./operation.ts";
import {
  CHANGE,
  CHANGE_PAGE,
  type ChangePage,
  DROPPED,
  type Dropped,
  FOUND,
  FOUND_THING,
  type Found,
  type FoundThing,
  INFO,
  type Info,
  JOB,
  type Job,
  type Page,
  RESOURCE,
  type Resource,
  THING,
  type Thing,
} from "./resources.ts";
import { listOf, NAME, object, PAGE, pageOf, TIME } from "./schema.ts";

/** Where something comes back to; absent members: where it was. */
export interface Undrop {
  readonly name?: string;
  /** The namespace of a table or view; of a namespace the one above it, `[]` for the top level. */
  readonly parent?: readonly string[];
}

export interface NodeOperations {
  getInfo: Asks<never, object, undefined, Info>;
  resolveName: Asks<never, { readonly name: string }, undefined, Resource>;
  searchNames: Asks<never, PageQuery & { readonly q: string }, undefined, Page<Found>>;
  findNames: Asks<
    never,
    object,
    { readonly things: readonly Thing[] },
    { readonly items: readonly FoundThing[] }
  >;
  listDropped: Asks<never, PageQuery, undefined, Page<Dropped>>;
  undrop: Asks<"id", object, Undrop, Dropped>;
  listJobs: Asks<never, PageQuery, undefined, Page<Job>>;
  getJob: Asks<"job", object, undefined, Job>;
  retryJob: Asks<"job", object, object, Job>;
  cancelJob: Asks<"job", object, object, Job>;
  listChanges: Asks<
    never,
    { readonly after?: string; readonly since?: string; readonly pageSize?: number },
    undefined,
    ChangePage
  >;
}

const LEVELS = { type: "array", items: NAME, maxItems: 32 };

export const NODE_OPERATIONS: Readonly<Record<keyof NodeOperations, ApiOperation>> = {
  getInfo: {
    method: "GET",
    template: "/info",
    tag: "node",
    summary: "Get the version of the server and the account of the caller",
    needs: ["see"],
    status: 200,
    answer: INFO,
  },
  resolveName: {
    method: "GET",
    template: "/resolve",
    tag: "node",
    summary: "Get what a full name means: catalog, catalog.namespace or catalog.namespace.table",
    needs: ["read-metadata"],
    query: {
      name: {
        type: "string",
        minLength: 1,
        maxLength: 32_768,
        description: "Names joined by dots; percent-encode a dot within a name",
      },
    },
    required: ["name"],
    status: 200,
    answer: RESOURCE,
  },
  searchNames: {
    method: "GET",
    template: "/search",
    tag: "node",
    summary: "Find names that hold a text, whatever its case",
    needs: ["see"],
    query: {
      ...PAGE,
      q: { type: "string", minLength: 1, maxLength: 255, description: "A part of a name" },
    },
    required: ["q"],
    status: 200,
    answer: pageOf(FOUND),
  },
  findNames: {
    method: "POST",
    template: "/names:find",
    tag: "node",
    summary: "Get the names of things by their ids; without what is gone",
    needs: ["see"],
    body: object({ things: { ...listOf(THING), minItems: 1, maxItems: 100 } }),
    status: 200,
    answer: object({ items: listOf(FOUND_THING) }),
  },
  listDropped: {
    method: "GET",
    template: "/dropped",
    tag: "dropped",
    summary: "List what was dropped and can be brought back, soonest purge first",
    needs: ["read-metadata"],
    query: PAGE,
    status: 200,
    answer: pageOf(DROPPED),
  },
  undrop: {
    method: "POST",
    template: "/dropped/{id}:undrop",
    tag: "dropped",
    summary: "Bring back something dropped",
    needs: ["create"],
    body: object({}, { name: NAME, parent: LEVELS }),
    status: 200,
    answer: DROPPED,
    once: true,
  },
  listJobs: {
    method: "GET",
    template: "/jobs",
    tag: "jobs",
    summary: "List background jobs; those that are over stay for 7 days",
    needs: ["read-metadata"],
    query: PAGE,
    status: 200,
    answer: pageOf(JOB),
  },
  getJob: {
    method: "GET",
    template: "/jobs/{job}",
    tag: "jobs",
    summary: "Get a background job",
    needs: ["read-metadata"],
    status: 200,
    answer: JOB,
  },
  retryJob: {
    method: "POST",
    template: "/jobs/{job}:retry",
    tag: "jobs",
    summary: "Run a failed job again at once",
    needs: ["admin"],
    body: object({}),
    status: 202,
    answer: JOB,
  },
  cancelJob: {
    method: "POST",
    template: "/jobs/{job}:cancel",
    tag: "jobs",
    summary: "End a recursive drop, and keep what it has not dropped yet",
    needs: ["admin"],
    body: object({}),
    status: 202,
    answer: JOB,
  },
  listChanges: {
    method: "GET",
    template: "/changes",
    tag: "history",
    summary: "Read the change feed, at least once each change",
    needs: ["read-metadata"],
    query: {
      after: {
        type: "string",
        minLength: 1,
        maxLength: 65_536,
        description: "cursor of the read before",
      },
      since: { ...TIME, description: "Where to begin without `after`; absent: now" },
      pageSize: { type: "integer", minimum: 1, description: "100 if absent, at most 1,000" },
    },
    status: 200,
    answer: CHANGE_PAGE,
    events: CHANGE,
  },
};
