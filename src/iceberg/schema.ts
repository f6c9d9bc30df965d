import { utf8Length } from "../base/bytes.ts";
import { sha256Steps } from "../base/hash.ts";
import { IdMap, IdSet } from "../base/id-map.ts";
import { type JsonObject, type JsonValue, jsonSteps } from "../base/json.ts";
import {
  asArray,
  asInt,
  elementSteps,
  member,
  memberPath,
  optionalInt,
  optionalMember,
} from "../base/json-read.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { modelInvalid } from "./errors.ts";
import { Fragment } from "./fragment.ts";
import { ICEBERG_LIMITS } from "./limits.ts";
import { type NameNode, NameTree } from "./name-tree.ts";
import {
  FIELDS_A_STEP,
  fieldsToJson,
  type IcebergType,
  MIN_FORMAT_VERSION,
  type NestedField,
  type StructType,
} from "./type.ts";
import { structSteps } from "./type-read.ts";

/** A field anywhere in a schema: list elements and map keys and values have an id as well. */
export interface IndexedField {
  readonly id: number;
  /** Its own name: `element`, `key` or `value` in a list or map. */
  readonly name: string;
  /** Length in UTF-8 of the names from the root to this one, joined by dots. */
  readonly fullNameBytes: number;
  readonly required: boolean;
  readonly type: IcebergType;
  /** The field whose type holds this one, undefined at the root. */
  readonly parent: IndexedField | undefined;
  readonly hasInitialDefault: boolean;
}

/** A schema with its ids checked: each stands once, and so does each full name. */
export interface Schema {
  readonly schemaId: number;
  readonly struct: StructType;
  readonly identifierFieldIds: readonly number[];
  readonly byId: IdMap<number, IndexedField>;
  /** By the names from the root joined by dots, `element`, `key` and `value` included. */
  readonly byName: NameTree<IndexedField>;
  readonly highestFieldId: number;
  readonly fragment: Fragment;
}

/**
 * A schema as metadata or a request holds it. An absent `schema-id` reads as 0.
 *
 * @throws FirnError `Invalid`: `SCHEMA_INVALID`, or a `FIELD_…` code of a malformed member.
 */
export function* schemaSteps(object: JsonObject, at: string): Steps<Schema> {
  if (member(object, "type") !== "struct") {
    throw modelInvalid("SCHEMA_INVALID", "a schema must be a struct", { path: at });
  }
  const identifiers = new IdSet<number>();
  const ids = optionalMember(object, "identifier-field-ids", asArray, at) ?? [];
  const path = memberPath(at, "identifier-field-ids");
  yield* elementSteps(ids, path, asInt, (id) => identifiers.add(id));
  const struct = yield* structSteps(object, at);
  const schemaId = optionalInt(object, "schema-id", at) ?? 0;
  return yield* indexSteps(schemaId, struct, [...identifiers], new Fragment(object));
}

/** As `schemaSteps`, at once. */
export function parseSchema(object: JsonObject, at: string): Schema {
  return atOnce(schemaSteps(object, at));
}

/** A schema printed from the model alone, as requests need it: unknown members do not enter. */
function* makeSchema(
  schemaId: number,
  struct: StructType,
  identifierFieldIds: readonly number[],
): Steps<Schema> {
  const out = yield* schemaJson(schemaId, struct, identifierFieldIds);
  return yield* indexSteps(schemaId, struct, identifierFieldIds, new Fragment(out));
}

function* schemaJson(
  schemaId: number,
  struct: StructType,
  identifierFieldIds: readonly number[],
): Steps<JsonObject> {
  const out: Record<string, JsonValue> = { type: "struct", "schema-id": schemaId };
  if (identifierFieldIds.length > 0) out["identifier-field-ids"] = identifierFieldIds;
  out["fields"] = yield* fieldsToJson(struct.fields);
  return out;
}

function* indexSteps(
  schemaId: number,
  struct: StructType,
  identifierFieldIds: readonly number[],
  fragment: Fragment,
): Steps<Schema> {
  const index = new SchemaIndex();
  yield* index.addStruct(struct, undefined, index.byName.root);
  const schema: Schema = {
    schemaId,
    struct,
    identifierFieldIds,
    byId: index.byId,
    byName: index.byName,
    highestFieldId: index.highestFieldId,
    fragment,
  };
  for (const [i, id] of identifierFieldIds.entries()) {
    checkIdentifier(schema, id);
    if (i % FIELDS_A_STEP === 0) yield;
  }
  return schema;
}

