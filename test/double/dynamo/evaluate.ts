import type { Comparator, Condition, Operand, SetValue, UpdateAction } from "./expression.ts";
import { invalid } from "./refusal.ts";
import type { Item, Value } from "./value-types.ts";
import { compareValues, equalValues, sizeOf, startsWith, sum, typeOf } from "./values.ts";

const NOTHING: Item = {};

/** Whether a condition holds of an item, or of no item. What is missing only differs. */
export function holds(condition: Condition, item: Item = NOTHING): boolean {
  switch (condition.kind) {
    case "and":
      return holds(condition.left, item) && holds(condition.right, item);
    case "or":
      return holds(condition.left, item) || holds(condition.right, item);
    case "not":
      return !holds(condition.inner, item);
    case "exists":
      return (item[condition.path.name] !== undefined) === condition.exists;
    case "compare":
      return compared(condition.comparator, of(condition.left, item), of(condition.right, item));
    case "between": {
      const value = of(condition.operand, item);
      const low = of(condition.low, item);
      return compared(">=", value, low) && compared("<=", value, of(condition.high, item));
    }
    case "in": {
      const value = of(condition.operand, item);
      return condition.list.some((each) => compared("=", value, of(each, item)));
    }
    case "type": {
      const value = item[condition.path.name];
      return value !== undefined && typeOf(value) === condition.type;
    }
    case "begins_with":
    case "contains": {
      const value = item[condition.path.name];
      const part = of(condition.with, item);
      if (value === undefined || part === undefined) return false;
      return condition.kind === "begins_with" ? startsWith(value, part) : contains(value, part);
    }
  }
}

function of(operand: Operand, item: Item): Value | undefined {
  switch (operand.kind) {
    case "path":
      return item[operand.name];
    case "value":
      return operand.value;
    case "size": {
      const value = item[operand.path.name];
      return value && { N: String(sizeOf(value)) };
    }
  }
}

function compared(comparator: Comparator, a: Value | undefined, b: Value | undefined): boolean {
  if (a === undefined || b === undefined) return comparator === "<>";
  if (comparator === "=") return equalValues(a, b);
  if (comparator === "<>") return !equalValues(a, b);
  const order = compareValues(a, b);
  if (order === undefined) return false;
  switch (comparator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

function contains(value: Value, part: Value): boolean {
  if ("S" in value && "S" in part) return value.S.includes(part.S);
  if ("SS" in value && "S" in part) return value.SS.includes(part.S);
  return "L" in value && value.L.some((each) => equalValues(each, part));
}

/** The item that an update makes. All that it reads is of the item as it was. */
export function updated(actions: readonly UpdateAction[], before: Item): Item {
  const after: Record<string, Value> = { ...before };
  for (const step of actions) {
    const { name } = step.path;
    switch (step.action) {
      case "set":
        after[name] = setTo(step.value, before);
        break;
      case "remove":
        delete after[name];
        break;
      case "add": {
        const added = required(of(step.value, before));
        const base = before[name];
        after[name] = base === undefined ? added : sum(base, added, 1);
        break;
      }
    }
  }
  return after;
}

function setTo(value: SetValue, item: Item): Value {
  switch (value.kind) {
    case "sum":
      return sum(setTo(value.left, item), setTo(value.right, item), value.sign);
    case "if_not_exists":
      return item[value.path.name] ?? setTo(value.otherwise, item);
    default:
      return required(of(value, item));
  }
}

function required(value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw invalid("The provided expression refers to an attribute that does not exist in the item");
}

/** The attributes of an item that a projection names. */
export function projected(names: readonly string[], item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));
}
