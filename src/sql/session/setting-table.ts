import { SqlError } from "../error.ts";
import { memory, memoryBytes } from "./memory-setting.ts";

/** @throws SqlError 22023 for a value that cannot be used. @returns it as it is kept. */
type Check = (value: string) => string;

/** No other role than the session's own. */
export const NO_ROLE = "none";

/** A run-time parameter, as `SET` and `SHOW` know it. */
export interface SettingRule {
  readonly name: string;
  readonly fallback: string;
  /** The client is told of its value, at the start and with each change. */
  readonly isReported?: boolean;
  /** Nothing changes it. */
  readonly isFixed?: boolean;
  /** The value as it is kept. @throws SqlError 22023 and others for one that cannot be used. */
  readonly check?: Check;
}

function refused(name: string, value: string, hint?: string): SqlError {
  const message = `invalid value for parameter "${name}": "${value}"`;
  return new SqlError("22023", message, hint === undefined ? {} : { hint });
}

function oneOf(name: string, ...values: readonly string[]): Check {
  return (value) => {
    const lower = value.toLowerCase();
    if (values.includes(lower)) return lower;
    throw refused(name, value, `Available values: ${values.join(", ")}.`);
  };
}

/** Bare prefixes of on, off, true, false, yes, no, 1 and 0, as PostgreSQL takes them. */
export function booleanOf(text: string): boolean | undefined {
  const lower = text.trim().toLowerCase();
  if (lower === "") return undefined;
  for (const word of ["true", "yes", "on", "1"]) {
    if (word.startsWith(lower) && lower !== "o") return true;
  }
  for (const word of ["false", "no", "off", "0"]) {
    if (word.startsWith(lower) && lower !== "o") return false;
  }
  return undefined;
}

function bool(name: string): Check {
  return (value) => {
    const parsed = booleanOf(value);
    if (parsed !== undefined) return parsed ? "on" : "off";
    throw new SqlError("22023", `parameter "${name}" requires a Boolean value`);
  };
}

/** Of one statement: more is the server's to allow. */
const TEMP_FILE_LIMIT = "4GB";

function tempFileLimit(value: string): string {
  const limit = value.trim() === "-1" ? "-1" : memory("temp_file_limit", 0, 2_147_483_647)(value);
  if (limit !== "-1" && memoryBytes(limit) <= memoryBytes(TEMP_FILE_LIMIT)) return limit;
  throw new SqlError("42501", 'permission denied to set parameter "temp_file_limit"', {
    hint: `A session may set ${TEMP_FILE_LIMIT} and less.`,
  });
}

function multiplier(value: string): string {
  const name = "hash_mem_multiplier";
  const number = Number(value);
  if (value.trim() === "" || Number.isNaN(number)) throw refused(name, value);
  if (number >= 1 && number <= 1_000) return String(number);
  const message = `${value} is outside the valid range for parameter "${name}" (1 .. 1000)`;
  throw new SqlError("22023", message);
}

function integer(name: string, least: number, most: number): Check {
  return (value) => {
    if (!/^[+-]?\d{1,12}$/.test(value.trim())) throw refused(name, value);
    const number = Number(value);
    if (number >= least && number <= most) return String(number);
    const message =
      `${number} is outside the valid range for parameter "${name}" ` + `(${least} .. ${most})`;
    throw new SqlError("22023", message);
  };
}

const UNITS: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A span in milliseconds, shown with the largest unit that divides it. */
function span(name: string): Check {
  return (value) => {
    const parts = /^\s*(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]*)\s*$/.exec(value);
    const unit = UNITS[parts?.[2] || "ms"];
    if (parts === null || unit === undefined) {
      const hint = 'Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".';
      throw refused(name, value, hint);
    }
    const ms = Math.round(Number(parts[1]) * unit);
    if (ms > 2_147_483_647) {
      const range = `for parameter "${name}" (0 ms .. 2147483647 ms)`;
      const message = `${ms} ms is outside the valid range ${range}`;
      throw new SqlError("22023", message);
    }
    return spanText(ms);
  };
}

