import type { Node } from "libpg-query";
import type {
  ColumnDefault,
  ColumnSpec,
  IndexSpec,
  KeyPartSpec,
  SequenceDescriptor,
} from "../../../rows/index.ts";
import { domainsOf } from "../../../rows/index.ts";
import { bindExpr } from "../../bind/bind-expression.ts";
import { coerceToBool } from "../../bind/coerce.ts";
import { type Expr, isRowFree, someExpr } from "../../bind/expr.ts";
import { textsOf } from "../../bind/names.ts";
import type { Scope, ScopeTable } from "../../bind/scope.ts";
import { typeOfName } from "../../bind/type-name.ts";
import type { NewTable } from "../../catalog/view.ts";
import { notSupported, SqlError } from "../../error.ts";
import { compile } from "../../exec/evaluate.ts";
import { expressionText } from "../../parse/deparse.ts";
import { contentOf, kindOf, type NodeOf } from "../../parse/statement.ts";
import { splitIdentifiers } from "../../types/names.ts";
import { assignedExpr } from "../assign.ts";
import { type PlanEnv, scopeOf } from "../env.ts";
import { specTable } from "../table-columns.ts";
import { madeName } from "./ddl-run.ts";
import { type Elements, type Given, noElements } from "./elements.ts";
import { addLike } from "./like.ts";
import { partitionedBy, refuseNarrowKeys } from "./partition-by.ts";
import { identityOf, identityOptions } from "./sequence-options.ts";

/** Reads the elements of CREATE TABLE. @throws SqlError. */
export async function tableSpec(
  env: PlanEnv,
  name: string,
  nodes: readonly Node[],
  partspec?: NodeOf<"PartitionSpec">,
): Promise<{ readonly spec: NewTable; readonly foreignKeys: readonly Given[] }> {
  const elements = noElements();
  const constraints: Given[] = [];
  for (const node of nodes) {
    const column = contentOf(node, "ColumnDef");
    const constraint = contentOf(node, "Constraint");
    if (column !== undefined) constraints.push(...(await addColumn(env, elements, column)));
    else if (constraint !== undefined) constraints.push({ constraint, column: undefined });
    else {
      const like = contentOf(node, "TableLikeClause");
      if (like === undefined) throw notSupported(`${kindOf(node)} in CREATE TABLE`);
      await addLike(env, name, elements, like);
    }
  }
  await settleGenerated(env, name, elements, nodes);
  // Names of columns are known to all of them.
  for (const given of constraints) await addConstraint(env, name, elements, given);
  const { columns, indexes, checks, primaryKey, foreignKeys } = elements;
  const spec = { name, columns, indexes, checks, ...(primaryKey && { primaryKey }) };
  if (partspec === undefined) return { spec, foreignKeys };
  const partitioned = await partitionedBy(env, name, elements, partspec);
  refuseNarrowKeys(name, elements, partitioned);
  return { spec: { ...spec, partitioned }, foreignKeys };
}

const SERIALS: Readonly<Record<string, "int2" | "int4" | "int8">> = {
  smallserial: "int2",
  serial2: "int2",
  serial: "int4",
  serial4: "int4",
  bigserial: "int8",
  serial8: "int8",
};

/** The type of a column. @throws SqlError 42704, 0A000. */
export function columnType(
  env: PlanEnv,
  typeName: NodeOf<"TypeName">,
  location: number | undefined,
): ColumnSpec["type"] {
  const { types } = env.functions;
  try {
    const { oid, typmod } = typeOfName(types, typeName);
    return types.toColumnType(oid, typmod);
  } catch (error) {
    if (error instanceof SqlError) throw error.at(env.source.position(location));
    throw error;
  }
}

/** Adds a column. @returns its constraints that are the table's. */
export async function addColumn(
  env: PlanEnv,
  elements: Elements,
  definition: NodeOf<"ColumnDef">,
): Promise<readonly Given[]> {
  const { colname = "", typeName = {}, constraints = [], location } = definition;
  const word = textsOf(typeName.names).at(-1) ?? "";
  const serial = SERIALS[word];
  if (definition.collClause !== undefined) refuseCollation(definition.collClause);
  const type: ColumnSpec["type"] =
    serial === undefined ? columnType(env, typeName, location) : { kind: serial };
  const column = { name: colname, type };
  let nullable = true;
  let given: ColumnDefault | undefined;
  let identity: ColumnSpec["identity"];
  let sequence: ColumnSpec["sequence"];
  const others: Given[] = [];
  for (const node of constraints) {
    const constraint = contentOf(node, "Constraint") ?? {};
    switch (constraint.contype) {
      case "CONSTR_NOTNULL":
        nullable = false;
        break;
      case "CONSTR_NULL":
      case "CONSTR_ATTR_NOT_DEFERRABLE":
      case "CONSTR_ATTR_IMMEDIATE":
      case "CONSTR_GENERATED":
        break;
      case "CONSTR_DEFAULT":
        given = await defaultOf(env, column, constraint.raw_expr as Node);
        break;
      case "CONSTR_IDENTITY":
        sequence = identityOptions(constraint.options ?? []);
        identity = identityOf(constraint.generated_when);
        break;
      case "CONSTR_ATTR_DEFERRABLE":
      case "CONSTR_ATTR_DEFERRED":
        deferLast(others, constraint.contype === "CONSTR_ATTR_DEFERRED");
        break;
      default:
        others.push({ constraint, column: colname });
    }
  }
  const isComputed = serial !== undefined || identity !== undefined || isGenerated(constraints);
  if (given === undefined && !isComputed) given = domainDefault(type);
  elements.columns.push({
    ...column,
    nullable,
    ...(given && { default: given }),
    ...(identity && { identity }),
    ...(serial !== undefined && { serial: true }),
    ...(sequence && { sequence }),
  });
  return others;
}

