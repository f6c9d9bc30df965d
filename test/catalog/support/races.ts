import { CATALOG_LIMITS } from "../../../src/catalog/limits.ts";
import * as op from "./operations.ts";
import type { Race } from "./schedules.ts";

type Pairs = readonly (readonly [op.Operation, op.Operation])[];

type Start = Pick<Race, "tree" | "reads" | "laterMs">;

function racesOver(
  start: Start,
  pairs: readonly (readonly [readonly op.Operation[], readonly op.Operation[]])[],
): readonly Race[] {
  const words = (lane: readonly op.Operation[]) => lane.map(({ name }) => name).join(", ");
  return pairs.map((lanes) => ({ ...start, name: lanes.map(words).join(" | "), lanes }));
}

const pairsOver = (start: Start, pairs: Pairs): readonly Race[] =>
  racesOver(
    start,
    pairs.map(([a, b]) => [[a], [b]]),
  );

function product(as: readonly op.Operation[], bs: readonly op.Operation[]): Pairs {
  return as.flatMap((a) => bs.map((b) => [a, b] as const));
}

/** Every operation with every one that comes after it, and with itself. */
function pairsAmong(operations: readonly op.Operation[]): Pairs {
  return operations.flatMap((a, i) => operations.slice(i).map((b) => [a, b] as const));
}

/** A table in `s`, an empty `n`, a leaf `m`; every name cached. */
const NAMESPACES: Pick<Race, "tree" | "reads"> = {
  tree: [
    op.createCatalog("c"),
    op.createNamespace("s"),
    op.createNamespace("n"),
    op.createNamespace("m"),
    op.createTable("s.t"),
  ],
  reads: [op.findTable("s.t"), op.listTables("n"), op.listTables("m")],
};

/** A view in `s`, an empty `n`; every name cached. */
const VIEWS: Pick<Race, "tree" | "reads"> = {
  tree: [
    op.createCatalog("c"),
    op.createNamespace("s"),
    op.createNamespace("n"),
    op.createView("s.v"),
  ],
  reads: [op.findView("s.v"), op.listViews("n")],
};

const NESTED: Pick<Race, "tree" | "reads"> = {
  tree: [op.createCatalog("c"), op.createNamespace("q"), op.createNamespace("q.r")],
  reads: [op.listTables("q"), op.listTables("q.r")],
};

const EMPTY: Pick<Race, "tree" | "reads"> = {
  tree: [op.createCatalog("c")],
  reads: [op.listNamespaces("")],
};

/** A table, a view and a namespace that were dropped, beside an empty `n`. */
const DROPPED: Pick<Race, "tree" | "reads"> = {
  tree: [
    op.createCatalog("c"),
    op.createNamespace("s"),
    op.createNamespace("n"),
    op.createNamespace("m"),
    op.createTable("s.t", "file:///w/t"),
    op.createView("s.v"),
    op.dropTableWithFiles("s.t"),
    op.dropView("s.v"),
    op.dropNamespace("m"),
  ],
  reads: [op.listTables("s"), op.listTables("n")],
};

/** The same, when its retention is over. */
const EXPIRED: Start = {
  ...DROPPED,
  laterMs: CATALOG_LIMITS.dropRetentionMs + 1,
};

/** Whatever makes a thing appear, with whatever makes its parent vanish. */
export const APPEAR_AND_VANISH: readonly Race[] = [
  ...pairsOver(
    VIEWS,
    product(
      [op.createView("n.x"), op.renameView("s.v", "n.x")],
      [op.dropNamespace("n"), op.renameNamespace("n", "z")],
    ),
  ),
  ...pairsOver(
    NAMESPACES,
    product(
      [
        op.createTable("n.x"),
        op.commitStaged("n.x"),
        op.registerTable("n.x"),
        op.renameTable("s.t", "n.x"),
        op.createNamespace("n.x"),
        op.renameNamespace("m", "n.x"),
      ],
      [op.dropNamespace("n"), op.renameNamespace("n", "v")],
    ),
  ),
  ...pairsOver(
    NESTED,
    product(
      [op.createNamespace("x"), op.renameNamespace("q.r", "x")],
      [op.renameCatalog("c", "d"), op.dropCatalog("c")],
    ),
  ),
  ...pairsOver(EMPTY, product([op.createNamespace("x")], [op.dropCatalog("c")])),
];

