import { FirnError } from "../../../src/base/error.ts";
import type { TableId } from "../../../src/base/ids.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import type {
  Datum,
  ForeignKeyAction,
  RowIsolation,
  RowTransaction,
  TableDescriptor,
  TableSpec,
} from "../../../src/rows/index.ts";
import { brokenIndexes, newTableId, type OpenRows, openRows, rowsOf } from "./open-rows.ts";

const ISOLATIONS: readonly RowIsolation[] = ["serializable", "repeatable read", "read committed"];
const ACTIONS: readonly ForeignKeyAction[] = [
  "no action",
  "restrict",
  "cascade",
  "set null",
  "set default",
];
/** What a transaction beside others may be told. */
const REFUSALS: ReadonlySet<unknown> = new Set(["40001", "40P01", "23503", "23505"]);
const INT = { kind: "int4" } as const;
/** Ids of one history, of parents and of children. */
const IDS = 3;

class Dice {
  readonly #prng: SeededPrng;

  constructor(seed: number) {
    this.#prng = new SeededPrng(seed);
  }

  below(count: number): number {
    return this.#prng.uint32() % count;
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)] as T;
  }
}

interface World {
  readonly at: OpenRows;
  readonly dice: Dice;
  readonly parent: TableId;
  readonly child: TableId;
  readonly isDeferrable: boolean;
}

async function openWorld(dice: Dice): Promise<World> {
  const at = await openRows();
  const [parent, child] = [newTableId(), newTableId()];
  const isDeferrable = dice.below(3) === 0;
  const isByIndex = dice.below(2) === 0;
  const p: TableSpec = {
    id: parent,
    namespace: [],
    name: "p",
    columns: [
      { name: "id", type: INT },
      { name: "code", type: INT },
      { name: "note", type: INT },
    ],
    primaryKey: { parts: [{ column: "id" }] },
    indexes: [{ name: "p_code", parts: [{ column: "code" }], unique: true }],
  };
  const c: TableSpec = {
    id: child,
    namespace: [],
    name: "c",
    columns: [
      { name: "id", type: INT },
      { name: "p", type: INT },
    ],
    primaryKey: { parts: [{ column: "id" }] },
    indexes: dice.below(2) === 0 ? [{ name: "c_p", parts: [{ column: "p" }] }] : [],
    foreignKeys: [
      {
        name: "c_fk",
        columns: ["p"],
        references: { table: parent, columns: [isByIndex ? "code" : "id"] },
        onDelete: dice.one(ACTIONS),
        onUpdate: dice.one(ACTIONS),
        deferrable: isDeferrable,
      },
    ],
  };
  await at.rows.run((tx) => tx.createTable(p));
  await at.rows.run((tx) => tx.createTable(c));
  return { at, dice, parent, child, isDeferrable };
}

/** Ids and codes are the same at first; either is what children may refer to. */
async function fill({ at, dice, parent, child }: World, base: number): Promise<void> {
  await at.rows.run(
    async (tx) => {
      const p = await tx.tables.get(parent);
      const c = await tx.tables.get(child);
      for (let i = 0; i < IDS; i++) {
        if (dice.below(3) > 0) await tx.insert(p, [[base + i, base + i, 0]]);
      }
      const [first] = await rowsOf(tx.scan(p, { lower: { value: base, inclusive: true } }));
      if (first !== undefined && dice.below(2) === 0) {
        await tx.insert(c, [[base, first[0] as Datum]]);
      }
    },
    { durable: false },
  );
}

