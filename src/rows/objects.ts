import { utf8, utf8Text } from "../base/bytes.ts";
import { FirnError } from "../base/error.ts";
import type { AnyId, IdSource, TableId } from "../base/ids.ts";
import { rangeOfPrefix } from "../keys/index.ts";
import { refuseWhileClosing } from "./closing.ts";
import type { ColumnType } from "./column-type.ts";
import type { DescriptorAccess } from "./descriptor-access.ts";
import { rowError } from "./errors.ts";
import type { TemporarySpace } from "./sequence.ts";
import { SystemKeys, systemPrefix } from "./system-prefix.ts";
import { isTemporaryId, temporaryId } from "./temporary/marks.ts";

/** What SQL defines beside tables and sequences: types, views, comments. */
export type SqlObject = EnumObject | DomainObject | CompositeObject | ViewObject | CommentObject;

interface ObjectBase {
  readonly id: AnyId;
  /** Counts its changes: plans that rest on an older one are made again. */
  readonly version: number;
  readonly namespace: readonly string[];
  readonly name: string;
}

/** The columns of tables have their own copy of its labels. */
export interface EnumObject extends ObjectBase {
  readonly kind: "enum";
  /** A relation's number that no table has: SQL makes OIDs of it. */
  readonly number: number;
  readonly type: ColumnType;
}

export interface DomainObject extends ObjectBase {
  readonly kind: "domain";
  readonly number: number;
  /** What it rests on, with its constraints: the type of its columns. */
  readonly type: ColumnType;
}

/** A type of rows. The columns of tables have their own copy of its fields. */
export interface CompositeObject extends ObjectBase {
  readonly kind: "composite";
  /** That of its relation. */
  readonly number: number;
  readonly type: ColumnType;
}

/** A query that has a name. */
export interface ViewObject extends ObjectBase {
  readonly kind: "view";
  readonly number: number;
  /** The SELECT, as SQL; names in it have their schemas. */
  readonly query: string;
  /** By OIDs of SQL's types. */
  readonly columns: readonly ViewColumn[];
  /** Ids of tables, views and types that it needs. */
  readonly uses: readonly ViewUse[];
  readonly checkOption?: "local" | "cascaded";
  /** Of a materialized view: the table of its rows, which has its name too. */
  readonly materialized?: { readonly table: TableId; readonly isPopulated: boolean };
}

export interface ViewColumn {
  readonly name: string;
  readonly oid: number;
  readonly typmod: number;
}

export interface ViewUse {
  readonly id: string;
  /** Of a table: the names of columns that it reads. */
  readonly columns?: readonly string[];
  /** Of a table: its last column when the view was made. The view does not see later ones. */
  readonly lastColumn?: number;
}

/** Named by what it is about: see `commentName`. */
export interface CommentObject extends ObjectBase {
  readonly kind: "comment";
  readonly text: string;
}

type Unmade<T> = T extends SqlObject ? Omit<T, "id" | "version"> : never;
/** An object to be made. */
export type NewObject = Unmade<SqlObject>;

/** Names are told apart within a class. */
const CLASSES = {
  enum: "type",
  domain: "type",
  composite: "type",
  view: "relation",
  comment: "comment",
} as const;
export type ObjectClass = (typeof CLASSES)[SqlObject["kind"]];

/** The objects of a shard: by id, and by class and name. */
const byId = new SystemKeys([{ type: "uuid" }], "objects");
const byName = new SystemKeys([{ type: "text" }, { type: "path" }, { type: "text" }], "objects", 1);

function idKey(id: AnyId): Uint8Array {
  return byId.encode([id], isTemporaryId(id));
}

/** The objects of a shard, as a transaction sees them: made and dropped with its other writes. */
export class TransactionObjects {
  readonly #access: DescriptorAccess;
  readonly #ids: IdSource;
  readonly #newNumber: () => Promise<number>;
  readonly #temporary: TemporarySpace | undefined;

  constructor(
    access: DescriptorAccess,
    ids: IdSource,
    newNumber: () => Promise<number>,
    temporary?: TemporarySpace,
  ) {
    this.#access = access;
    this.#ids = ids;
    this.#newNumber = newNumber;
    this.#temporary = temporary;
  }

  /** A number that no table and no other object has, for an object of a namespace. */
  async newNumber(namespace: readonly string[]): Promise<number> {
    const isOwn = this.#temporary?.isOwn(namespace) === true;
    return isOwn ? this.#temporary.newRelation() : await this.#newNumber();
  }

