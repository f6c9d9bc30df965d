import type { ApiOperation, Method, Parameters, Schema } from "../../api/operation.ts";
import { OPERATIONS, type OperationName } from "../../api/operations.ts";

/** An operation of the native API as `firn NOUN VERB`. */
export interface NounVerb {
  readonly noun: string;
  readonly verb: string;
  readonly name: OperationName;
  readonly operation: ApiOperation;
  /** Members of the dotted name that comes first: `catalog`, `namespace`, `table` or `view`. */
  readonly levels: readonly string[];
  /** The last part of that name, or the only word, is a member of the body: what is created. */
  readonly created: "name" | "path" | undefined;
  /** Other segments of the path, each a word. */
  readonly words: readonly string[];
}

/** Members of a dotted name, in order. */
const LEVELS = ["catalog", "namespace", "table", "view"];
/** Nouns that have no singular. */
const PLURAL: ReadonlySet<string> = new Set(["access", "statistics", "constraints"]);
/** `firn stats TABLE` shows columns; what engines have stored is `firn statistics`. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["stats", "statistics"],
  // `firn log` shows the snapshots of a table.
  ["logs", "event-log"],
  ["storage-profiles", "storage"],
]);
/** Commands by hand serve these: `firn dropped`, `firn undrop`, `firn jobs`, `firn audit` … */
const BY_HAND: ReadonlySet<string> = new Set(["dropped", "job", "audit", "sql"]);

/** Verbs of `firn access` by their templates, which would make clumsy ones. */
const ACCESS: Readonly<Record<string, string>> = {
  "GET /grants": "grants",
  "POST /grants": "grant",
  "POST /grants:revoke": "revoke",
  "POST /access:explain": "explain",
};

const OF_ITEM: Readonly<Record<Method, string>> = {
  GET: "get",
  POST: "post",
  PUT: "put",
  PATCH: "update",
  DELETE: "delete",
};
const OF_COLLECTION: Readonly<Record<Method, string>> = {
  GET: "list",
  POST: "create",
  PUT: "put",
  PATCH: "update",
  DELETE: "clear",
};

function singular(plural: string): string {
  const renamed = RENAMED.get(plural);
  if (renamed !== undefined) return renamed;
  return PLURAL.has(plural) || !plural.endsWith("s") ? plural : plural.slice(0, -1);
}

function splitVerb(template: string): readonly [path: string, verb: string | undefined] {
  const at = template.lastIndexOf(":");
  return at < 0 ? [template, undefined] : [template.slice(0, at), template.slice(at + 1)];
}

const TEMPLATES = Object.values(OPERATIONS).map(({ template }) => splitVerb(template)[0]);

function isCollection(path: string): boolean {
  // A row has no path: its key stands in the body.
  if (path.endsWith("/rows")) return true;
  return TEMPLATES.some((template) => template.startsWith(`${path}/{`));
}

/** How an operation is called: of a path `/tables/{table}:rename`, `table` and `rename`. */
export function nounAndVerb({ template, method, tag }: ApiOperation): readonly [string, string] {
  const named = ACCESS[`${method} ${template}`];
  if (named !== undefined) return ["access", named];
  const [path, verb] = splitVerb(template);
  const segments = path.slice(1).split("/");
  const last = segments.at(-1) ?? "";
  if (last.startsWith("{")) return [singular(segments.at(-2) ?? ""), verb ?? OF_ITEM[method]];
  if (isCollection(path)) return [singular(last), verb ?? OF_COLLECTION[method]];
  const action = [method === "GET" ? "" : method.toLowerCase(), last, verb ?? ""];
  const name = action.filter((word) => word !== "").join("-");
  if (segments.length === 1) return [singular(tag), name];
  return [singular(segments.at(-3) ?? tag), name];
}

function nounVerb(name: OperationName, operation: ApiOperation): NounVerb {
  const [noun, verb] = nounAndVerb(operation);
  const params = [...operation.template.matchAll(/\{(\w+)\}/g)].map(([, param = ""]) => param);
  const levels = params.filter((param) => LEVELS.includes(param));
  const required = (operation.body?.["required"] ?? []) as readonly string[];
  const created =
    verb === "create" ? required.find((member) => /^(?:name|path)$/.test(member)) : "";
  return {
    noun,
    verb,
    name,
    operation,
    levels,
    created: created === "name" || created === "path" ? created : undefined,
    words: params.filter((param) => !LEVELS.includes(param)),
  };
}

/** Every operation that has no command made by hand. */
export const NOUN_VERBS: readonly NounVerb[] = Object.entries(OPERATIONS)
  .map(([name, operation]) => nounVerb(name as OperationName, operation))
  .filter(({ noun }) => !BY_HAND.has(noun));

/** What a list's items are, or an answer is: for columns and `--json=`. */
export function answerMembers({ answer }: ApiOperation): Readonly<Record<string, Schema>> {
  const items = itemSchema(answer);
  const schema = items ?? answer;
  const all = [schema, ...((schema?.["anyOf"] ?? []) as readonly Schema[])];
  return Object.assign({}, ...all.map((each) => each?.["properties"] ?? {}));
}

/** The schema of a list's items; undefined where the answer is one thing. */
export function itemSchema(answer: Schema | undefined): Schema | undefined {
  const { items } = (answer?.["properties"] ?? {}) as Record<string, Schema>;
  return items?.["type"] === "array" ? (items["items"] as Schema) : undefined;
}

/** Whether a list comes in pages that a token asks for. */
export function isPaged({ query = {} }: ApiOperation): boolean {
  return "pageToken" in query;
}

/** Parameters that a command line has options for: pages are turned for it. */
export function shownQuery(operation: ApiOperation): Parameters {
  const { pageSize, pageToken, ...query } = operation.query ?? {};
  return isPaged(operation) ? query : (operation.query ?? {});
}

/** Members of a body that a command line has options for. */
export function shownBody({ operation, created }: NounVerb): Readonly<Record<string, Schema>> {
  const members = (operation.body?.["properties"] ?? {}) as Record<string, Schema>;
  return Object.fromEntries(Object.entries(members).filter(([name]) => name !== created));
}

/** `defaultLocation` → `default-location`. */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
