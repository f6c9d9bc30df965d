import type { Node } from "libpg-query";
import { notSupported, SqlError } from "../../error.ts";
import { contentOf, type NodeOf } from "../../parse/statement.ts";

/** What a parameter takes: a switch, or numbers between two bounds. */
type Range = "boolean" | readonly [least: number, most: number, isReal?: boolean];

const ANY: Range = [0, 2_147_483_647];
const FREEZE: Range = [0, 1_000_000_000];

/** Parameters of PostgreSQL's tables. The engine lays rows out by itself: none changes anything. */
const RULES: Readonly<Record<string, Range>> = {
  fillfactor: [10, 100],
  toast_tuple_target: [128, 8_160],
  parallel_workers: [0, 1_024],
  user_catalog_table: "boolean",
  vacuum_truncate: "boolean",
  autovacuum_enabled: "boolean",
  autovacuum_vacuum_threshold: ANY,
  autovacuum_vacuum_scale_factor: [0, 100, true],
  autovacuum_vacuum_insert_threshold: [-1, 2_147_483_647],
  autovacuum_vacuum_insert_scale_factor: [0, 100, true],
  autovacuum_analyze_threshold: ANY,
  autovacuum_analyze_scale_factor: [0, 100, true],
  autovacuum_vacuum_cost_delay: [0, 100, true],
  autovacuum_vacuum_cost_limit: [1, 10_000],
  autovacuum_freeze_min_age: FREEZE,
  autovacuum_freeze_max_age: [100_000, 2_000_000_000],
  autovacuum_freeze_table_age: [0, 2_000_000_000],
  autovacuum_multixact_freeze_min_age: FREEZE,
  autovacuum_multixact_freeze_max_age: [10_000, 2_000_000_000],
  autovacuum_multixact_freeze_table_age: [0, 2_000_000_000],
  log_autovacuum_min_duration: [-1, 2_147_483_647],
};

const SWITCH = /^(?:on|off|true|false|yes|no|1|0)$/i;

/** The engine's own parameter: the name of the shard that has the rows. */
const SHARD = "shard";

/**
 * Checks the parameters of a table.
 *
 * @returns the name of the shard, where it is given.
 * @throws SqlError 22023, 0A000.
 */
export function checkStorageParameters(options: readonly Node[]): string | undefined {
  const seen = new Set<string>();
  let shard: string | undefined;
  for (const each of options) {
    const { defnamespace, defname = "", arg } = contentOf(each, "DefElem") ?? {};
    if (defnamespace !== undefined && defnamespace !== "toast") {
      throw invalid(`unrecognized parameter namespace "${defnamespace}"`);
    }
    if (defname === "oids" && defnamespace === undefined) {
      if (/^(?:off|false|0)$/.test(textOf(arg) ?? "true")) continue;
      throw notSupported("WITH OIDS");
    }
    const isShard = defname === SHARD && defnamespace === undefined;
    const rule = isShard ? "boolean" : RULES[defname];
    if (rule === undefined) throw invalid(`unrecognized parameter "${defname}"`);
    const name = `${defnamespace ?? ""}.${defname}`;
    if (seen.has(name)) throw invalid(`parameter "${defname}" specified more than once`);
    seen.add(name);
    if (isShard) shard = shardIn(textOf(arg));
    else checkValue(defname, rule, textOf(arg) ?? "true");
  }
  return shard;
}

function shardIn(name: string | undefined): string {
  if (name !== undefined && name !== "") return name;
  throw invalid('parameter "shard" needs the name of a shard');
}

/** The names of parameters that are reset. @throws SqlError 22023, 42601. */
export function checkResetParameters(options: readonly Node[]): void {
  for (const each of options) {
    const { arg, ...name } = contentOf(each, "DefElem") ?? {};
    if (arg !== undefined)
      throw new SqlError("42601", "RESET must not include values for parameters");
    if (RULES[name.defname ?? ""] === undefined) {
      throw invalid(`unrecognized parameter "${name.defname}"`);
    }
  }
}

function checkValue(name: string, rule: Range, text: string): void {
  if (rule === "boolean") {
    if (!SWITCH.test(text)) throw invalid(`invalid value for boolean option "${name}": ${text}`);
    return;
  }
  const [least, most, isReal = false] = rule;
  const isNumber = (isReal ? /^[-+]?\d*\.?\d+$/ : /^[-+]?\d+$/).test(text);
  const kind = isReal ? "floating point" : "integer";
  if (!isNumber) throw invalid(`invalid value for ${kind} option "${name}": ${text}`);
  if (Number(text) >= least && Number(text) <= most) return;
  throw new SqlError("22023", `value ${text} out of bounds for option "${name}"`, {
    detail: `Valid values are between "${least}" and "${most}".`,
  });
}

function textOf(arg: Node | undefined): string | undefined {
  if (arg === undefined) return undefined;
  const integer = contentOf(arg, "Integer");
  if (integer !== undefined) return String(integer.ival ?? 0);
  const name = contentOf(arg, "TypeName");
  if (name !== undefined) return wordOf(name);
  return contentOf(arg, "Float")?.fval ?? contentOf(arg, "String")?.sval;
}

/** A bare word, such as `off`, is a type's name for the grammar. */
function wordOf({ names = [] }: NodeOf<"TypeName">): string {
  return contentOf(names.at(-1), "String")?.sval ?? "";
}

function invalid(message: string): SqlError {
  return new SqlError("22023", message);
}