function spanText(ms: number): string {
  if (ms === 0) return "0";
  for (const unit of ["d", "h", "min", "s"]) {
    const size = UNITS[unit] ?? 1;
    if (ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}

/** Milliseconds of a value that `span` has checked. */
export function spanMs(text: string): number {
  const parts = /^(\d+)([a-z]*)$/.exec(text);
  return Number(parts?.[1] ?? 0) * (UNITS[parts?.[2] || "ms"] ?? 1);
}

function encoding(value: string): string {
  const plain = value.toLowerCase().replace(/[^a-z0-9]/g, "");
  if (plain === "utf8" || plain === "unicode") return "UTF8";
  if (plain === "sqlascii") return "SQL_ASCII";
  const hint = "This server speaks UTF8: set client_encoding to UTF8.";
  throw refused("client_encoding", value, hint);
}

const STYLES: Readonly<Record<string, string>> = {
  iso: "ISO",
  sql: "SQL",
  postgres: "Postgres",
  german: "German",
};
const ORDERS: Readonly<Record<string, string>> = {
  dmy: "DMY",
  euro: "DMY",
  european: "DMY",
  mdy: "MDY",
  us: "MDY",
  noneuro: "MDY",
  ymd: "YMD",
};

function dateStyle(value: string): string {
  let style = "ISO";
  let order = "MDY";
  for (const word of value
    .toLowerCase()
    .split(",")
    .map((each) => each.trim())) {
    if (word in STYLES) style = STYLES[word] ?? style;
    else if (word in ORDERS) order = ORDERS[word] ?? order;
    else if (word !== "default" && word !== "") throw refused("DateStyle", value);
  }
  return `${style}, ${order}`;
}

function intervalStyle(value: string): string {
  const known = ["postgres", "postgres_verbose", "sql_standard", "iso_8601"];
  return oneOf("IntervalStyle", ...known)(value);
}

function timeZone(value: string): string {
  if (/^[+-]?\d{1,2}(?:\.\d+)?$/.test(value)) return value;
  // Offsets as POSIX writes them, to the west.
  if (/^[+-]?\d{1,3}(?::\d{2}){1,2}$/.test(value)) return value;
  const name = value.toLowerCase() === "utc" || value.toLowerCase() === "z" ? "UTC" : value;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return name;
  } catch {
    const parts = /^[A-Za-z<][^0-9+-]*([+-]?\d{1,2})$/.exec(value);
    if (parts !== null) return value;
    throw refused("TimeZone", value);
  }
}

const ISOLATION = ["serializable", "repeatable read", "read committed", "read uncommitted"];

const fixed = (name: string, fallback: string): SettingRule => ({ name, fallback, isFixed: true });

const RULES: readonly SettingRule[] = [
  { name: "application_name", fallback: "", isReported: true },
  { name: "bytea_output", fallback: "hex", check: oneOf("bytea_output", "escape", "hex") },
  { name: "check_function_bodies", fallback: "on", check: bool("check_function_bodies") },
  { name: "client_encoding", fallback: "UTF8", isReported: true, check: encoding },
  { name: "client_min_messages", fallback: "notice" },
  { name: "DateStyle", fallback: "ISO, MDY", isReported: true, check: dateStyle },
  { name: "default_table_access_method", fallback: "heap" },
  { name: "default_tablespace", fallback: "" },
  {
    name: "default_transaction_isolation",
    fallback: "serializable",
    check: oneOf("default_transaction_isolation", ...ISOLATION),
  },
  {
    name: "default_transaction_read_only",
    fallback: "off",
    isReported: true,
    check: bool("default_transaction_read_only"),
  },
  { name: "extra_float_digits", fallback: "1", check: integer("extra_float_digits", -15, 3) },
  { name: "enable_seqscan", fallback: "on", check: bool("enable_seqscan") },
  { name: "enable_indexscan", fallback: "on", check: bool("enable_indexscan") },
  { name: "enable_hashjoin", fallback: "on", check: bool("enable_hashjoin") },
  { name: "enable_nestloop", fallback: "on", check: bool("enable_nestloop") },
  {
    name: "join_collapse_limit",
    fallback: "8",
    check: integer("join_collapse_limit", 1, 2_147_483_647),
  },
  { name: "escape_string_warning", fallback: "on", check: bool("escape_string_warning") },
  {
    name: "idle_in_transaction_session_timeout",
    fallback: "0",
    check: span("idle_in_transaction_session_timeout"),
  },
  { ...fixed("in_hot_standby", "off"), isReported: true },
  { ...fixed("integer_datetimes", "on"), isReported: true },
  { name: "IntervalStyle", fallback: "postgres", isReported: true, check: intervalStyle },
  { ...fixed("is_superuser", "on"), isReported: true },
  { name: "jit", fallback: "off", check: bool("jit") },
  fixed("lc_collate", "C"),
  fixed("lc_ctype", "C.UTF-8"),
  { name: "lc_messages", fallback: "C" },
  { name: "lc_monetary", fallback: "C" },
  { name: "lc_numeric", fallback: "C" },
  { name: "lc_time", fallback: "C" },
  { name: "lock_timeout", fallback: "0", check: span("lock_timeout") },
  fixed("max_identifier_length", "63"),
  fixed("max_index_keys", "32"),
  { name: "row_security", fallback: "on", check: bool("row_security") },
  { name: "search_path", fallback: '"$user", public' },
  { ...fixed("server_encoding", "UTF8"), isReported: true },
  { ...fixed("server_version", "15.18"), isReported: true },
  fixed("server_version_num", "150018"),
  { ...fixed("session_authorization", ""), isReported: true },
  // Judged before each statement, so that no other way to set it gives more.
  { name: "role", fallback: NO_ROLE },
  {
    name: "standard_conforming_strings",
    fallback: "on",
    isReported: true,
    check: (value) => {
      if (booleanOf(value) === true) return "on";
      const message = "standard_conforming_strings cannot be off: write E'…' for escapes";
      throw new SqlError("0A000", message);
    },
  },
  { name: "statement_timeout", fallback: "0", check: span("statement_timeout") },
  { name: "synchronous_commit", fallback: "on" },
  { name: "synchronize_seqscans", fallback: "on", check: bool("synchronize_seqscans") },
  { name: "TimeZone", fallback: "UTC", isReported: true, check: timeZone },
  {
    name: "transaction_isolation",
    fallback: "serializable",
    check: oneOf("transaction_isolation", ...ISOLATION),
  },
  { name: "transaction_read_only", fallback: "off", check: bool("transaction_read_only") },
  { name: "transaction_deferrable", fallback: "off", check: bool("transaction_deferrable") },
  { name: "hash_mem_multiplier", fallback: "2", check: multiplier },
  { name: "temp_file_limit", fallback: TEMP_FILE_LIMIT, check: tempFileLimit },
  { name: "work_mem", fallback: "16MB", check: memory("work_mem", 64, 2_147_483_647) },
  { name: "xmloption", fallback: "content" },
];

/** Of PostgreSQL's planner and executor: kept and shown, and nothing here depends on them. */
const UNUSED: readonly SettingRule[] = [
  ...(
    "async_append bitmapscan gathermerge hashagg incremental_sort indexonlyscan material memoize " +
    "mergejoin parallel_append parallel_hash partition_pruning sort tidscan"
  )
    .split(" ")
    .map((each) => flag(`enable_${each}`, "on")),
  flag("enable_partitionwise_aggregate", "off"),
  flag("enable_partitionwise_join", "off"),
  flag("geqo", "on"),
  flag("parallel_leader_participation", "on"),
  flag("array_nulls", "on"),
  flag("quote_all_identifiers", "off"),
  flag("transform_null_equals", "off"),
  flag("default_transaction_deferrable", "off"),
  { name: "constraint_exclusion", fallback: "partition" },
  { name: "cpu_index_tuple_cost", fallback: "0.005" },
  { name: "cpu_operator_cost", fallback: "0.0025" },
  { name: "cpu_tuple_cost", fallback: "0.01" },
  { name: "cursor_tuple_fraction", fallback: "0.1" },
  { name: "default_statistics_target", fallback: "100" },
  { name: "effective_cache_size", fallback: "4GB" },
  { name: "effective_io_concurrency", fallback: "1" },
  { name: "force_parallel_mode", fallback: "off" },
  { name: "from_collapse_limit", fallback: "8" },
  { name: "geqo_threshold", fallback: "12" },
  { name: "jit_above_cost", fallback: "100000" },
  { name: "jit_inline_above_cost", fallback: "500000" },
  { name: "jit_optimize_above_cost", fallback: "500000" },
  { name: "log_min_duration_statement", fallback: "-1" },
  { name: "log_statement", fallback: "none" },
  { name: "maintenance_work_mem", fallback: "64MB" },
  { name: "max_parallel_maintenance_workers", fallback: "2" },
  { name: "max_parallel_workers", fallback: "8" },
  { name: "max_stack_depth", fallback: "2MB" },
  { name: "max_parallel_workers_per_gather", fallback: "2" },
  { name: "min_parallel_index_scan_size", fallback: "512kB" },
  { name: "min_parallel_table_scan_size", fallback: "8MB" },
  { name: "parallel_setup_cost", fallback: "1000" },
  { name: "parallel_tuple_cost", fallback: "0.1" },
  { name: "plan_cache_mode", fallback: "auto" },
  { name: "random_page_cost", fallback: "4" },
  { name: "seq_page_cost", fallback: "1" },
  { name: "temp_buffers", fallback: "8MB" },
];

function flag(name: string, fallback: string): SettingRule {
  return { name, fallback, check: bool(name) };
}

const BY_NAME: ReadonlyMap<string, SettingRule> = new Map(
  [...RULES, ...UNUSED].map((rule) => [rule.name.toLowerCase(), rule]),
);

export const SETTING_RULES: readonly SettingRule[] = [...RULES, ...UNUSED].sort((a, b) =>
  a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1,
);

/** @throws SqlError 42704 for a parameter that there is not. */
export function ruleOf(name: string): SettingRule {
  const lower = name.toLowerCase();
  const known = BY_NAME.get(lower);
  if (known !== undefined) return known;
  // Programs keep settings of their own under names with a point.
  if (/^[a-z_][\w$]*(?:\.[a-z_][\w$]*)+$/.test(lower)) return { name: lower, fallback: "" };
  throw new SqlError("42704", `unrecognized configuration parameter "${name}"`);
}
