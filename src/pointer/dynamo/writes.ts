import type {
  ConditionCheck,
  Put,
  PutItemCommandInput,
  TransactWriteItem,
  TransactWriteItemsCommandInput,
  Update,
  UpdateItemCommandInput,
} from "@aws-sdk/client-dynamodb";
import { assert } from "../../base/assert.ts";
import type { Prng } from "../../base/prng.ts";
import { isWriting, itemAfter, type StoredItem } from "../batch.ts";
import type { KeyFamilies } from "../families.ts";
import type { Batch, Item, PointerOp } from "../port.ts";
import { type Attributes, encodeItem, itemKey } from "./item.ts";

/** Every condition that a pointer operation makes, over the attributes of `item.ts`. */
const NOTHING_STORED = "attribute_not_exists(p)";
const AT_VERSION = "v = :expected";
const ALIVE = "attribute_exists(p) AND attribute_not_exists(d)";
const ALIVE_AT_VERSION = "v = :expected AND attribute_not_exists(d)";
const NOT_ALIVE = "attribute_not_exists(p) OR attribute_exists(d)";
const NEXT_VERSION = "SET v = v + :one";

/** With a failed condition comes what stands there, so that a refusal costs no read. */
const TELL = "ALL_OLD" as const;
const CONSUMED = { ReturnConsumedCapacity: "TOTAL" } as const;
/** Of its 36 characters a token uses 32. */
const TOKEN_BYTES = 16;

/** A batch as one request. It is the same, byte for byte, however often it is sent. */
export type Write =
  /** One put or delete: a put of an item, conditional on what it replaces. */
  | { readonly operation: "PutItem"; readonly input: PutItemCommandInput }
  /** One bump. */
  | { readonly operation: "UpdateItem"; readonly input: UpdateItemCommandInput }
  /** All else. Its token makes a second copy answer what the first did, for ten minutes. */
  | { readonly operation: "TransactWriteItems"; readonly input: TransactWriteItemsCommandInput };

export interface WriteContext {
  readonly table: string;
  readonly families: KeyFamilies;
  readonly prng: Prng;
  readonly nowMs: number;
}

/** @throws FirnError `Invalid`, code `POINTER_ITEM_TOO_LARGE`. */
export function writeOf(context: WriteContext, { writerId, ops }: Batch): Write {
  const [only] = ops;
  if (only !== undefined && ops.length === 1) {
    if (only.op === "put" || only.op === "delete") {
      return { operation: "PutItem", input: { ...putOf(context, only, writerId), ...CONSUMED } };
    }
    if (only.op === "bump") {
      const input = { ...bumpOf(context, only.key), ...CONSUMED };
      return { operation: "UpdateItem", input: { ...input, ReturnValues: "UPDATED_NEW" } };
    }
  }
  return {
    operation: "TransactWriteItems",
    input: {
      TransactItems: ops.map((op) => transactItem(context, op, writerId)),
      ClientRequestToken: Buffer.from(context.prng.bytes(TOKEN_BYTES)).toString("hex"),
      ...CONSUMED,
    },
  };
}

function transactItem(context: WriteContext, op: PointerOp, writerId: string): TransactWriteItem {
  switch (op.op) {
    case "put":
    case "delete":
      return { Put: putOf(context, op, writerId) };
    case "bump":
      return { Update: bumpOf(context, op.key) };
    case "check":
      return {
        ConditionCheck: {
          ...checkOf(context, op.key, ALIVE_AT_VERSION),
          ExpressionAttributeValues: expected(op.expected),
        },
      };
    case "checkAbsent":
      return { ConditionCheck: checkOf(context, op.key, NOT_ALIVE) };
  }
}

function putOf(
  { table, families, nowMs }: WriteContext,
  op: Extract<PointerOp, { op: "put" | "delete" }>,
  writerId: string,
): Put {
  const before: Item = { state: "absent", key: op.key, version: op.expected };
  const after: StoredItem = itemAfter(op, before, writerId, nowMs);
  return {
    TableName: table,
    Item: encodeItem(families, after, nowMs),
    ReturnValuesOnConditionCheckFailure: TELL,
    ...(op.expected === 0n
      ? { ConditionExpression: NOTHING_STORED }
      : { ConditionExpression: AT_VERSION, ExpressionAttributeValues: expected(op.expected) }),
  };
}

function bumpOf({ table, families }: WriteContext, key: string): Update {
  return {
    TableName: table,
    Key: itemKey(families, key),
    UpdateExpression: NEXT_VERSION,
    ConditionExpression: ALIVE,
    ExpressionAttributeValues: { ":one": { N: "1" } },
    ReturnValuesOnConditionCheckFailure: TELL,
  };
}

function checkOf(
  { table, families }: WriteContext,
  key: string,
  condition: string,
): ConditionCheck {
  return {
    TableName: table,
    Key: itemKey(families, key),
    ConditionExpression: condition,
    ReturnValuesOnConditionCheckFailure: TELL,
  };
}

function expected(version: bigint): Attributes {
  return { ":expected": { N: String(version) } };
}

/** What a batch that was applied made of its keys, but for bumps, whose answer alone tells. */
export function versionsOf(ops: readonly PointerOp[]): Map<string, bigint> {
  const versions = new Map<string, bigint>();
  for (const op of ops) {
    if (!isWriting(op) || op.op === "bump") continue;
    assert(op.expected >= 0n, "an expected version is not negative");
    versions.set(op.key, op.expected + 1n);
  }
  return versions;
}
