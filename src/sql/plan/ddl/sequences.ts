import type { Node } from "libpg-query";
import type {
  RowTransaction,
  SequenceChange,
  SequenceDescriptor,
  SequenceOwner,
} from "../../../rows/index.ts";
import { sequenceOf, visibleColumns } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import {
  assertMayAlter,
  type DdlPorts,
  type DdlRun,
  ddlPlan,
  refuseTaken,
  shownColumn,
  skip,
} from "./ddl-run.ts";
import { numberOf, sequenceOptions } from "./sequence-options.ts";

/** CREATE SEQUENCE. */
export function planCreateSequence(
  env: PlanEnv,
  create: NodeOf<"CreateSeqStmt">,
  ports: DdlPorts,
): Plan {
  const { sequence = {}, options = [], if_not_exists: isOptional = false } = create;
  const { relname: name = "", schemaname, relpersistence } = sequence;
  const { owner, others } = withoutOwner(options);
  const asked = sequenceOptions(others);
  return ddlPlan(env, "CREATE SEQUENCE", async (on) => {
    const namespace = await ports.namespaceFor(schemaname, relpersistence === "t");
    if (await refuseTaken(on, namespace, name, isOptional)) {
      skip(on, "42P07", `relation "${name}" already exists`);
      return;
    }
    const ownedBy = owner && (await ownerOf(on, ports, owner, namespace));
    await on.rows.sequences.create({ ...asked, namespace, name, ...(ownedBy && { ownedBy }) });
  });
}

/** ALTER SEQUENCE. */
export function planAlterSequence(
  env: PlanEnv,
  alter: NodeOf<"AlterSeqStmt">,
  ports: DdlPorts,
): Plan {
  const { sequence = {}, options = [], missing_ok: isOptional = false } = alter;
  const { owner, others } = withoutOwner(options);
  const change = sequenceChange(others);
  return ddlPlan(env, "ALTER SEQUENCE", async (on) => {
    const before = await sequenceNamed(env, on, ports, sequence, isOptional);
    if (before === undefined) return;
    const owned = owner && (await ownerOf(on, ports, owner, before.namespace, before));
    await change(on.rows, before, owner === undefined ? {} : { ownedBy: owned ?? null });
  });
}

/** What options of a sequence change of it. @throws SqlError. */
export function sequenceChange(options: readonly Node[]) {
  const restart = options.map((node) => contentOf(node, "DefElem")).find(isRestart);
  const rest = options.filter((node) => !isRestart(contentOf(node, "DefElem")));
  const asked = sequenceOptions(rest);
  return async (
    rows: RowTransaction,
    before: SequenceDescriptor,
    more: SequenceChange = {},
  ): Promise<void> => {
    const bounds = defaultBounds(rest, { ...before, ...asked });
    const after = await rows.sequences.alter(before.id, { ...asked, ...bounds, ...more });
    if (restart === undefined) {
      await assertWithin(rows, after);
      return;
    }
    const at = restart.arg === undefined ? after.start : numberOf(restart.arg);
    assertStart(after, at);
    await rows.setval(after, at, false);
  };
}

/** ALTER SEQUENCE … RENAME TO and … SET SCHEMA. */
export function planMoveSequence(
  env: PlanEnv,
  sequence: NodeOf<"RangeVar">,
  to: { readonly name?: string; readonly schema?: string },
  isOptional: boolean,
  ports: DdlPorts,
): Plan {
  return ddlPlan(env, "ALTER SEQUENCE", async (on) => {
    const before = await sequenceNamed(env, on, ports, sequence, isOptional);
    if (before !== undefined) await moveSequence(on, before, to, ports);
  });
}

