import fc from "fast-check";
import type { Contract, ContractOperation } from "../../support/iceberg-contract.ts";
import { type Broken, broken } from "./broken.ts";
import { LIKELY_BODIES } from "./likely.ts";
import { type Spoil, spoil, spoiled } from "./spoil.ts";
import { type Facts, filled } from "./text.ts";
import { SchemaValues } from "./values.ts";

/** A request to an operation of the contract, well-formed as HTTP. */
export interface Shot {
  readonly operation: ContractOperation;
  /** Path segments as they go out, by the names of the template. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly spoil: Spoil | undefined;
}

export type AnyShot = Shot | Broken;

const NASTY = [
  ...["", ".", "..", "%", "%00", "%1F", "%2F", "%2e%2e", "%ff", "%c0%af", "%ed%a0%80", "%zz", "+"],
  ...["\u00ff", "\u00c3\u00a4", "a%1Fb", "%1Fa", "a%1F", "__proto__", "constructor", "null", "-1"],
  ...["a%20", "~", "*", "'", "%22", "$", ";x", "a".repeat(256), "%C3%A4".repeat(4_000)],
  ...[Array.from({ length: 33 }, () => "a").join("%1F"), "9223372036854775808", "config", "*"],
];

const segment = fc.oneof(
  fc.constantFrom(...NASTY),
  fc
    .string({ unit: "binary", maxLength: 20 })
    .map((text) => encodeURIComponent(text.toWellFormed())),
);

const KEY = "0193f3c4-2f5b-7a3c-8d2e-@number@";
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  "idempotency-key": [KEY, KEY, KEY.toUpperCase(), "x", "", `${KEY}, ${KEY}`, "a".repeat(9_000)],
  "if-none-match": ["*", '"x"', 'W/"x"', '"', ",", '"a","b"', '"a'.repeat(2_000)],
  "x-iceberg-access-delegation": ["vended-credentials", "remote-signing", "x", ""],
  "content-type": [
    ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", ";"],
    ...["application/json, text/plain", "APPLICATION/JSON;charset=utf-8", "application/jsonx"],
  ],
  "content-encoding": ["gzip", "identity", "br", "gzip, gzip", ""],
  authorization: ["Bearer None", "Basic eDp5", "x"],
  accept: ["text/html", "*/*", "application/json;q=0"],
  origin: ["http://a.test", "null", "http://localhost"],
  expect: ["100-continue", "x"],
  range: ["bytes=0-1"],
  "x-request-id": ["a", "a".repeat(200), "\u00e4"],
  "x-http-method-override": ["DELETE"],
  ["__proto__"]: ["x"],
};

const QUERY: Readonly<Record<string, readonly string[]>> = {
  pageSize: ["1", "2", "1000", "0", "-1", "1e3", "x", "99999999999999999999", ""],
  pageToken: ["", "", "x", "%", "a.b", "eyJ9"],
  parent: ["@ns@", "@ns@%1Fchild", "%1F", "no", ""],
  snapshots: ["all", "refs", "some", ""],
  warehouse: ["default", "", "no", "%00"],
  purgeRequested: ["true", "True", "false", "1", ""],
  "referenced-by": ["@ns@%1Fv", ","],
  planId: ["x"],
  x: ["y"],
  ["__proto__"]: ["z"],
};

/** Those by which an episode stays alive, and lives on more than one. */
const WEIGHTS: Readonly<Record<string, number>> = {
  "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}": 14,
  "POST /v1/{prefix}/namespaces/{namespace}/tables": 4,
  "POST /v1/{prefix}/namespaces/{namespace}/views/{view}": 5,
  "POST /v1/{prefix}/transactions/commit": 4,
};

const PARAMS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  prefix: fc.constantFrom("default", "default", "default", ""),
  namespace: fc.oneof({ arbitrary: fc.constant("@ns@"), weight: 12 }, fc.constant("@ns@%1Fchild")),
  table: fc.oneof({ arbitrary: fc.constant("t"), weight: 8 }, fc.constantFrom("u", "v", "no")),
  view: fc.oneof({ arbitrary: fc.constant("v"), weight: 8 }, fc.constantFrom("w", "t")),
};

