import { audit } from "./audit.ts";
import type { Verb } from "./call.ts";
import type { DailyVerb } from "./catalog-line.ts";
import { mv, protect, rm } from "./change.ts";
import { branch, rollback, tag } from "./change-refs.ts";
import { check } from "./check.ts";
import { describeOne } from "./describe.ts";
import { diff } from "./diff.ts";
import { files } from "./files.ts";
import { find } from "./find.ts";
import { importTables } from "./import.ts";
import { log } from "./log.ts";
import { ls } from "./ls.ts";
import { sql } from "./sql.ts";
import { stats } from "./stats.ts";
import { top } from "./top.ts";
import { watch } from "./watch.ts";

/** What runs each verb of every day. */
export const DAILY_VERBS: Readonly<Record<DailyVerb, Verb>> = {
  ls,
  describe: describeOne,
  log,
  diff,
  files,
  stats,
  check,
  find,
  watch,
  audit,
  top,
  rm,
  mv,
  tag,
  branch,
  rollback,
  protect,
  import: importTables,
  sql,
};
