import { JSON_TEXTS } from "./json.ts";
import { column, SCHEMAS, struct } from "./schemas.ts";
import { many, type Size } from "./size.ts";
import {
  LARGE_UPDATES,
  REQUIREMENTS,
  representation,
  TABLE_UPDATES,
  VIEW_UPDATES,
  viewVersion,
} from "./updates.ts";

/** One hostile request: its path below `/iceberg/v1/`, and its body as JSON text. */
export interface Hostile {
  readonly path: string;
  readonly body: string;
}

/** Makes a hostile request of a drawn size. */
export type Shape = (size: Size) => Hostile;

const TABLE = "namespaces/@ns@/tables/t";
const VIEW = "namespaces/@ns@/views/v";
/** As many as fit a body that a client may really send. */
const MOST_UPDATES = 12_000;

function commit(updates: string, requirements = "", path = TABLE): Hostile {
  const body = `{"requirements":[${requirements}],"updates":[${updates}]}`;
  return { path, body };
}

function create(name: string, schema: string, more = ""): Hostile {
  const body = `{"name":"${name}","schema":${schema}${more}}`;
  return { path: "namespaces/@ns@/tables", body };
}

const SMALL = struct(column(1, "a"));

function mapped<T>(
  table: Readonly<Record<string, T>>,
  shapeOf: (part: T, size: Size) => Hostile,
  what: string,
): [string, Shape][] {
  return Object.entries(table).map(([name, part]) => [
    `${what}: ${name}`,
    (size) => shapeOf(part, size),
  ]);
}

function dry(size: Size): string {
  return size.chance(0.25) ? "?dry-run=true" : "";
}

/** All shapes by name. Placeholders between `@` are filled in when a request is sent. */
export const SHAPES: ReadonlyMap<string, Shape> = new Map([
  ...mapped(SCHEMAS, (schema, size) => create("u", schema(size)), "create"),
  ...mapped(
    TABLE_UPDATES,
    (update, size) => commit(many(size.upTo(MOST_UPDATES), update), "", `${TABLE}${dry(size)}`),
    "updates",
  ),
  ...mapped(
    LARGE_UPDATES,
    (update, size) => commit(update(size), "", `${TABLE}${dry(size)}`),
    "update",
  ),
  ...mapped(
    REQUIREMENTS,
    (requirement, size) => commit("", many(size.upTo(MOST_UPDATES), requirement)),
    "requirements",
  ),
  ...mapped(
    VIEW_UPDATES,
    (update, size) => commit(many(size.upTo(MOST_UPDATES), update), "", VIEW),
    "view updates",
  ),
  ...mapped(JSON_TEXTS, (text, size) => ({ path: TABLE, body: text(size) }), "body"),
  ...mapped(
    JSON_TEXTS,
    (text, size) => create("u", SMALL, `,"unknown":${text(size)}`),
    "unknown member",
  ),
  ...mapped(JSON_TEXTS, (text, size) => ({ path: `${TABLE}/metrics`, body: text(size) }), "report"),
  [
    "view: many representations",
    (size) => {
      const all = many(size.upTo(5_000), (i) => representation(`d${i}`));
      const version = viewVersion(1, all);
      const body = `{"name":"w","schema":${SMALL},"view-version":${version},"properties":{}}`;
      return { path: "namespaces/@ns@/views", body };
    },
  ],
  [
    "namespace: many levels",
    (size) => {
      const levels = many(size.upTo(50_000), (i) => `"l${i}"`);
      return { path: "namespaces", body: `{"namespace":["@ns@",${levels}]}` };
    },
  ],
  [
    "namespace: long level",
    (size) => {
      const level = "l".repeat(size.upTo(1_000_000));
      return { path: "namespaces", body: `{"namespace":["@ns@","${level}"]}` };
    },
  ],
  [
    "namespace: many properties",
    (size) => {
      const updates = many(size.upTo(30_000), (i) => `"k${i}":"v"`);
      const removals = many(size.upTo(30_000), (i) => `"r${i}"`);
      const body = `{"updates":{${updates}},"removals":[${removals}]}`;
      return { path: "namespaces/@ns@/properties", body };
    },
  ],
  [
    "transaction: many changes",
    (size) => {
      const update = size.oneOf(Object.values(TABLE_UPDATES));
      const each = size.upTo(200);
      const change = (name: string): string => {
        const identifier = `"identifier":{"namespace":["@ns@"],"name":"${name}"}`;
        return `{${identifier},"requirements":[],"updates":[${many(each, update)}]}`;
      };
      const isOne = size.chance(0.5);
      const changes = many(size.upTo(150), (i) => change(isOne ? "t" : `t${i}`));
      return { path: "transactions/commit", body: `{"table-changes":[${changes}]}` };
    },
  ],
]);
