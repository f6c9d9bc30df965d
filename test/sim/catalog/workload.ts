import { type Sim, Violation } from "../harness/sim.ts";
import type { Seen } from "./requests.ts";
import {
  type KnownFile,
  type Mutation,
  type Name,
  type NewHead,
  nameKey,
  type Path,
  type Relation,
  type TableChange,
} from "./spec.ts";
import type { ListKind, User } from "./user.ts";

/** Few names, so that everybody meets; each begins another, so that lists are put to the test. */
const PATHS: readonly Path[] = [["a"], ["b"], ["a", "x"]];
const NAMES = ["t", "t-", "t1", "tt", "ü"] as const;

/** Locations that users choose, some within others. */
const PLACES = ["p", "p/q", "p/q/r", "p/s", "z"] as const;

/** Tables whose balances always come to the same sum. Nobody drops or renames them. */
export const BANK: Readonly<{ path: Path; names: readonly string[]; total: number }> = {
  path: ["bank"],
  names: ["one", "two", "three"],
  total: 300,
};

const MIN_STEPS = 6;
const MAX_STEPS = 16;
/** Looks until two in a row agree, before an audit gives up. */
const MAX_LOOKS = 5;

/** The namespaces that the users begin with. */
export async function prepare(user: User): Promise<void> {
  for (const path of [["a"], ["b"], BANK.path]) {
    const id = user.nextId();
    await user.mutate(id, { kind: "createNamespace", path, mark: id });
  }
}

export async function foundBank(user: User): Promise<readonly Name[]> {
  const accounts = BANK.names.map((name) => ({ path: BANK.path, name }));
  for (const at of accounts) {
    const born = user.nextId();
    const balance = BANK.total / BANK.names.length;
    await user.mutate(born, { kind: "createTable", at, born, balance });
  }
  return accounts;
}

/** What one user does, one thing after another. `choice.files` are those that all have seen. */
export async function work(choice: Choice): Promise<void> {
  const { sim } = choice;
  const steps = MIN_STEPS + sim.below(MAX_STEPS - MIN_STEPS);
  for (let i = 0; i < steps; i++) {
    await doOne(choice);
    if (sim.chance(0.3)) await sim.sleep(sim.spanMs(1, 2_000));
  }
}

export type Files = Readonly<Record<"table" | "view", KnownFile[]>>;

/** What a user has to choose from. */
export interface Choice {
  readonly sim: Sim;
  readonly user: User;
  readonly files: Files;
  readonly accounts: readonly Name[];
}

async function doOne(choice: Choice): Promise<void> {
  const { sim, user, files } = choice;
  const roll = sim.below(100);
  if (roll < 9) return transfer(choice);
  if (roll < 12) return audit(choice);
  if (roll < 35) return read(choice);
  if (roll < 44) return replaceSnapshot(choice);
  const id = user.nextId();
  const mutation = sim.pick(MAKERS)(choice, id);
  if (mutation === undefined) return;
  const shown = await user.mutate(id, mutation);
  if (mutation.kind === "deleteNamespace") await follow(choice);
  if (shown !== undefined) remember(files[isOfView(mutation) ? "view" : "table"], shown);
}

/** Most often a node takes the job up at once; now and then somebody has second thoughts. */
async function follow({ sim, user }: Choice): Promise<void> {
  if (sim.chance(0.3)) {
    void sim.spawn(async () => {
      await sim.sleep(sim.spanMs(1, 5_000));
      await user.cancelDelete();
    });
  }
  if (sim.chance(0.7)) await user.runJobs();
}

function isOfView({ kind }: Mutation): boolean {
  return kind === "createView" || kind === "commitView" || kind === "registerView";
}

function remember(files: KnownFile[], { location, content }: KnownFile): void {
  files.push({ location, content });
  if (files.length > 12) files.shift();
}

type Maker = (choice: Choice, id: string) => Mutation | undefined;

