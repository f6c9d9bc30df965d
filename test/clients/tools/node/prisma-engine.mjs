import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import pg from "pg";
import Result from "pg/lib/result.js";

/*
 * Prisma's schema engine as its command line starts it: one request of JSON-RPC a line. The command
 * line downloads a native engine, which no package registry has. This is the same engine as
 * WebAssembly, over node-postgres.
 */

const resolve = createRequire(import.meta.url).resolve;
const folder = resolve("@prisma/schema-engine-wasm").replace(/[^/\\]+$/, "");
const glue = await import("@prisma/schema-engine-wasm/schema_engine_bg");
const module = new WebAssembly.Module(readFileSync(`${folder}schema_engine_bg.wasm`));
const imports = WebAssembly.Module.imports(module).map((each) => [each.module, glue]);
const instance = new WebAssembly.Instance(module, Object.fromEntries(imports));
glue.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => console.error(message) };

// The adapter gives the engine a "char" as a type that it cannot read, from PostgreSQL too.
const CHAR = 18;
const TEXT = 25;
const addFields = Result.prototype.addFields;
Result.prototype.addFields = function (fields) {
  addFields.call(this, fields);
  for (const field of this.fields) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT;
};

const { values, positionals } = parseArgs({
  options: { datasource: { type: "string" }, datamodels: { type: "string", multiple: true } },
  strict: false,
  allowPositionals: true,
});
const { url, shadowDatabaseUrl } = JSON.parse(values.datasource);

/** The database that migrations are tried on: emptied first, as the native engine does. */
async function shadow() {
  const client = new pg.Client({ connectionString: shadowDatabaseUrl });
  await client.connect();
  const { rows } = await client.query(
    "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_|^information_schema$'",
  );
  for (const { nspname } of rows) await client.query(`DROP SCHEMA "${nspname}" CASCADE`);
  await client.query("CREATE SCHEMA public");
  await client.end();
  return await new PrismaPg({ connectionString: shadowDatabaseUrl }).connect();
}

const adapter = new PrismaPg({ connectionString: url });
adapter.connectToShadowDb = shadow;

/** The engine over one of the databases. */
async function engineOf(factory) {
  const files = (values.datamodels ?? []).map((path) => [path, readFileSync(path, "utf8")]);
  const datamodels = files.length === 0 ? undefined : files;
  const bound = bindMigrationAwareSqlAdapterFactory(factory);
  return await glue.SchemaEngine.new({ datamodels }, () => undefined, bound);
}

/** The SQL from what migrations make to a schema; this build cannot make it by itself. */
async function scriptOf({ migrationsList, schema, filters }) {
  await (await shadow()).dispose();
  const tried = await engineOf(new PrismaPg({ connectionString: shadowDatabaseUrl }));
  await tried.applyMigrations({ migrationsList, filters });
  const from = { tag: "schemaDatasource", configDir: process.cwd(), ...schema };
  const to = { tag: "schemaDatamodel", ...schema };
  const { stdout } = await tried.diff({ from, to, script: true, exitCode: null, filters });
  return stdout;
}

const OWN = {
  async evaluateDataLoss(params) {
    const isEmpty = /^\s*-- This is an empty migration\.\s*$/.test(await scriptOf(params));
    return { migrationSteps: isEmpty ? 0 : 1, unexecutableSteps: [], warnings: [] };
  },
  async createMigration(params) {
    const at = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
    const generatedMigrationName = `${at}_${params.migrationName}`;
    const migrationScript = await scriptOf(params);
    return {
      connectorType: "postgresql",
      generatedMigrationName,
      migrationScript,
      extension: "sql",
    };
  },
};

/** @returns what the native engine answers. */
async function answer({ id, method, params }) {
  try {
    const own = OWN[method];
    const result = await (own ? own(params) : (await engineOf(adapter))[method](params));
    return { jsonrpc: "2.0", id, result: result ?? {} };
  } catch (error) {
    const { message, code, meta } = error;
    const data = { is_panic: false, message, meta: meta ?? null, error_code: code ?? null };
    return { jsonrpc: "2.0", id, error: { code: 4466, message: "An error happened.", data } };
  }
}

if (!positionals.includes("cli")) {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
  }
}
process.exit(0);
