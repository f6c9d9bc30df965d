import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import type { Schema } from "../../api/operation.ts";
import type { OperationName } from "../../api/operations.ts";
import { FirnError } from "../../base/error.ts";
import type { CallOptions } from "../../client/client.ts";
import { EXIT } from "../exit-codes.ts";
import type { Place } from "../place.ts";
import { agoText, plain, type Screen } from "../screen.ts";
import { type Column, showItem, showList } from "../show.ts";
import type { VerbCall } from "./call.ts";
import { confirm } from "./confirm.ts";
import { followJob } from "./follow-job.ts";
import { partsOf, segmentsOf } from "./names.ts";
import { mapNames } from "./noun-program.ts";
import {
  answerMembers,
  isPaged,
  itemSchema,
  NOUN_VERBS,
  type NounVerb,
  shownBody,
  shownQuery,
} from "./noun-table.ts";

type Values = Readonly<Record<string, unknown>>;
type Json = Readonly<Record<string, unknown>>;

/** What a call of any operation takes. */
interface Given {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Json;
  readonly body: unknown;
}

/** Runs `firn NOUN VERB`: the operation with the words and options of the line. */
export async function callOperation(name: OperationName, call: VerbCall): Promise<number> {
  const spec = NOUN_VERBS.find((each) => each.name === name);
  if (spec === undefined) throw new Error(`no command for ${name}`);
  const { place, screen, format, words, values } = call;
  const given = await givenOf(spec, call);
  const { operation } = spec;
  if (operation.method === "DELETE" && values["dryRun"] !== true) {
    const agreed = await confirm(words[0] ?? spec.noun, values["yes"] === true, screen);
    if (!agreed) return EXIT.failed;
  }
  if (itemSchema(operation.answer) !== undefined) {
    const listing = {
      columns: columnsOf(spec, screen),
      pages: pagesOf(place, spec, given, values["limit"] as number | undefined),
      id: idOf,
      members: Object.keys(answerMembers(operation)),
      empty: `no ${spec.noun} here`,
    };
    await showList(listing, format, screen);
    return EXIT.ok;
  }
  const answer = await send(place, name, given, optionsOf(values));
  if (operation.status === 202) return followJob(answer, call);
  if (answer !== undefined) {
    const members = Object.keys(answerMembers(operation));
    showItem(answer, idOf(answer), format, screen, undefined, members);
  }
  return hasProblems(answer) ? EXIT.failed : EXIT.ok;
}

/** Whether a check found stores that are not safe. */
function hasProblems(answer: Json | undefined): boolean {
  const reports = (answer?.["reports"] ?? []) as readonly { problems?: readonly string[] }[];
  return reports.some(({ problems = [] }) => problems.length > 0);
}

/** The table ties names and types together; a line of a person has neither. */
export function send(
  { client }: Place,
  name: OperationName,
  given: Partial<Given>,
  options: CallOptions = {},
): Promise<Json | undefined> {
  const call = client.call.bind(client) as unknown as (
    name: OperationName,
    given: Partial<Given>,
    options: CallOptions,
  ) => Promise<Json | undefined>;
  return call(name, given, options);
}

function optionsOf(values: Values): CallOptions {
  const { ifMatch, idempotencyKey, dryRun } = values as CallOptions;
  return {
    ...(ifMatch !== undefined && { ifMatch }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(dryRun === true && { dryRun }),
  };
}

async function givenOf(spec: NounVerb, { words, values, cwd, stdin }: VerbCall): Promise<Given> {
  const { levels, created, operation, words: others } = spec;
  const hasName = levels.length > 0 || created !== undefined;
  const [name = "", rest] = hasName ? [words[0], words.slice(1)] : ["", words];
  const parts = hasName ? partsOf(name) : [];
  // A catalog and the levels below it, or names above the one that is created.
  const above = created === "path" ? 1 : parts.length - (created === undefined ? 0 : 1);
  const own = parts.slice(above);
  const dottedAbove = name.split(".").slice(0, above).join(".");
  if (created !== undefined && own.length === 0) {
    const message = "not a name of this kind: name what is created too";
    throw new FirnError("Invalid", "NAME_INVALID", message, { name });
  }
  return {
    path: {
      ...(levels.length > 0 && segmentsOf(dottedAbove, levels)),
      ...Object.fromEntries(others.map((param, i) => [param, rest[i] ?? ""])),
    },
    query: Object.fromEntries(
      Object.keys(shownQuery(operation)).map((member) => [member, values[member]]),
    ),
    body:
      operation.body === undefined
        ? undefined
        : {
            ...(await fileBody(values, cwd, stdin)),
            ...bodyOf(spec, values),
            ...(created === "name" && { name: own.at(-1) }),
            ...(created === "path" && { path: own }),
          },
  };
}

async function fileBody(values: Values, cwd: string, stdin: NodeJS.ReadableStream): Promise<Json> {
  const { file } = values as { readonly file?: string };
  return file === undefined ? {} : jsonFile(file, cwd, stdin);
}

/** The object in a JSON file; `-` is standard input. @throws FirnError `FILE_UNREADABLE`. */
export async function jsonFile(
  file: string,
  cwd: string,
  stdin: NodeJS.ReadableStream,
): Promise<Json> {
  const from = file === "-" ? "standard input" : file;
  let text: string;
  try {
    text = file === "-" ? await textOf(stdin) : await readFile(resolve(cwd, file), "utf8");
  } catch (error) {
    throw new FirnError("Invalid", "FILE_UNREADABLE", "cannot read the file", { file }, error);
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) {
      return parsed as Json;
    }
  } catch {
    // Told below.
  }
  throw new FirnError("Invalid", "FILE_INVALID", "not a JSON object", { file: from });
}

