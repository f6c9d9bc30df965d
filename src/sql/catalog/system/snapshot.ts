import type {
  CompositeObject,
  ConstraintDescriptor,
  IndexDescriptor,
  SequenceDescriptor,
  TableDescriptor,
  ViewObject,
} from "../../../rows/index.ts";
import { ALL_HELD, type Held } from "../held.ts";
import type { CatalogListing, LakeColumn, ListedRelation, ListedSequence } from "../listing.ts";
import type { ListedRole } from "../roles.ts";
import { commentName } from "./comment-names.ts";
import { hashedOid, tableOid } from "./object-oids.ts";
import { systemShapes } from "./shapes.ts";

export interface SnapshotSchema {
  readonly oid: number;
  readonly name: string;
  readonly owner: number;
  /** Absent: it is there for everybody. */
  readonly held?: Held | undefined;
}

/** What `pg_class` has a row of: letters of `relkind`. */
export interface SnapshotRelation {
  readonly oid: number;
  readonly name: string;
  readonly schema: SnapshotSchema;
  readonly kind: "r" | "p" | "f" | "v" | "m" | "i" | "I" | "S" | "c";
  readonly isSystem: boolean;
  readonly comment: string;
  /** What the session may do with it; absent: it reads it, as everybody does. */
  readonly held?: Held | undefined;
  readonly table?: TableDescriptor | undefined;
  readonly sequence?: SequenceDescriptor | undefined;
  readonly view?: ViewObject | undefined;
  readonly composite?: CompositeObject | undefined;
  /** Of a sequence: what it gave last. */
  readonly last?: bigint | undefined;
  readonly columns?: readonly LakeColumn[] | undefined;
  /** Of an index: what it is of, and of which table. */
  readonly index?: SnapshotIndex | undefined;
}

export interface SnapshotIndex {
  readonly oid: number;
  readonly name: string;
  readonly of: SnapshotRelation;
  /** Absent: the primary key. */
  readonly descriptor?: IndexDescriptor | undefined;
  readonly isPrimary: boolean;
  readonly constraint?: ConstraintDescriptor | undefined;
}

export interface SnapshotConstraint {
  readonly oid: number;
  readonly of: SnapshotRelation;
  readonly descriptor: ConstraintDescriptor;
  readonly index?: SnapshotIndex | undefined;
}

/** Letters of what `information_schema` lists among neither tables nor views. */
export const NO_TABLES: ReadonlySet<SnapshotRelation["kind"]> = new Set(["i", "I", "S", "m", "c"]);

/**
 * The OID of a relation's row type; 0 of an index and of a sequence. Tables, views and types of a
 * database are numbered together, so that of its relation is free among types.
 */
export function rowTypeOid({ oid, kind, isSystem }: SnapshotRelation): number {
  if (kind === "i" || kind === "I" || kind === "S") return 0;
  return isSystem ? hashedOid("row type", oid) : oid;
}

/** A CHECK of a domain. */
export interface SnapshotDomainCheck {
  readonly oid: number;
  readonly name: string;
  readonly schema: SnapshotSchema;
  readonly typeId: number;
  readonly expression: string;
}

/** The roles that a server without roles of SQL shows. */
export const OWNER_OID = 10;
export const DATABASE_OWNER_OID = 6171;

const PG_CATALOG: SnapshotSchema = { oid: 11, name: "pg_catalog", owner: OWNER_OID };
const PG_TOAST: SnapshotSchema = { oid: 99, name: "pg_toast", owner: OWNER_OID };
const PUBLIC: SnapshotSchema = { oid: 2200, name: "public", owner: DATABASE_OWNER_OID };
const INFORMATION: SnapshotSchema = {
  oid: 13_207,
  name: "information_schema",
  owner: OWNER_OID,
};

