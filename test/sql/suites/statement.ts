import { parseSync } from "libpg-query";

/** What the judge needs to know of a statement. */
export interface Statement {
  /** Whether its answer is a plan, which is nobody's but the planner's. */
  readonly isExplain: boolean;
  /** Words of its text, in lower case: names that it may use. */
  readonly words: ReadonlySet<string>;
  /** Names of what it makes, changes or writes to. */
  readonly targets: readonly string[];
  /** The parameter that it sets, or nothing. */
  readonly setting: string | undefined;
  /** The name of the relation or savepoint that it makes, or nothing. */
  readonly makes: string | undefined;
  /** Tables that have rows in common from then on. */
  readonly shares: readonly string[];
  /** What a view that it makes reads: a write to the view is one to these. */
  readonly viewed: readonly string[];
  /** Top-level ORDER BY: places of columns from 1, or their names, up to one that is neither. */
  readonly order: readonly (number | string)[];
}

type Tree = Readonly<Record<string, unknown>>;

/** Fields in which a statement keeps what it makes or changes. */
const TARGET_FIELDS: readonly string[] = [
  "relation",
  "relations",
  // Rows of a child are rows of what it inherits from.
  "inhRelations",
  "view",
  "sequence",
  "into",
  "object",
  "objects",
  "funcname",
  "defnames",
  "typeName",
  "typevar",
  "domainname",
  "name",
  "newname",
  "portalname",
  "schemaname",
  "opclassname",
  "idxname",
  "role",
  "func",
];
const WRITES: readonly string[] = ["InsertStmt", "UpdateStmt", "DeleteStmt", "MergeStmt"];
/** They neither make nor change anything by themselves. */
const READS: readonly string[] = ["SelectStmt", "ExplainStmt", "FetchStmt", "TransactionStmt"];