  async find(id: AnyId): Promise<SqlObject | undefined> {
    const bytes = await this.#access.get(idKey(id));
    return bytes === undefined ? undefined : decode(bytes);
  }

  async byName(
    of: ObjectClass,
    namespace: readonly string[],
    name: string,
  ): Promise<SqlObject | undefined> {
    const bytes = await this.#access.get(
      byName.encode([of, namespace, name], this.#isTemporary(of, namespace, name)),
    );
    return bytes === undefined ? undefined : await this.find(utf8Text(bytes) as AnyId);
  }

  /** All of the shard by id, and then what is temporary in the session. */
  async list(): Promise<readonly SqlObject[]> {
    const hasOthers = this.#temporary?.schema !== undefined;
    return [...(await this.#list(false)), ...(hasOthers ? await this.#list(true) : [])];
  }

  async #list(isOfSession: boolean): Promise<readonly SqlObject[]> {
    const { from, to } = rangeOfPrefix(systemPrefix("objects", 0, isOfSession));
    return (await this.#access.values(from, to as Uint8Array)).map(decode);
  }

  /** @throws FirnError `AlreadyExists`, code `ROW_OBJECT_EXISTS` (42710, 42P07). */
  async create<T extends NewObject>(spec: T): Promise<T & Pick<ObjectBase, "id" | "version">> {
    const minted = this.#ids.mint<AnyId>();
    const { kind, namespace, name } = spec;
    const isTemporary = this.#isTemporary(CLASSES[kind], namespace, name);
    const id = isTemporary ? temporaryId(minted) : minted;
    if (!isTemporaryId(id)) await refuseWhileClosing(this.#access);
    const made = { ...spec, id, version: 1 };
    await this.#claimName(made);
    this.#access.put(idKey(made.id), encode(made));
    return made;
  }

  /** Puts an object in the place of the one with its id. @throws as `create`. */
  async replace<T extends SqlObject>(before: SqlObject, next: T): Promise<T> {
    const put = { ...next, id: before.id, version: before.version + 1 };
    if (put.name !== before.name || put.namespace.join("\0") !== before.namespace.join("\0")) {
      await this.#claimName(put);
      this.#access.delete(nameKey(before));
    }
    this.#access.put(idKey(before.id), encode(put));
    return put;
  }

  drop(object: SqlObject): void {
    this.#access.delete(idKey(object.id));
    this.#access.delete(nameKey(object));
  }

  /** The name of a comment has the id that it is about. */
  #isTemporary(of: ObjectClass, namespace: readonly string[], name: string): boolean {
    if (of === "comment") return isTemporaryId(name.split(" ")[1] ?? "");
    return this.#temporary?.isOwn(namespace) === true;
  }

  async #claimName(object: SqlObject): Promise<void> {
    const key = nameKey(object);
    if ((await this.#access.get(key)) !== undefined) {
      const of = CLASSES[object.kind];
      const message = `${of} "${object.name}" already exists`;
      const sqlState = of === "relation" ? "42P07" : "42710";
      throw rowError("AlreadyExists", "ROW_OBJECT_EXISTS", sqlState, message);
    }
    this.#access.put(key, utf8(object.id));
  }
}

function nameKey({ id, kind, namespace, name }: SqlObject): Uint8Array {
  return byName.encode([CLASSES[kind], namespace, name], isTemporaryId(id));
}

/*
 * An object as a shard stores it: JSON, {"format": 1, "object": {…}}; format 2 of a composite type,
 * or of a domain of one.
 */
const FORMAT = 1;
const FORMAT_WITH_COMPOSITES = 2;

function encode(object: SqlObject): Uint8Array {
  const isComposite = "type" in object && object.type.fields !== undefined;
  const format = isComposite ? FORMAT_WITH_COMPOSITES : FORMAT;
  return utf8(JSON.stringify({ format, object }));
}

function decode(bytes: Uint8Array): SqlObject {
  let stored: { readonly format?: unknown; readonly object?: SqlObject };
  try {
    stored = JSON.parse(utf8Text(bytes)) as typeof stored;
  } catch (error) {
    const message = "damaged object descriptor: not JSON";
    const context = { sqlState: "XX001" };
    throw new FirnError("Corrupt", "ROW_DESCRIPTOR_CORRUPT", message, context, error);
  }
  const isKnown = stored.format === FORMAT || stored.format === FORMAT_WITH_COMPOSITES;
  if (isKnown && stored.object !== undefined) return stored.object;
  const message = "a newer version of Firn wrote this object: upgrade";
  throw new FirnError("Unavailable", "ROW_DESCRIPTOR_TOO_NEW", message, {
    format: String(stored.format),
  });
}