class SchemaIndex {
  readonly byId = new IdMap<number, IndexedField>();
  readonly byName = new NameTree<IndexedField>();
  highestFieldId = 0;

  *addStruct(
    struct: StructType,
    parent: IndexedField | undefined,
    node: NameNode<IndexedField>,
  ): Steps<void> {
    for (const { id, name, required, type, initialDefault } of struct.fields) {
      const field = { id, name, required, type, parent };
      yield* this.#add(field, node, initialDefault !== undefined);
      if (this.byId.size % FIELDS_A_STEP === 0) yield;
    }
  }

  *#add(
    field: Pick<IndexedField, "id" | "name" | "required" | "type" | "parent">,
    below: NameNode<IndexedField>,
    hasInitialDefault = false,
  ): Steps<void> {
    const { id, name, parent } = field;
    const before = parent === undefined ? 0 : parent.fullNameBytes + 1;
    const entry = { ...field, fullNameBytes: before + utf8Length(name), hasInitialDefault };
    if (this.byId.has(id)) {
      throw modelInvalid("SCHEMA_INVALID", "duplicate field id", { fieldId: id });
    }
    const node = this.byName.add(below, name);
    if (node.value !== undefined) {
      throw modelInvalid("SCHEMA_INVALID", "duplicate field name", { name: fullNameOf(entry) });
    }
    node.value = entry;
    this.highestFieldId = Math.max(this.highestFieldId, id);
    this.byId.set(id, entry);
    if (entry.type.kind !== "primitive") yield* this.#descend(entry, node);
  }

  *#descend(parent: IndexedField, node: NameNode<IndexedField>): Steps<void> {
    const { type } = parent;
    switch (type.kind) {
      case "primitive":
        break;
      case "struct":
        yield* this.addStruct(type, parent, node);
        break;
      case "list": {
        const { elementId: id, elementRequired: required, element } = type;
        yield* this.#add({ id, name: "element", required, type: element, parent }, node);
        break;
      }
      case "map": {
        const { keyId, key, valueId, valueRequired, value } = type;
        yield* this.#add({ id: keyId, name: "key", required: true, type: key, parent }, node);
        const held = { id: valueId, name: "value", required: valueRequired, type: value, parent };
        yield* this.#add(held, node);
        break;
      }
    }
  }
}

/** Names from the root joined by dots: as long as it is, so for errors alone. */
export function fullNameOf({ name, parent }: Pick<IndexedField, "name" | "parent">): string {
  return parent === undefined ? name : `${fullNameOf(parent)}.${name}`;
}

/**
 * Bounds the names of a schema that a request adds. A metadata file that is registered may hold
 * longer ones, up to what the reader of a name takes.
 *
 * @throws FirnError `Invalid` `SCHEMA_INVALID`, which says the limit.
 */
export function* checkNameLengths(schema: Schema): Steps<void> {
  const { fieldNameBytes, fullNameBytes } = ICEBERG_LIMITS;
  let checked = 0;
  for (const field of schema.byId.values()) {
    if (++checked % FIELDS_A_STEP === 0) yield;
    if (field.fullNameBytes <= fieldNameBytes) continue;
    const own = utf8Length(field.name);
    if (own > fieldNameBytes) {
      throw modelInvalid("SCHEMA_INVALID", "field name too long: use a shorter one", {
        ...nameFacts(field),
        bytes: own,
        maxFieldNameBytes: fieldNameBytes,
      });
    }
    if (field.fullNameBytes > fullNameBytes) {
      const reason = "full name of a field is too long: shorten the names around it";
      throw modelInvalid("SCHEMA_INVALID", reason, {
        ...nameFacts(field),
        bytes: field.fullNameBytes,
        maxFullNameBytes: fullNameBytes,
      });
    }
  }
}

/** Enough of a long name to know the field by. */
function nameFacts({ id, name }: IndexedField): {
  readonly fieldId: number;
  readonly name: string;
} {
  return { fieldId: id, name: `${name.slice(0, 64)}…` };
}

/** An identifier field is required and primitive, not floating, inside required structs only. */
function checkIdentifier(schema: Schema, id: number): void {
  const reason = identifierProblem(schema.byId.get(id));
  if (reason !== undefined) {
    throw modelInvalid("SCHEMA_INVALID", `identifier field ${reason}`, { fieldId: id });
  }
}