export function statementOf(sql: string): Statement {
  const words = new Set(sql.toLowerCase().match(/[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/g));
  const trees = parsed(sql);
  const targets = new Set<string>();
  for (const [kind, tree] of trees) {
    for (const write of WRITES) {
      each(tree, write, (node) => names(node["relation"], targets));
    }
    if (kind === "PrepareStmt") targets.add("pg_prepared_statements");
    if (kind === "CreateStmt") serials(tree, targets);
    constraintNames(tree, targets);
    // A partition that is attached or detached is another table from then on.
    each(tree, "PartitionCmd", (node) => names(node["name"], targets));
    for (const element of (tree["schemaElts"] ?? []) as Record<string, Tree>[]) {
      for (const made of Object.values(element)) {
        for (const field of TARGET_FIELDS) names(made[field], targets);
      }
    }
    if (isSavepoint(kind, tree)) names(tree["savepoint_name"], targets);
    if (kind === "SelectStmt") names(tree["intoClause"], targets);
    if (READS.includes(kind)) continue;
    for (const field of TARGET_FIELDS) names(tree[field], targets);
    // What a block does is in its text.
    if (kind === "DoStmt") for (const word of words) targets.add(word);
  }
  const [first] = trees;
  const set = first?.[0] === "VariableSetStmt" ? first[1]["name"] : undefined;
  const made = first?.[0] === "CreateStmt" ? (first[1]["relation"] as Tree) : undefined;
  const isMark = first !== undefined && isSavepoint(...first);
  const makes = isMark ? first[1]["savepoint_name"] : made?.["relname"];
  return {
    isExplain: first?.[0] === "ExplainStmt",
    words,
    targets: [...targets],
    setting: typeof set === "string" ? set : undefined,
    viewed: first?.[0] === "ViewStmt" ? [...relationsIn(first[1]["query"])] : [],
    shares: first === undefined ? [] : [...sharedBy(...first)],
    makes: typeof makes === "string" ? makes : undefined,
    order: trees.length === 1 && first?.[0] === "SelectStmt" ? orderOf(first[1]) : [],
  };
}

/** A partition and what it is a part of; both ends of a foreign key, whose actions write rows. */
function sharedBy(kind: string, tree: Tree): ReadonlySet<string> {
  const found = new Set<string>();
  each(tree, "Constraint", ({ contype, pktable }) => {
    if (contype !== "CONSTR_FOREIGN") return;
    names(tree["relation"], found);
    names(pktable, found);
  });
  if (kind === "CreateStmt" && tree["partbound"] !== undefined) {
    names(tree["inhRelations"], found);
    names(tree["relation"], found);
  }
  if (kind !== "AlterTableStmt") return found;
  each(tree, "PartitionCmd", (node) => {
    names(tree["relation"], found);
    names(node["name"], found);
  });
  return found;
}

/** The sequences that a table's serial columns make. */
function serials(tree: Tree, found: Set<string>): void {
  const { relname } = tree["relation"] as { readonly relname: string };
  each(tree, "ColumnDef", ({ colname, typeName }) => {
    const words = new Set<string>();
    names(typeName, words);
    if ([...words].some((word) => /serial/.test(word))) found.add(`${relname}_${colname}_seq`);
  });
}

/** The constraints that it makes, and what foreign keys refer to: these watch its rows. */
function constraintNames(tree: Tree, found: Set<string>): void {
  const table = (tree["relation"] as Tree | undefined)?.["relname"];
  const key = (constraint: Tree, column?: unknown): void => {
    if (constraint["conname"] !== undefined) names(constraint["conname"], found);
    if (constraint["contype"] !== "CONSTR_FOREIGN") return;
    names(constraint["pktable"], found);
    const columns = new Set<string>();
    names(column ?? constraint["fk_attrs"], columns);
    names(constraint["conname"] ?? [table, ...columns, "fkey"].join("_"), found);
  };
  each(tree, "Constraint", (constraint) => key(constraint));
  each(tree, "ColumnDef", ({ colname, constraints }) => {
    for (const each of (constraints ?? []) as { Constraint?: Tree }[]) {
      if (each.Constraint !== undefined) key(each.Constraint, colname);
    }
  });
}

function isSavepoint(kind: string, tree: Tree): boolean {
  return kind === "TransactionStmt" && tree["kind"] === "TRANS_STMT_SAVEPOINT";
}

function parsed(sql: string): readonly (readonly [string, Tree])[] {
  try {
    const { stmts } = parseSync(sql) as unknown as { stmts?: { stmt: Record<string, Tree> }[] };
    return (stmts ?? []).flatMap(({ stmt }) => Object.entries(stmt));
  } catch {
    return [];
  }
}

function relationsIn(tree: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  each({ tree }, "RangeVar", (node) => names(node, found));
  return found;
}

/** All names in what a field holds: of relations, and lists of words. */
function names(value: unknown, found: Set<string>): void {
  if (typeof value === "string") found.add(value.toLowerCase());
  else if (Array.isArray(value)) for (const item of value) names(item, found);
  else if (typeof value === "object" && value !== null) {
    const node = value as Tree;
    if (typeof node["relname"] === "string") found.add(node["relname"].toLowerCase());
    else if (typeof node["sval"] === "string") found.add(node["sval"].toLowerCase());
    else for (const [key, item] of Object.entries(node)) if (key !== "location") names(item, found);
  }
}

function each(value: unknown, kind: string, visit: (node: Tree) => void): void {
  if (typeof value !== "object" || value === null) return;
  const node = value as Tree;
  const found = node[kind];
  if (typeof found === "object" && found !== null) visit(found as Tree);
  for (const item of Object.values(node)) each(item, kind, visit);
  if ("relation" in node && "targetList" in node) visit(node);
}

function orderOf(select: Tree): readonly (number | string)[] {
  const order: (number | string)[] = [];
  const targets = (select["targetList"] ?? []) as {
    ResTarget?: { name?: string; val?: unknown };
  }[];
  for (const { SortBy: by } of (select["sortClause"] ?? []) as { SortBy: { node: unknown } }[]) {
    const key = keyOf(
      by.node,
      targets.map(({ ResTarget }) => ResTarget),
    );
    if (key === undefined) break;
    order.push(key);
  }
  return order;
}

function keyOf(
  node: unknown,
  targets: readonly ({ name?: string; val?: unknown } | undefined)[],
): number | string | undefined {
  const { A_Const: constant, ColumnRef: column } = node as {
    A_Const?: { ival?: { ival?: number } };
    ColumnRef?: { fields: { String?: { sval: string } }[] };
  };
  if (constant?.ival?.ival !== undefined) return constant.ival.ival;
  const plain = (value: unknown): string =>
    JSON.stringify(value, (key, item) => (key === "location" ? undefined : item));
  const same = targets.findIndex((target) => target && plain(target.val) === plain(node));
  const hasStar = targets.some((target) => plain(target?.val).includes("A_Star"));
  if (same >= 0 && !hasStar) return same + 1;
  return column?.fields.at(-1)?.String?.sval;
}
