import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { postgresPrograms, startPostgres } from "../../test/support/postgres-server.ts";
import { ROOT } from "../tools.ts";
import type { Generated } from "./generated.ts";

const PATH = "src/sql/signatures/postgres-15.json";

/** One query a table; the row format is documented in `src/sql/signatures/tables.ts`. */
const TABLES: Readonly<Record<string, string>> = {
  types: `SELECT oid::int8, typname, typlen, typtype, typcategory, typispreferred, typdelim,
      typelem::int8, typarray::int8, typinput::oid::int8, typoutput::oid::int8,
      typreceive::oid::int8, typsend::oid::int8, typmodin::oid::int8, typmodout::oid::int8,
      typalign, typstorage, typbyval, typcollation::int8
    FROM pg_type
    WHERE typnamespace = 'pg_catalog'::regnamespace
      AND (typrelid = 0 AND typelem NOT IN (SELECT oid FROM pg_type WHERE typrelid <> 0))
    ORDER BY oid`,
  operators: `SELECT oid::int8, oprname, oprleft::int8, oprright::int8, oprresult::int8,
      oprcode::oid::int8, oprcom::int8, oprnegate::int8, oprcanmerge, oprcanhash
    FROM pg_operator ORDER BY oid`,
  procedures: `SELECT oid::int8, proname,
      CASE prolang WHEN 12 THEN prosrc ELSE '' END, prokind, proisstrict, proretset, provolatile,
      prorettype::int8, to_json(proargtypes::int8[]), provariadic::int8,
      to_json(proallargtypes::int8[]), to_json(proargmodes), to_json(proargnames),
      pronargdefaults, pg_get_expr(proargdefaults, 0)
    FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace ORDER BY oid`,
  casts: `SELECT castsource::int8, casttarget::int8, castfunc::int8, castcontext, castmethod
    FROM pg_cast ORDER BY castsource, casttarget`,
  aggregates: `SELECT aggfnoid::oid::int8, aggkind, aggnumdirectargs, aggtransfn::oid::int8,
      aggfinalfn::oid::int8, aggtranstype::int8, agginitval, aggsortop::int8
    FROM pg_aggregate ORDER BY aggfnoid::oid`,
  keywords: `SELECT word, catcode, barelabel, catdesc, baredesc
    FROM pg_get_keywords() ORDER BY word`,
};

/**
 * PostgreSQL's own tables of types, operators, functions, casts, aggregates and keywords. A machine
 * without PostgreSQL 15, and `--check`, keep the committed file: starting a server takes seconds.
 */
export async function generateSignatures(): Promise<readonly Generated[]> {
  const programs = process.argv.includes("--check") ? undefined : postgresPrograms();
  if (programs === undefined) {
    console.log(`kept ${PATH}: read only by npm run gen where PostgreSQL 15 is installed`);
    return [{ path: PATH, text: await readFile(join(ROOT, PATH), "utf8") }];
  }
  const server = await startPostgres(programs);
  try {
    const wire = await server.connect();
    const parts: string[] = [];
    for (const [name, query] of Object.entries(TABLES)) {
      const columns = query.slice(6, query.search(/\sFROM pg_/));
      const rest = query.slice(query.search(/\sFROM pg_/)).replace(/ORDER BY .*$/, "");
      const order = query.slice(query.lastIndexOf("ORDER BY"));
      const sql = `SELECT json_build_array(${columns})::text ${rest} ${order}`;
      const [answer] = await wire.query(sql);
      if (answer === undefined || answer.error !== undefined) {
        throw new Error(`reading ${name}: ${answer?.error?.message}`);
      }
      const rows = answer.rows.map(([row]) => JSON.stringify(JSON.parse(row ?? "null")));
      parts.push(`"${name}": [\n${rows.join(",\n")}\n]`);
    }
    wire.close();
    return [{ path: PATH, text: `{\n${parts.join(",\n")}\n}\n` }];
  } finally {
    await server.stop();
  }
}