function isGenerated(constraints: readonly Node[]): boolean {
  return constraints.some((node) => contentOf(node, "Constraint")?.contype === "CONSTR_GENERATED");
}

/** A domain's own default goes before that of the domain below it. */
function domainDefault(type: ColumnSpec["type"]): ColumnDefault | undefined {
  const text = domainsOf(type).findLast((each) => each.default !== undefined)?.default;
  return text === undefined ? undefined : { kind: "expression", text };
}

/** DEFERRABLE stands behind the constraint that it is of. */
function deferLast(others: Given[], isInitially: boolean): void {
  const last = others.pop();
  if (last === undefined) throw new SqlError("42601", "misplaced DEFERRABLE clause");
  const { constraint, column } = last;
  const deferred = { deferrable: true, ...(isInitially && { initdeferred: true }) };
  others.push({ constraint: { ...constraint, ...deferred }, column });
}

/** Texts order by their bytes, which is what `"C"` says. */
export function refuseCollation({ collname = [] }: NodeOf<"CollateClause">): void {
  const name = textsOf(collname).at(-1) ?? "";
  if (["C", "POSIX", "ucs_basic", "default"].includes(name)) return;
  throw notSupported(`the collation "${name}"`, 'Text is ordered as COLLATE "C" says.');
}

/** GENERATED ALWAYS AS: read once all columns are known. */
async function settleGenerated(
  env: PlanEnv,
  table: string,
  elements: Elements,
  nodes: readonly Node[],
): Promise<void> {
  const scope = scopeOf(
    env,
    [specTable(env.functions.types, table, elements.columns)],
    "generation expressions",
  );
  for (const node of nodes) {
    const { colname = "", constraints = [] } = contentOf(node, "ColumnDef") ?? {};
    for (const each of constraints) {
      const constraint = contentOf(each, "Constraint");
      if (constraint?.contype !== "CONSTR_GENERATED") continue;
      const at = elements.columns.findIndex(({ name }) => name === colname);
      const column = elements.columns[at] as ColumnSpec;
      if (column.default !== undefined) {
        const message =
          "both default and generation expression specified for " +
          `column "${colname}" of table "${table}"`;
        throw new SqlError("42601", message);
      }
      const generated = await generatedText(scope, column, constraint.raw_expr as Node);
      elements.columns[at] = { ...column, generated };
    }
  }
}

/** The expression of a generated column, over the columns that a scope knows. @throws SqlError. */
export async function generatedText(
  scope: Scope,
  column: ColumnSpec,
  expression: Node,
): Promise<string> {
  const target = { id: 0, nullable: true, ...column };
  assignedExpr(scope, target as never, bindExpr(scope, expression), undefined);
  return await expressionText(expression);
}

/** A constant, or the text of an expression that is evaluated for each row. */
export async function defaultOf(
  env: PlanEnv,
  { name, type }: Pick<ColumnSpec, "name" | "type">,
  node: Node,
): Promise<ColumnDefault> {
  const sequence = await numberedBy(env, node);
  if (sequence !== undefined) return { kind: "sequence", sequence: sequence.id };
  const scope = scopeOf(env, [], "DEFAULT expressions");
  const column = { id: 0, name, type, nullable: true };
  const expr = assignedExpr(scope, column, bindExpr(scope, node), undefined);
  const isConstant = expr.kind === "const" || (expr.kind === "cast" && expr.arg.kind === "const");
  if (!isConstant || !isRowFree(expr)) {
    return { kind: "expression", text: await expressionText(node) };
  }
  const value = compile(expr)([], { sql: env.bindContext, parameters: [] });
  // The column's scale has changed the value: `1.5` is stored as `1.50`.
  const { ival, fval } = contentOf(node, "A_Const") ?? {};
  const number = fval?.fval ?? (ival === undefined ? undefined : String(ival.ival ?? 0));
  if (number === undefined || type.kind !== "numeric" || type.scale === undefined) {
    return { kind: "constant", value };
  }
  const own = fval === undefined ? "integer" : "numeric";
  const text = number.startsWith("-") ? `'${number}'::${own}` : number;
  return { kind: "constant", value, text };
}

