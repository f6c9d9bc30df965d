import { type ApiOperation, writes } from "../../../src/api/operation.ts";
import { OPERATIONS as NATIVE } from "../../../src/api/operations.ts";
import { randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import { OPERATIONS as ICEBERG } from "../../../src/http/iceberg/operations.ts";
import { type Slots, Values } from "./values.ts";
import type { Sent } from "./world.ts";

/** One operation of either API, as the tables of operations have it. */
export interface Probed {
  readonly name: string;
  readonly method: string;
  readonly template: string;
  /** Names in braces. */
  readonly parameters: readonly string[];
  /** What the table says that its actor needs. */
  readonly needs: readonly string[];
  readonly writes: boolean;
  /** Whether it makes something, also in a probe. */
  readonly makes: boolean;
  /** Whether `dryRun` keeps it from changing anything. */
  readonly dryRuns: boolean;
  /** A request, of which everything that is left open is drawn by the seed. */
  request(slots: Slots, seed: number): Sent;
}

function parametersOf(template: string): readonly string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

const FIELDS = [{ id: 1, name: "a", type: "long", required: false }];
const SCHEMA = { type: "struct", "schema-id": 0, fields: FIELDS };
const ABSENT_FILE = "file:///tmp/firn-probes/metadata/1.metadata.json";
const SET_PROPERTY = { action: "set-properties", updates: { k: "v" } };
const DROP_REF = { action: "remove-snapshot-ref", "ref-name": "none" };
const MOVE = { action: "set-location", location: "file:///tmp/firn-probes/t" };
const VERSION = {
  "version-id": 1,
  "schema-id": 0,
  "timestamp-ms": 1_700_000_000_000,
  summary: {},
  representations: [{ type: "sql", sql: "select 1", dialect: "spark" }],
  "default-namespace": ["a"],
};
const METRICS = {
  "report-type": "scan-report",
  "table-name": "t",
  "snapshot-id": 1,
  filter: true,
  "schema-id": 0,
  "projected-field-ids": [1],
  "projected-field-names": ["a"],
  metrics: {},
};

type Body = (slots: Slots, prng: SeededPrng) => unknown;

function identifier({ path = "", name = "" }: Slots): object {
  return { namespace: path.split("."), name };
}

function updates(prng: SeededPrng): readonly object[] {
  return [[SET_PROPERTY, DROP_REF, MOVE][randomBelow(prng, 3)] ?? SET_PROPERTY];
}

const COMMIT: Body = (_slots, prng) => ({ requirements: [], updates: updates(prng) });
const RENAME: Body = (slots) => ({
  source: identifier(slots),
  destination: { namespace: (slots["path"] ?? "").split("."), name: "moved" },
});

/** Bodies of the Iceberg contract, which its own table does not describe. */
const BODIES: Readonly<Record<string, Body>> = {
  "/v1/{prefix}/namespaces": (slots) => ({ namespace: [...(slots["path"] ?? "").split("."), "x"] }),
  "/v1/{prefix}/namespaces/{namespace}/properties": () => ({ updates: { a: "b" } }),
  "/v1/{prefix}/namespaces/{namespace}/tables": ({ made = "made" }, prng) => ({
    name: made,
    schema: SCHEMA,
    "stage-create": randomBelow(prng, 2) === 1,
  }),
  "/v1/{prefix}/namespaces/{namespace}/register": ({ made = "made" }) => ({
    name: made,
    "metadata-location": ABSENT_FILE,
  }),
  "/v1/{prefix}/namespaces/{namespace}/register-view": ({ made = "made" }) => ({
    name: made,
    "metadata-location": ABSENT_FILE,
  }),
  "/v1/{prefix}/namespaces/{namespace}/views": ({ made = "made" }) => ({
    name: made,
    schema: SCHEMA,
    "view-version": VERSION,
  }),
  "/v1/{prefix}/namespaces/{namespace}/tables/{table}/metrics": () => METRICS,
  "/v1/{prefix}/namespaces/{namespace}/tables/{table}/sign": (_slots, prng) => ({
    region: "us-east-1",
    uri: "https://bucket.s3.us-east-1.amazonaws.com/wh/a",
    method: ["GET", "PUT", "DELETE"][randomBelow(prng, 3)],
    headers: {},
  }),
  "/v1/{prefix}/namespaces/{namespace}/views/{view}": () => ({
    requirements: [],
    updates: [SET_PROPERTY],
  }),
  "/v1/{prefix}/tables/rename": RENAME,
  "/v1/{prefix}/views/rename": (slots, prng) =>
    RENAME({ ...slots, name: slots["view"] ?? "" }, prng),
  "/v1/{prefix}/transactions/commit": (slots, prng) => ({
    "table-changes": [{ identifier: identifier(slots), ...(COMMIT(slots, prng) as object) }],
  }),
};

/** A raw segment: names are escaped, ids and levels are not. */
function segment(name: string, value: string): string {
  if (value.startsWith("id:")) return value;
  if (name === "namespace") return value.split(".").map(encodeURIComponent).join(".");
  return encodeURIComponent(value);
}

function filled(template: string, parameters: readonly string[], slots: Slots, joins: string) {
  return parameters.reduce((path, name) => {
    const value = slots[name] ?? "none";
    const raw = segment(name, value);
    return path.replace(`{${name}}`, name === "namespace" ? raw.replaceAll(".", joins) : raw);
  }, template);
}

function ofIceberg(operation: (typeof ICEBERG)[number]): Probed {
  const { method, template, needs } = operation;
  const parameters = parametersOf(template).map((name) => (name === "prefix" ? "catalog" : name));
  const path = template.replace("{prefix}", "{catalog}");
  return {
    name: `${method} ${template}`,
    method,
    template,
    parameters,
    needs,
    writes: operation.writes,
    makes: false,
    dryRuns: operation.dryRuns,
    request: (slots, seed) => {
      const prng = new SeededPrng(seed);
      const body = method === "POST" ? (BODIES[template] ?? COMMIT)(slots, prng) : undefined;
      const dry = operation.dryRuns ? "?dry-run=true" : "";
      const purge =
        method === "DELETE" && parameters.includes("table") && randomBelow(prng, 2) === 1;
      const query = purge ? "?purgeRequested=true" : dry;
      return {
        method,
        path: `/iceberg${filled(path, parameters, slots, "%1F")}${query}`,
        ...(body !== undefined && { body }),
      };
    },
  };
}

function queryOf(operation: ApiOperation, slots: Slots, prng: SeededPrng): readonly string[] {
  const { query = {}, required = [] } = operation;
  const chosen = Object.entries(query).filter(
    ([name]) =>
      required.includes(name) ||
      (!["pageToken", "after", "wait"].includes(name) && randomBelow(prng, 4) === 0),
  );
  const known: Readonly<Record<string, string | undefined>> = {
    name: slots["full"],
    q: slots["name"],
    principal: slots["member"],
    parent: slots["path"],
    at: "1",
    from: "1",
    to: "1",
    recursive: "true",
    purge: "true",
  };
  return chosen.map(([name, schema]) => {
    const value = known[name] ?? new Values(prng, slots).of(schema, name);
    return `${name}=${encodeURIComponent(String(value))}`;
  });
}

/** No probe asks a store that is elsewhere. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  createStorageProfile: ["skipCheck=true"],
};

function bodyOf(name: string, operation: ApiOperation, slots: Slots, prng: SeededPrng): unknown {
  if (name === "runSql") {
    return {
      statement: `select * from ${slots["path"]}.${slots["name"]}`,
      catalog: slots["catalogName"],
    };
  }
  if (name === "createStorageProfile") {
    return { name: slots["made"], roots: [`s3://probed/${slots["made"]}`], region: "eu-north-1" };
  }
  const { body } = operation;
  return body === undefined ? undefined : new Values(prng, slots).of(body);
}

function ofNative([name, operation]: readonly [string, ApiOperation]): Probed {
  const { method, template, needs, once = false } = operation;
  const parameters = parametersOf(template);
  return {
    name,
    method,
    template,
    parameters,
    needs,
    writes: writes(operation),
    makes: operation.status === 201 && !once,
    dryRuns: once,
    request: (slots, seed) => {
      const prng = new SeededPrng(seed);
      const drawn = ALWAYS[name] ?? queryOf(operation, slots, prng);
      const query = [...drawn, ...(once ? ["dryRun=true"] : [])];
      const body = bodyOf(name, operation, slots, prng);
      const path = filled(template, parameters, slots, ".");
      return {
        method,
        path: `/api/v1${path}${query.length > 0 ? `?${query.join("&")}` : ""}`,
        ...(body !== undefined && { body }),
        ...(operation.lines === true && { lines: true }),
      };
    },
  };
}

/** Every operation that is served, of both APIs. */
export const PROBED: readonly Probed[] = [
  ...ICEBERG.map(ofIceberg),
  ...Object.entries(NATIVE).map(ofNative),
];
