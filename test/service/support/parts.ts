import type { Constraint, TargetStats } from "../../../src/catalog/model.ts";
import type { CatalogNode } from "../../../src/service/node.ts";
import { ACTOR } from "../../support/open-catalog.ts";

/** A snapshot of a table, as the native API names it. */
interface Place {
  readonly catalog: string;
  readonly namespace: readonly string[];
  readonly table: string;
  readonly snapshotId: bigint;
}

const placeOf = ({ catalog, namespace, table, snapshotId }: Place) => ({
  catalog: { name: catalog },
  namespace: { path: namespace },
  relation: { name: table },
  snapshotId,
});

const BASE = { producer: "test", complete: true, properties: {} } as const;

/** Statistics of a column and of a file. */
export const STATS: readonly TargetStats[] = [
  { ...BASE, target: { kind: "COLUMN", fieldId: 1 }, rowCount: 9_007_199_254_740_993n },
  { ...BASE, target: { kind: "FILE", path: "mem://w/1.parquet" } },
];

export const PRIMARY_KEY: Constraint = {
  name: "pk",
  kind: "PRIMARY_KEY",
  columns: [{ id: 1, name: "id", ordinal: 0 }],
  expression: "",
  enforced: false,
};

/** Puts statistics and constraints of a snapshot. */
export async function putParts({ model }: Pick<CatalogNode, "model">, at: Place): Promise<void> {
  await model.statistics.put(ACTOR, placeOf(at), STATS);
  await model.constraints.put(ACTOR, placeOf(at), [PRIMARY_KEY]);
}

/** What a snapshot has, in words that two tables can be compared by. */
export async function partsOf(
  { model }: Pick<CatalogNode, "model">,
  at: Place,
): Promise<{
  readonly stats: readonly { readonly id: string; readonly stats: TargetStats }[];
  readonly constraints: readonly Constraint[];
}> {
  const place = placeOf(at);
  const { items } = await model.statistics.list(ACTOR, place, {});
  const { constraints } = await model.constraints.get(ACTOR, place);
  return { stats: items.map(({ id, stats }) => ({ id, stats })), constraints };
}