/** What was dropped comes back, goes for good, or meets what took its place. */
export const LIVES: readonly Race[] = [
  ...pairsOver(
    DROPPED,
    product(
      [op.undrop("table", "t"), op.undrop("view", "v", "s.x"), op.undrop("namespace", "m", "s.m")],
      [op.dropNamespace("s"), op.renameNamespace("s", "z")],
    ),
  ),
  ...pairsOver(
    DROPPED,
    pairsAmong([
      op.undrop("table", "t"),
      op.undrop("table", "t", "n.t"),
      op.createTable("s.t", "file:///w/t2"),
      op.createApart("n.x", "file:///w/t"),
      op.createApart("n.y", "file:///w/t/in"),
      op.undrop("namespace", "m"),
      op.createNamespace("m"),
    ]),
  ),
  ...pairsOver(
    DROPPED,
    product([op.undrop("namespace", "m")], [op.undrop("namespace", "m", "m.x")]),
  ),
  ...racesOver(
    EXPIRED,
    [
      [op.undrop("table", "t")],
      [op.undrop("view", "v")],
      [op.createApart("n.x", "file:///w/t")],
      [op.createApart("n.y", "file:///w/t/in")],
      [op.undrop("table", "t"), op.dropTable("s.t")],
      [op.registerTable("n.z", "file:///w/t"), op.dropTable("n.z")],
    ].map((rivals) => [[op.beginPurges(), op.endPurges()], rivals]),
  ),
];

/** Two that want one name, one location or one table. */
export const RIVALS: readonly Race[] = [
  ...pairsOver(
    VIEWS,
    product(
      [op.createView("n.x", "file:///w/1"), op.renameView("s.v", "n.x"), op.commitView("s.v", "A")],
      [
        op.createTable("n.x", "file:///w/1"),
        op.createTable("s.t", "file:///w/s.v"),
        op.renameView("s.v", "n.x"),
        op.commitView("s.v", "B"),
        op.dropView("s.v"),
        op.dropNamespace("s"),
      ],
    ),
  ),
  ...pairsOver(
    NAMESPACES,
    pairsAmong([
      op.createTable("n.x", "file:///w/1"),
      op.commitStaged("n.x", "file:///w/1"),
      op.registerTable("n.x", "file:///w/2"),
      op.registerTable("n.y", "file:///w/1"),
      op.renameTable("s.t", "n.x"),
      op.moveTable("s.t", "file:///w/1"),
    ]),
  ),
  // What is renamed to its own name may come to be between the two looks of the rename.
  ...pairsOver(
    NAMESPACES,
    product([op.renameTable("n.x", "n.x")], [op.createTable("n.x", "file:///w/1")]),
  ),
  ...pairsOver(
    NAMESPACES,
    pairsAmong([
      op.commitTable("s.t", "A"),
      op.commitTable("s.t", "B"),
      op.commitSnapshots("s.t", [7n], [8n]),
      op.commitSnapshots("s.t", [8n], [7n]),
      op.moveTable("s.t", "file:///w/3"),
      op.dropTable("s.t"),
      op.renameTable("s.t", "s.v"),
      op.renameTable("s.t", "n.t"),
      op.createTable("s.v", "file:///w/s.t"),
      op.dropNamespace("s"),
      op.renameNamespace("s", "k"),
    ]),
  ),
  ...pairsOver(
    NESTED,
    pairsAmong([
      op.createNamespace("q.x"),
      op.renameNamespace("q.r", "q.x"),
      op.renameNamespace("q.r", "x"),
      op.dropNamespace("q.r"),
      op.dropNamespace("q"),
      op.updateNamespace("q.r", "A"),
      op.renameNamespace("q", "z"),
    ]),
  ),
  ...pairsOver(
    EMPTY,
    pairsAmong([
      op.createCatalog("d"),
      op.renameCatalog("c", "d"),
      op.renameCatalog("c", "e"),
      op.dropCatalog("c"),
    ]),
  ),
];

const OUTER = "file:///w/o";
const INNER = "file:///w/o/in";

/** A table was dropped whose location is above, and one whose location is inside. */
const DROPPED_AROUND: Pick<Race, "tree" | "reads"> = {
  tree: [
    op.createCatalog("c"),
    op.createNamespace("n"),
    op.createTable("n.t"),
    op.createTable("n.over", OUTER),
    op.dropTable("n.over"),
    op.createTable("n.under", INNER),
    op.dropTable("n.under"),
  ],
  reads: [op.findTable("n.t")],
};

