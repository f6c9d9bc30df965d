import { afterAll, beforeAll, expect, test } from "vitest";
import { OPERATIONS } from "../../../src/http/iceberg/operations.ts";
import { type Answered, Team, table } from "./support.ts";

/*
 * What a caller may not see answers as what is not there: status, headers and text, of every
 * operation of the Iceberg contract that names a table or a namespace.
 */

const BODIES: Readonly<Record<string, (name: string) => object>> = {
  "/v1/{prefix}/namespaces/{namespace}/properties": () => ({ updates: { a: "b" } }),
  "/v1/{prefix}/namespaces/{namespace}/tables": () => table("made"),
  "/v1/{prefix}/namespaces/{namespace}/register": () => ({
    name: "made",
    "metadata-location": "file:///tmp/none/metadata/1.metadata.json",
  }),
  "/v1/{prefix}/tables/rename": (name) => ({
    source: { namespace: ["open"], name },
    destination: { namespace: ["open"], name: "renamed" },
  }),
  "/v1/{prefix}/transactions/commit": (name) => ({
    "table-changes": [
      { identifier: { namespace: ["open"], name }, requirements: [], updates: COMMIT.updates },
    ],
  }),
};
const COMMIT = {
  requirements: [],
  updates: [{ action: "set-properties", updates: { a: "b" } }],
};
/** Answers of these differ by design, or name neither a table nor a namespace. */
const LEFT_OUT =
  /metrics$|\/views|register-view|functions|\/v1\/config|^\/v1\/\{prefix\}\/namespaces$/;

let team: Team;
let stranger: string;

beforeAll(async () => {
  team = await Team.open();
  await team.namespace("open");
  await team.namespace("hidden");
  for (const name of ["seen", "secret"]) await team.table("open", name);
  await team.table("hidden", "secret");
  stranger = await team.principal("stranger");
  const on = { catalog: "default", namespace: ["open"], name: "seen" };
  await team.grant("stranger", ["read-metadata"], on);
});

afterAll(async () => {
  await team.firn.close();
});

/** What a caller can tell of an answer, with the name that it asked for itself made equal. */
function told(answer: Answered, ...names: readonly string[]): unknown {
  const { "x-request-id": _id, date: _date, ...headers } = answer.headers;
  let body = JSON.stringify(answer.body);
  for (const name of names) body = body.replaceAll(name, "NAME");
  return { status: answer.status, headers, body };
}

async function probe(
  { method, template }: { readonly method: string; readonly template: string },
  namespace: string,
  name: string,
): Promise<Answered> {
  const path = template
    .replace("{prefix}", "default")
    .replace("{namespace}", namespace)
    .replace("{table}", name);
  const body = method === "POST" ? (BODIES[template]?.(name) ?? COMMIT) : undefined;
  return team.ask(stranger, method, `/iceberg${path}`, body);
}

const NAMING = OPERATIONS.filter(({ template }) => !LEFT_OUT.test(template));

test("an invisible table answers as an absent one, to every operation", async () => {
  const named = NAMING.filter(({ template }) => /\{table\}|rename|commit/.test(template));
  expect(named.length).toBeGreaterThanOrEqual(8);
  for (const operation of named) {
    const hidden = told(await probe(operation, "open", "secret"), "secret");
    const absent = told(await probe(operation, "open", "absent"), "absent");
    expect([operation.template, hidden]).toEqual([operation.template, absent]);
  }
});

test("an invisible namespace answers as an absent one, to every operation", async () => {
  const named = NAMING.filter(({ template }) => template.includes("{namespace}"));
  expect(named.length).toBeGreaterThanOrEqual(10);
  for (const operation of named) {
    const hidden = told(await probe(operation, "hidden", "secret"), "hidden");
    const absent = told(await probe(operation, "absent", "secret"), "absent");
    expect([operation.method, operation.template, hidden]).toEqual([
      operation.method,
      operation.template,
      absent,
    ]);
  }
});
