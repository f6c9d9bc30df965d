import { literalPattern } from "../../../base/literal-pattern.ts";
import type { ColumnType } from "../../../rows/index.ts";
import { textsOf } from "../../bind/names.ts";
import { FIRST_TABLE_OID } from "../../catalog/system/object-oids.ts";
import { notSupported, SqlError } from "../../error.ts";
import type { NodeOf } from "../../parse/statement.ts";
import type { PlanEnv } from "../env.ts";
import type { Plan } from "../plan.ts";
import { type DdlPorts, ddlPlan, skip } from "./ddl-run.ts";
import { assertFreeType, changeType, ownType, refuseTexts } from "./types.ts";

/** Between the places of labels, so that others find room there. */
const STEP = 65_536;
const MOST_LABELS = 32_000;

function assertLabel(label: string): void {
  if (label !== "" && Buffer.byteLength(label) <= 63) return;
  throw new SqlError("42602", `invalid enum label "${label}"`, {
    detail: "Labels must be 63 bytes or less.",
  });
}

/** CREATE TYPE … AS ENUM. */
export function planCreateEnum(
  env: PlanEnv,
  { typeName, vals = [] }: NodeOf<"CreateEnumStmt">,
  ports: DdlPorts,
): Plan {
  const names = textsOf(typeName);
  const labels = textsOf(vals);
  return ddlPlan(env, "CREATE TYPE", async (on) => {
    for (const label of labels) assertLabel(label);
    if (labels.length > MOST_LABELS) throw notSupported(`an enum of ${labels.length} labels`);
    if (new Set(labels).size < labels.length) {
      const message = 'duplicate key value violates unique constraint "pg_enum_typid_label_index"';
      throw new SqlError("23505", message);
    }
    const namespace = await ports.namespaceFor(names.at(-2));
    const name = names.at(-1) ?? "";
    await assertFreeType(on, namespace, name);
    const number = await on.rows.objects.newNumber(namespace);
    const type: ColumnType = {
      kind: "enum",
      typeId: FIRST_TABLE_OID + number,
      name,
      schema: namespace.join("."),
      labels,
      orders: labels.map((_, i) => (i + 1) * STEP),
      tokens: labels,
    };
    await on.rows.objects.create({ kind: "enum", namespace, name, number, type });
  });
}

/** ALTER TYPE … ADD VALUE and … RENAME VALUE. */
export function planAlterEnum(env: PlanEnv, alter: NodeOf<"AlterEnumStmt">, ports: DdlPorts): Plan {
  const { typeName, oldVal, newVal = "", newValNeighbor, newValIsAfter = false } = alter;
  const names = textsOf(typeName);
  return ddlPlan(env, "ALTER TYPE", async (on) => {
    const before = await ownType(on, ports, names, "enum");
    const { labels = [], orders = [], tokens = [] } = before.type;
    assertLabel(newVal);
    const isThere = labels.includes(newVal);
    const exists = `enum label "${newVal}" already exists`;
    const place = (label: string): number => {
      const at = labels.indexOf(label);
      if (at >= 0) return at;
      throw new SqlError("22023", `"${label}" is not an existing enum label`);
    };
    if (oldVal !== undefined) {
      const at = place(oldVal);
      if (isThere) throw new SqlError("42710", exists);
      const quoted = `'${oldVal.replaceAll("'", "''")}'`;
      const pattern = new RegExp(literalPattern(quoted));
      await refuseTexts(on, pattern, "renaming a label");
      const type = { ...before.type, labels: labels.with(at, newVal) };
      await changeType(on, ports, before, type, { label: { from: oldVal, to: newVal } });
      return;
    }
    if (isThere) {
      if (alter.skipIfNewValExists !== true) throw new SqlError("42710", exists);
      skip(on, "42710", exists);
      return;
    }
    const at =
      newValNeighbor === undefined
        ? labels.length
        : place(newValNeighbor) + (newValIsAfter ? 1 : 0);
    const type = {
      ...before.type,
      labels: labels.toSpliced(at, 0, newVal),
      orders: orders.toSpliced(at, 0, orderAt(orders, at)),
      tokens: tokens.toSpliced(at, 0, freeToken(tokens, newVal)),
    };
    await changeType(on, ports, before, type);
  });
}

/** A place between its neighbours. @throws SqlError 0A000. */
function orderAt(orders: readonly number[], at: number): number {
  const [left, right] = [orders[at - 1], orders[at]];
  if (right === undefined) return (left ?? 0) + STEP;
  if (left === undefined) return right - STEP;
  const order = Math.floor((left + right) / 2);
  if (order > left) return order;
  const hint = "Add the label at the end, or make another type.";
  throw notSupported("another label at this place, where 16 have come between two,", hint);
}

/** How rows store a label: some may have that of one that was renamed. */
function freeToken(tokens: readonly string[], label: string): string {
  for (let n = 0; ; n++) {
    const token = n === 0 ? label : `${label}\u0000${n}`;
    if (!tokens.includes(token)) return token;
  }
}
