import { signatures, type TypeRow } from "../../signatures/tables.ts";
import { vector } from "../../types/arrays.ts";
import type { SqlType } from "../../types/registry.ts";
import { hashedOid } from "./object-oids.ts";
import { zeroVector } from "./pg-relations.ts";
import type { Named, Provider, ProviderContext } from "./provider.ts";
import { type CatalogSnapshot, OWNER_OID } from "./snapshot.ts";

const PG_CATALOG = 11;

/** PostgreSQL's functions that read and write values of types of a database. */
const ENUM_IO = { typinput: 3504, typoutput: 3505, typreceive: 3532, typsend: 3533 };
const DOMAIN_IO = { typinput: 2597, typreceive: 2598 };

function ownColumns(type: SqlType, snapshot: CatalogSnapshot): Named {
  const typnamespace = snapshot.schema(type.schema ?? "public")?.oid ?? 2200;
  if (type.labels !== undefined && type.base === undefined) {
    return { typnamespace, ...ENUM_IO };
  }
  const { base, column } = type;
  if (base === undefined) return { typnamespace };
  const { domain } = column ?? {};
  return {
    typnamespace,
    ...DOMAIN_IO,
    typnotnull: domain?.notNull === true,
    typbasetype: base.oid,
    typtypmod: base.typmod,
    typdefault: domain?.default ?? null,
  };
}

function* typeRows({ types, snapshot }: ProviderContext): Generator<Named> {
  const ofDatabase = new Map(types.own().map((type) => [type.oid, type]));
  const all: readonly (TypeRow & Pick<SqlType, "relation">)[] = [
    ...signatures().types,
    ...ofDatabase.values(),
  ];
  for (const type of all) {
    const isArray = type.category === "A" && type.element !== 0;
    const mine = ofDatabase.get(type.oid);
    const own = mine === undefined ? {} : ownColumns(mine, snapshot);
    yield {
      oid: type.oid,
      typname: type.name,
      typnamespace: types.isOwn(type.oid) ? 2200 : PG_CATALOG,
      typowner: OWNER_OID,
      typlen: type.length,
      typbyval: type.isByValue,
      typtype: type.kind,
      typcategory: type.category,
      typispreferred: type.isPreferred,
      typisdefined: true,
      typdelim: type.delimiter,
      typrelid: type.relation ?? 0,
      typsubscript: isArray ? 6179 : 0,
      typelem: type.element,
      typarray: type.array,
      typinput: type.input,
      typoutput: type.output,
      typreceive: type.receive,
      typsend: type.send,
      typmodin: type.modifierInput,
      typmodout: type.modifierOutput,
      typanalyze: 0,
      typalign: type.alignment,
      typstorage: type.storage,
      typnotnull: false,
      typbasetype: 0,
      typtypmod: -1,
      typndims: 0,
      typcollation: type.collation,
      ...own,
    };
  }
}

function* enumRows({ types }: ProviderContext): Generator<Named> {
  for (const { oid, labels = [], base, column } of types.own()) {
    if (base !== undefined) continue;
    for (const [i, label] of labels.entries()) {
      const order = column?.orders?.[i];
      yield {
        oid: hashedOid("enum", oid, column?.tokens?.[i] ?? label),
        enumtypid: oid,
        enumsortorder: order === undefined ? i + 1 : order / 65_536,
        enumlabel: label,
      };
    }
  }
}

function* procedureRows(): Generator<Named> {
  for (const each of signatures().procedures) {
    const { allArguments, modes, names } = each;
    yield {
      oid: each.oid,
      proname: each.name,
      pronamespace: PG_CATALOG,
      proowner: OWNER_OID,
      prolang: each.source === "" ? 14 : 12,
      procost: 1,
      prorows: each.returnsSet ? 1000 : 0,
      provariadic: each.variadic,
      prosupport: 0,
      prokind: each.kind,
      prosecdef: false,
      proleakproof: false,
      proisstrict: each.isStrict,
      proretset: each.returnsSet,
      provolatile: each.volatility,
      proparallel: "s",
      pronargs: each.arguments.length,
      pronargdefaults: each.defaultCount,
      prorettype: each.result,
      proargtypes: zeroVector(each.arguments),
      proallargtypes: allArguments === null ? null : vector(allArguments),
      proargmodes: modes === null ? null : vector(modes),
      proargnames: names === null ? null : vector(names),
      proargdefaults: each.defaults,
      prosrc: each.source,
    };
  }
}

function* operatorRows(): Generator<Named> {
  for (const each of signatures().operators) {
    yield {
      oid: each.oid,
      oprname: each.name,
      oprnamespace: PG_CATALOG,
      oprowner: OWNER_OID,
      oprkind: each.left === 0 ? "l" : "b",
      oprcanmerge: each.canMerge,
      oprcanhash: each.canHash,
      oprleft: each.left,
      oprright: each.right,
      oprresult: each.result,
      oprcom: each.commutator,
      oprnegate: each.negator,
      oprcode: each.procedure,
      oprrest: 0,
      oprjoin: 0,
    };
  }
}

function* castRows(): Generator<Named> {
  for (const [i, each] of signatures().casts.entries()) {
    yield {
      oid: 10_030 + i,
      castsource: each.source,
      casttarget: each.target,
      castfunc: each.procedure,
      castcontext: each.context,
      castmethod: each.method,
    };
  }
}

function* aggregateRows(): Generator<Named> {
  for (const each of signatures().aggregateByProcedure.values()) {
    yield {
      aggfnoid: each.procedure,
      aggkind: each.kind,
      aggnumdirectargs: each.directArguments,
      aggtransfn: each.transition,
      aggfinalfn: each.final,
      aggsortop: each.sortOperator,
      aggtranstype: each.stateType,
      agginitval: each.initial,
    };
  }
}

export const TYPE_PROVIDERS: Readonly<Record<string, Provider>> = {
  pg_type: typeRows,
  pg_enum: enumRows,
  pg_proc: procedureRows,
  pg_operator: operatorRows,
  pg_cast: castRows,
  pg_aggregate: aggregateRows,
};
