import { type ConsumedCapacity, readUnits, writeUnits } from "./capacity.ts";
import { holds, projected, updated } from "./evaluate.ts";
import { type Condition, parseCondition, parseProjection, parseUpdate } from "./expression.ts";
import type { Fields } from "./fields.ts";
import { conditionFailed, invalid, Refused } from "./refusal.ts";
import { MAX_ITEM_BYTES, type Place, type Table } from "./table.ts";
import type { Item } from "./value-types.ts";
import { itemBytes } from "./values.ts";

/** A write as it was understood, not yet applied: one alone, or one of a transaction. */
export interface PlannedWrite {
  readonly table: Table;
  readonly tableName: string;
  readonly place: Place;
  readonly condition: Condition | undefined;
  readonly tellsOnFailure: boolean;
  /** What the item becomes; undefined deletes it. A check leaves it as it is. */
  readonly after: (before: Item | undefined) => Item | undefined;
}

export type WriteKind = "Put" | "Update" | "Delete" | "ConditionCheck";

/** Reads the parameters of a write. @throws Refused `ValidationException` */
export function planWrite(kind: WriteKind, request: Fields, table: Table): PlannedWrite {
  const substitutes = request.substitutes();
  const condition = request.optionalText("ConditionExpression");
  const update = kind === "Update" ? request.optionalText("UpdateExpression") : undefined;
  const common = {
    table,
    tableName: request.text("TableName"),
    condition: condition === undefined ? undefined : parseCondition(condition, substitutes),
    tellsOnFailure: request.optionalText("ReturnValuesOnConditionCheckFailure") === "ALL_OLD",
  };
  const actions = update === undefined ? [] : parseUpdate(update, substitutes);
  substitutes.assertUsed();
  if (kind === "Put") {
    const item = request.item("Item");
    const place = table.placeOfItem(item);
    assertSize(item);
    return { ...common, place, after: () => item };
  }
  const key = request.item("Key");
  const place = table.placeOf(key);
  switch (kind) {
    case "Update":
      if (actions.some(({ path }) => key[path.name] !== undefined)) {
        throw invalid("Cannot update attribute. This attribute is part of the key");
      }
      return {
        ...common,
        place,
        after: (before) => {
          const item = updated(actions, before ?? key);
          assertSize(item);
          return item;
        },
      };
    case "Delete":
      return { ...common, place, after: () => undefined };
    case "ConditionCheck":
      if (common.condition === undefined) throw invalid("A check has a condition");
      return { ...common, place, after: (before) => before };
  }
}

/** Whether a write's condition holds of what stands there now. */
export function conditionOf({ table, place, condition }: PlannedWrite): boolean {
  return condition === undefined || holds(condition, table.get(place));
}

/** Carries out a write whose condition holds. @returns its units. */
export function apply({ table, place, after }: PlannedWrite): number {
  const before = table.get(place);
  const item = after(before);
  if (item === undefined) table.delete(place);
  else if (item !== before) table.put(place, item);
  return writeUnits(before, item);
}

function assertSize(item: Item): void {
  if (itemBytes(item) > MAX_ITEM_BYTES) {
    throw invalid("Item size has exceeded the maximum allowed size");
  }
}

/** `PutItem`, `UpdateItem`, `DeleteItem`. */
export function writeOne(kind: WriteKind, request: Fields, table: Table): object {
  const write = planWrite(kind, request, table);
  const before = table.get(write.place);
  if (!conditionOf(write)) throw conditionFailed(write.tellsOnFailure ? before : undefined);
  const units = apply(write);
  const attributes = returned(request, before, table.get(write.place));
  return {
    ...(attributes !== undefined && { Attributes: attributes }),
    ...consumed(request, write.tableName, units),
  };
}

function returned(
  request: Fields,
  before: Item | undefined,
  after: Item | undefined,
): Item | undefined {
  const wanted = request.optionalText("ReturnValues") ?? "NONE";
  switch (wanted) {
    case "NONE":
      return undefined;
    case "ALL_OLD":
      return before;
    case "ALL_NEW":
      return after;
    case "UPDATED_NEW":
      return projected(changed(before, after), after ?? {});
    case "UPDATED_OLD":
      return projected(changed(before, after), before ?? {});
    default:
      throw invalid(`Unknown ReturnValues: ${wanted}`);
  }
}

function changed(before: Item = {}, after: Item = {}): readonly string[] {
  return Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
}

export function getOne(request: Fields, table: Table): object {
  const item = table.get(table.placeOf(request.item("Key")));
  const kept = projection(request);
  const units = readUnits(item ? itemBytes(item) : 0, request.flag("ConsistentRead"));
  return {
    ...(item !== undefined && { Item: kept(item) }),
    ...consumed(request, request.text("TableName"), units),
  };
}

/** What the request's projection keeps of an item. */
export function projection(request: Fields): (item: Item) => Item {
  const text = request.optionalText("ProjectionExpression");
  if (text === undefined) return (item) => item;
  const names = parseProjection(text, request.substitutes());
  return (item) => projected(names, item);
}

/** What the request asked to be told of its cost. */
export function consumed(
  request: Fields,
  tableName: string,
  units: number,
): { readonly ConsumedCapacity?: ConsumedCapacity } {
  if (!tellsCost(request)) return {};
  return { ConsumedCapacity: { TableName: tableName, CapacityUnits: units } };
}

export function tellsCost(request: Fields): boolean {
  const wanted = request.optionalText("ReturnConsumedCapacity") ?? "NONE";
  if (!["NONE", "TOTAL", "INDEXES"].includes(wanted)) {
    throw new Refused("ValidationException", "Unknown ReturnConsumedCapacity");
  }
  return wanted !== "NONE";
}
