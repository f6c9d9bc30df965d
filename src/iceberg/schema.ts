import { type JsonObject, type JsonValue, printJson } from "../base/json.ts";
import { arrayOf, asInt, member, optionalInt, optionalMember } from "../base/json-read.ts";
import { modelInvalid } from "./errors.ts";
import { Fragment } from "./fragment.ts";
import {
  fieldToJson,
  type IcebergType,
  MIN_FORMAT_VERSION,
  type NestedField,
  type StructType,
} from "./type.ts";
import { parseStruct } from "./type-read.ts";

/** A field anywhere in a schema: list elements and map keys and values have an id as well. */
export interface IndexedField {
  readonly id: number;
  /** Names from the root joined by dots, `element`, `key` and `value` included. */
  readonly fullName: string;
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
  readonly byId: ReadonlyMap<number, IndexedField>;
  readonly byName: ReadonlyMap<string, IndexedField>;
  readonly highestFieldId: number;
  readonly fragment: Fragment;
}

/**
 * A schema as metadata or a request holds it. An absent `schema-id` reads as 0.
 *
 * @throws CatalogError `Invalid`: `SCHEMA_INVALID`, or a `FIELD_…` code of a malformed member.
 */
export function parseSchema(object: JsonObject, at: string): Schema {
  if (member(object, "type") !== "struct") {
    throw modelInvalid("SCHEMA_INVALID", "a schema is a struct", { path: at });
  }
  const identifiers = optionalMember(object, "identifier-field-ids", arrayOf(asInt), at);
  const struct = parseStruct(object, at);
  const schemaId = optionalInt(object, "schema-id", at) ?? 0;
  return indexSchema(schemaId, struct, identifiers ?? [], new Fragment(object));
}

/** A schema printed from the model alone, as requests need it: unknown members do not enter. */
export function makeSchema(
  schemaId: number,
  struct: StructType,
  identifierFieldIds: readonly number[],
): Schema {
  const out: Record<string, JsonValue> = { type: "struct", "schema-id": schemaId };
  if (identifierFieldIds.length > 0) out["identifier-field-ids"] = identifierFieldIds;
  out["fields"] = struct.fields.map(fieldToJson);
  return indexSchema(schemaId, struct, identifierFieldIds, new Fragment(out));
}

function indexSchema(
  schemaId: number,
  struct: StructType,
  identifierFieldIds: readonly number[],
  fragment: Fragment,
): Schema {
  const index = new SchemaIndex();
  index.addStruct(struct, undefined);
  const schema: Schema = {
    schemaId,
    struct,
    identifierFieldIds: [...new Set(identifierFieldIds)],
    byId: index.byId,
    byName: index.byName,
    highestFieldId: index.highestFieldId,
    fragment,
  };
  for (const id of schema.identifierFieldIds) checkIdentifier(schema, id);
  return schema;
}

class SchemaIndex {
  readonly byId = new Map<number, IndexedField>();
  readonly byName = new Map<string, IndexedField>();
  highestFieldId = 0;

  addStruct(struct: StructType, parent: IndexedField | undefined): void {
    for (const field of struct.fields) {
      this.#add(field.id, field.name, field.required, field.type, parent, field);
    }
  }