/** The objects of one catalog, as one statement sees them. Immutable. */
export class CatalogSnapshot {
  readonly user: string;
  readonly database: string;
  /** The schema of the session's temporary tables. */
  readonly temporary: string | undefined;
  readonly databases: readonly { readonly oid: number; readonly name: string }[];
  readonly schemas: readonly SnapshotSchema[];
  /** Tables and views of the catalog; then their indexes; then PostgreSQL's own relations. */
  readonly relations: readonly SnapshotRelation[];
  readonly indexes: readonly SnapshotIndex[];
  readonly constraints: readonly SnapshotConstraint[];
  /** On the catalog itself. */
  readonly held: Held;
  /** Principals and roles; none where the statement does not ask for them. */
  readonly roles: readonly ListedRole[];
  readonly relationByOid: ReadonlyMap<number, SnapshotRelation>;
  readonly tableById: ReadonlyMap<string, SnapshotRelation>;
  readonly schemaByOid: ReadonlyMap<number, SnapshotSchema>;
  readonly constraintByOid: ReadonlyMap<number, SnapshotConstraint>;
  /** Texts of COMMENT ON, by `commentName`. */
  readonly comments: ReadonlyMap<string, string>;
  /** Ids of enums, domains and composite types, by their OIDs. */
  readonly typeIds: ReadonlyMap<number, string>;
  readonly domainChecks: readonly SnapshotDomainCheck[];
  readonly #byName: ReadonlyMap<string, SnapshotRelation>;

  constructor(listing: CatalogListing, user: string, database: string) {
    this.user = user;
    this.database = database;
    this.temporary = listing.temporary;
    this.held = listing.held ?? ALL_HELD;
    this.roles = listing.roles ?? [];
    const names = new Set([...listing.databases, database]);
    this.databases = [...names].map((name) => ({ oid: hashedOid("database", name), name }));
    this.schemas = schemasOf(listing);
    const byPath = new Map(this.schemas.map((schema) => [schema.name, schema]));
    const materialized = new Map(
      (listing.objects ?? []).flatMap((each): readonly [string, ViewObject][] =>
        each.kind === "view" && each.materialized ? [[each.materialized.table, each]] : [],
      ),
    );
    const own = listing.relations.flatMap((each) => {
      const schema = byPath.get(each.path.join("."));
      const view = materialized.get(each.id);
      return schema === undefined ? [] : [relationOf(each, schema, view)];
    });
    this.indexes = own.flatMap(indexesOf);
    const indexes = this.indexes.map(
      (index): SnapshotRelation => ({
        oid: index.oid,
        name: index.name,
        schema: index.of.schema,
        kind: index.of.kind === "p" ? "I" : "i",
        isSystem: false,
        comment: "",
        held: index.of.held,
        index,
      }),
    );
    const views = (listing.objects ?? []).flatMap((each): readonly SnapshotRelation[] => {
      const schema = byPath.get(each.namespace.join("."));
      if (each.kind !== "view" || each.materialized !== undefined) return [];
      return schema === undefined ? [] : [viewOf(each, schema)];
    });
    const composites = (listing.objects ?? []).flatMap((each): readonly SnapshotRelation[] => {
      const schema = byPath.get(each.namespace.join("."));
      if (each.kind !== "composite" || schema === undefined) return [];
      return [compositeOf(each, schema)];
    });
    const sequences = (listing.sequences ?? []).flatMap((each) => {
      const schema = byPath.get(each.sequence.namespace.join("."));
      const last = listing.lastNumbers?.get(each.sequence.id);
      return schema === undefined ? [] : [sequenceOf(each, schema, last)];
    });
    this.relations = [
      ...own,
      ...views,
      ...composites,
      ...indexes,
      ...sequences,
      ...systemRelationsOf(),
    ];
    this.constraints = own.flatMap((each) => constraintsOf(each, this.indexes));
    this.domainChecks = (listing.objects ?? []).flatMap((object) => {
      const schema = byPath.get(object.namespace.join("."));
      if (object.kind !== "domain" || schema === undefined) return [];
      const { typeId = 0, checks = [] } = object.type.domain ?? {};
      return checks.map(({ name, expression }) => {
        const oid = hashedOid("constraint", object.id, name);
        return { oid, name, schema, typeId, expression };
      });
    });
    this.tableById = new Map(own.flatMap((one) => (one.table ? [[one.table.id, one]] : [])));
    this.relationByOid = new Map(this.relations.map((each) => [each.oid, each]));
    this.schemaByOid = new Map(this.schemas.map((each) => [each.oid, each]));
    this.constraintByOid = new Map(this.constraints.map((each) => [each.oid, each]));
    this.comments = new Map(
      (listing.objects ?? []).flatMap((each) =>
        each.kind === "comment" ? [[each.name, each.text] as const] : [],
      ),
    );
    this.typeIds = new Map(
      (listing.objects ?? []).flatMap((each) => {
        const isType = each.kind === "enum" || each.kind === "domain";
        if (!isType && each.kind !== "composite") return [];
        return [[each.type.domain?.typeId ?? each.type.typeId ?? 0, each.id] as const];
      }),
    );
    this.#byName = new Map(
      [...this.relations].reverse().map((each) => [`${each.schema.name}\0${each.name}`, each]),
    );
  }

  /** The OID of who owns an object: of one that may not be known, a number without a name. */
  ownerOf(held: Held | undefined): number {
    const id = held?.path?.at(-1)?.owner;
    if (id === undefined || this.roles.length === 0) return OWNER_OID;
    return this.roles.find((role) => role.id === id)?.oid ?? hashedOid("role", id);
  }

  ownerName(held: Held | undefined): string {
    const oid = this.ownerOf(held);
    const isKnown = this.roles.length === 0 || oid === OWNER_OID;
    return this.roleName(oid) ?? (isKnown ? this.user : `unknown (OID=${oid})`);
  }

  /** The name of a role; undefined where none may be known. */
  roleName(oid: number): string | undefined {
    return this.roles.find((role) => role.oid === oid)?.name;
  }

  schema(name: string): SnapshotSchema | undefined {
    return this.schemas.find((each) => each.name === name);
  }

  /** A relation by its name: without a schema in `pg_catalog` first, then along the path. */
  relation(
    schema: string | undefined,
    name: string,
    path: readonly string[],
  ): SnapshotRelation | undefined {
    const looked = schema === undefined ? this.#searched(path) : [schema];
    for (const each of looked) {
      const of = each === "pg_temp" ? this.temporary : each;
      const found = this.#byName.get(`${of}\0${name}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Temporary tables come first, where the path does not name them. */
  #searched(path: readonly string[]): readonly string[] {
    const isNamed = path.includes("pg_temp");
    return isNamed ? searched(path) : ["pg_temp", ...searched(path)];
  }

  /** What COMMENT ON said of a relation, else the catalog. */
  commentOf({ comment, table, view, sequence, index }: SnapshotRelation): string {
    const id = table?.id ?? view?.id ?? sequence?.id;
    const name =
      index === undefined
        ? commentName("relation", id ?? "")
        : commentName("relation", index.of.table?.id ?? "", `index ${index.descriptor?.id ?? 0}`);
    return this.comments.get(name) ?? comment;
  }

  /** Of a column, by its number. */
  columnComment({ table, view, columns = [] }: SnapshotRelation, number: number): string {
    const id = table?.id ?? view?.id;
    const text =
      id === undefined ? undefined : this.comments.get(commentName("column", id, String(number)));
    return text ?? columns[number - 1]?.comment ?? "";
  }

  /** Whether a relation is found by its name alone. */
  isVisible(relation: SnapshotRelation, path: readonly string[]): boolean {
    return this.relation(undefined, relation.name, path) === relation;
  }
}

