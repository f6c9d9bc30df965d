import { signatures } from "../../signatures/tables.ts";
import { vector } from "../../types/arrays.ts";
import { zeroVector } from "./pg-relations.ts";
import type { Named, Provider, ProviderContext } from "./provider.ts";
import { OWNER_OID } from "./snapshot.ts";

const PG_CATALOG = 11;

function* typeRows({ types }: ProviderContext): Generator<Named> {
  for (const type of [...signatures().types, ...types.own()]) {
    const isArray = type.category === "A" && type.element !== 0;
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
      typrelid: 0,
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
    };
  }
}

function* enumRows({ types }: ProviderContext): Generator<Named> {
  for (const { oid, labels = [] } of types.own()) {
    for (const [i, label] of labels.entries()) {
      yield { oid: oid * 1_000 + i, enumtypid: oid, enumsortorder: i + 1, enumlabel: label };
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
