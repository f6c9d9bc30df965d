import { type Outcome, type Span, settled } from "./driver.ts";
import { type PreparedTable, prepareTable } from "./history.ts";
import type { OwnTable, Target } from "./target.ts";
import { touchMemory } from "./touch.ts";

/** Requests in flight while tables are made, which no figure counts. */
const SETUP_CLIENTS = 16;

/** Appends to one table where the length of its history is what is measured. */
const APPENDS_TO_A_HISTORY = 32;

/** What is to be run, at full length or so short that it shows no more than that it works. */
export interface Scale {
  /** Lengths of the histories that are loaded and appended to. */
  readonly histories: readonly number[];
  /** Tables in the namespaces that are listed. */
  readonly lists: readonly number[];
  readonly clients: readonly number[];
  /** Tables that one cell appends to, each this often at most: histories stay short and alike. */
  readonly appendTables: number;
  readonly appendsATable: number;
}

/** How the cells reach a server: one that reads our files gets its tables by registration. */
export interface Side {
  readonly target: Target;
  readonly readsFiles: boolean;
}

export type Operation = (client: number, count: number, span: Span) => Promise<Outcome>;

/** An operation ready to be driven. */
export interface Prepared {
  readonly operation: Operation;
  /** Refusals by 409 that were tried again. */
  readonly refused?: () => number;
}

/** One cell: an operation at a number of clients, to be run against every side in turn. */
export interface Cell {
  readonly name: string;
  readonly clients: number;
  /** Makes what the operation needs, and sees that it does what it should. */
  readonly prepare: (side: Side) => Promise<Prepared>;
}

/** Files that every server reads: made once, so that all of them serve the same bytes. */
export interface Fixtures {
  readonly directory: string;
  readonly histories: ReadonlyMap<number, PreparedTable>;
  readonly lists: ReadonlyMap<number, readonly PreparedTable[]>;
}

export function prepareFixtures(directory: string, scale: Scale): Fixtures {
  const histories = scale.histories.map((snapshots): [number, PreparedTable] => [
    snapshots,
    prepareTable(`${directory}/history/${snapshots}`, snapshots),
  ]);
  const lists = scale.lists.map((tables): [number, readonly PreparedTable[]] => [
    tables,
    Array.from({ length: tables }, (_, i) => prepareTable(`${directory}/list${tables}/${i}`, 0)),
  ]);
  return { directory, histories: new Map(histories), lists: new Map(lists) };
}

/** Makes the tables that are only read. */
export async function prepareSide(side: Side, fixtures: Fixtures): Promise<void> {
  const { target, readsFiles } = side;
  await target.createNamespace("loads");
  for (const [snapshots, table] of fixtures.histories) {
    const name = `h${snapshots}`;
    if (readsFiles) await target.register("loads", name, table);
    else await target.createWithHistory("loads", name, snapshots);
  }
  for (const [count, tables] of fixtures.lists) {
    const namespace = `list${count}`;
    await target.createNamespace(namespace);
    await inParallel(tables, async (table, i) => {
      const name = `table_${String(i).padStart(5, "0")}`;
      if (readsFiles) await target.register(namespace, name, table);
      else await target.createTable(namespace, name);
    });
  }
}

/** All cells, those of one number of clients together. */
export function allCells(scale: Scale, fixtures: Fixtures): readonly Cell[] {
  return [
    ...scale.clients.flatMap((clients) => cellsOf(clients, scale)),
    ...scale.clients.filter((clients) => clients > 1).flatMap((n) => contendedCells(n, scale)),
    ...scale.histories.map((snapshots) => historyCell(snapshots, scale, fixtures)),
  ];
}

function cellsOf(clients: number, scale: Scale): readonly Cell[] {
  const loads = scale.histories.flatMap((snapshots) => [
    loadCell(clients, snapshots, "all"),
    loadCell(clients, snapshots, "refs"),
  ]);
  return [
    ...loads,
    readCell("exists", clients, "HEAD", (target) => `${target.tables("loads")}/h1`),
    ...scale.lists.map((tables) => listCell(clients, tables)),
    createCell(clients),
    commitCell(clients),
    appendCell(clients, scale),
  ];
}

function readCell(
  name: string,
  clients: number,
  method: "GET" | "HEAD",
  path: (target: Target) => string,
): Cell {
  const prepare = async ({ target }: Side): Promise<Prepared> => ({
    operation: async () => {
      await target.client.drain(method, path(target));
      return "done";
    },
  });
  return { name, clients, prepare };
}

function loadCell(clients: number, snapshots: number, mode: "all" | "refs"): Cell {
  const query = mode === "refs" ? "?snapshots=refs" : "";
  const path = (target: Target) => `${target.tables("loads")}/h${snapshots}${query}`;
  const name = `load ${snapshots}${mode === "refs" ? ", refs" : ""}`;
  const expected = mode === "refs" ? 1 : snapshots;
  return checked(readCell(name, clients, "GET", path), path, /"manifest-list":/g, expected);
}

function listCell(clients: number, tables: number): Cell {
  const path = (target: Target) => target.tables(`list${tables}`);
  return checked(readCell(`list ${tables}`, clients, "GET", path), path, /"name":/g, tables);
}

/** Looks at one answer first: what is measured has to be the right answer. */
function checked(
  cell: Cell,
  path: (target: Target) => string,
  part: RegExp,
  expected: number,
): Cell {
  const prepare = async (side: Side): Promise<Prepared> => {
    const text = await side.target.client.send("GET", path(side.target));
    const found = text.match(part)?.length ?? 0;
    if (found !== expected) {
      throw new Error(`${cell.name}: ${side.target.name} answered ${found}, not ${expected}`);
    }
    return cell.prepare(side);
  };
  return { ...cell, prepare };
}

