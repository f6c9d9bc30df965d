import { type ApiOperation, type Schema, writes } from "../../api/operation.ts";
import { OPERATIONS } from "../../api/operations.ts";
import {
  CATALOG,
  CHANGE,
  CHANGE_PAGE,
  DIFF,
  DROPPED,
  FOUND,
  INFO,
  JOB,
  NAMESPACE,
  PROBLEM,
  RESOURCE,
  SNAPSHOT,
  SUMMARY,
  TABLE,
  VERSION,
  VIEW,
} from "../../api/resources.ts";
import { NATIVE_MOUNT } from "../mounts.ts";
import { LINES_TYPE } from "./lines.ts";
import { parametersOf } from "./request-schemas.ts";

/** Schemas that the document names; all others stand where they are used. */
const COMPONENTS: Readonly<Record<string, Schema>> = {
  Catalog: CATALOG,
  Namespace: NAMESPACE,
  Table: TABLE,
  View: VIEW,
  Resource: RESOURCE,
  Summary: SUMMARY,
  Snapshot: SNAPSHOT,
  Dropped: DROPPED,
  Found: FOUND,
  Job: JOB,
  Version: VERSION,
  Diff: DIFF,
  Change: CHANGE,
  ChangePage: CHANGE_PAGE,
  Info: INFO,
  Problem: PROBLEM,
};

const NAMES: ReadonlyMap<unknown, string> = new Map(
  Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]),
);

/** A schema with references in place of those that have a name. */
function referring(value: unknown, isRoot = true): unknown {
  const name = isRoot ? undefined : NAMES.get(value);
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` };
  if (Array.isArray(value)) return value.map((each) => referring(each, false));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, referring(member, false)]),
  );
}

function parameter(
  where: "path" | "query" | "header",
  name: string,
  schema: Schema,
  must: boolean,
) {
  const { description, ...rest } = schema;
  return {
    name,
    in: where,
    required: must,
    ...(description !== undefined && { description }),
    schema: rest,
  };
}

const KEY: Schema = {
  type: "string",
  minLength: 1,
  maxLength: 128,
  description: "Requests of one key are one request: later ones get the outcome of the first",
};
const TAGS: Schema = { type: "string", description: "Entity tags, separated by commas" };

const LAST_EVENT = "Last-Event-ID";
const CURSOR: Schema = {
  type: "string",
  description: "Resumes a stream behind the event with this id; stands above `after`",
};

function parametersIn(operation: ApiOperation): readonly unknown[] {
  const { template, required = [], once, conditional } = operation;
  const inPath = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    parameter("path", name, { type: "string", description: `A name, or \`id:\` and an id` }, true),
  );
  const inQuery = Object.entries(parametersOf(operation)).map(([name, schema]) =>
    parameter("query", name, schema, required.includes(name)),
  );
  const inHeader = [
    ...(once === true ? [parameter("header", "Idempotency-Key", KEY, false)] : []),
    ...(conditional === "write" ? [parameter("header", "If-Match", TAGS, false)] : []),
    ...(conditional === "read" ? [parameter("header", "If-None-Match", TAGS, false)] : []),
    ...(operation.events === undefined ? [] : [parameter("header", LAST_EVENT, CURSOR, false)]),
  ];
  return [...inPath, ...inQuery, ...inHeader];
}

/** The schema of lines is that of each. */
function typeOf({ lines }: ApiOperation): string {
  return lines === true ? LINES_TYPE : "application/json";
}

function responsesOf(operation: ApiOperation): Readonly<Record<string, unknown>> {
  const { status, answer, answerLines, events, conditional, job } = operation;
  const done =
    answer === undefined
      ? { description: "Done" }
      : {
          description: "Done",
          content: {
            [typeOf(operation)]: { schema: referring(answer, false) },
            ...(events !== undefined && {
              "text/event-stream": {
                schema: { type: "string" },
                "x-data": referring(events, false),
              },
            }),
            ...(answerLines !== undefined && {
              [LINES_TYPE]: { schema: referring(answerLines, false) },
            }),
          },
        };
  return {
    [String(status)]: done,
    ...(job !== undefined && {
      "202": {
        description: "A job does it",
        content: { "application/json": { schema: referring(job, false) } },
      },
    }),
    ...(conditional === "read" && { "304": { description: "Not changed" } }),
    default: {
      description: "A problem (RFC 9457)",
      content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  };
}

function operationObject(name: string, operation: ApiOperation): unknown {
  const { summary, tag, body, needs } = operation;
  return {
    operationId: name,
    summary,
    tags: [tag],
    "x-privileges": needs,
    "x-writes": writes(operation),
    parameters: parametersIn(operation),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        content: { [typeOf(operation)]: { schema: referring(body, false) } },
      },
    }),
    responses: responsesOf(operation),
  };
}

let text: string | undefined;

/** The OpenAPI 3.1 document of the table of operations, as JSON. Made once. */
export function openApiText(version: string): string {
  text ??= JSON.stringify(openApi(version));
  return text;
}

function openApi(version: string): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const path = `${NATIVE_MOUNT}${operation.template}`;
    paths[path] ??= {};
    paths[path][operation.method.toLowerCase()] = operationObject(name, operation);
  }
  const schemas = Object.entries(COMPONENTS).map(([name, schema]) => [name, referring(schema)]);
  return {
    openapi: "3.1.0",
    info: { title: "Firn", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: "/" }],
    paths,
    components: { schemas: Object.fromEntries(schemas) },
  };
}