/** `pg_catalog` is looked through first where the path does not name it. */
export function searched(path: readonly string[]): readonly string[] {
  return path.includes("pg_catalog") ? path : ["pg_catalog", ...path];
}

function schemasOf({ namespaces, held: top }: CatalogListing): readonly SnapshotSchema[] {
  const own = namespaces
    .map(({ path, held = ALL_HELD }) => ({ name: path.join("."), held }))
    .filter(({ name }) => name !== PUBLIC.name)
    .map(({ name, held }) => ({ oid: hashedOid("schema", name), name, owner: OWNER_OID, held }));
  const made = namespaces.find(({ path }) => path.join(".") === PUBLIC.name);
  // It comes to be with its first table, by the privileges on the catalog.
  const isPublic = { ...PUBLIC, held: made === undefined ? (top ?? ALL_HELD) : made.held };
  return [PG_TOAST, PG_CATALOG, isPublic, INFORMATION, ...own];
}

function relationOf(
  listed: ListedRelation,
  schema: SnapshotSchema,
  view: ViewObject | undefined,
): SnapshotRelation {
  const { id, name, kind, comment, table, columns, held = ALL_HELD } = listed;
  const base = { name, schema, isSystem: false, comment, held };
  if (kind === "rows" && table !== undefined) {
    const oid = tableOid(table.relation);
    if (view !== undefined) return { ...base, oid, kind: "m", table, view };
    return { ...base, oid, kind: table.partitioned === undefined ? "r" : "p", table };
  }
  const letter = ({ rows: "r", system: "r", view: "v", lake: "f" } as const)[kind];
  return { ...base, oid: hashedOid("relation", id), kind: letter, columns };
}