/** Requests of all kinds: most as they should be, many with one thing wrong, some no HTTP. */
export function shotsOf(contract: Contract): fc.Arbitrary<AnyShot> {
  const values = new SchemaValues(contract);
  const all = contract.operations.map((operation) => ({
    arbitrary: shotOf(operation, values),
    weight: WEIGHTS[`${operation.method} ${operation.template}`] ?? 1,
  }));
  return fc.oneof({ arbitrary: fc.oneof(...all), weight: 16 }, { arbitrary: broken, weight: 1 });
}

function shotOf(operation: ContractOperation, values: SchemaValues): fc.Arbitrary<Shot> {
  const names = [...operation.template.matchAll(/\{([\w-]+)\}/g)].map(([, name = ""]) => name);
  const good = fc.record(
    Object.fromEntries(names.map((name) => [name, PARAMS[name] ?? fc.constantFrom("x", "y")])),
  );
  const bad = fc.record(Object.fromEntries(names.map((name) => [name, segment])), {
    requiredKeys: [],
  });
  const own = fc.subarray([...operation.query]).chain(queryOf);
  const strange = fc.subarray(Object.keys(QUERY), { maxLength: 3 }).chain(queryOf);
  const headers = fc.subarray([...operation.headers]).chain(headersOf);
  const anyHeaders = fc.subarray(Object.keys(HEADERS), { maxLength: 2 }).chain(headersOf);
  const body = bodyOf(operation, values);
  const none = fc.constant({});
  const parts = { operation: fc.constant(operation), spoil: fc.constant(undefined) };
  const clean = { ...parts, params: good, query: fc.constant([]), headers: none, body };
  const kinds: fc.WeightedArbitrary<Shot>[] = [
    { arbitrary: fc.record(clean), weight: 10 },
    { arbitrary: fc.record({ ...clean, query: own, headers }), weight: 4 },
    { arbitrary: fc.record({ ...clean, query: strange, headers: anyHeaders }), weight: 2 },
    {
      arbitrary: fc.record({ ...clean, params: fc.tuple(good, bad).map(together) }),
      weight: names.length === 0 ? 0 : 2,
    },
    { arbitrary: fc.record({ ...clean, spoil }), weight: operation.body === undefined ? 1 : 8 },
  ];
  return fc.oneof(...kinds);
}

function bodyOf(operation: ContractOperation, values: SchemaValues): fc.Arbitrary<unknown> {
  if (operation.body === undefined) return fc.constant(undefined);
  const likely = LIKELY_BODIES[`${operation.method} ${operation.template}`];
  const any = values.of(operation.body);
  return likely === undefined ? any : fc.oneof({ arbitrary: any, weight: 12 }, likely);
}

function together([good, bad]: [Record<string, string>, Partial<Record<string, string>>]) {
  return { ...good, ...bad } as Record<string, string>;
}

function queryOf(names: readonly string[]): fc.Arbitrary<[string, string][]> {
  return fc.tuple(
    ...names.map((name) => {
      const value = fc.constantFrom(...(QUERY[name] ?? ["x"]));
      return value.map((chosen): [string, string] => [name, chosen]);
    }),
  );
}

function headersOf(names: readonly string[]): fc.Arbitrary<Record<string, string>> {
  return fc.record(
    Object.fromEntries(names.map((name) => [name, fc.constantFrom(...(HEADERS[name] ?? ["x"]))])),
  );
}

/** The bytes that go out, closing after the answer. */
export function bytesOf(shot: Shot, facts: Facts): Buffer {
  const { operation, params, query, headers, body, spoil: wrong } = shot;
  const path = operation.template
    .replace(/\{([\w-]+)\}/g, (_, name: string) => params[name] ?? "")
    .replace("//", "/");
  const tail = query.map(([name, value]) => `${name}=${value}`).join("&");
  const target = `/iceberg${path}${tail === "" ? "" : `?${tail}`}`;
  const all: Record<string, string> = { Host: "localhost", Connection: "close" };
  let content: Buffer = Buffer.of();
  if (body !== undefined || wrong !== undefined) {
    content = spoiled(body ?? {}, wrong, (text) => filled(text, facts));
    all["content-type"] = "application/json";
    all["content-length"] = String(content.length);
    if (wrong?.kind === "bomb") all["content-encoding"] = wrong.encoding;
  }
  const lines = Object.entries({ ...all, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const head = [`${operation.method} ${target} HTTP/1.1`, ...lines].join("\r\n");
  return Buffer.concat([Buffer.from(`${filled(head, facts)}\r\n\r\n`, "latin1"), content]);
}
