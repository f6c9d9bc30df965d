import { SqlError } from "../error.ts";
import type { NodeOf } from "../parse/statement.ts";

type CteNode = NodeOf<"CommonTableExpr">;

/**
 * Whether a tree names a relation by one name, without a schema. A query of WITH by that name
 * hides it: in what follows, with RECURSIVE everywhere below.
 */
export function mentions(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((each) => mentions(each, name));
  if (typeof node !== "object" || node === null) return false;
  if ("RangeVar" in node) {
    const { relname, schemaname } = node.RangeVar as NodeOf<"RangeVar">;
    return relname === name && schemaname === undefined;
  }
  const { withClause, ...body } = node as { readonly withClause?: NodeOf<"WithClause"> };
  if (withClause !== undefined) {
    const ctes = ctesOf(withClause);
    const hides = ctes.findIndex(({ ctename }) => ctename === name);
    const seen = withClause.recursive === true && hides >= 0 ? [] : ctes;
    const before = hides >= 0 ? seen.slice(0, hides + 1) : seen;
    if (before.some(({ ctequery }) => mentions(ctequery, name))) return true;
    if (hides >= 0) return false;
  }
  return Object.values(body).some((each) => mentions(each, name));
}

function ctesOf({ ctes = [] }: NodeOf<"WithClause">): readonly CteNode[] {
  return ctes.map((each) => ("CommonTableExpr" in each ? each.CommonTableExpr : {}));
}

/**
 * The queries of WITH in an order in which each comes behind those it names, which matters with
 * RECURSIVE alone.
 *
 * @throws SqlError 42712, 0A000 where two name each other.
 */
export function ctesInOrder(clause: NodeOf<"WithClause">): readonly CteNode[] {
  const left = [...ctesOf(clause)];
  for (const [i, { ctename = "" }] of left.entries()) {
    if (left.findIndex((each) => each.ctename === ctename) === i) continue;
    throw new SqlError("42712", `WITH query name "${ctename}" specified more than once`);
  }
  if (clause.recursive !== true) return left;
  const ordered: CteNode[] = [];
  while (left.length > 0) {
    const isFree = ({ ctename, ctequery }: CteNode): boolean =>
      left.every((other) => other.ctename === ctename || !mentions(ctequery, other.ctename ?? ""));
    const at = left.findIndex(isFree);
    if (at < 0) {
      throw new SqlError("0A000", "mutual recursion between WITH items is not implemented");
    }
    ordered.push(...left.splice(at, 1));
  }
  return ordered;
}

/**
 * A query that names itself: `first UNION [ALL] step`, where `step` names it once, and where each
 * of its rows makes rows of the result.
 *
 * @throws SqlError 42P19, 0A000 as PostgreSQL.
 */
export function assertRecursive(name: string, select: NodeOf<"SelectStmt">): void {
  if (select.op !== "SETOP_UNION") {
    const form = "does not have the form non-recursive-term UNION [ALL] recursive-term";
    throw new SqlError("42P19", `recursive query "${name}" ${form}`);
  }
  const place = `recursive reference to query "${name}" must not appear`;
  if (mentions(select.withClause, name)) {
    throw new SqlError("42P19", `${place} within a subquery`);
  }
  const { sortClause, limitOffset, limitCount, lockingClause } = select;
  const refused = (what: string): SqlError =>
    new SqlError("0A000", `${what} in a recursive query is not implemented`);
  if (sortClause !== undefined) throw refused("ORDER BY");
  if (limitOffset !== undefined) throw refused("OFFSET");
  if (limitCount !== undefined) throw refused("LIMIT");
  if (lockingClause !== undefined) throw refused("FOR UPDATE/SHARE");
  if (mentions(select.larg, name)) {
    throw new SqlError("42P19", `${place} within its non-recursive term`);
  }
  assertOneReference(select.rarg ?? {}, name, place);
}

function assertOneReference(step: NodeOf<"SelectStmt">, name: string, place: string): void {
  const wrong = (where: string): SqlError => new SqlError("42P19", `${place} ${where}`);
  let references = 0;
  const visit = (node: unknown, where: string | undefined): void => {
    if (Array.isArray(node)) {
      for (const each of node) visit(each, where);
      return;
    }
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (key === "RangeVar") {
        if (!mentions({ RangeVar: value }, name)) continue;
        if (where !== undefined) throw wrong(where);
        if (++references > 1) throw wrong("more than once");
      } else if (key === "SubLink") visit(value, "within a subquery");
      else if (key === "larg" || key === "rarg") {
        const { op } = node as NodeOf<"SelectStmt">;
        const isRight = key === "rarg";
        if (op === "SETOP_EXCEPT" && isRight) visit(value, "within EXCEPT");
        else visit(value, op === "SETOP_INTERSECT" ? (where ?? "within INTERSECT") : where);
      } else if (key === "JoinExpr") visitJoin(value as NodeOf<"JoinExpr">, where);
      else visit(value, where);
    }
  };
  const visitJoin = (join: NodeOf<"JoinExpr">, where: string | undefined): void => {
    const { jointype } = join;
    const outer = "within an outer join";
    visit(join.larg, jointype === "JOIN_RIGHT" || jointype === "JOIN_FULL" ? outer : where);
    visit(join.rarg, jointype === "JOIN_LEFT" || jointype === "JOIN_FULL" ? outer : where);
    visit(join.quals, where);
  };
  visit(step, undefined);
}