function viewOf(view: ViewObject, schema: SnapshotSchema): SnapshotRelation {
  const { name, number } = view;
  return { oid: tableOid(number), name, schema, kind: "v", isSystem: false, comment: "", view };
}

function compositeOf(composite: CompositeObject, schema: SnapshotSchema): SnapshotRelation {
  const { name, number } = composite;
  return {
    oid: tableOid(number),
    name,
    schema,
    kind: "c",
    isSystem: false,
    comment: "",
    composite,
  };
}

/** What a sequence has when it is read as a relation. */
const SEQUENCE_COLUMNS: readonly LakeColumn[] = [
  { name: "last_value", type: "long", nullable: false, comment: "" },
  { name: "log_cnt", type: "long", nullable: false, comment: "" },
  { name: "is_called", type: "boolean", nullable: false, comment: "" },
];

function sequenceOf(
  { sequence, held }: ListedSequence,
  schema: SnapshotSchema,
  last: bigint | undefined,
): SnapshotRelation {
  return {
    oid: hashedOid("sequence", sequence.id),
    name: sequence.name,
    schema,
    kind: "S",
    isSystem: false,
    comment: "",
    held,
    sequence,
    last,
    columns: SEQUENCE_COLUMNS,
  };
}

let ofSystem: readonly SnapshotRelation[] | undefined;

function systemRelationsOf(): readonly SnapshotRelation[] {
  ofSystem ??= systemShapes().relations.map(({ schema, name, oid, kind }) => ({
    oid,
    name,
    schema: schema === PG_CATALOG.name ? PG_CATALOG : INFORMATION,
    kind,
    isSystem: true,
    comment: "",
  }));
  return ofSystem;
}

function indexesOf(of: SnapshotRelation): readonly SnapshotIndex[] {
  const { table } = of;
  if (table === undefined) return [];
  const found: SnapshotIndex[] = [];
  const primary = table.constraints.find(({ kind }) => kind === "primary key");
  if (hasPrimaryKey(table)) {
    const name = primary?.name ?? `${table.name}_pkey`;
    const constraint = primary ?? ({ kind: "primary key", name } as const);
    found.push({ oid: hashedOid("index", table.id, 0), name, of, isPrimary: true, constraint });
  }
  for (const descriptor of table.indexes) {
    const constraint = table.constraints.find(
      (each) => each.kind === "unique" && each.index === descriptor.id,
    );
    const oid = hashedOid("index", table.id, descriptor.id);
    found.push({ oid, name: descriptor.name, of, descriptor, isPrimary: false, constraint });
  }
  return found;
}

/** A table without a key has a hidden one. */
export function hasPrimaryKey(table: TableDescriptor): boolean {
  return table.primaryKey.every(
    ({ columnId }) => table.columns.find(({ id }) => id === columnId)?.hidden !== true,
  );
}

function constraintsOf(
  of: SnapshotRelation,
  indexes: readonly SnapshotIndex[],
): readonly SnapshotConstraint[] {
  const { table } = of;
  if (table === undefined) return [];
  const ofIndexes = indexes.filter((index) => index.of === of && index.constraint !== undefined);
  const others = table.constraints.filter(
    ({ kind }) => kind !== "primary key" && kind !== "unique",
  );
  return [
    ...ofIndexes.map((index) => ({
      oid: hashedOid("constraint", table.id, index.name),
      of,
      descriptor: index.constraint as ConstraintDescriptor,
      index,
    })),
    ...others.map((descriptor) => ({
      oid: hashedOid("constraint", table.id, descriptor.name),
      of,
      descriptor,
    })),
  ];
}