/** Two that come by a request of their own. */
export const NESTED_PAIR: readonly Race[] = pairsOver(NAMESPACES, [
  [op.createChosen("n.o", OUTER), op.createChosen("n.i", INNER)],
]);

/** Two locations, one inside the other, by every way in which somebody comes to a location. */
export const AROUND: readonly Race[] = [
  ...pairsOver(
    DROPPED_AROUND,
    product(
      [op.createChosen("n.o", OUTER), op.moveChosen("n.t", OUTER), op.undropChosen("over", OUTER)],
      [
        op.createChosen("n.i", INNER),
        op.createDefault("n.d", INNER),
        op.moveChosen("n.t", INNER),
        op.undropChosen("under", INNER),
      ],
    ),
  ),
  ...pairsOver(
    NAMESPACES,
    pairsAmong([op.createChosen("n.m", INNER), op.createChosen("n.i", `${INNER}/deep`)]),
  ),
  ...pairsOver(NAMESPACES, [
    [
      op.createChosenTogether([
        { path: "n.a", location: OUTER },
        { path: "n.b", location: "file:///w/p/in" },
      ]),
      op.createChosenTogether([
        { path: "n.c", location: "file:///w/p" },
        { path: "n.d", location: INNER },
      ]),
    ],
    [
      op.createChosenTogether([
        { path: "n.a", location: OUTER },
        { path: "n.b", location: "file:///w/p" },
      ]),
      op.createChosen("n.i", INNER),
    ],
  ]),
];

/**
 * One against several: the name that the first one has cached, or has just resolved, comes to mean
 * another thing.
 */
export const SUCCESSORS: readonly Race[] = [
  // The name comes to mean a thing of the other type, and back: what is cached is of neither use.
  ...racesOver(
    VIEWS,
    [
      op.findView("s.v"),
      op.findTable("s.v"),
      op.commitView("s.v", "A"),
      op.dropView("s.v"),
    ].flatMap((act) => [
      [[act], [op.dropView("s.v"), op.createTable("s.v")]],
      [[act], [op.renameView("s.v", "s.w"), op.createView("s.v", "file:///w/new")]],
      [[act], [op.dropView("s.v"), op.createTable("s.v"), op.dropTable("s.v")]],
    ]),
  ),
  ...racesOver(
    NAMESPACES,
    [
      op.createTable("n.x"),
      op.registerTable("n.x"),
      op.renameTable("s.t", "n.x"),
      op.createNamespace("n.x"),
      op.renameNamespace("m", "n.x"),
      op.listTables("n"),
    ].flatMap((appear) => [
      [[appear], [op.dropNamespace("n"), op.createNamespace("n")]],
      [[appear], [op.renameNamespace("n", "v"), op.createNamespace("n")]],
      [[appear], [op.renameNamespace("n", "v"), op.renameNamespace("v", "n")]],
    ]),
  ),
  ...racesOver(
    NAMESPACES,
    [
      op.findTable("s.t"),
      op.commitTable("s.t", "A"),
      op.moveTable("s.t", "file:///w/3"),
      op.dropTable("s.t"),
      op.renameTable("s.t", "n.x"),
    ].flatMap((act) => [
      [[act], [op.renameTable("s.t", "s.v"), op.createTable("s.t", "file:///w/new")]],
      [[act], [op.dropTable("s.t"), op.createTable("s.t")]],
      [[act], [op.moveTable("s.t", "file:///w/3"), op.createTable("s.v", "file:///w/s.t")]],
    ]),
  ),
  ...racesOver(
    EMPTY,
    [op.createNamespace("x"), op.dropCatalog("c"), op.renameCatalog("c", "e")].flatMap((act) => [
      [[act], [op.renameCatalog("c", "d"), op.createCatalog("c")]],
      [[act], [op.createNamespace("y"), op.renameCatalog("c", "d"), op.createCatalog("c")]],
    ]),
  ),
];

/** A transaction that may find one table, or one location, under both of its names. */
export const TOGETHER: readonly Race[] = racesOver(
  NAMESPACES,
  [
    op.commitTables(["s.t", "n.x"], "A"),
    op.commitTables(["n.x", "s.t"], "A"),
    op.commitTables(["s.t"], "A", "n.x"),
    op.commitTables(["n.x"], "A", "s.t"),
  ].flatMap((act) => [
    [[act], [op.renameTable("s.t", "n.x")]],
    [[act], [op.dropTable("s.t"), op.createTable("n.x", "file:///w/s.t")]],
  ]),
);
