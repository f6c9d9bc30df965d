import type { Sim } from "../harness/sim.ts";
import type { Action } from "../rows/cycles.ts";
import { split } from "../rows/user.ts";
import type { Cells } from "./client.ts";
import type { Ledger } from "./ledger.ts";
import { type Ask, type Level, type Session, UNDO } from "./session.ts";

const LISTS = 4;

/** Each way to read all lists: by the key, by an index of an expression, sorted, joined. */
const WAYS: readonly string[] = [
  "SELECT id, elements FROM lists",
  "SELECT id, elements FROM lists ORDER BY length(elements) DESC",
  "SELECT id, elements FROM lists WHERE length(elements) >= 0",
  "SELECT l.id, m.elements FROM lists l JOIN lists m ON m.id = l.id ORDER BY l.elements",
];

/** Appends to lists and reads them, in one transaction of which each answer is recorded. */
export async function appendAndRead(
  sim: Sim,
  session: Session,
  ledger: Ledger,
  level: Level,
): Promise<void> {
  const actions: Action[] = [];
  const undone: Action[] = [];
  ledger.begin(undone);
  const recorded = ledger.begin(actions);
  if (session.level === level && sim.chance(0.3)) {
    const isRead = sim.chance(0.5);
    const list = anyList(sim);
    const element = ledger.token();
    const sql = isRead ? readOf(list) : appendTo(sim, list, element);
    // What is not told is not recorded: the list alone shows whether it was appended to.
    const { fate, reply } = await session.alone("lists", sql);
    if (reply === undefined && !isRead) actions.push({ kind: "append", list, element });
    else if (reply !== undefined) actions.push(...toldBy(reply.rows, list, isRead ? "" : element));
    ledger.ended(recorded, fate);
    return;
  }
  const outcome = await session.transact("lists", level, async (ask) => {
    const isReader = sim.chance(0.3);
    for (let left = 1 + sim.below(4); left > 0; left--) {
      const chance = sim.prng.float();
      if (chance < 0.15) actions.push(...(await readAll(sim, ask)));
      else if (isReader || chance < 0.5) {
        const list = anyList(sim);
        actions.push(...toldBy((await ask(readOf(list))).rows, list, ""));
      } else if (chance < 0.6) {
        await ask("SAVEPOINT s");
        undone.push(...(await append(sim, ask, ledger)));
        await ask("ROLLBACK TO s");
      } else actions.push(...(await append(sim, ask, ledger)));
      if (sim.chance(0.4)) await sim.sleep(sim.spanMs(1, sim.pick([50, 2_000])));
    }
    return sim.chance(0.05) ? UNDO : undefined;
  });
  ledger.ended(recorded, outcome.fate);
}

/** One list grows by one element, in a single statement or read before under a lock. */
async function append(sim: Sim, ask: Ask, ledger: Ledger): Promise<readonly Action[]> {
  const list = anyList(sim);
  const element = ledger.token();
  if (sim.chance(0.7)) {
    return toldBy((await ask(appendTo(sim, list, element))).rows, list, element);
  }
  const before = toldBy((await ask(`${readOf(list)} FOR UPDATE`)).rows, list, "");
  const [read] = before;
  if (read?.kind !== "read" || read.elements.length === 0) return before;
  const text = [...read.elements, element].join(" ");
  const { tag } = await ask(`UPDATE lists SET elements = '${text}' WHERE id = '${list}'`);
  return tag === "UPDATE 1" ? [...before, { kind: "append", list, element }] : before;
}

function appendTo(sim: Sim, list: string, element: string): string {
  return sim.chance(0.7)
    ? `INSERT INTO lists AS l VALUES ('${list}', '${element}') ON CONFLICT (id)
         DO UPDATE SET elements = l.elements || ' ' || excluded.elements RETURNING elements`
    : `UPDATE lists SET elements = elements || ' ${element}'
         WHERE id = '${list}' RETURNING elements`;
}

function readOf(list: string): string {
  return `SELECT elements FROM lists WHERE id = '${list}'`;
}

/** What a statement that gives the list's text has appended and seen; `element`: none for "". */
function toldBy(rows: readonly Cells[], list: string, element: string): readonly Action[] {
  const read: Action = { kind: "read", list, elements: split(rows[0]?.[0]) };
  if (element === "" || rows.length === 0) return [read];
  return [{ kind: "append", list, element }, read];
}

async function readAll(sim: Sim, ask: Ask): Promise<readonly Action[]> {
  const { rows } = await ask(sim.pick(WAYS));
  const found = new Map(rows.map(([list, elements]) => [list, split(elements)]));
  sim.must(found.size === rows.length, () => "a list is found twice");
  return Array.from({ length: LISTS }, (_, index) => {
    const list = `l${index}`;
    return { kind: "read", list, elements: found.get(list) ?? [] };
  });
}

function anyList(sim: Sim): string {
  return `l${sim.below(LISTS)}`;
}
