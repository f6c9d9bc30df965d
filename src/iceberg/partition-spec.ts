import { utf8Length } from "../base/bytes.ts";
import { sha256Steps } from "../base/hash.ts";
import { IdSet } from "../base/id-map.ts";
import { isJsonObject, type JsonArray, type JsonObject, jsonSteps } from "../base/json.ts";
import {
  asKey,
  asObject,
  memberPath,
  optionalInt,
  requireArray,
  requireInt,
  requireMember,
  requireString,
} from "../base/json-read.ts";
import type { Steps } from "../base/steps.ts";
import { modelInvalid } from "./errors.ts";
import { Fragment } from "./fragment.ts";
import { ICEBERG_LIMITS } from "./limits.ts";
import type { Schema } from "./schema.ts";
import { canTransform, parseTransform, type Transform } from "./transform.ts";

/** Partition field ids count up from here (spec, "Partition Evolution"). */
export const FIRST_PARTITION_FIELD_ID = 1000;

export interface PartitionField {
  readonly sourceId: number;
  readonly fieldId: number;
  readonly name: string;
  readonly transform: Transform;
}

export interface PartitionSpec {
  readonly specId: number;
  readonly fields: readonly PartitionField[];
  /** False for a request that leaves the field ids to the table; `fields` counts them up then. */
  readonly hasFieldIds: boolean;
  readonly fragment: Fragment;
}

/**
 * A spec as metadata or a request holds it; field ids may be missing from all fields or from none.
 * An absent `spec-id` reads as 0, which requests use: their specs are numbered by the table.
 *
 * @throws FirnError `Invalid`: `PARTITION_SPEC_INVALID`, or a `FIELD_…` code.
 */
export function parsePartitionSpec(object: JsonObject, at: string): PartitionSpec {
  const array = requireArray(object, "fields", at);
  const fields = parsePartitionFields(array, memberPath(at, "fields"));
  const hasFieldIds = array.every(
    (field) => isJsonObject(field) && Object.hasOwn(field, "field-id"),
  );
  const specId = optionalInt(object, "spec-id", at) ?? 0;
  return { specId, fields, hasFieldIds, fragment: new Fragment(object) };
}

/** The fields alone, as format version 1 holds its only spec. */
export function parsePartitionFields(array: JsonArray, at: string): readonly PartitionField[] {
  let withId = 0;
  const names = new Set<string>();
  const fields = array.map((element, i) => {
    const path = memberPath(at, i);
    const field = asObject(element, path);
    const fieldId = optionalInt(field, "field-id", path);
    if (fieldId !== undefined) withId++;
    const name = requireMember(field, "name", asKey, path);
    if (name === "" || names.has(name)) {
      throw modelInvalid("PARTITION_SPEC_INVALID", "partition names must be unique and not empty", {
        name,
      });
    }
    names.add(name);
    return {
      sourceId: requireInt(field, "source-id", path),
      fieldId: fieldId ?? FIRST_PARTITION_FIELD_ID + i,
      name,
      transform: parseTransform(requireString(field, "transform", path), "PARTITION_SPEC_INVALID"),
    };
  });
  if (withId !== 0 && withId !== fields.length) {
    throw modelInvalid("PARTITION_SPEC_INVALID", "either all partition fields need an id, or none");
  }
  return fields;
}

/** A spec printed from the model alone. */
export function makePartitionSpec(
  specId: number,
  fields: readonly PartitionField[],
): PartitionSpec {
  const object = { "spec-id": specId, fields: partitionFieldsToJson(fields) };
  return { specId, fields, hasFieldIds: true, fragment: new Fragment(object) };
}

export function partitionFieldsToJson(fields: readonly PartitionField[]): JsonArray {
  return fields.map((field) => ({
    name: field.name,
    transform: field.transform.text,
    "source-id": field.sourceId,
    "field-id": field.fieldId,
  }));
}

/**
 * Bounds the names of a spec that a request adds.
 *
 * @throws FirnError `Invalid` `PARTITION_SPEC_INVALID`, which says the limit.
 */
export function checkPartitionNames({ fields }: PartitionSpec): void {
  const { fieldNameBytes } = ICEBERG_LIMITS;
  for (const { name } of fields) {
    const bytes = utf8Length(name);
    if (bytes <= fieldNameBytes) continue;
    const reason = "partition name is too long: use a shorter one";
    const context = { name: `${name.slice(0, 64)}…`, bytes, maxFieldNameBytes: fieldNameBytes };
    throw modelInvalid("PARTITION_SPEC_INVALID", reason, context);
  }
}

/** The highest partition field id of a spec, one below the first where it has no field. */
export function lastPartitionId(spec: PartitionSpec): number {
  return spec.fields.reduce(
    (last, field) => Math.max(last, field.fieldId),
    FIRST_PARTITION_FIELD_ID - 1,
  );
}

/** The same for two specs with the same fields in the same order, field ids aside. */
export function* specDigest({ fields }: PartitionSpec): Steps<string> {
  return yield* sha256Steps(
    yield* jsonSteps(fields.map((one) => [one.sourceId, one.name, one.transform.text])),
  );
}

/**
 * Whether a table with this schema can write with this spec: every source is a primitive inside
 * structs only, its transform takes it, and no partition is named like another column.
 *
 * @throws FirnError `Invalid` `PARTITION_SPEC_INVALID`.
 */
export function checkSpec(spec: PartitionSpec, schema: Schema): void {
  for (const field of spec.fields) {
    const reason = fieldProblem(field, schema);
    if (reason !== undefined) {
      throw modelInvalid("PARTITION_SPEC_INVALID", reason, { name: field.name });
    }
  }
}

function fieldProblem(field: PartitionField, schema: Schema): string | undefined {
  const source = schema.byId.get(field.sourceId);
  const named = schema.byName.get(field.name);
  if (source !== undefined && named !== undefined && named !== source) {
    return "partition is named like a column that is not its source";
  }
  // A dropped column of format version 1 leaves a void partition without a source behind.
  if (field.transform.name === "void") return undefined;
  if (source === undefined) return "source column does not exist";
  if (source.type.kind !== "primitive") return "source column is not primitive";
  if (!canTransform(field.transform, source.type))
    return "the transform does not support the type of its source column";
  for (let parent = source.parent; parent !== undefined; parent = parent.parent) {
    if (parent.type.kind !== "struct") return "source column is inside a list or map";
  }
  return undefined;
}

/**
 * Whether the ids follow each other from the first one, as format version 1 needs.
 *
 * @throws FirnError `Invalid` `PARTITION_SPEC_INVALID`.
 */
export function checkSequentialIds(spec: PartitionSpec): void {
  if (spec.fields.some((field, i) => field.fieldId !== FIRST_PARTITION_FIELD_ID + i)) {
    throw modelInvalid("PARTITION_SPEC_INVALID", "format version 1 needs sequential field ids");
  }
}

/**
 * Whether no field id stands twice, which would let two fields claim one partition value.
 *
 * @throws FirnError `Invalid` `PARTITION_SPEC_INVALID`.
 */
export function checkDistinctIds(spec: PartitionSpec): void {
  if (new IdSet(spec.fields.map((field) => field.fieldId)).size !== spec.fields.length) {
    throw modelInvalid("PARTITION_SPEC_INVALID", "duplicate partition field id");
  }
}
