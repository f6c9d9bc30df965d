import type { Datum } from "../../rows/datum.ts";
import type { CatalogSnapshot, SnapshotRelation } from "../catalog/system/snapshot.ts";
import { notSupported, SqlError } from "../error.ts";
import { signatures } from "../signatures/tables.ts";
import type { TypeCodec } from "./codec.ts";
import type { SqlContext } from "./context.ts";
import { quoteIdentifier } from "./identifier.ts";
import { oid } from "./integers.ts";
import { splitIdentifiers } from "./names.ts";
import { sqlTypeName } from "./regtype.ts";

function catalogOf(context: SqlContext): CatalogSnapshot {
  if (context.catalog !== undefined) return context.catalog;
  throw notSupported("a name of a catalog object here", "Write its OID.");
}

/** The relation that a text names. */
export function relationNamed(text: string, context: SqlContext): SnapshotRelation | undefined {
  const names = splitIdentifiers(text);
  if (names.length > 3) throw new SqlError("42601", `improper relation name: ${text}`);
  const [name = "", schema] = [...names].reverse();
  return catalogOf(context).relation(schema, name, context.session.schemas);
}

type Find = (text: string, context: SqlContext) => number | undefined;
type Show = (value: number, context: SqlContext) => string | undefined;

/** A type whose values are OIDs, written as names. */
function regCodec(find: Find, show: Show): TypeCodec<number> {
  return {
    ...oid,
    input(text, typmod, context) {
      if (text === "-") return 0;
      if (/^\d+$/.test(text)) return oid.input(text, typmod, context);
      return find(text, context) as number;
    },
    output: (value, context) => (value === 0 ? "-" : (show(value, context) ?? String(value))),
  };
}

const regclass = regCodec(
  (text, context) => {
    const found = relationNamed(text, context);
    if (found === undefined) throw new SqlError("42P01", `relation "${text}" does not exist`);
    return found.oid;
  },
  (value, { catalog, session }) => {
    const relation = catalog?.relationByOid.get(value);
    if (relation === undefined || catalog === undefined) return undefined;
    const name = quoteIdentifier(relation.name);
    if (catalog.isVisible(relation, session.schemas)) return name;
    return `${quoteIdentifier(relation.schema.name)}.${name}`;
  },
);

const regnamespace = regCodec(
  (text, context) => {
    const [name = ""] = splitIdentifiers(text);
    const found = catalogOf(context).schema(name);
    if (found === undefined) throw new SqlError("3F000", `schema "${name}" does not exist`);
    return found.oid;
  },
  (value, { catalog }) => {
    const name = catalog?.schemaByOid.get(value)?.name;
    return name === undefined ? undefined : quoteIdentifier(name);
  },
);

const OWNER_OID = 10;

const regrole = regCodec(
  (text, { session, catalog }) => {
    const [name = ""] = splitIdentifiers(text);
    if (name === session.sessionUser) return OWNER_OID;
    const found = catalog?.roles.find((role) => role.name === name);
    if (found !== undefined) return found.oid;
    throw new SqlError("42704", `role "${name}" does not exist`);
  },
  (value, { session, catalog }) => {
    const name = value === OWNER_OID ? session.sessionUser : catalog?.roleName(value);
    return name === undefined ? undefined : quoteIdentifier(name);
  },
);

const bare = (text: string): string => splitIdentifiers(text).at(-1) ?? "";

const regproc = regCodec(
  (text) => {
    const [found, second] = signatures().proceduresByName.get(bare(text)) ?? [];
    if (found === undefined) throw new SqlError("42883", `function "${text}" does not exist`);
    if (second !== undefined) throw new SqlError("42725", `more than one function named "${text}"`);
    return found.oid;
  },
  (value) => {
    const found = signatures().procedureByOid.get(value);
    return found === undefined ? undefined : quoteIdentifier(found.name);
  },
);

const regprocedure = regCodec(
  (text) => {
    const [, name = "", list = ""] = /^\s*([^(]+)\((.*)\)\s*$/s.exec(text) ?? [];
    const found = (signatures().proceduresByName.get(name === "" ? "" : bare(name)) ?? []).find(
      (each) => argumentNames(each.arguments).join(",") === list.replace(/\s*,\s*/g, ",").trim(),
    );
    if (found === undefined) throw new SqlError("42883", `function "${text}" does not exist`);
    return found.oid;
  },
  (value) => {
    const found = signatures().procedureByOid.get(value);
    if (found === undefined) return undefined;
    return `${quoteIdentifier(found.name)}(${argumentNames(found.arguments).join(",")})`;
  },
);

function argumentNames(oids: readonly number[]): readonly string[] {
  return oids.map((each) => {
    const row = signatures().typeByOid.get(each);
    return row === undefined ? String(each) : sqlTypeName(row);
  });
}

const regoper = regCodec(
  (text) => {
    const name = text.trim().replace(/^pg_catalog\./, "");
    const [found, second] = signatures().operatorsByName.get(name) ?? [];
    if (found === undefined) throw new SqlError("42883", `operator does not exist: ${text}`);
    if (second !== undefined) throw new SqlError("42725", `more than one operator named ${text}`);
    return found.oid;
  },
  (value) => signatures().operatorByOid.get(value)?.name,
);

const regoperator = regCodec(
  (text) => {
    const [, name = "", left = "", right = ""] =
      /^\s*([^\s(]+)\s*\(\s*([^,]+?)\s*,\s*(.+?)\s*\)\s*$/s.exec(text) ?? [];
    const found = (signatures().operatorsByName.get(name) ?? []).find((each) => {
      const [one = "NONE", other] = argumentNames([each.left, each.right]);
      return (each.left === 0 ? "NONE" : one) === left && other === right;
    });
    if (found === undefined) throw new SqlError("42883", `operator does not exist: ${text}`);
    return found.oid;
  },
  (value) => {
    const found = signatures().operatorByOid.get(value);
    if (found === undefined) return undefined;
    const [left, right] = argumentNames([found.left, found.right]);
    return `${found.name}(${found.left === 0 ? "NONE" : left},${right})`;
  },
);

/** Types of OIDs that are written as names of catalog objects. */
export const REG_CODECS: Readonly<Record<string, TypeCodec<Datum>>> = {
  regclass: regclass as TypeCodec<Datum>,
  regnamespace: regnamespace as TypeCodec<Datum>,
  regrole: regrole as TypeCodec<Datum>,
  regproc: regproc as TypeCodec<Datum>,
  regprocedure: regprocedure as TypeCodec<Datum>,
  regoper: regoper as TypeCodec<Datum>,
  regoperator: regoperator as TypeCodec<Datum>,
};