/** Each as often as it stands here. */
const MAKERS: readonly Maker[] = [
  ...times(4, (choice, id) => ({ kind: "createTable", at: free(choice), born: id })),
  ...times(4, (choice, id) => {
    const place = choice.sim.pick(PLACES);
    return { kind: "createAt", at: free(choice), born: id, place };
  }),
  ...times(2, (choice, id) => ({ kind: "createStaged", at: free(choice), born: id })),
  ...times(6, (choice, id) => ({ kind: "commitTable", at: held(choice, "table"), mark: id })),
  ...times(2, (choice, id) => ({ kind: "transaction", changes: twoChanges(choice, id) })),
  ...times(2, (choice) => ({ kind: "dropTable", at: held(choice, "table") })),
  ...times(4, (choice) => ({ kind: "purgeTable", at: held(choice, "table") })),
  ...times(5, (choice) => undropping(choice)),
  ...times(2, (choice) => ({ kind: "unregisterTable", at: held(choice, "table") })),
  ...times(3, (choice) => moving(choice, "renameTable")),
  ...times(4, (choice) => registering(choice, "registerTable")),
  ...times(2, (choice) => registering(choice, "registerOver")),
  ...times(6, (choice, id) => ({ kind: "createView", at: free(choice), born: id })),
  ...times(3, (choice, id) => ({ kind: "commitView", at: held(choice, "view"), mark: id })),
  ...times(3, (choice) => ({ kind: "dropView", at: held(choice, "view") })),
  ...times(6, (choice) => moving(choice, "renameView")),
  ...times(9, (choice) => registering(choice, "registerView")),
  ...times(4, ({ sim }, id) => ({ kind: "createNamespace", path: sim.pick(PATHS), mark: id })),
  ...times(2, ({ sim }, id) => ({ kind: "updateNamespace", path: sim.pick(PATHS), mark: id })),
  ...times(3, ({ sim }) => ({ kind: "dropNamespace", path: sim.pick(PATHS) })),
  ...times(2, ({ sim }) => ({ kind: "deleteNamespace", path: sim.pick(PATHS) })),
];

function times(count: number, maker: Maker): readonly Maker[] {
  return Array.from({ length: count }, () => maker);
}

function moving(choice: Choice, kind: "renameTable" | "renameView"): Mutation {
  const at = held(choice, kind === "renameTable" ? "table" : "view");
  return { kind, at, to: anyName(choice.sim) };
}

/** Most often to where it was. */
function undropping({ sim, user }: Choice): Mutation | undefined {
  const { gone } = user;
  if (gone.length === 0) return undefined;
  const id = sim.pick(gone);
  return sim.chance(0.7) ? { kind: "undrop", id } : { kind: "undrop", id, to: anyName(sim) };
}

function registering(
  choice: Choice,
  kind: "registerTable" | "registerOver" | "registerView",
): Mutation | undefined {
  const { sim, user } = choice;
  const files = choice.files[kind === "registerView" ? "view" : "table"];
  // Most often one that nothing holds any more: its location is free.
  const left = files.filter(({ content }) => !user.isThere(content.born));
  const from = left.length > 0 && sim.chance(0.8) ? left : files;
  if (from.length === 0) return undefined;
  const at = kind === "registerOver" ? held(choice, "table") : free(choice);
  return { kind, at, file: sim.pick(from) };
}

/** Most often a name in a namespace that is there. */
function free({ sim, user }: Choice): Name {
  const paths = PATHS.filter((path) => user.hasNamespace(path));
  const path = paths.length > 0 && sim.chance(0.85) ? sim.pick(paths) : sim.pick(PATHS);
  return { path, name: sim.pick(NAMES) };
}

function anyName(sim: Sim): Name {
  return { path: sim.pick(PATHS), name: sim.pick(NAMES) };
}

/** Most often a name that something has at this moment: it may be gone when it is asked for. */
function held({ sim, user }: Choice, type: Relation["type"]): Name {
  const names = user.namesOf(type).filter(({ path }) => path[0] !== BANK.path[0]);
  return names.length > 0 && sim.chance(0.85) ? sim.pick(names) : anyName(sim);
}