/** Another name or schema for a sequence. */
export async function moveSequence(
  on: DdlRun,
  before: SequenceDescriptor,
  to: { readonly name?: string; readonly schema?: string },
  ports: DdlPorts,
): Promise<void> {
  if (to.schema !== undefined && before.ownedBy !== undefined) {
    throw new SqlError("0A000", "cannot move an owned sequence into another schema", {
      detail: `Sequence "${before.name}" is linked to a table.`,
    });
  }
  const namespace =
    to.schema === undefined ? before.namespace : await ports.namespaceFor(to.schema);
  const name = to.name ?? before.name;
  if ((await on.names.find(on.rows, { path: namespace, name })) !== undefined) {
    throw new SqlError("42P07", `relation "${name}" already exists`);
  }
  await on.rows.sequences.alter(before.id, { namespace, name });
}

/** DROP SEQUENCE. With CASCADE the defaults that use it go too. */
export function planDropSequence(env: PlanEnv, drop: NodeOf<"DropStmt">, ports: DdlPorts): Plan {
  const { objects = [], missing_ok: isOptional = false, behavior } = drop;
  const names = objects.map((object) => textsOf(contentOf(object, "List")?.items));
  return ddlPlan(env, "DROP SEQUENCE", async (on) => {
    for (const path of names) {
      const name = path.at(-1) ?? "";
      const sequence = await env.sequence(path.at(-2), name, ["drop"]);
      if (sequence !== undefined) {
        await dropSequence(on, sequence, behavior === "DROP_CASCADE");
        continue;
      }
      const schema = path.at(-2);
      const range = { relname: name, ...(schema !== undefined && { schemaname: schema }) };
      await refuseOther(on, ports, range);
      const message = `sequence "${name}" does not exist`;
      if (!isOptional) throw new SqlError("42P01", message);
      skip(on, "00000", message);
    }
  });
}

/** Drops a sequence, and what uses it where that is wanted. @throws SqlError 2BP01. */
export async function dropSequence(
  on: DdlRun,
  sequence: SequenceDescriptor,
  isCascade: boolean,
): Promise<void> {
  for (const table of await on.rows.tables.list()) {
    for (const column of visibleColumns(table)) {
      if (sequenceOf(column) !== sequence.id) continue;
      const own = `column ${column.name} of table ${table.name}`;
      const what = await shownColumn(on, table, own);
      if (column.identity !== undefined) {
        const message = `cannot drop sequence ${sequence.name} because ${what} requires it`;
        throw new SqlError("2BP01", message, { hint: `You can drop ${what} instead.` });
      }
      if (!isCascade) {
        const message = `cannot drop sequence ${sequence.name} because other objects depend on it`;
        throw new SqlError("2BP01", message, {
          detail: `default value for ${what} depends on sequence ${sequence.name}`,
          hint: "Use DROP ... CASCADE to drop the dependent objects too.",
        });
      }
      await assertMayAlter(on, table);
      await on.rows.alter(table.id, { kind: "set default", column: column.name });
      const message = `drop cascades to default value for ${what}`;
      on.run.notice({ severity: "NOTICE", sqlState: "00000", message });
    }
  }
  on.rows.sequences.drop(sequence);
  on.run.sequences.forget(sequence.id);
}

/** The sequence of a statement; undefined where it is missing and may be. @throws SqlError. */
async function sequenceNamed(
  env: PlanEnv,
  on: DdlRun,
  ports: DdlPorts,
  range: NodeOf<"RangeVar">,
  isOptional: boolean,
): Promise<SequenceDescriptor | undefined> {
  const { schemaname, relname = "" } = range;
  const found = await env.sequence(schemaname, relname, ["alter"]);
  if (found !== undefined) return found;
  await refuseOther(on, ports, range);
  const shown = schemaname === undefined ? relname : `${schemaname}.${relname}`;
  const message = `relation "${shown}" does not exist`;
  if (!isOptional) throw new SqlError("42P01", message);
  skip(on, "00000", message);
  return undefined;
}

/** A table or view in place of a sequence. @throws SqlError 42809. */
async function refuseOther(on: DdlRun, ports: DdlPorts, range: NodeOf<"RangeVar">): Promise<void> {
  const { schemaname, relname = "" } = range;
  const isTable = (await ports.find(on.rows, range, [])) !== undefined;
  if (!isTable && (await ports.viewNamed(on.rows, schemaname, relname)) === undefined) return;
  throw new SqlError("42809", `"${relname}" is not a sequence`);
}

