import type { Sim } from "../harness/sim.ts";
import { Refused, type Reply, type SqlClient } from "./client.ts";
import {
  ABSENT,
  anyOwn,
  type OwnState,
  type OwnStatement,
  textsOf,
  wholeOf,
  wholeTexts,
} from "./own-model.ts";
import { type Ask, LEVELS, type Outcome, type Session, UNDO } from "./session.ts";

/** What its statements may be refused with, as the model says. */
const REFUSALS: readonly string[] = ["23505", "42P01", "42P07", "42701", "42703", "42704"];

/** A table that one user alone changes: each answer must be that of a model. */
export class OwnTable {
  readonly #sim: Sim;
  readonly #table: string;
  /** More than one where it is not known whether the last change happened. */
  #states: readonly OwnState[] = [ABSENT];
  /** Whoever has changed it last may still be at it. */
  #last: SqlClient | undefined;

  constructor(sim: Sim, user: string) {
    this.#sim = sim;
    this.#table = `own_${user}`;
  }

  async act(session: Session): Promise<void> {
    await this.#last?.ended();
    if (this.#states.length > 1) await this.#resolve(session);
    const [before] = this.#states;
    if (before === undefined || this.#states.length > 1) return;
    if (session.client.isGone) return;
    this.#last = undefined;
    if (this.#sim.chance(0.5)) await this.#alone(session, before);
    else await this.#together(session, before);
    if (session.client.isGone) this.#last = session.client;
  }

  /** What it must be in the end. */
  async verify(ask: Ask): Promise<void> {
    const found = await this.#found(ask);
    const due = this.#states.map(contentOf);
    const holds = due.includes(found);
    this.#sim.must(holds, () => `${this.#table} is ${found}, not ${due.join(" or ")}`);
  }

  /** Reads which of the states it is. */
  async #resolve(session: Session): Promise<void> {
    let found = "";
    const { fate } = await session.transact("own", "serializable", async (ask) => {
      found = await this.#found(ask);
      return undefined;
    });
    // That it is not there may have been said by a process that had lost the shard.
    if (fate !== "committed" || !(await session.confirmed())) return;
    const due = this.#states.map(contentOf);
    const at = due.indexOf(found);
    this.#sim.must(at >= 0, () => `${this.#table} is ${found}, not ${due.join(" or ")}`);
    // States that look alike differ in what is no row: they stay.
    this.#states = this.#states.filter((_, i) => due[i] === found);
    if (this.#states.length > 1) await this.#restart(session);
  }

  async #restart(session: Session): Promise<void> {
    const { fate } = await session.alone("own", `DROP TABLE IF EXISTS ${this.#table}`);
    if (session.client.isGone) this.#last = session.client;
    if (fate === "committed") this.#states = [ABSENT];
    else if (fate === "maybe") this.#states = [...this.#states, ABSENT];
  }

  async #found(ask: Ask): Promise<string> {
    await ask("SAVEPOINT w");
    try {
      const found = textsOf((await ask(wholeOf(this.#table))).rows).join("; ");
      return `[${found}]`;
    } catch (error) {
      if (!(error instanceof Refused) || error.state !== "42P01") throw error;
      await ask("ROLLBACK TO w");
      return "absent";
    }
  }

  async #alone(session: Session, before: OwnState): Promise<void> {
    const one = anyOwn(this.#sim, this.#table, before);
    const due = one.due(before);
    const told = await session.alone("own", one.sql, REFUSALS);
    this.#ended(told, before, due.state);
    const differs = this.#differs(one, before, told.reply, told.state);
    // A process that has lost the shard says what was; what it commits it has seen.
    const counts = told.reply !== undefined || (await isJudged(session, told));
    if (differs !== undefined && counts) this.#fail(session, differs);
  }

  async #together(session: Session, before: OwnState): Promise<void> {
    const count = 1 + this.#sim.below(5);
    const all = Array.from({ length: count }, () => anyOwn(this.#sim, this.#table, before));
    const isChange = all.some((one) => one.isChangeOfTable);
    let state = before;
    let differs: string | undefined;
    const told = await session.transact(
      "own",
      isChange ? "serializable" : this.#sim.pick(LEVELS),
      async (ask) => {
        for (const one of all) {
          const isUndone = this.#sim.chance(0.15);
          await ask("SAVEPOINT s");
          const due = one.due(state);
          const [reply, refused] = await answered(ask, one);
          differs ??= this.#differs(one, state, reply, refused);
          // What is wrong is judged where the process still has the shard.
          if (differs !== undefined) return UNDO;
          if (refused !== undefined || isUndone) await ask("ROLLBACK TO s");
          else {
            ({ state } = due);
            if (this.#sim.chance(0.5)) await ask("RELEASE s");
          }
          if (this.#sim.chance(0.2)) await this.#sim.sleep(this.#sim.spanMs(1, 300));
        }
        return this.#sim.chance(0.1) ? UNDO : undefined;
      },
    );
    this.#ended(told, before, state);
    if (differs !== undefined && (await session.confirmed())) this.#fail(session, differs);
  }

  #ended({ fate }: Outcome, before: OwnState, after: OwnState): void {
    if (fate === "committed") this.#states = [after];
    else if (fate === "maybe") this.#states = [before, after];
  }

  /** How an answer differs from what is due; what any statement may be told does not. */
  #differs(
    one: OwnStatement,
    before: OwnState,
    reply: Reply | undefined,
    refused: string | undefined,
  ): string | undefined {
    if (reply === undefined && (refused === undefined || !REFUSALS.includes(refused))) {
      return undefined;
    }
    const due = one.due(before);
    const told = reply === undefined ? "" : order(one.sql, textsOf(reply.rows));
    const found = refused ?? `[${told}]`;
    const expected = due.refused ?? `[${order(one.sql, due.rows ?? [])}]`;
    return found === expected ? undefined : `${one.sql} answers ${found}, not ${expected}`;
  }

  #fail({ client }: Session, differs: string): void {
    this.#sim.must(false, () => `${client.name}: ${differs}`);
  }
}

async function isJudged(session: Session, { state }: Outcome): Promise<boolean> {
  return state !== undefined && REFUSALS.includes(state) && (await session.confirmed());
}

/** What one statement answers, or is refused with if the model knows that. @throws Refused. */
async function answered(
  ask: Ask,
  { sql }: OwnStatement,
): Promise<readonly [Reply | undefined, string | undefined]> {
  try {
    return [await ask(sql), undefined];
  } catch (error) {
    if (!(error instanceof Refused) || !REFUSALS.includes(error.state)) throw error;
    return [undefined, error.state];
  }
}

/** Rows without an order of their own are compared in any. */
function order(sql: string, texts: readonly string[]): string {
  return (sql.includes("ORDER BY") ? texts : texts.toSorted()).join("; ");
}

function contentOf(state: OwnState): string {
  return state.isThere ? `[${wholeTexts(state).join("; ")}]` : "absent";
}
