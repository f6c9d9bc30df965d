import type { RowIsolation, RowTransaction } from "../../../src/rows/index.ts";
import { rowsOf } from "../../rows/support/open-rows.ts";
import type { Sim } from "../harness/sim.ts";
import type { Action } from "./cycles.ts";
import type { Door, Places } from "./doors.ts";
import type { RowHistory } from "./history.ts";
import { changePeople, checkPeople, writePeople } from "./people.ts";
import { ACCOUNTS, IDS, OPENING } from "./tables.ts";

const LISTS = 5;
/** The longest value that a row holds itself, and a longer one: the logs here are small. */
export const APART_BYTES = 100;
const LONG = 150;
const REGISTERS = 3;
const LEVELS: readonly RowIsolation[] = ["serializable", "repeatable read", "read committed"];

export interface UserParts {
  readonly sim: Sim;
  readonly places: Places;
  readonly history: RowHistory;
  /** Of the lists: all transactions on them have one, so that each level is judged by its own. */
  readonly level: RowIsolation;
}

/** One who uses the tables, through whoever has the shard open or says so. */
export class RowUser {
  readonly #parts: UserParts;
  readonly #name: string;
  #count = 0;

  constructor(parts: UserParts, name: string) {
    this.#parts = parts;
    this.#name = name;
  }

  /** So many transactions, one after the other; fewer where the shard is hardly ever open. */
  async work(transactions: number): Promise<void> {
    const { sim, places } = this.#parts;
    let done = 0;
    for (let turn = 0; done < transactions && turn < 10 * transactions; turn++) {
      const door = places.any();
      if (door !== undefined) {
        await this.#act(door);
        done++;
      }
      await sim.sleep(sim.spanMs(1, door === undefined ? 20_000 : 500));
    }
  }

