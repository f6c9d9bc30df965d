import type { Node } from "libpg-query";
import type { Privilege } from "../../../api/privileges.ts";
import type {
  ColumnType,
  RowTransaction,
  SqlObject,
  TableDescriptor,
  ViewObject,
} from "../../../rows/index.ts";
import type { CatalogChanges } from "../../catalog/catalog-changes.ts";
import { assertHeld, isDescribed, isKnown } from "../../catalog/held.ts";
import type { SqlRoles } from "../../catalog/roles.ts";
import { SqlError } from "../../error.ts";
import type { NodeOf } from "../../parse/statement.ts";
import type { SqlType } from "../../types/registry.ts";
import type { PlanEnv, TableRef } from "../env.ts";
import { commandPlan, type Plan, type RunContext } from "../plan.ts";

/** A table, and the namespace where it was found. */
export interface FoundTable {
  readonly table: TableDescriptor;
  readonly path: readonly string[];
}

/** What statements about tables need of the session's names. */
export interface DdlPorts {
  /**
   * The namespace that something new goes to.
   *
   * @param isTemporary whether it is said to be; absent for what never is.
   * @throws SqlError 3F000, 42501, 42P16, 0A000.
   */
  readonly namespaceFor: (
    schema: string | undefined,
    isTemporary?: boolean,
  ) => Promise<readonly string[]>;
  /** Namespaces where a name without a schema is looked for. */
  readonly searchPath: () => readonly (readonly string[])[];
  /** @throws SqlError 42501. */
  readonly find: (
    rows: RowTransaction,
    range: TableRef,
    needs: readonly Privilege[],
  ) => Promise<FoundTable | undefined>;
  /** Principals and roles; absent: SQL knows of none. */
  readonly roles?: SqlRoles | undefined;
  /** Whether a privilege is held on a namespace. @throws SqlError 42501. */
  readonly heldOn: (path: readonly string[], privilege: Privilege) => Promise<void>;
  /** A view that may be known. */
  readonly viewNamed: (
    rows: RowTransaction,
    schema: string | undefined,
    name: string,
  ) => Promise<ViewObject | undefined>;
  /** A type that may be known. */
  readonly typeNamed: (
    rows: RowTransaction,
    schema: string | undefined,
    name: string,
  ) => Promise<SqlObject | undefined>;
  /** The tree of a stored statement. */
  readonly parse: (text: string) => Promise<Node>;
  /** Tells the session of a type. */
  readonly defineType: (type: ColumnType) => Promise<SqlType | undefined>;
}

/** A change of tables while it runs: in the transaction of its session. */
export interface DdlRun {
  readonly run: RunContext;
  readonly rows: RowTransaction;
  readonly names: CatalogChanges;
}

/** How SQL names a kind of object: `OBJECT_FOREIGN_TABLE` is a FOREIGN TABLE. */
export function objectWords(type: string | undefined): string {
  return String(type).replace("OBJECT_", "").replaceAll("_", " ");
}

/** A plan of a change of tables or schemas. A text that `work` gives is the tag. */
export function ddlPlan(env: PlanEnv, tag: string, work: (on: DdlRun) => Promise<unknown>): Plan {
  const start = async (run: RunContext): Promise<unknown> => {
    run.transaction.strengthen();
    const rows = await env.transactionOf(run);
    return await work({ run, rows, names: run.transaction.names });
  };
  return commandPlan(tag, start, { isRetried: true });
}

/** What is not there or there already, where the statement said IF. */
export function skip({ run }: DdlRun, sqlState: string, message: string): void {
  run.notice({ severity: "NOTICE", sqlState, message: `${message}, skipping` });
}

/**
/** A name of a list of names. */
export function rangeOf(path: readonly string[]): NodeOf<"RangeVar"> {
  const [relname = "", schemaname, catalogname] = [...path].reverse();
  return {
    relname,
    ...(schemaname !== undefined && { schemaname }),
    ...(catalogname !== undefined && { catalogname }),
  };
}

/**
 * Judges a view or a type by its schema, which it belongs to.
 *
 * @throws SqlError 42501: one that may not be known stays unnamed.
 */
export async function assertMay(
  { names }: DdlRun,
  privilege: Privilege,
  { kind, namespace, name }: Pick<SqlObject, "kind" | "namespace" | "name">,
): Promise<void> {
  const held = await names.heldIn(namespace);
  if (!isKnown(held)) throw hiddenDependent();
  assertHeld(held, [privilege], kind === "view" ? "view" : "type", name);
}

