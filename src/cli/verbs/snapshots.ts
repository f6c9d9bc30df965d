import type { Table } from "../../api/resources.ts";
import { FirnError } from "../../base/error.ts";
import { nearest } from "../../runtime/nearest.ts";
import type { Place } from "../place.ts";
import type { TableSnapshot, TableState } from "./iceberg-table.ts";
import { resourceOf } from "./target.ts";

/** The table of a name. @throws FirnError `Invalid`, code `NOT_A_TABLE`; as `resourceOf`. */
export async function tableOf(place: Place, name: string): Promise<Table> {
  const found = await resourceOf(place, name);
  if (found.type === "table") return found;
  const message = "not a table: give catalog.namespace.table";
  throw new FirnError("Invalid", "NOT_A_TABLE", message, { name, type: found.type });
}

/**
 * The snapshot that an `@` names: a ref, a snapshot id, a time, `~n` (n before the current one), or
 * a ref with `~n` after it.
 *
 * @param at absent: the current one.
 * @throws FirnError `NotFound`: `SNAPSHOT_NOT_FOUND`, `REF_NOT_FOUND`.
 */
export function snapshotAt(state: TableState, at: string | undefined): TableSnapshot {
  const [, base = "", back = "0"] = /^(.*?)(?:~(\d{1,9}))?$/s.exec(at ?? "") ?? [];
  let snapshot = byId(state, baseOf(state, base), at);
  for (let left = Number(back); left > 0; left--) snapshot = byId(state, snapshot.parent, at);
  return snapshot;
}

function baseOf(state: TableState, base: string): bigint | undefined {
  if (base === "") return state.currentSnapshotId;
  const ref = state.refs.find(({ name }) => name === base);
  if (ref !== undefined) return ref.snapshotId;
  if (/^\d{5,19}$/.test(base)) return BigInt(base);
  const timeMs = /^\d{4}-\d\d-\d\d/.test(base) ? Date.parse(base) : Number.NaN;
  if (Number.isFinite(timeMs)) {
    return state.log.filter((entry) => entry.timeMs <= timeMs).at(-1)?.snapshotId;
  }
  const names = state.refs.map(({ name }) => name);
  const near = nearest(base, names);
  const message = "no such branch, tag, snapshot or time: see firn log";
  throw new FirnError("NotFound", "REF_NOT_FOUND", message, {
    at: base,
    ...(near !== undefined && { nearest: near }),
  });
}

function byId(state: TableState, id: bigint | undefined, at = "current"): TableSnapshot {
  const found = state.snapshots.find((snapshot) => snapshot.id === id);
  if (found !== undefined) return found;
  const facts = { at, ...(id !== undefined && { snapshotId: id }) };
  throw new FirnError("NotFound", "SNAPSHOT_NOT_FOUND", "the table has no such snapshot", facts);
}

/** A number of a snapshot's summary; undefined where its writer did not tell. */
export function summaryNumber(snapshot: TableSnapshot, name: string): number | undefined {
  const text = snapshot.summary[name];
  const number = text === undefined || text === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}
