import type { Asks, PageQuery } from "./asks.ts";
import type { ApiOperation } from "./operation.ts";
import { JOB, type Job, type Page } from "./resources.ts";
import {
  COUNT,
  FLAG,
  LOCATION,
  listOf,
  NAME,
  object,
  oneOf,
  PAGE,
  PATH,
  pageOf,
  TEXT,
} from "./schema.ts";

/** What became of a table of the remote catalog. */
export interface ImportedTable {
  readonly namespace: readonly string[];
  readonly name: string;
  readonly outcome: "registered" | "replaced" | "unchanged" | "exists" | "failed";
  readonly metadataLocation?: string;
  readonly code?: string;
  readonly message?: string;
}

/** What the remote catalog asks for: a token, or a client and its secret. Never kept. */
export interface SourceCredentials {
  readonly token?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** Of the token that is asked for; absent: `catalog`. */
  readonly scope?: string;
  /** Absent: the catalog gives out its tokens itself. */
  readonly tokenUri?: string;
}

export interface CheckConnector {
  readonly credentials?: SourceCredentials;
}

export interface ImportTables extends CheckConnector {
  /** The catalog that tables are registered in. */
  readonly into: string;
  /** Absent: as the connector's policy says. */
  readonly namespaces?: readonly (readonly string[])[];
  readonly replace?: boolean;
  /** Tells what would become of each table, and registers none. */
  readonly preview?: boolean;
}

/** What the connector's policy names, without credentials: a job keeps no secret. */
export interface BeginImport {
  readonly into: string;
  readonly replace?: boolean;
}

export interface ImportOperations {
  beginImport: Asks<"connector", object, BeginImport, Job>;
  importTables: Asks<"connector", PageQuery, ImportTables, Page<ImportedTable>>;
  checkConnector: Asks<"connector", object, CheckConnector, { readonly namespaces: number }>;
}

const ONE = "/connectors/{connector}";
const tag = "connectors";

const REPLACE = { ...FLAG, description: "A table that is here moves to the remote metadata" };

const SECRET = { type: "string", minLength: 1, maxLength: 8_192 };

const CREDENTIALS = {
  ...object(
    {},
    { token: SECRET, clientId: SECRET, clientSecret: SECRET, scope: SECRET, tokenUri: LOCATION },
  ),
  description:
    "What the catalog asks for: a token, or clientId and clientSecret. Used by this request alone",
};

export const IMPORT_OPERATIONS: Readonly<Record<keyof ImportOperations, ApiOperation>> = {
  importTables: {
    method: "POST",
    template: `${ONE}:import`,
    tag,
    summary:
      "Register tables of a connector's catalog: a page of them, in the order of their names",
    needs: ["admin"],
    query: PAGE,
    body: object(
      { into: NAME },
      {
        namespaces: {
          ...listOf(PATH),
          maxItems: 1_000,
          description: "These and what is below them; absent: as the connector's policy says",
        },
        replace: REPLACE,
        credentials: CREDENTIALS,
        preview: { ...FLAG, description: "Tells what would be done, and registers nothing" },
      },
    ),
    status: 200,
    answer: pageOf(
      object(
        {
          namespace: listOf(TEXT),
          name: TEXT,
          outcome: oneOf("registered", "replaced", "unchanged", "exists", "failed"),
        },
        { metadataLocation: TEXT, code: TEXT, message: TEXT },
      ),
    ),
  },
  beginImport: {
    method: "POST",
    template: `${ONE}/imports`,
    tag,
    summary: "Import in the background what the connector's policy names, without credentials",
    needs: ["admin"],
    body: object({ into: NAME }, { replace: REPLACE }),
    status: 202,
    answer: JOB,
  },
  checkConnector: {
    method: "POST",
    template: `${ONE}:check`,
    tag,
    summary: "Ask a connector's catalog for its namespaces",
    needs: ["admin"],
    body: object({}, { credentials: CREDENTIALS }),
    status: 200,
    answer: object({ namespaces: COUNT }),
  },
};