function identifierProblem(field: IndexedField | undefined): string | undefined {
  if (field === undefined) return "does not exist";
  if (field.type.kind !== "primitive") return "is not primitive";
  if (!field.required) return "is not required";
  if (field.type.name === "float" || field.type.name === "double") return "is floating";
  for (let parent = field.parent; parent !== undefined; parent = parent.parent) {
    if (parent.type.kind !== "struct") return "is inside a list or map";
    if (!parent.required) return "is inside an optional struct";
  }
  return undefined;
}

/**
 * Whether every type and default may stand in a table of this format version.
 *
 * @throws FirnError `Invalid` `SCHEMA_INVALID`.
 */
export function* checkSchemaVersion(schema: Schema, formatVersion: number): Steps<void> {
  let checked = 0;
  for (const field of schema.byId.values()) {
    if (++checked % FIELDS_A_STEP === 0) yield;
    const name = field.type.kind === "primitive" ? field.type.name : undefined;
    const least = name === undefined ? undefined : MIN_FORMAT_VERSION.get(name);
    if (least !== undefined && formatVersion < least) {
      throw modelInvalid("SCHEMA_INVALID", "type is not supported in this format version", {
        name: fullNameOf(field),
        type: name ?? "",
        minFormatVersion: least,
        formatVersion,
      });
    }
    if (field.hasInitialDefault && formatVersion < 3) {
      throw modelInvalid("SCHEMA_INVALID", "initial default needs format version 3", {
        name: fullNameOf(field),
        formatVersion,
      });
    }
  }
}

/**
 * What schemas that differ in their id alone have in common, as a digest: a table compares each new
 * one with all it has. Costs a print of the schema, once.
 */
export function* schemaDigest(schema: Schema): Steps<string> {
  let digest = digests.get(schema);
  if (digest === undefined) {
    const identifiers = schema.identifierFieldIds.toSorted((a, b) => a - b);
    const fields = yield* fieldsToJson(schema.struct.fields);
    digest = yield* sha256Steps(yield* jsonSteps([identifiers, fields]));
    digests.set(schema, digest);
  }
  return digest;
}

const digests = new WeakMap<Schema, string>();

/** The same schema under another id, printed from the model alone. Shares its index. */
export function* renumbered(schema: Schema, schemaId: number): Steps<Schema> {
  const out = yield* schemaJson(schemaId, schema.struct, schema.identifierFieldIds);
  const made = { ...schema, schemaId, fragment: new Fragment(out) };
  const digest = digests.get(schema);
  if (digest !== undefined) digests.set(made, digest);
  return made;
}

/**
 * The schema with ids assigned from 1 in the order of Iceberg's own libraries: the fields of a
 * struct before what is nested in them, a map's key and value before what is nested in either.
 */
export function* assignFreshIds(schema: Schema): Steps<{
  readonly schema: Schema;
  readonly newIds: IdMap<number, number>;
}> {
  const newIds = new IdMap<number, number>();
  const fresh = (oldId: number): number => {
    newIds.set(oldId, newIds.size + 1);
    return newIds.size;
  };
  const struct = yield* freshStruct(schema.struct, fresh);
  const identifiers: number[] = [];
  for (const id of schema.identifierFieldIds) {
    identifiers.push(newIds.get(id) ?? id);
    if (identifiers.length % FIELDS_A_STEP === 0) yield;
  }
  return { schema: yield* makeSchema(0, struct, identifiers), newIds };
}

type Fresh = (oldId: number) => number;

function* freshStruct(struct: StructType, fresh: Fresh): Steps<StructType> {
  const ids: number[] = [];
  for (const { id } of struct.fields) {
    ids.push(fresh(id));
    if (ids.length % FIELDS_A_STEP === 0) yield;
  }
  const fields: NestedField[] = [];
  for (const [i, field] of struct.fields.entries()) {
    const type = field.type.kind === "primitive" ? field.type : yield* freshType(field.type, fresh);
    fields.push({ ...field, id: ids[i] ?? field.id, type });
    if (fields.length % FIELDS_A_STEP === 0) yield;
  }
  return { kind: "struct", fields };
}

function* freshType(type: IcebergType, fresh: Fresh): Steps<IcebergType> {
  switch (type.kind) {
    case "primitive":
      return type;
    case "struct":
      return yield* freshStruct(type, fresh);
    case "list": {
      const elementId = fresh(type.elementId);
      return { ...type, elementId, element: yield* freshType(type.element, fresh) };
    }
    case "map": {
      const keyId = fresh(type.keyId);
      const valueId = fresh(type.valueId);
      const key = yield* freshType(type.key, fresh);
      return { ...type, keyId, valueId, key, value: yield* freshType(type.value, fresh) };
    }
  }
}
