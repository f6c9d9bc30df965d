import type { Datum } from "../../rows/datum.ts";
import { bool } from "./bool.ts";
import { bytea } from "./bytea.ts";
import type { TypeCodec } from "./codec.ts";
import { date, time, timestamp, timestamptz, timetz } from "./dates.ts";
import { float4, float8 } from "./floats.ts";
import { int2, int4, int8, oid, xid } from "./integers.ts";
import { interval } from "./intervals.ts";
import { json, jsonb } from "./json.ts";
import { numeric } from "./numeric.ts";
import { REG_CODECS } from "./reg-objects.ts";
import { regtype } from "./regtype.ts";
import { bpchar, charByte, name, text, varchar } from "./texts.ts";
import { uuid } from "./uuid.ts";
import { int2vector, oidvector } from "./vectors.ts";

/** Codecs by PostgreSQL's name of the type. What is not here is refused when a value is used. */
export const CODECS: Readonly<Record<string, TypeCodec<Datum>>> = {
  ...REG_CODECS,
  aclitem: text,
  pg_dependencies: text,
  pg_mcv_list: text,
  pg_ndistinct: text,
  pg_node_tree: text,
  bool,
  bytea,
  bpchar,
  char: charByte,
  cid: xid,
  cstring: text,
  date,
  float4,
  float8,
  int2,
  int2vector,
  int4,
  int8,
  interval,
  json,
  jsonb,
  name,
  numeric,
  oid,
  oidvector,
  regtype,
  text,
  time,
  timestamp,
  timestamptz,
  timetz,
  unknown: text,
  uuid,
  varchar,
  void: { ...text, input: () => "", output: () => "" },
  xid,
};