async function step(
  { dice, isDeferrable }: World,
  base: number,
  tx: RowTransaction,
  p: TableDescriptor,
  c: TableDescriptor,
): Promise<void> {
  const id = base + dice.below(IDS);
  const other = base + dice.below(IDS);
  switch (dice.below(10)) {
    case 0:
    case 1:
      return void (await tx.insert(c, [[id, other]]));
    case 2:
      return void (await tx.update(c, [id], new Map([[2, other]])));
    case 3:
      return void (await tx.delete(c, [id]));
    case 4:
    case 5:
      return void (await tx.delete(p, [id]));
    case 6:
      return void (await tx.update(p, [id], new Map([[dice.one([1, 2]), other]])));
    case 7:
      return void (await tx.insert(p, [[id, other, 0]]));
    case 8:
      if (isDeferrable) await tx.setConstraints("all", dice.below(3) > 0);
      return void (await tx.put(c, [id, other]));
    default:
      return void (await tx.update(p, [id], new Map([[3, other]])));
  }
}

/** One transaction of a history. What it is refused with is in order; anything else is thrown. */
async function transact(world: World, base: number): Promise<void> {
  const { at, dice, parent, child } = world;
  const tx = await at.rows.begin({ isolation: dice.one(ISOLATIONS) });
  const yields = async (): Promise<void> => {
    for (let i = dice.below(12); i > 0; i--) await undefined;
  };
  try {
    await yields();
    const p = await tx.tables.get(parent);
    const c = await tx.tables.get(child);
    for (let steps = 1 + dice.below(3); steps > 0; steps--) {
      if (dice.below(2) === 0) await tx.statement();
      const savepoint = tx.savepoint();
      await step(world, base, tx, p, c).catch((error: unknown) => {
        // As SQL does it: a statement that fails is taken back, and the transaction may go on.
        if (stateOf(error) === "40001" || stateOf(error) === "40P01") throw error;
        tx.rollbackTo(savepoint);
        assertRefusal(error);
      });
      await yields();
    }
    if (dice.below(8) === 0) tx.rollback();
    else await tx.commit({ durable: false });
  } catch (error) {
    tx.rollback();
    assertRefusal(error);
  }
}

function stateOf(error: unknown): unknown {
  return error instanceof FirnError ? error.context["sqlState"] : undefined;
}

function assertRefusal(error: unknown): void {
  if (!REFUSALS.has(stateOf(error))) throw error;
}

/** Children without what they refer to, and indexes that do not agree with their rows. */
async function broken({ at, parent, child }: World): Promise<readonly unknown[]> {
  return await at.rows.run(async (tx) => {
    const p = await tx.tables.get(parent);
    const c = await tx.tables.get(child);
    const [key] = c.constraints.flatMap((one) => (one.kind === "foreign key" ? [one] : []));
    const column = key?.references.columns[0] as number;
    const there = new Set((await rowsOf(tx.scan(p, { columns: [column] }))).map(([id]) => id));
    const rows = await rowsOf(tx.scan(c));
    const orphans = rows.filter(([, refers]) => refers !== null && !there.has(refers as Datum));
    const indexes = [...(await brokenIndexes(tx, p)), ...(await brokenIndexes(tx, c))];
    return [...orphans.map((row) => ({ orphan: row, key })), ...indexes];
  });
}

/** Histories of a store, with foreign keys of one kind. */
const HISTORIES = 50;

/**
 * Random histories of two to four transactions at once over a few rows, at all levels of isolation.
 *
 * @returns what is wrong afterwards: with the seed that shows it again.
 */
export async function foreignKeyHistories(
  count: number,
  seed: number,
): Promise<readonly unknown[]> {
  for (let done = 0; done < count; done += HISTORIES) {
    const ownSeed = seed + done;
    const dice = new Dice(ownSeed);
    const world = await openWorld(dice);
    try {
      for (let history = 0; history < Math.min(HISTORIES, count - done); history++) {
        const base = history * IDS;
        await fill(world, base);
        const clients = Array.from({ length: 2 + dice.below(3) }, () => transact(world, base));
        await Promise.all(clients);
      }
      const found = await broken(world);
      if (world.at.rows.locked > 0) return [{ seed: ownSeed, locked: world.at.rows.locked }];
      if (found.length > 0) return [{ seed: ownSeed }, ...found];
    } finally {
      await world.at.end();
    }
  }
  return [];
}
