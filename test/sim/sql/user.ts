import type { Sim } from "../harness/sim.ts";
import type { Member } from "../lsm/member.ts";
import type { Shard } from "../lsm/shard.ts";
import { audit, transfer } from "./bank.ts";
import { changeTable } from "./changes.ts";
import { Gone, Refused } from "./client.ts";
import { markByAnyWay, numbers } from "./copies.ts";
import { changeFamily, checkFamily } from "./family.ts";
import type { Ledger } from "./ledger.ts";
import { appendAndRead } from "./lists.ts";
import { OwnTable } from "./own.ts";
import type { Queue } from "./queue.ts";
import type { SqlServer } from "./server.ts";
import { LEVELS, type Level, Session } from "./session.ts";

export interface UserParts {
  readonly sim: Sim;
  readonly shard: Shard;
  readonly ledger: Ledger;
  readonly queue: Queue;
  /** Of the lists: all transactions on them have one, so that each level is judged by its own. */
  readonly level: Level;
  readonly serverOf: (member: Member) => SqlServer;
}

/** One who speaks SQL to whichever process has the shard open, or says so. */
export class SqlUser {
  readonly #parts: UserParts;
  readonly #name: string;
  readonly own: OwnTable;
  #session: Session | undefined;

  constructor(parts: UserParts, name: string) {
    this.#parts = parts;
    this.#name = name;
    this.own = new OwnTable(parts.sim, name);
  }

  /** So many pieces of work, one after the other; fewer where the shard is hardly ever open. */
  async work(pieces: number): Promise<void> {
    const { sim } = this.#parts;
    let done = 0;
    for (let turn = 0; done < pieces && turn < 10 * pieces; turn++) {
      const session = await this.#connected();
      if (session !== undefined) {
        await this.#act(session);
        done++;
      }
      await sim.sleep(sim.spanMs(1, session === undefined ? 20_000 : 300));
    }
    await this.#leave();
  }

  /** A session that is open; another one from time to time. */
  async #connected(): Promise<Session | undefined> {
    const { sim, shard, serverOf } = this.#parts;
    const { client, isStale = false } = this.#session ?? {};
    // Some stay at a process that has lost the shard: they must not be told what is not so.
    const stays = sim.chance(isStale ? 0.1 : 0.95);
    if (client?.isGone === false && stays) return this.#session;
    if (this.#session?.isStale === true) serverOf(this.#session.member).isStale = true;
    await this.#leave();
    const member = shard.any();
    if (member === undefined) return undefined;
    if (serverOf(member).isStale && sim.chance(0.9)) return undefined;
    const level = sim.pick(LEVELS);
    const settings = { default_transaction_isolation: level };
    try {
      const client = await serverOf(member).connect(this.#name, settings);
      this.#session = new Session(sim, member, client, level);
    } catch (error) {
      if (!(error instanceof Gone || error instanceof Refused)) throw error;
    }
    return this.#session;
  }

  async #leave(): Promise<void> {
    const client = this.#session?.client;
    this.#session = undefined;
    if (client === undefined) return;
    if (this.#parts.sim.chance(0.5)) client.cut();
    else await client.end();
  }

  async #act(session: Session): Promise<void> {
    const { sim, ledger, queue, level } = this.#parts;
    const { member } = session;
    const chance = sim.prng.float();
    if (chance < 0.2) await this.own.act(session);
    else if (chance < 0.36) await appendAndRead(sim, session, ledger, level);
    else if (chance < 0.44) await transfer(sim, session, ledger);
    else if (chance < 0.48) await audit(sim, session);
    else if (chance < 0.63) await changeFamily(sim, session, ledger);
    else if (chance < 0.69) await checkFamily(sim, session);
    else if (chance < 0.78) await queue.act(session);
    else if (chance < 0.81) await numbers(sim, session, ledger);
    else if (chance < 0.88) await markByAnyWay(sim, session, ledger);
    else if (chance < 0.95) await changeTable(sim, session, ledger);
    else if (chance < 0.98) await member.use("flush", () => member.engine.flush());
    else if (chance < 0.99) await member.use("compact", () => member.engine.compact());
    else await member.use("close", () => member.engine.close());
  }
}
