import { readUnits } from "./capacity.ts";
import { holds } from "./evaluate.ts";
import { type Condition, type Operand, parseCondition } from "./expression.ts";
import type { Fields } from "./fields.ts";
import { consumed, projection } from "./items.ts";
import { invalid } from "./refusal.ts";
import type { Page, PageBounds, Table } from "./table.ts";
import type { Item } from "./value-types.ts";

/** One page of a partition, in the order of its sort keys. */
export function query(request: Fields, table: Table): object {
  const substitutes = request.substitutes();
  const text = request.text("KeyConditionExpression");
  const range = keyRange(parseCondition(text, substitutes), table);
  const filterText = request.optionalText("FilterExpression");
  const filter = filterText === undefined ? undefined : parseCondition(filterText, substitutes);
  const { partition, sort } = table.schema;
  for (const name of filter === undefined ? [] : pathsOf(filter)) {
    if (name === partition || name === sort) {
      throw invalid("Filter Expression can only contain non-primary key attributes");
    }
  }
  substitutes.assertUsed();
  if (request.names.includes("ScanIndexForward")) throw invalid("only forwards is modelled");
  const page = table.query(range.partition, range.holds, boundsOf(request, table));
  return answer(request, table, page, filter);
}

/** One page of the whole table. */
export function scan(request: Fields, table: Table): object {
  const substitutes = request.substitutes();
  const text = request.optionalText("FilterExpression");
  const filter = text === undefined ? undefined : parseCondition(text, substitutes);
  substitutes.assertUsed();
  return answer(request, table, table.scan(boundsOf(request, table)), filter);
}

function boundsOf(request: Fields, table: Table): PageBounds {
  const after = request.optionalItem("ExclusiveStartKey");
  const limit = request.optionalNumber("Limit") ?? Number.POSITIVE_INFINITY;
  if (limit < 1) throw invalid("Value at 'limit' failed to satisfy constraint: at least 1");
  return { after: after && table.placeOf(after), limit };
}

function answer(request: Fields, table: Table, page: Page, filter: Condition | undefined): object {
  const kept = page.items.filter((item) => filter === undefined || holds(filter, item));
  const units = readUnits(page.bytes, request.flag("ConsistentRead"));
  const last = page.last && page.items.at(-1);
  return {
    Items: kept.map(projection(request)),
    Count: kept.length,
    ScannedCount: page.items.length,
    ...(last !== undefined && { LastEvaluatedKey: table.keyOf(last) }),
    ...consumed(request, request.text("TableName"), units),
  };
}

interface KeyRange {
  readonly partition: string;
  readonly holds: (sort: string) => boolean;
}

/** `p = :value`, alone or with one condition on the sort key. */
function keyRange(condition: Condition, { schema }: Table): KeyRange {
  const parts = condition.kind === "and" ? [condition.left, condition.right] : [condition];
  const [own, ...others] = parts.filter((part) => {
    const { left } = part.kind === "compare" ? part : { left: undefined };
    return left?.kind === "path" && left.name === schema.partition;
  });
  const isAlone = own?.kind === "compare" && own.comparator === "=" && others.length === 0;
  if (!isAlone || own.right.kind !== "value" || !("S" in own.right.value)) {
    throw invalid("Query condition missed key schema element");
  }
  const range = parts.find((part) => part !== own);
  if (range === undefined) return { partition: own.right.value.S, holds: () => true };
  const { sort } = schema;
  const isOfSort = sort !== undefined && pathsOf(range).every((name) => name === sort);
  const isPlain =
    range.kind === "between" ||
    range.kind === "begins_with" ||
    (range.kind === "compare" && range.comparator !== "<>");
  if (!isOfSort || !isPlain) throw invalid("Invalid operator used in KeyConditionExpression");
  const of = (text: string): Item => ({ [sort]: { S: text } });
  return { partition: own.right.value.S, holds: (text) => holds(range, of(text)) };
}

function pathsOf(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case "and":
    case "or":
      return [...pathsOf(condition.left), ...pathsOf(condition.right)];
    case "not":
      return pathsOf(condition.inner);
    case "compare":
      return [...pathOf(condition.left), ...pathOf(condition.right)];
    case "between":
      return [condition.operand, condition.low, condition.high].flatMap(pathOf);
    case "in":
      return [condition.operand, ...condition.list].flatMap(pathOf);
    case "exists":
    case "type":
      return [condition.path.name];
    case "begins_with":
    case "contains":
      return [condition.path.name, ...pathOf(condition.with)];
  }
}

function pathOf(operand: Operand): readonly string[] {
  if (operand.kind === "value") return [];
  return [operand.kind === "path" ? operand.name : operand.path.name];
}
