import { sha256Steps } from "../base/hash.ts";
import { type JsonObject, jsonSteps } from "../base/json.ts";
import {
  asObject,
  memberPath,
  optionalInt,
  requireArray,
  requireInt,
  requireString,
} from "../base/json-read.ts";
import type { Steps } from "../base/steps.ts";
import { modelInvalid } from "./errors.ts";
import { Fragment } from "./fragment.ts";
import type { Schema } from "./schema.ts";
import { canTransform, parseTransform, type Transform } from "./transform.ts";

export interface SortField {
  readonly transform: Transform;
  readonly sourceId: number;
  readonly direction: "asc" | "desc";
  readonly nullOrder: "nulls-first" | "nulls-last";
}

/** Order id 0 is the unsorted order, and no other. */
export interface SortOrder {
  readonly orderId: number;
  readonly fields: readonly SortField[];
  readonly fragment: Fragment;
}

export const UNSORTED_ORDER_ID = 0;
export const FIRST_SORT_ORDER_ID = 1;

/**
 * An order as metadata or a request holds it. An absent `order-id` reads as what its fields imply.
 *
 * @throws FirnError `Invalid`: `SORT_ORDER_INVALID`, or a `FIELD_…` code.
 */
export function parseSortOrder(object: JsonObject, at: string): SortOrder {
  const path = memberPath(at, "fields");
  const fields = requireArray(object, "fields", at).map((element, i) =>
    parseSortField(asObject(element, memberPath(path, i)), memberPath(path, i)),
  );
  const implied = fields.length === 0 ? UNSORTED_ORDER_ID : FIRST_SORT_ORDER_ID;
  const orderId = optionalInt(object, "order-id", at) ?? implied;
  if ((orderId === UNSORTED_ORDER_ID) !== (fields.length === 0)) {
    throw modelInvalid("SORT_ORDER_INVALID", "sort order id 0 must be the unsorted order", {
      orderId,
    });
  }
  return { orderId, fields, fragment: new Fragment(object) };
}

function parseSortField(field: JsonObject, at: string): SortField {
  const direction = requireString(field, "direction", at).toLowerCase();
  const nullOrder = requireString(field, "null-order", at).toLowerCase();
  if (direction !== "asc" && direction !== "desc") {
    throw modelInvalid("SORT_ORDER_INVALID", "the direction must be asc or desc", { path: at });
  }
  if (nullOrder !== "nulls-first" && nullOrder !== "nulls-last") {
    throw modelInvalid("SORT_ORDER_INVALID", "the null order must be nulls-first or nulls-last", {
      path: at,
    });
  }
  return {
    transform: parseTransform(requireString(field, "transform", at), "SORT_ORDER_INVALID"),
    sourceId: requireInt(field, "source-id", at),
    direction,
    nullOrder,
  };
}

/** An order printed from the model alone. */
export function makeSortOrder(orderId: number, fields: readonly SortField[]): SortOrder {
  const object = {
    "order-id": orderId,
    fields: fields.map((field) => ({
      transform: field.transform.text,
      "source-id": field.sourceId,
      direction: field.direction,
      "null-order": field.nullOrder,
    })),
  };
  return { orderId, fields, fragment: new Fragment(object) };
}

/** The same for two orders that differ in their id alone. */
export function* orderDigest({ fields }: SortOrder): Steps<string> {
  const parts = fields.map(({ transform, sourceId, direction, nullOrder }) => [
    transform.text,
    sourceId,
    direction,
    nullOrder,
  ]);
  return yield* sha256Steps(yield* jsonSteps(parts));
}

/**
 * Whether rows of this schema can be sorted by this order.
 *
 * @throws FirnError `Invalid` `SORT_ORDER_INVALID`.
 */
export function checkOrder(order: SortOrder, schema: Schema): void {
  for (const field of order.fields) {
    const source = schema.byId.get(field.sourceId);
    const context = { sourceId: field.sourceId };
    if (source === undefined) {
      throw modelInvalid("SORT_ORDER_INVALID", "source column does not exist", context);
    }
    if (source.type.kind !== "primitive" || !canTransform(field.transform, source.type)) {
      throw modelInvalid(
        "SORT_ORDER_INVALID",
        "the transform does not support the type of its source column",
        context,
      );
    }
  }
}
