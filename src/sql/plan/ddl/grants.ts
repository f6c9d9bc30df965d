import type { Node } from "libpg-query";
import type { Privilege } from "../../../api/privileges.ts";
import { isTemporaryId, type RowTransaction } from "../../../rows/index.ts";
import type { RoleChanges } from "../../catalog/role-changes.ts";
import type { GrantPlace } from "../../catalog/roles.ts";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { Plan, RunContext } from "../plan.ts";
import { type DdlPorts, objectWords } from "./ddl-run.ts";
import { rolePlan, rolesIn } from "./role-names.ts";

type Kind = "table" | "schema" | "database";

/** What GRANT gives for each of PostgreSQL's privileges. */
const GIVEN: Readonly<Record<Kind, Readonly<Record<string, readonly Privilege[]>>>> = {
  table: {
    select: ["read-data", "read-metadata"],
    insert: ["write-data"],
    update: ["write-data"],
    delete: ["write-data"],
    truncate: ["write-data"],
  },
  schema: { usage: ["see"], create: ["create"] },
  database: { create: ["create"] },
};

const HINTS: Readonly<Record<string, string>> = {
  references: "A foreign key needs the privileges read-data and alter: POST /api/v1/grants.",
  connect: "Who may see anything of a database may connect: grant USAGE on a schema, say.",
  trigger: "There are no triggers.",
  temporary: "Each session may make temporary tables.",
  temp: "Each session may make temporary tables.",
};

const KINDS: Readonly<Record<string, Kind>> = {
  OBJECT_TABLE: "table",
  OBJECT_SCHEMA: "schema",
  OBJECT_DATABASE: "database",
};

/** @throws SqlError 0A000, 0LP01. */
function privilegesOf(kind: Kind, nodes: readonly Node[] | undefined): readonly Privilege[] {
  const known = GIVEN[kind];
  // ALL PRIVILEGES gives no list.
  const names =
    nodes === undefined
      ? Object.keys(known)
      : nodes.map((node) => {
          const { priv_name: name = "", cols = [] } = contentOf(node, "AccessPriv") ?? {};
          if (cols.length === 0) return name;
          throw notSupported("a privilege on columns", "Grant it on the table.");
        });
  const given = names.flatMap((name) => {
    const privileges = Object.hasOwn(known, name) ? known[name] : undefined;
    if (privileges !== undefined) return privileges;
    if (Object.hasOwn(HINTS, name))
      throw notSupported(`the privilege ${name.toUpperCase()}`, HINTS[name]);
    throw new SqlError("0LP01", `invalid privilege type ${name.toUpperCase()} for ${kind}`);
  });
  return [...new Set(given)];
}

const WRITES = ["insert", "update", "delete", "truncate"];

/** One privilege stands for four of PostgreSQL's: who names some of them is told. */
function tellOfWrites(run: RunContext, nodes: readonly Node[] | undefined): void {
  const names = (nodes ?? []).map((node) => contentOf(node, "AccessPriv")?.priv_name ?? "");
  const named = WRITES.filter((name) => names.includes(name));
  if (named.length === 0 || named.length === WRITES.length) return;
  const others = WRITES.filter((name) => !names.includes(name)).map((name) => name.toUpperCase());
  run.notice({
    severity: "WARNING",
    sqlState: "01000",
    message: `the privilege write-data stands for ${others.join(", ")} too`,
  });
}

/** GRANT and REVOKE of privileges. */
export function planGrant(grant: NodeOf<"GrantStmt">, ports: DdlPorts): Plan {
  const { is_grant: isGrant = false, targtype, objtype = "", objects = [] } = grant;
  const kind = Object.hasOwn(KINDS, objtype) ? KINDS[objtype] : undefined;
  if (kind === undefined) throw refused(objtype);
  const privileges = privilegesOf(kind, grant.privileges);
  const option: readonly Privilege[] = grant.grant_option === true ? ["manage-grants"] : [];
  // REVOKE GRANT OPTION FOR leaves the privileges themselves.
  const changed = !isGrant && option.length > 0 ? option : [...privileges, ...option];
  const isAll = targtype === "ACL_TARGET_ALL_IN_SCHEMA";
  return rolePlan(isGrant ? "GRANT" : "REVOKE", async (run, on) => {
    if (kind === "table") tellOfWrites(run, grant.privileges);
    const grantees = rolesIn(grant.grantees, run);
    for (const places of await placesOf(kind, objects, isAll, { ports, on, run })) {
      for (const role of grantees) {
        const change = async (place: GrantPlace): Promise<void> => {
          const kind = isGrant ? "grant" : "revoke";
          await on.add({ kind, role, on: place, privileges: changed });
        };
        await atFirst(places, change);
      }
    }
  });
}

function refused(objtype: string): SqlError {
  const what = objectWords(objtype);
  const hint =
    objtype === "OBJECT_SEQUENCE"
      ? "A sequence has the privileges of the table of its column, else those of its schema."
      : "Privileges are on tables, schemas and the database.";
  return notSupported(`a privilege on ${what}`, hint);
}

interface Within {
  readonly ports: DdlPorts;
  readonly on: RoleChanges;
  readonly run: RunContext;
}

/** What each object may mean: the first place that is there is meant. */
async function placesOf(
  kind: Kind,
  objects: readonly Node[],
  isAll: boolean,
  { ports, on, run }: Within,
): Promise<readonly (readonly GrantPlace[])[]> {
  if (kind === "database") {
    for (const object of objects) {
      const name = contentOf(object, "String")?.sval ?? "";
      if (name !== run.database) {
        throw notSupported("a grant on another database", `Connect to the database "${name}".`);
      }
    }
    return [[{ path: [] }]];
  }
  const named = objects.map((object) => contentOf(object, "String")?.sval ?? "");
  if (kind === "schema") return named.map((name) => [{ path: name.split(".") }]);
  if (!isAll) {
    for (const object of objects) await refuseTemporary(run, contentOf(object, "RangeVar") ?? {});
    return objects.map((object) => {
      const { schemaname, relname: name } = contentOf(object, "RangeVar") ?? {};
      const paths = schemaname === undefined ? ports.searchPath() : [schemaname.split(".")];
      return paths.map((path) => ({ path, name }));
    });
  }
  const found: GrantPlace[][] = [];
  for (const schema of named) {
    const path = schema.split(".");
    for (const name of await on.tablesIn(path)) found.push([{ path, name }]);
  }
  return found;
}

/** @throws SqlError 0A000. */
async function refuseTemporary(
  { transaction }: RunContext,
  { schemaname = "pg_temp", relname: name = "" }: NodeOf<"RangeVar">,
): Promise<void> {
  if (transaction.names.temporarySchema === undefined) return;
  const rows = (await transaction.rows()) as RowTransaction;
  const found = await transaction.names.find(rows, { path: [schemaname], name });
  if (found === undefined || !isTemporaryId(found.id)) return;
  throw notSupported("a privilege on a temporary table", "It belongs to its session alone.");
}

/** @throws SqlError 42P01 where none of the places is there. */
async function atFirst(
  places: readonly GrantPlace[],
  change: (place: GrantPlace) => Promise<void>,
): Promise<void> {
  const last = places.at(-1);
  for (const place of places) {
    try {
      await change(place);
      return;
    } catch (error) {
      const isMissing = error instanceof SqlError && ["42P01", "3F000"].includes(error.sqlState);
      if (!isMissing) throw error;
      if (place !== last) continue;
      if (place.name === undefined) throw error;
      throw new SqlError("42P01", `relation "${place.name}" does not exist`, {}, error);
    }
  }
}
