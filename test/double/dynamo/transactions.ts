import { sha256Hex } from "../../../src/base/hash.ts";
import { readUnits } from "./capacity.ts";
import type { Fields } from "./fields.ts";
import {
  apply,
  conditionOf,
  type PlannedWrite,
  planWrite,
  tellsCost,
  type WriteKind,
} from "./items.ts";
import { type CancellationReason, cancelled, invalid, Refused } from "./refusal.ts";
import type { Table } from "./table.ts";
import type { Item } from "./value-types.ts";
import { itemBytes } from "./values.ts";

const MAX_ITEMS = 100;
const MAX_BYTES = 4_194_304;
const MAX_TOKEN = 36;
const TOKEN_LIFE_MS = 600_000;
const KINDS: readonly WriteKind[] = ["Put", "Update", "Delete", "ConditionCheck"];
const NONE: CancellationReason = { Code: "None" };

interface Remembered {
  readonly parameters: string;
  readonly untilMs: number;
}

/** Transactions, each one step of the service, and the tokens of those that were applied. */
export class Transactions {
  readonly #tokens = new Map<string, Remembered>();
  readonly #nowMs: () => number;
  readonly #tableOf: (name: string) => Table;

  constructor(nowMs: () => number, tableOf: (name: string) => Table) {
    this.#nowMs = nowMs;
    this.#tableOf = tableOf;
  }

  /** `TransactWriteItems`: all conditions over what stands there, then all writes, or none. */
  write(request: Fields): object {
    const writes = this.#plan(request);
    const token = request.optionalText("ClientRequestToken");
    if (token !== undefined && (token.length < 1 || token.length > MAX_TOKEN)) {
      throw invalid("Value at 'clientRequestToken' failed to satisfy constraint: 1 to 36");
    }
    const parameters = sha256Hex(JSON.stringify(request.list("TransactItems")));
    if (token !== undefined && this.#isRepeated(token, parameters)) {
      return answer(request, writes, "read");
    }
    const reasons = writes.map(reasonOf);
    if (reasons.some((reason) => reason !== NONE)) throw cancelled(reasons);
    const units = writes.map((write) => ({ write, units: 2 * apply(write) }));
    if (token !== undefined) this.#remember(token, parameters);
    return answer(request, writes, new Map(units.map((each) => [each.write, each.units])));
  }

  /** `TransactGetItems`: all of one moment. */
  get(request: Fields): object {
    const gets = request.structures("TransactItems").map((each) => each.fields("Get"));
    if (gets.length < 1 || gets.length > MAX_ITEMS) throw invalid("1 to 100 items");
    const units = new Map<string, number>();
    const responses = gets.map((get) => {
      const name = get.text("TableName");
      const table = this.#tableOf(name);
      const item = table.get(table.placeOf(get.item("Key")));
      const cost = 2 * readUnits(item ? itemBytes(item) : 0, true);
      units.set(name, (units.get(name) ?? 0) + cost);
      return item === undefined ? {} : { Item: item };
    });
    const costs = [...units].map(([TableName, CapacityUnits]) => ({
      TableName,
      CapacityUnits,
      ReadCapacityUnits: CapacityUnits,
    }));
    return { Responses: responses, ...(tellsCost(request) && { ConsumedCapacity: costs }) };
  }

  #isRepeated(token: string, parameters: string): boolean {
    const before = this.#tokens.get(token);
    if (before === undefined || before.untilMs <= this.#nowMs()) return false;
    if (before.parameters === parameters) return true;
    throw new Refused(
      "IdempotentParameterMismatchException",
      "The request uses the same client token as a previous, but non-identical request.",
    );
  }

  /** The oldest stand first, so none is kept longer than it must be. */
  #remember(token: string, parameters: string): void {
    const nowMs = this.#nowMs();
    for (const [old, { untilMs }] of this.#tokens) {
      if (untilMs > nowMs) break;
      this.#tokens.delete(old);
    }
    this.#tokens.set(token, { parameters, untilMs: nowMs + TOKEN_LIFE_MS });
  }

  #plan(request: Fields): readonly PlannedWrite[] {
    const parts = request.structures("TransactItems");
    if (parts.length < 1 || parts.length > MAX_ITEMS) {
      throw invalid(
        "Value at 'transactItems' failed to satisfy constraint: Member must have length less " +
          "than or equal to 100 and greater than or equal to 1",
      );
    }
    const writes = parts.map((part) => {
      const kinds = KINDS.filter((kind) => part.names.includes(kind));
      const [kind] = kinds;
      if (kind === undefined || kinds.length > 1) {
        throw invalid("TransactItems can only contain one of Check, Put, Update or Delete");
      }
      const fields = part.fields(kind);
      return planWrite(kind, fields, this.#tableOf(fields.text("TableName")));
    });
    const places = writes.map(({ tableName, place }) => JSON.stringify([tableName, place]));
    if (new Set(places).size !== places.length) {
      throw invalid("Transaction request cannot include multiple operations on one item");
    }
    const bytes = writes.reduce((sum, write) => sum + bytesOf(write), 0);
    if (bytes > MAX_BYTES) throw invalid("Transaction size has exceeded the maximum of 4 MB");
    return writes;
  }
}

function bytesOf(write: PlannedWrite): number {
  // What is refused is not computed: an update may rest on what its condition asks for.
  const item = conditionOf(write) ? write.after(write.table.get(write.place)) : undefined;
  return item === undefined ? 0 : itemBytes(item);
}

function reasonOf(write: PlannedWrite): CancellationReason {
  if (conditionOf(write)) return NONE;
  const item: Item | undefined = write.tellsOnFailure ? write.table.get(write.place) : undefined;
  return {
    Code: "ConditionalCheckFailed",
    Message: "The conditional request failed",
    ...(item !== undefined && { Item: item }),
  };
}

/** What a transaction cost, by table; one that was applied before reads, and says so. */
function answer(
  request: Fields,
  writes: readonly PlannedWrite[],
  units: ReadonlyMap<PlannedWrite, number> | "read",
): object {
  if (!tellsCost(request)) return {};
  const sums = new Map<string, number>();
  for (const write of writes) {
    const { table, tableName, place } = write;
    const item = table.get(place);
    const cost =
      units === "read" ? 2 * readUnits(item ? itemBytes(item) : 0, true) : (units.get(write) ?? 0);
    sums.set(tableName, (sums.get(tableName) ?? 0) + cost);
  }
  const kind = units === "read" ? "ReadCapacityUnits" : "WriteCapacityUnits";
  const costs = [...sums].map(([TableName, CapacityUnits]) => ({
    TableName,
    CapacityUnits,
    [kind]: CapacityUnits,
  }));
  return { ConsumedCapacity: costs };
}