  async #act(door: Door): Promise<void> {
    const { sim } = this.#parts;
    const { member } = door;
    const chance = sim.prng.float();
    if (chance < 0.42) await this.#lists(door);
    else if (chance < 0.56) await this.#transfer(door);
    else if (chance < 0.62) await this.#audit(door);
    else if (chance < 0.72) await this.#register(door);
    else if (chance < 0.9) await this.#people(door);
    else if (chance < 0.93) await this.#change(door);
    else if (chance < 0.96) await this.#check(door);
    else if (chance < 0.98) await member.use("flush", () => member.engine.flush());
    else if (chance < 0.99) await member.use("compact", () => member.engine.compact());
    else await member.use("close", () => member.engine.close());
  }

  /** A transaction of one level; whatever happens, it is over in the end. */
  async #within(
    door: Door,
    operation: string,
    isolation: RowIsolation,
    work: (tx: RowTransaction) => Promise<void>,
  ): Promise<void> {
    let begun: RowTransaction | undefined;
    let isOver = false;
    await door.use(operation, async () => {
      const tx = await door.begin({ isolation });
      begun = tx;
      try {
        // What began when its process was dead already ends here.
        if (isOver) return;
        await work(tx);
      } catch (error) {
        if (!isOver) throw error;
      } finally {
        tx.rollback();
      }
    });
    // One process has all shards that a transaction reads: where it dies, all of it is over.
    isOver = true;
    begun?.rollback();
  }

  /** Appends to lists and reads them, of which each answer is recorded. */
  async #lists(door: Door): Promise<void> {
    const { sim, history, level } = this.#parts;
    await this.#within(door, "lists", level, async (tx) => {
      const actions: Action[] = [];
      const undone: Action[] = [];
      const name = `${this.#name}.${++this.#count}`;
      history.begin(`${name} undone`, undone);
      const recorded = history.begin(name, actions);
      const isReader = sim.chance(0.3);
      for (let left = 1 + sim.below(4); left > 0; left--) {
        await tx.statement();
        const savepoint = sim.chance(0.1) ? tx.savepoint() : undefined;
        if (sim.chance(0.15)) actions.push(...(await this.#readAll(tx)));
        else if (isReader || sim.chance(0.4)) actions.push(await this.#read(tx));
        else {
          const appended = await this.#append(tx, level === "read committed");
          // What is undone must not be seen, and what was appended to is read anew.
          (savepoint === undefined ? actions : undone).push(appended);
          if (savepoint !== undefined) tx.rollbackTo(savepoint);
        }
        if (sim.chance(0.4)) await sim.sleep(sim.spanMs(1, sim.pick([50, 2_000])));
      }
      // Where it reads several shards, each as of one state.
      const total = this.#parts.places.isSplit && sim.chance(0.3) ? await moneyIn(tx) : undefined;
      if (sim.chance(0.05)) return;
      await history.commit(recorded, tx, sim.chance(0.9));
      const holds = total === undefined || total === ACCOUNTS * OPENING;
      this.#must(holds, () => `the bank holds ${total}`);
    });
  }

  async #append(tx: RowTransaction, isLocked: boolean): Promise<Action> {
    const { sim } = this.#parts;
    const list = `l${sim.below(LISTS)}`;
    const element = `${this.#name}.${++this.#count}`;
    const table = await tx.tables.get(IDS.lists);
    const lock = { mode: "update" } as const;
    const locked = isLocked || sim.chance(0.5);
    const row = await tx.get(table, [list], locked ? { lock } : {});
    const elements = [...split(row?.[1]), element];
    if (row === undefined) await tx.insert(table, [[list, joined(elements), elements.length]]);
    else {
      await tx.update(
        table,
        [list],
        new Map<number, string | number>([
          [2, joined(elements)],
          [3, elements.length],
        ]),
      );
    }
    return { kind: "append", list, element };
  }

  async #read(tx: RowTransaction): Promise<Action> {
    const list = `l${this.#parts.sim.below(LISTS)}`;
    const table = await tx.tables.get(IDS.lists);
    const row = await tx.get(table, [list]);
    return { kind: "read", list, elements: split(row?.[1]) };
  }

  /** All lists at once, in their order or through an index. */
  async #readAll(tx: RowTransaction): Promise<readonly Action[]> {
    const { sim } = this.#parts;
    const table = await tx.tables.get(IDS.lists);
    const way = sim.pick([{}, { index: 1 }, { reverse: true }, { batchRows: 1 }]);
    const rows = await rowsOf(tx.scan(table, way));
    const found = new Map(rows.map(([list, elements]) => [list, split(elements)]));
    this.#must(found.size === rows.length, () => "a list is found twice");
    return Array.from({ length: LISTS }, (_, index) => {
      const list = `l${index}`;
      return { kind: "read", list, elements: found.get(list) ?? [] };
    });
  }

  async #transfer(door: Door): Promise<void> {
    const { sim } = this.#parts;
    const isolation = sim.pick(LEVELS);
    await this.#within(door, "transfer", isolation, async (tx) => {
      const table = await tx.tables.get(IDS.accounts);
      const from = sim.below(ACCOUNTS);
      const to = (from + 1 + sim.below(ACCOUNTS - 1)) % ACCOUNTS;
      const isLocked = isolation === "read committed" || sim.chance(0.5);
      const read = async (id: number): Promise<number> => {
        const lock = { mode: "no key update" } as const;
        return Number((await tx.get(table, [id], isLocked ? { lock } : {}))?.[1]);
      };
      const has = await read(from);
      if (sim.chance(0.4)) await sim.sleep(sim.spanMs(1, 500));
      const other = await read(to);
      const amount = sim.below(Math.max(1, has));
      await tx.update(table, [from], new Map([[2, has - amount]]));
      await tx.update(table, [to], new Map([[2, other + amount]]));
      if (sim.chance(0.95)) await tx.commit();
    });
  }

  /** No money is lost or made, by whichever way it is counted. */
  async #audit(door: Door): Promise<void> {
    const { sim } = this.#parts;
    await this.#within(door, "audit", sim.pick(LEVELS), async (tx) => {
      const table = await tx.tables.get(IDS.accounts);
      const ways = [{}, { index: 1 }, { index: 1, indexOnly: true }, { reverse: true }];
      const totals: number[] = [];
      for (const way of ways) {
        await tx.statement();
        const rows = await rowsOf(tx.scan(table, { ...way, columns: [2] }));
        totals.push(rows.reduce((sum, [balance]) => sum + Number(balance), 0));
        if (sim.chance(0.2)) await sim.sleep(sim.spanMs(1, 500));
      }
      await tx.commit();
      const holds = totals.every((total) => total === ACCOUNTS * OPENING);
      this.#must(holds, () => `the bank holds ${totals}`);
    });
  }

  /** Reads a register as the latest, and may write its next version. */
  async #register(door: Door): Promise<void> {
    const { sim, history } = this.#parts;
    const register = sim.below(REGISTERS);
    await this.#within(door, "register", "serializable", async (tx) => {
      const since = history.told(register);
      const table = await tx.tables.get(IDS.registers);
      const row = await tx.get(table, [register]);
      const version = Number(row?.[1] ?? 0);
      if (sim.chance(0.4)) {
        await tx.commit();
        history.readRegister(register, version, since);
        return;
      }
      const writer = `${this.#name}.${++this.#count}`;
      await tx.put(table, [register, version + 1, writer]);
      await tx.commit();
      history.wroteRegister(register, version + 1, writer, since);
    });
  }

  async #people(door: Door): Promise<void> {
    const { sim } = this.#parts;
    await this.#within(door, "people", sim.pick(LEVELS), async (tx) => {
      await writePeople(sim, tx);
      await tx.commit({ durable: sim.chance(0.7) });
    });
  }

  async #change(door: Door): Promise<void> {
    const { sim } = this.#parts;
    await this.#within(door, "change", "serializable", async (tx) => {
      await changePeople(sim, tx);
      await tx.commit();
    });
  }

  async #check(door: Door): Promise<void> {
    const { sim } = this.#parts;
    await this.#within(door, "check", sim.pick(["serializable", "repeatable read"]), async (tx) => {
      await checkPeople(sim, tx);
    });
  }

  #must(holds: boolean, statement: () => string): void {
    this.#parts.sim.must(holds, () => `${this.#name}: ${statement()}`);
  }
}

/** What is in all accounts, by a scan. */
async function moneyIn(tx: RowTransaction): Promise<number> {
  await tx.statement();
  const rows = await rowsOf(tx.scan(await tx.tables.get(IDS.accounts), { columns: [2] }));
  return rows.reduce((sum, [balance]) => sum + Number(balance), 0);
}

export function split(elements: unknown): readonly string[] {
  return typeof elements === "string" && elements !== "" ? elements.trim().split(" ") : [];
}

/** Of each two lengths one is stored beside its row. */
function joined(elements: readonly string[]): string {
  const text = elements.join(" ");
  return elements.length % 2 === 0 ? text : text.padEnd(LONG);
}