function isRestart(option: NodeOf<"DefElem"> | undefined): boolean {
  return option?.defname === "restart";
}

interface Options {
  /** Of OWNED BY: a table and its column, or NONE. */
  readonly owner: readonly string[] | undefined;
  readonly others: readonly Node[];
}

function withoutOwner(nodes: readonly Node[]): Options {
  const isOwner = (node: Node): boolean => contentOf(node, "DefElem")?.defname === "owned_by";
  const [owner] = nodes.filter(isOwner);
  const arg = contentOf(owner, "DefElem")?.arg;
  return {
    owner: owner && textsOf(contentOf(arg, "List")?.items),
    others: nodes.filter((node) => !isOwner(node)),
  };
}

/** The column of OWNED BY; undefined for NONE. @throws SqlError. */
async function ownerOf(
  on: DdlRun,
  ports: DdlPorts,
  owner: readonly string[],
  namespace: readonly string[],
  before?: SequenceDescriptor,
): Promise<SequenceOwner | undefined> {
  if (before?.ownedBy !== undefined && (await isIdentity(on.rows, before.ownedBy))) {
    throw new SqlError("0A000", "cannot change ownership of identity sequence");
  }
  if (owner.length === 1 && owner[0] === "none") return undefined;
  const [column = "", name = "", schema] = [...owner].reverse();
  if (owner.length < 2) {
    throw new SqlError("42601", "invalid OWNED BY option", {
      hint: "Specify OWNED BY table.column or OWNED BY NONE.",
    });
  }
  const range = { relname: name, ...(schema !== undefined && { schemaname: schema }) };
  const found = await ports.find(on.rows, range, ["alter"]);
  if (found === undefined) throw new SqlError("42P01", `relation "${name}" does not exist`);
  if (found.path.join("\0") !== namespace.join("\0")) {
    throw new SqlError("55000", "sequence must be in same schema as table it is linked to");
  }
  const owning = visibleColumns(found.table).find((one) => one.name === column);
  if (owning !== undefined) return { table: found.table.id, column: owning.id };
  throw new SqlError("42703", `column "${column}" of relation "${name}" does not exist`);
}

async function isIdentity(
  rows: RowTransaction,
  { table, column }: SequenceOwner,
): Promise<boolean> {
  const found = await rows.tables.find(table);
  return found?.columns.find(({ id }) => id === column)?.identity !== undefined;
}

const MOST = { int2: 2n ** 15n, int4: 2n ** 31n, int8: 2n ** 63n };

/** NO MINVALUE and NO MAXVALUE: the bounds that a new sequence has. */
function defaultBounds(
  options: readonly Node[],
  { type, increment }: Pick<SequenceDescriptor, "type" | "increment">,
): SequenceChange {
  const isNone = (name: string): boolean =>
    options.some((node) => {
      const { defname, arg } = contentOf(node, "DefElem") ?? {};
      return defname === name && arg === undefined;
    });
  const isUp = increment > 0n;
  return {
    ...(isNone("minvalue") && { min: isUp ? 1n : -MOST[type] }),
    ...(isNone("maxvalue") && { max: isUp ? MOST[type] - 1n : -1n }),
  };
}

/** Where a sequence stands must be within its new bounds. */
async function assertWithin(rows: RowTransaction, sequence: SequenceDescriptor): Promise<void> {
  assertStart(sequence, (await rows.sequenceState(sequence)).last);
}

function assertStart({ min, max }: SequenceDescriptor, at: bigint): void {
  if (at < min) {
    throw new SqlError("22023", `RESTART value (${at}) cannot be less than MINVALUE (${min})`);
  }
  if (at > max) {
    throw new SqlError("22023", `RESTART value (${at}) cannot be greater than MAXVALUE (${max})`);
  }
}