/** `nextval('name')`: the sequence, which keeps its place when it is renamed. */
async function numberedBy(env: PlanEnv, node: Node): Promise<SequenceDescriptor | undefined> {
  const call = contentOf(node, "FuncCall");
  const [arg, ...others] = call?.args ?? [];
  if (textsOf(call?.funcname).at(-1) !== "nextval" || arg === undefined || others.length > 0) {
    return undefined;
  }
  const cast = contentOf(arg, "TypeCast");
  const isPlain = cast === undefined || textsOf(cast.typeName?.names).at(-1) === "regclass";
  const text = contentOf(cast?.arg ?? arg, "A_Const")?.sval?.sval;
  if (!isPlain || text === undefined) return undefined;
  const [name = "", schema] = [...splitIdentifiers(text)].reverse();
  const found = await env.sequence(schema, name, ["write-data"]);
  if (found !== undefined) return found;
  throw new SqlError("42P01", `relation "${text}" does not exist`);
}

/** Adds a constraint of the table, whose columns are known. */
export async function addConstraint(
  env: PlanEnv,
  table: string,
  elements: Elements,
  { constraint, column }: Given,
): Promise<void> {
  const { contype, conname, keys = [] } = constraint;
  if (constraint.deferrable === true && contype !== "CONSTR_FOREIGN") {
    throw notSupported("a deferrable constraint that is not a foreign key");
  }
  const names = column === undefined ? textsOf(keys) : [column];
  switch (contype) {
    case "CONSTR_FOREIGN":
      elements.foreignKeys.push({ constraint, column });
      return;
    case "CONSTR_PRIMARY": {
      if (elements.primaryKey !== undefined) {
        const message = `multiple primary keys for table "${table}" are not allowed`;
        throw new SqlError("42P16", message).at(env.source.position(constraint.location));
      }
      const parts = names.map((name): KeyPartSpec => ({ column: name }));
      elements.primaryKey = { name: conname ?? madeName(table, [], "pkey", () => false), parts };
      return;
    }
    case "CONSTR_UNIQUE":
      elements.indexes.push(
        uniqueIndex(table, constraint, names, (name) => isTaken(elements, name)),
      );
      return;
    case "CONSTR_CHECK": {
      const tableOf = specTable(env.functions.types, table, elements.columns);
      const check = await checkOf(env, tableOf, constraint, column, (name) =>
        isTaken(elements, name),
      );
      elements.checks.push(check);
      return;
    }
    default:
      throw refusedConstraint(contype);
  }
}

export function refusedConstraint(contype: NodeOf<"Constraint">["contype"]): SqlError {
  if (contype === "CONSTR_EXCLUSION") return notSupported("EXCLUDE");
  return notSupported(`a constraint of this kind (${contype})`);
}

function isTaken({ indexes, checks }: Elements, name: string): boolean {
  return [...indexes, ...checks].some((one) => one.name === name);
}

/** The index of a UNIQUE constraint. */
export function uniqueIndex(
  table: string,
  { conname, nulls_not_distinct, including = [] }: NodeOf<"Constraint">,
  names: readonly string[],
  isTakenName: (name: string) => boolean,
): IndexSpec {
  return {
    name: conname ?? madeName(table, names, "key", isTakenName),
    parts: names.map((each): KeyPartSpec => ({ column: each })),
    unique: true,
    nullsNotDistinct: nulls_not_distinct === true,
    include: textsOf(including),
  };
}

/** A CHECK constraint. @throws SqlError 42703 and others of its expression. */
export async function checkOf(
  env: PlanEnv,
  table: ScopeTable,
  { conname, raw_expr }: NodeOf<"Constraint">,
  column: string | undefined,
  isTakenName: (name: string) => boolean,
): Promise<{ readonly name: string; readonly expression: string }> {
  const node = raw_expr as Node;
  const scope = scopeOf(env, [table], "check constraints");
  const expr = coerceToBool(scope, bindExpr(scope, node), "CHECK");
  const columns = column === undefined ? columnsIn(expr) : [column];
  const name =
    conname ?? madeName(table.name, columns.length === 1 ? columns : [], "check", isTakenName);
  return { name, expression: await expressionText(node) };
}

function columnsIn(expr: Expr): readonly string[] {
  const names = new Set<string>();
  someExpr(expr, (part) => {
    if (part.kind === "column") names.add(part.name);
    return false;
  });
  return [...names];
}
