import { assert } from "../base/assert.ts";
import { type FirnError, invalid } from "../base/error.ts";
import type { TableId } from "../base/ids.ts";
import { LIMITS } from "../base/limits.ts";
import { settleAll } from "../base/settle-all.ts";
import type { Live } from "../pointer/port.ts";
import { BatchBuilder } from "./batch.ts";
import type { Actor, CatalogContext } from "./context.ts";
import type { Stored } from "./entities.ts";
import { locationOverlaps, locationTaken } from "./errors.ts";
import type { Table } from "./model.ts";
import { checkName, checkPath, dotted } from "./names.ts";
import type { Share, Step } from "./relations.ts";
import { type Attempt, type Planned, REPLAN, refuse, write } from "./repository.ts";
import type { RevisedEntity } from "./revised-entity.ts";
import type { TableDraft, TableRef, Tables } from "./tables.ts";

/** Operations of a batch apart from those of its tables: change record and receipt. */
const COMMON_OPS = 2;
/** Canonical pointer, two names, claim, guard: as few as any create has. */
const CREATE_OPS = 5;

/** What a transaction does to one table: makes it, or gives it other content. */
export type TableChange =
  | { readonly ref: TableRef; readonly create: () => Promise<TableDraft> }
  | {
      readonly ref: TableRef;
      readonly update: (current: Stored<Table>) => Promise<TableDraft | undefined>;
    };

type TableStep = Step<RevisedEntity<Table>>;

/**
 * Commits to several tables as one: one batch, so all of it is seen or none. A table that stays as
 * it is takes part all the same: it is held at the version that was looked at. The names of all are
 * proven at once: warm, one batch read where the store joins what is asked for together.
 *
 * @throws FirnError `Invalid` `TRANSACTION_TOO_LARGE`, `TRANSACTION_REPEATS_TABLE`, both before
 * any work; what `Tables.create` and `Tables.update` throw.
 */
export async function commitTogether(
  context: CatalogContext,
  tables: Tables,
  actor: Actor,
  changes: readonly TableChange[],
): Promise<readonly RevisedEntity<Table>[] | undefined> {
  const clean = changes.map((change) => ({ ...change, ref: cleanRef(change.ref) }));
  assertFits(clean);
  assertDistinct(clean);
  const planned = clean.map((change) => ({ change, id: context.ids.mint<TableId>() }));
  const plan = async (attempt: Attempt) => {
    // All of them, whatever becomes of one: what is held is let go of behind the last.
    const steps = await settleAll(
      planned.map(({ change, id }) => stepOf(tables, change, id, attempt)),
    );
    return together(context, steps);
  };
  return write(context, actor, "commit-transaction", plan, async () => undefined);
}

function stepOf(
  tables: Tables,
  change: TableChange,
  id: TableId,
  attempt: Attempt,
): Promise<TableStep> {
  return "create" in change
    ? tables.stepCreate(change.ref, id, change.create, attempt)
    : tables.stepUpdate(change.ref, change.update, attempt);
}

/** One batch of all shares; what stays as it is is held. */
async function together(
  context: CatalogContext,
  steps: readonly TableStep[],
): Promise<Planned<readonly RevisedEntity<Table>[]>> {
  const batch = new BatchBuilder(context.account);
  const shares: Share<RevisedEntity<Table>>[] = [];
  const held: Live[] = [];
  for (const step of steps) {
    if ("refused" in step) return step;
    if ("replan" in step) return REPLAN;
    if ("unchanged" in step) {
      held.push(step.at);
      continue;
    }
    shares.push(step);
  }
  // Renamed between two reads, one table was found under two names.
  const found = [...shares.map(({ primary }) => primary), ...held.map(({ key }) => key)];
  if (new Set(found).size < found.length) return REPLAN;
  const [first] = shares;
  if (first === undefined) {
    return { unchanged: [], proof: held, primary: held[0]?.key ?? "" };
  }
  assert(shares.length + held.length === steps.length, "each table is changed, or checked");
  const shared = sharedLocation(shares) ?? sharedUuid(shares);
  // Nor were all read at one instant: what a location belongs to may have changed meanwhile.
  if (shared !== undefined) return refuse(shared, ...shares.flatMap(({ was }) => was ?? []));
  // Behind the refusals: shares that have something in common would write one key twice.
  for (const at of held) batch.check(at);
  for (const { join } of shares) join(batch);
  assertOpsFit(batch.ops.length + COMMON_OPS, steps.length);
  for (const met of await settleAll(shares.map((share) => share.look?.()))) {
    if (met !== undefined) return met;
  }
  const prepare = async () => {
    await settleAll(shares.map((share) => share.prepare?.()));
  };
  return {
    batch,
    primary: first.primary,
    prepare,
    result: () => shares.map(({ result }) => result),
  };
}

/** What the store refuses between a relation and its rivals holds among the shares as well. */
function sharedLocation(shares: readonly Share<RevisedEntity<Table>>[]): FirnError | undefined {
  const taken = new Map<string, string>();
  for (const { result } of shares) {
    const { location, name } = result.entity;
    const by = taken.get(location);
    if (by !== undefined) return locationTaken(location, by);
    taken.set(location, name);
  }
  for (const { result, above } of shares) {
    const { location } = result.entity;
    const other = above.find((directory) => taken.has(directory));
    if (other !== undefined) return locationOverlaps(location, other, taken.get(other) ?? "");
  }
  return undefined;
}

/** No two tables share a uuid: engines cache what they know of a table by it. */
function sharedUuid(shares: readonly Share<RevisedEntity<Table>>[]): FirnError | undefined {
  const seen = new Map<string, RevisedEntity<Table>>();
  for (const { result } of shares) {
    const uuid = result.entity.iceberg?.tableUuid;
    if (uuid === undefined) continue;
    const other = seen.get(uuid);
    seen.set(uuid, result);
    if (other === undefined || (other.version !== 1n && result.version !== 1n)) continue;
    const tables = [other, result].map(({ entity }) => entity.name).join(", ");
    const why = "tables of one transaction have the same uuid: assign each its own";
    return invalid("TABLE_UUID_SHARED", why, { uuid, tables });
  }
  return undefined;
}

function cleanRef(ref: TableRef): TableRef {
  return { catalog: ref.catalog, path: checkPath(ref.path), name: checkName(ref.name, "table") };
}

/**
 * Refuses what fits no batch by its count of tables alone, before anything is done for any of them.
 *
 * @throws FirnError `Invalid` `TRANSACTION_TOO_LARGE`.
 */
export function assertTransactionFits(tables: number, creates: number): void {
  assertOpsFit(COMMON_OPS + creates * CREATE_OPS + (tables - creates), tables);
}

function assertFits(changes: readonly TableChange[]): void {
  assertTransactionFits(changes.length, changes.filter((change) => "create" in change).length);
}

/** Once more when all is planned: how deep the new locations lie is known only then. */
function assertOpsFit(operations: number, tables: number): void {
  if (operations <= LIMITS.batchOps) return;
  throw invalid("TRANSACTION_TOO_LARGE", "too many tables in one transaction", {
    tables,
    operations,
    limit: LIMITS.batchOps,
  });
}

function assertDistinct(changes: readonly TableChange[]): void {
  const seen = new Set<string>();
  for (const { ref } of changes) {
    const key = JSON.stringify([ref.catalog, ref.path, ref.name]);
    if (seen.has(key)) {
      const table = dotted([...ref.path, ref.name]);
      throw invalid("TRANSACTION_REPEATS_TABLE", "a transaction must not contain a table twice", {
        table,
      });
    }
    seen.add(key);
  }
}
