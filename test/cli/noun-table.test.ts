import { Command } from "commander";
import { expect, it } from "vitest";
import { OPERATIONS } from "../../src/api/operations.ts";
import { addNouns } from "../../src/cli/verbs/noun-program.ts";
import { NOUN_VERBS, nounAndVerb, shownBody, shownQuery } from "../../src/cli/verbs/noun-table.ts";

/** Operations that commands made by hand serve. */
const BY_HAND = [
  "listDropped",
  "undrop",
  "listJobs",
  "getJob",
  "retryJob",
  "cancelJob",
  "runSql",
  "listAudit",
];

it("every operation of the native API has one command", () => {
  const served = NOUN_VERBS.map(({ name }) => name);
  expect([...served, ...BY_HAND].sort()).toEqual(Object.keys(OPERATIONS).sort());
  const lines = NOUN_VERBS.map(({ noun, verb }) => `${noun} ${verb}`);
  expect(new Set(lines).size).toBe(lines.length);
  expect(lines).toEqual(
    expect.arrayContaining([
      "catalog list",
      "namespace create",
      "table get",
      "table rename",
      "table versions",
      "table layout",
      "table columns",
      "table health",
      "snapshot resolve",
      "snapshot ancestors",
      "view delete",
      "node info",
      "row get",
      "row scan",
      "row write",
      "lease acquire",
      "queue claim",
      "event-log events",
      "counter add",
      "idempotency reserve",
      "deduplication find-new",
      "link add-node",
      "configuration changes",
    ]),
  );
});

it("nouns and verbs come from path and method alone", () => {
  const of = (method: "GET" | "PUT" | "POST" | "PATCH" | "DELETE", template: string) =>
    nounAndVerb({ method, template, tag: "x", summary: "", needs: ["see"], status: 200 });
  expect(of("PATCH", "/accounts/{account}")).toEqual(["account", "update"]);
  expect(of("POST", "/connectors/{id}:import")).toEqual(["connector", "import"]);
  expect(of("GET", "/catalogs/{catalog}/layout")).toEqual(["catalog", "layout"]);
  expect(of("DELETE", "/a/{a}/stats/{target}")).toEqual(["statistics", "delete"]);
});

it("members of queries and bodies are options, and no option is two things", () => {
  const program = new Command();
  addNouns(program, async () => {});
  for (const noun of program.commands) {
    for (const command of noun.commands) {
      const flags = command.options.map(({ long }) => long);
      expect([noun.name(), command.name(), new Set(flags).size]).toEqual([
        noun.name(),
        command.name(),
        flags.length,
      ]);
    }
  }
  const reserved = ["url", "context", "profile", "dir", "json", "quiet", "file", "yes", "limit"];
  for (const spec of NOUN_VERBS) {
    const own = [...Object.keys(shownQuery(spec.operation)), ...Object.keys(shownBody(spec))];
    expect([spec.name, own.filter((member) => reserved.includes(member))]).toEqual([spec.name, []]);
  }
});