  #add(
    id: number,
    name: string,
    required: boolean,
    type: IcebergType,
    parent: IndexedField | undefined,
    field?: NestedField,
  ): void {
    const fullName = parent === undefined ? name : `${parent.fullName}.${name}`;
    const hasInitialDefault = field?.initialDefault !== undefined;
    const entry: IndexedField = { id, fullName, required, type, parent, hasInitialDefault };
    if (this.byId.has(id)) {
      throw modelInvalid("SCHEMA_INVALID", "field id is used twice", { fieldId: id });
    }
    if (this.byName.has(fullName)) {
      throw modelInvalid("SCHEMA_INVALID", "name is used twice", { name: fullName });
    }
    this.highestFieldId = Math.max(this.highestFieldId, id);
    this.byId.set(id, entry);
    this.byName.set(fullName, entry);
    this.#descend(type, entry);
  }

  #descend(type: IcebergType, parent: IndexedField): void {
    switch (type.kind) {
      case "primitive":
        break;
      case "struct":
        this.addStruct(type, parent);
        break;
      case "list":
        this.#add(type.elementId, "element", type.elementRequired, type.element, parent);
        break;
      case "map":
        this.#add(type.keyId, "key", true, type.key, parent);
        this.#add(type.valueId, "value", type.valueRequired, type.value, parent);
        break;
    }
  }
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
 * @throws CatalogError `Invalid` `SCHEMA_INVALID`.
 */
export function checkSchemaVersion(schema: Schema, formatVersion: number): void {
  for (const field of schema.byId.values()) {
    const name = field.type.kind === "primitive" ? field.type.name : undefined;
    const least = name === undefined ? undefined : MIN_FORMAT_VERSION.get(name);
    if (least !== undefined && formatVersion < least) {
      throw modelInvalid("SCHEMA_INVALID", "type is not supported in this format version", {
        name: field.fullName,
        type: name ?? "",
        minFormatVersion: least,
        formatVersion,
      });
    }
    if (field.hasInitialDefault && formatVersion < 3) {
      throw modelInvalid("SCHEMA_INVALID", "initial default needs format version 3", {
        name: field.fullName,
        formatVersion,
      });
    }
  }
}

/** Whether two schemas are equal but for their id. */
export function sameSchema(a: Schema, b: Schema): boolean {
  const [aIds, bIds] = [a.identifierFieldIds, b.identifierFieldIds];
  if (a.byId.size !== b.byId.size || aIds.length !== bIds.length) return false;
  if (!aIds.every((id) => bIds.includes(id))) return false;
  return structText(a) === structText(b);
}

/** Printed structs of schemas that were compared: a table compares each new one with all it has. */
const structTexts = new WeakMap<Schema, string>();

function structText(schema: Schema): string {
  let text = structTexts.get(schema);
  if (text === undefined) {
    text = printJson(schema.struct.fields.map(fieldToJson));
    structTexts.set(schema, text);
  }
  return text;
}

/**
 * The schema with ids assigned from 1 in the order of Iceberg's own libraries: the fields of a
 * struct before what is nested in them, a map's key and value before what is nested in either.
 */
export function assignFreshIds(schema: Schema): {
  readonly schema: Schema;
  readonly newIds: ReadonlyMap<number, number>;
} {
  const newIds = new Map<number, number>();
  const fresh = (oldId: number): number => {
    newIds.set(oldId, newIds.size + 1);
    return newIds.size;
  };
  const struct = freshStruct(schema.struct, fresh);
  const identifiers = schema.identifierFieldIds.map((id) => newIds.get(id) ?? id);
  return { schema: makeSchema(0, struct, identifiers), newIds };
}

function freshStruct(struct: StructType, fresh: (oldId: number) => number): StructType {
  const ids = struct.fields.map((field) => fresh(field.id));
  const fields = struct.fields.map((field, i) => ({
    ...field,
    id: ids[i] ?? field.id,
    type: freshType(field.type, fresh),
  }));
  return { kind: "struct", fields };
}

function freshType(type: IcebergType, fresh: (oldId: number) => number): IcebergType {
  switch (type.kind) {
    case "primitive":
      return type;
    case "struct":
      return freshStruct(type, fresh);
    case "list": {
      const elementId = fresh(type.elementId);
      return { ...type, elementId, element: freshType(type.element, fresh) };
    }
    case "map": {
      const keyId = fresh(type.keyId);
      const valueId = fresh(type.valueId);
      const key = freshType(type.key, fresh);
      return { ...type, keyId, valueId, key, value: freshType(type.value, fresh) };
    }
  }
}