/** The same table twice would be refused before any work. */
function twoChanges(choice: Choice, mark: string): readonly TableChange[] {
  const [one, two] = [held(choice, "table"), held(choice, "table")];
  return nameKey(one) === nameKey(two)
    ? [{ at: one, mark }]
    : [one, two].map((at) => ({ at, mark }));
}

async function read(choice: Choice): Promise<void> {
  const { sim, user, files } = choice;
  const lists: readonly ListKind[] = ["tables", "views", "namespaces"];
  switch (sim.below(13)) {
    case 10:
    case 11:
      return user.report(held(choice, "table"));
    case 12: {
      const at = held(choice, "table");
      for (let i = 0; i < 3; i++) await user.report(at);
      await sim.sleep(sim.spanMs(10, 100));
      return user.listReports(at);
    }
    case 9:
      return user.listDropped();
    case 0:
      return user.loadNamespace(sim.pick(PATHS));
    case 1:
      return user.exists("table", held(choice, "table"));
    case 2:
      return user.exists("view", held(choice, "view"));
    case 3:
    case 4: {
      const kind = sim.pick(lists);
      const path = kind === "namespaces" && sim.chance(0.5) ? [] : sim.pick(PATHS);
      return sim.chance(0.5) ? user.listPaged(kind, path) : user.listAll(kind, path);
    }
    case 5: {
      const view = await user.loadView(held(choice, "view"));
      if (view !== undefined) remember(files.view, view);
      return;
    }
    case 6: {
      const table = await user.loadWhole(held(choice, "table"));
      if (table !== undefined) remember(files.table, table);
      return;
    }
    default:
      return user.loadTable(held(choice, "table"));
  }
}

/** Adds a snapshot to what was read, if it still stands. */
async function replaceSnapshot(choice: Choice): Promise<void> {
  const { user } = choice;
  const at = held(choice, "table");
  const found = await user.loadWhole(at);
  if (found === undefined) return;
  const id = user.nextId();
  const head = await headOn(choice, found);
  await user.mutate(id, { kind: "replaceSnapshot", at, mark: id, head });
}

async function headOn({ sim, user }: Choice, table: Seen): Promise<NewHead> {
  const id = String(2 ** 50 + sim.below(2 ** 50));
  const manifestList = await user.plant(table, id);
  const { content, lastSequenceNumber } = table;
  return { base: content.head, id, sequenceNumber: lastSequenceNumber + 1, manifestList };
}

/** Moves money between two accounts as they were read, or moves nothing. */
async function transfer(choice: Choice): Promise<void> {
  const { sim, user, accounts } = choice;
  const from = sim.below(accounts.length);
  const to = (from + 1 + sim.below(accounts.length - 1)) % accounts.length;
  const amount = 1 + sim.below(50);
  const mark = user.nextId();
  const changes: TableChange[] = [];
  for (const [at, by] of [
    [accounts[from], -amount],
    [accounts[to], amount],
  ] as const) {
    const found = at === undefined ? undefined : await user.loadWhole(at);
    if (at === undefined || found === undefined) return;
    const balance = (found.content.balance ?? 0) + by;
    changes.push({ at, mark, head: { ...(await headOn(choice, found)), balance } });
  }
  await user.mutate(mark, { kind: "transaction", changes });
}

/**
 * Reads all accounts until nothing has moved between two looks: then all of it stood at one
 * instant, and the sum is what it always is.
 */
async function audit({ user, accounts }: Choice): Promise<void> {
  let before = "";
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found: Seen[] = [];
    for (const at of accounts) {
      const account = await user.loadWhole(at);
      if (account === undefined) return;
      found.push(account);
    }
    const now = JSON.stringify(found.map(({ location }) => location));
    if (now === before) {
      mustAddUp(found.map(({ content }) => content.balance ?? 0));
      return;
    }
    before = now;
  }
}

/** @throws Violation where money was made or lost. */
export function mustAddUp(balances: readonly number[]): void {
  const sum = balances.reduce((total, balance) => total + balance, 0);
  if (sum !== BANK.total) throw new Violation(`the bank holds ${balances.join(" + ")} = ${sum}`);
}