/** As `assertMay`, for a table that depends on what a statement changes. */
export async function assertMayAlter(
  { names }: DdlRun,
  { namespace, name }: Pick<TableDescriptor, "namespace" | "name">,
): Promise<void> {
  const held = await names.heldAt({ path: namespace, name });
  if (held === undefined) throw hiddenDependent();
  assertHeld(held, ["alter"], "table", name);
}

function hiddenDependent(): SqlError {
  return new SqlError("42501", "permission denied: an object that you may not see depends on it");
}

/** How messages name a view or a type: one that may not be known stays unnamed. */
export async function shownObject(
  { names }: DdlRun,
  object: Pick<SqlObject, "kind" | "namespace" | "name">,
): Promise<string> {
  const { kind, namespace, name } = object;
  const isShown = isKnown(await names.heldIn(namespace));
  const word = "materialized" in object ? "materialized view" : "view";
  return isShown ? `${kind === "view" ? word : "type"} ${name}` : UNSEEN;
}

/** As `shownObject`, for a column of a table. */
export async function shownColumn(
  { names }: DdlRun,
  { namespace, name }: Pick<TableDescriptor, "namespace" | "name">,
  shown: string,
): Promise<string> {
  const held = await names.heldAt({ path: namespace, name });
  return held !== undefined && isDescribed(held) ? shown : UNSEEN;
}

const UNSEEN = "an object that you may not see";

/**
 * Whether a name of a relation is taken. The session may make something in its namespace.
 *
 * @throws SqlError 42P07, unless that is asked for.
 */
export async function refuseTaken(
  { rows, names }: DdlRun,
  path: readonly string[],
  name: string,
  isOptional: boolean,
): Promise<boolean> {
  const type = await rows.objects.byName("type", path, name);
  const isTaken =
    type?.kind === "composite" ||
    (await rows.sequences.byName(path, name)) !== undefined ||
    (await rows.objects.byName("relation", path, name)) !== undefined ||
    (await names.find(rows, { path, name })) !== undefined;
  if (isTaken && !isOptional) throw new SqlError("42P07", `relation "${name}" already exists`);
  return isTaken;
}

/**
 * The table of a statement; undefined where it is missing and may be.
 *
 * @throws SqlError 42P01, 42501.
 */
export async function tableOf(
  on: DdlRun,
  ports: DdlPorts,
  range: NodeOf<"RangeVar">,
  isOptional: boolean,
  needs: readonly Privilege[] = ["alter"],
): Promise<FoundTable | undefined> {
  const { schemaname, relname = "" } = range;
  const found = await ports.find(on.rows, range, needs);
  if (found !== undefined) return found;
  if ((await ports.viewNamed(on.rows, schemaname, relname)) !== undefined) {
    throw new SqlError("42809", `"${relname}" is not a table`);
  }
  if ((await ports.typeNamed(on.rows, schemaname, relname))?.kind === "composite") {
    const hint = "Use ALTER TYPE instead.";
    throw new SqlError("42809", `"${relname}" is a composite type`, { hint });
  }
  const shown = schemaname === undefined ? relname : `${schemaname}.${relname}`;
  const message = `relation "${shown}" does not exist`;
  if (!isOptional) throw new SqlError("42P01", message);
  skip(on, "00000", message);
  return undefined;
}

/** Most bytes of a name that is made up, as PostgreSQL's. */
const NAME_BYTES = 63;

/** A name that is made of parts, shortened, with a number where it is taken. */
export function madeName(
  table: string,
  columns: readonly string[],
  label: string,
  isTaken: (name: string) => boolean,
): string {
  for (let tries = 0; ; tries++) {
    const end = tries === 0 ? label : `${label}${tries}`;
    const name = fitted(table, columns.join("_"), end);
    if (!isTaken(name)) return name;
  }
}

/** Shortens the longer of both, so that all of it fits. */
function fitted(table: string, columns: string, label: string): string {
  let [first, second] = [table, columns];
  const whole = (): string => [first, second, label].filter((part) => part !== "").join("_");
  while (Buffer.byteLength(whole()) > NAME_BYTES) {
    if (Buffer.byteLength(first) > Buffer.byteLength(second)) first = first.slice(0, -1);
    else second = second.slice(0, -1);
  }
  return whole();
}