/** Members of the body that have options on the line. */
function bodyOf(spec: NounVerb, values: Values): Json {
  const pairs = Object.entries(shownBody(spec)).flatMap(([member, schema]) => {
    const value = memberOf(member, schema, values);
    return value === undefined ? [] : [[member, value] as const];
  });
  return Object.fromEntries(pairs);
}

function memberOf(member: string, schema: Schema, values: Values): unknown {
  const value = values[member];
  switch (schema["type"]) {
    case "object": {
      const [set, remove] = mapNames(member);
      const added = ((values[set] ?? []) as readonly string[]).map(pairOf);
      const gone = ((values[remove] ?? []) as readonly string[]).map((key) => [key, null] as const);
      const all = [...added, ...gone];
      return all.length === 0 ? undefined : Object.fromEntries(all);
    }
    case "integer":
    case "number":
      return value === undefined ? undefined : numberOf(member, String(value));
    default:
      return value;
  }
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new FirnError("Invalid", "OPTION_INVALID", "not a pair: give key=value", { given: text });
}

function numberOf(member: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number)) return number;
  throw new FirnError("Invalid", "OPTION_INVALID", "not a whole number", { [member]: text });
}

/** All pages of a list, or so many items. */
async function* pagesOf(
  place: Place,
  { name, operation }: NounVerb,
  given: Given,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Json[]> {
  const isTurned = isPaged(operation);
  for (let left = limit, pageToken: string | undefined; left > 0; ) {
    const page = { pageSize: Math.min(left, PAGE), ...(pageToken !== undefined && { pageToken }) };
    const query = { ...given.query, ...(isTurned && page) };
    const answer = (await send(place, name, { ...given, query })) ?? {};
    const items = (answer["items"] ?? []) as readonly Json[];
    yield items.slice(0, left);
    left -= items.length;
    pageToken = answer["nextPageToken"] as string | undefined;
    if (pageToken === undefined || !isTurned) return;
  }
}

const PAGE = 1_000;
/** Long, and of use to programs, which read JSON. */
const HIDDEN: ReadonlySet<string> = new Set(["etag", "metadataLocation", "manifestList"]);
/** Members of a version's resource that tell it apart. */
const OF_VERSION = ["version", "updatedAt", "updatedBy"];
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

function columnsOf({ operation }: NounVerb, screen: Screen): readonly Column<Json>[] {
  const nested = (member: string): readonly string[] =>
    member === "resource" ? OF_VERSION.map((each) => `resource.${each}`) : [];
  const paths = Object.entries(answerMembers(operation)).flatMap(([member, schema]) =>
    isCell(schema) && !HIDDEN.has(member) ? [member] : nested(member),
  );
  // The name comes first, where a person looks for it.
  paths.sort((a, b) => Number(b === "name") - Number(a === "name"));
  return paths.map((path) => ({
    header: (path.split(".").at(-1) ?? "").replace(/[A-Z]/g, " $&").toUpperCase(),
    value: (item) => cellText(cellAt(item, path)),
    shown: (item) => {
      const text = cellText(cellAt(item, path));
      return INSTANT.test(text) ? agoText(Date.parse(text), screen.nowMs()) : plain(text);
    },
  }));
}

function isCell(schema: Schema): boolean {
  const { type, items } = schema as { readonly type?: string; readonly items?: Schema };
  if (type === "array") return items?.["type"] === "string";
  return type === "string" || type === "integer" || type === "boolean" || type === "number";
}

function cellAt(item: Json, path: string): unknown {
  let value: unknown = item;
  for (const name of path.split(".")) value = (value as Json | undefined)?.[name];
  return value;
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return Array.isArray(value) ? value.join(".") : String(value);
}

/** What `-q` prints. */
function idOf(item: Json): string {
  const { id, snapshotId, name, resource } = item as Record<string, unknown>;
  const version = (resource as Json | undefined)?.["version"];
  return String(id ?? snapshotId ?? version ?? name ?? "");
}
