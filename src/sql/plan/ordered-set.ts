import type { ArrayDatum, Datum } from "../../rows/index.ts";
import type { AggregateCall } from "../bind/scope.ts";
import { notSupported, SqlError } from "../error.ts";
import type { Accumulator } from "../exec/group.ts";
import { compareRows } from "../exec/operators.ts";
import { type ExecRun, type Row, rowBytes } from "../exec/run.ts";
import { OID } from "../types/oids.ts";
import type { TypeRegistry } from "../types/registry.ts";
import { sortKey } from "./output.ts";

const KNOWN: ReadonlySet<string> = new Set([
  "percentile_cont",
  "percentile_disc",
  "mode",
  "rank",
  "dense_rank",
  "percent_rank",
  "cume_dist",
]);

/** Whether an aggregate computes over its rows in an order: `WITHIN GROUP`. */
export function isOrderedSet({ procedureName }: AggregateCall): boolean {
  return KNOWN.has(procedureName);
}

/** Ordered-set and hypothetical-set aggregates. Rows are those of the arguments in order. */
export function orderedSet(
  types: TypeRegistry,
  { procedureName: name, direct, order, call }: AggregateCall,
): (run: ExecRun) => Accumulator {
  const keys = order.map((part, i) => sortKey(types, part, () => i));
  const compare = compareRows(keys);
  const value = call.args[direct.length];
  const isArray = types.isArray(direct[0]?.oid ?? 0);
  if (name === "percentile_cont" && value?.oid !== OID.float8) {
    throw notSupported("percentile_cont of this type");
  }
  return (run) => {
    const rows: Row[] = [];
    return {
      add: (values) => {
        const isHypothetical = name.endsWith("rank") || name === "cume_dist";
        if (!isHypothetical && values[0] === null) return;
        run.keep(rowBytes(values));
        rows.push(values);
      },
      result: (told = []) => {
        rows.sort(compare);
        if (name === "mode") return mode(rows, compare);
        if (name.startsWith("percentile")) {
          if (rows.length === 0) return null;
          const column = rows.map(([value = null]) => value);
          const [fraction = null] = told;
          const of = (at: Datum): Datum => percentile(name, column, at);
          if (!isArray || fraction === null) return of(fraction);
          const fractions = fraction as ArrayDatum;
          return { ...fractions, elements: fractions.elements.map(of) };
        }
        return hypothetical(name, rows, compare, told);
      },
    };
  };
}

function percentile(name: string, values: readonly Datum[], fraction: Datum): Datum {
  if (fraction === null) return null;
  const at = Number(fraction);
  if (!(at >= 0 && at <= 1)) {
    throw new SqlError("22003", `percentile value ${at} is not between 0 and 1`);
  }
  if (name === "percentile_disc")
    return values[Math.max(0, Math.ceil(at * values.length) - 1)] as Datum;
  const place = at * (values.length - 1);
  const low = values[Math.floor(place)] as number;
  const high = values[Math.ceil(place)] as number;
  return low === high ? low : low + (place - Math.floor(place)) * (high - low);
}

function mode(rows: readonly Row[], compare: (left: Row, right: Row) => number): Datum {
  let [best, most, count] = [null as Datum, 0, 0];
  for (const [i, row] of rows.entries()) {
    const before = rows[i - 1];
    count = before !== undefined && compare(before, row) === 0 ? count + 1 : 1;
    if (count <= most) continue;
    most = count;
    [best = null] = row;
  }
  return best;
}

/** Where the direct arguments would stand among the rows. */
function hypothetical(
  name: string,
  rows: readonly Row[],
  compare: (left: Row, right: Row) => number,
  own: Row,
): Datum {
  if (rows.length === 0) return name === "cume_dist" ? 1 : name === "percent_rank" ? 0 : 1n;
  const before = rows.filter((row) => compare(row, own) < 0);
  const upTo = rows.filter((row) => compare(row, own) <= 0).length;
  if (name === "rank") return BigInt(before.length + 1);
  if (name === "percent_rank") return before.length / rows.length;
  if (name === "cume_dist") return (upTo + 1) / (rows.length + 1);
  const different = before.filter((row, i) => i === 0 || compare(before[i - 1] as Row, row) !== 0);
  return BigInt(different.length + 1);
}
