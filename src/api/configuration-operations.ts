import type { Asks } from "./asks.ts";
import type { ApiOperation, Schema } from "./operation.ts";
import {
  ANY_JSON,
  type At,
  createPattern,
  KEY_TEXT,
  LIMIT,
  type NewPattern,
  patternPath,
  spanMs,
} from "./pattern-schema.ts";
import { FLAG, INT64, listOf, object, TIME } from "./schema.ts";

export interface ConfigurationEntry {
  readonly name: string;
  readonly version: string;
  readonly revision: string;
  readonly at: string;
  readonly value: unknown;
}

export interface ConfigurationChange extends Omit<ConfigurationEntry, "value"> {
  readonly isRemoved: boolean;
  readonly value?: unknown;
}

interface ChangedEntry {
  readonly name: string;
  readonly expectedVersion?: string;
}

export interface ConfigurationOperations {
  createConfiguration: Asks<"catalog" | "namespace", object, NewPattern, NewPattern>;
  setEntry: Asks<
    At,
    object,
    ChangedEntry & { readonly value: unknown },
    { readonly version: string; readonly revision: string }
  >;
  removeEntry: Asks<At, object, ChangedEntry, { readonly removed: boolean }>;
  getEntry: Asks<
    At,
    object,
    { readonly name: string; readonly maxAgeMs?: number },
    { readonly entry: ConfigurationEntry | null }
  >;
  listEntryChanges: Asks<
    At,
    { readonly after?: string; readonly max?: number },
    undefined,
    { readonly changes: readonly ConfigurationChange[]; readonly revision: string }
  >;
}

const CONFIGURATIONS = patternPath("configurations");
const tag = "patterns";
const KNOWN = { name: KEY_TEXT, version: INT64, revision: INT64, at: TIME };
const ENTRY: Schema = object({ ...KNOWN, value: ANY_JSON });
const CHANGE: Schema = object({ ...KNOWN, isRemoved: FLAG }, { value: ANY_JSON });
const EXPECTED: Schema = {
  ...INT64,
  description: "Version of the entry, 0 if it was never set; 409 if it has another",
};

export const CONFIGURATION_OPERATIONS: Readonly<
  Record<keyof ConfigurationOperations, ApiOperation>
> = {
  createConfiguration: createPattern("configurations", "Create a configuration"),
  setEntry: {
    method: "POST",
    template: `${CONFIGURATIONS}:set`,
    tag,
    summary: "Set an entry of a configuration; each change has the next revision",
    needs: ["write-data"],
    body: object({ name: KEY_TEXT, value: ANY_JSON }, { expectedVersion: EXPECTED }),
    status: 200,
    answer: object({ version: INT64, revision: INT64 }),
  },
  removeEntry: {
    method: "POST",
    template: `${CONFIGURATIONS}:remove`,
    tag,
    summary: "Remove an entry of a configuration; false where there is none",
    needs: ["write-data"],
    body: object({ name: KEY_TEXT }, { expectedVersion: EXPECTED }),
    status: 200,
    answer: object({ removed: FLAG }),
  },
  getEntry: {
    method: "POST",
    template: `${CONFIGURATIONS}:get`,
    tag,
    summary: "Get an entry of a configuration; null where there is none",
    needs: ["read-data"],
    body: object(
      { name: KEY_TEXT },
      { maxAgeMs: spanMs("What held as long ago will do; 0 if absent: the newest", 0) },
    ),
    status: 200,
    answer: object({ entry: { anyOf: [ENTRY, { type: "null" }] } }),
  },
  listEntryChanges: {
    method: "GET",
    template: `${CONFIGURATIONS}/changes`,
    tag,
    summary: "List changed entries behind a revision, each with its newest value",
    needs: ["read-data"],
    query: { after: { ...INT64, description: "Behind this revision; 0 if absent" }, max: LIMIT },
    status: 200,
    answer: object({ changes: listOf(CHANGE), revision: INT64 }),
  },
};