function createCell(clients: number): Cell {
  const prepare = async ({ target }: Side): Promise<Prepared> => {
    const namespace = fresh("create");
    await target.createNamespace(namespace);
    const operation: Operation = async (client, count) => {
      await target.createTable(namespace, `new_${client}_${count}`, { owner: "bench" });
      return "done";
    };
    return { operation };
  };
  return { name: "create", clients, prepare };
}

function commitCell(clients: number): Cell {
  const prepare = async ({ target }: Side): Promise<Prepared> => {
    const namespace = fresh("commit");
    const tables = await makeTables(target, namespace, clients, {});
    const operation: Operation = async (client, count) => {
      await target.setProperty(namespace, at(tables, client), `${client}-${count}`);
      return "done";
    };
    return { operation };
  };
  return { name: "commit a property", clients, prepare };
}

function appendCell(clients: number, scale: Scale): Cell {
  const prepare = async ({ target }: Side): Promise<Prepared> => {
    const namespace = fresh("append");
    const tables = await makeTables(target, namespace, scale.appendTables, {});
    return { operation: appendInTurn(target, namespace, tables, clients, scale.appendsATable) };
  };
  return { name: "append", clients, prepare };
}

/** Appends to own tables: a client that has filled one of its share goes on with the next. */
function appendInTurn(
  target: Target,
  namespace: string,
  tables: readonly OwnTable[],
  clients: number,
  appendsATable: number,
): Operation {
  return async (client, count) => {
    const table = tables[client + Math.floor(count / appendsATable) * clients];
    if (table === undefined) return "over";
    if (await target.append(namespace, table, table.head)) return "done";
    throw new Error("an append to an own table was refused");
  };
}

/** What one append costs by the length of the history that it is added to. */
function historyCell(snapshots: number, scale: Scale, fixtures: Fixtures): Cell {
  const name = `append at ${snapshots}`;
  const prepare = async ({ target, readsFiles }: Side): Promise<Prepared> => {
    const namespace = fresh("cost");
    await target.createNamespace(namespace);
    // The longer the history, the fewer of them, or making them would take most of the run; where
    // one is a registration, there are enough for a fast server to be busy throughout.
    const most = (readsFiles ? 16_000 : 3_000) / snapshots;
    const count = Math.max(2, Math.min(scale.appendTables, Math.ceil(most)));
    const tables: OwnTable[] = [];
    for (let i = 0; i < count; i++) {
      const directory = `${fixtures.directory}/${target.name}/${namespace}/${i}`;
      const made = readsFiles
        ? target.register(namespace, `t${i}`, prepareTable(directory, snapshots))
        : target.createWithHistory(namespace, `t${i}`, snapshots);
      tables.push(await made);
    }
    // What follows a registration in the background is not a part of an append.
    await settled(target.pid);
    const { bytes = 0 } = fixtures.histories.get(snapshots) ?? {};
    touchMemory(fixtures.directory, count * APPENDS_TO_A_HISTORY * bytes);
    return { operation: appendInTurn(target, namespace, tables, 1, APPENDS_TO_A_HISTORY) };
  };
  return { name, clients: 1, prepare };
}

/** All clients on one table, a fresh one after so many appends that its history stays short. */
function contendedCells(clients: number, scale: Scale): readonly Cell[] {
  const blind = async ({ target }: Side): Promise<Prepared> => {
    const namespace = fresh("blind");
    const properties = { "format-version": "1" };
    const tables = await makeTables(target, namespace, scale.appendTables, properties);
    return contended(tables, scale, (table) => target.appendBlind(namespace, table));
  };
  const onHead = async ({ target }: Side): Promise<Prepared> => {
    const namespace = fresh("head");
    const tables = await makeTables(target, namespace, scale.appendTables, {});
    return contended(tables, scale, async (table) =>
      target.append(namespace, table, await target.loadHead(namespace, table)),
    );
  };
  return [
    { name: "append, one table", clients, prepare: blind },
    { name: "load + append, one table", clients, prepare: onHead },
  ];
}

function contended(
  tables: readonly OwnTable[],
  scale: Scale,
  attempt: (table: OwnTable) => Promise<boolean>,
): Prepared {
  let done = 0;
  let refused = 0;
  const operation: Operation = async (_client, _count, span) => {
    while (performance.now() < span.untilMs) {
      const table = tables[Math.floor(done / scale.appendsATable)];
      if (table === undefined) return "over";
      if (await attempt(table)) {
        done++;
        return "done";
      }
      refused++;
    }
    return "over";
  };
  return { operation, refused: () => refused };
}

async function makeTables(
  target: Target,
  namespace: string,
  count: number,
  properties: Readonly<Record<string, string>>,
): Promise<readonly OwnTable[]> {
  await target.createNamespace(namespace);
  const names = Array.from({ length: count }, (_, i) => `t${i}`);
  return inParallel(names, (name) => target.createTable(namespace, name, properties));
}

let namespaces = 0;

/** A namespace that no other cell has, on no server: a cell may be prepared several times. */
function fresh(kind: string): string {
  return `${kind}_${++namespaces}`;
}

/** Works through a list with a few at once, and answers in its order. */
async function inParallel<T, R>(
  list: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = new Array(list.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < list.length; i = next++) results[i] = await work(at(list, i), i);
  };
  await Promise.all(Array.from({ length: SETUP_CLIENTS }, worker));
  return results;
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`nothing at ${index}`);
  return item;
}
