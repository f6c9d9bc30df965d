import type { Sim } from "../harness/sim.ts";
import type { Member } from "../lsm/member.ts";
import type { Fate } from "../rows/cycles.ts";
import { type Disturbance, Gone, Refused, type Reply, type SqlClient } from "./client.ts";

export const LEVELS = ["serializable", "repeatable read", "read committed"] as const;
export type Level = (typeof LEVELS)[number];

/**
 * What any statement may be refused with: others were in its way, the store fails or is slow, the
 * engine has no room, its client cancelled it.
 */
const ALWAYS: ReadonlySet<string> = new Set(["40001", "40P01", "57P03", "08007", "53000", "57014"]);

/** No transaction is too old before: what stands alone is run again instead of being refused. */
const LEAST_AGE_MS = 900;

/** Its caller cannot tell whether it happened. */
const UNKNOWN = "08007";

/** Others were in its way: the server runs a statement that stands alone again. */
const OVERTAKEN: ReadonlySet<string> = new Set(["40001", "40P01"]);

/** After these the process may serve no more: it is asked. */
const DOUBTFUL: ReadonlySet<string> = new Set(["57P03", "08007"]);

/** How a piece of work ended. */
export interface Outcome {
  readonly fate: Fate;
  /** The SQLSTATE that it was refused with. */
  readonly state?: string;
}

/** Ends a transaction by ROLLBACK. */
export const UNDO: unique symbol = Symbol("undo");

export type Ask = (sql: string) => Promise<Reply>;

/** One client at work in one process: what it asks, what it is told, and what that means. */
export class Session {
  readonly member: Member;
  readonly client: SqlClient;
  /** Of statements outside of BEGIN. */
  readonly level: Level;
  /** Its process serves no more. */
  isStale = false;
  readonly #sim: Sim;

  constructor(sim: Sim, member: Member, client: SqlClient, level: Level) {
    this.#sim = sim;
    this.member = member;
    this.client = client;
    this.level = level;
  }

  /** Runs a text that commits itself. `allowed`: what it may be refused with besides. */
  async alone(
    operation: string,
    sql: string,
    allowed: readonly string[] = [],
  ): Promise<Outcome & { readonly reply?: Reply }> {
    const begunMs = this.#sim.clock.monotonicMs();
    return await this.#sim.during(operation, async () => {
      try {
        const reply = await this.ask(sql, this.#disturbance());
        this.#sim.coverage.note(`${operation} answered`);
        return { fate: "committed", reply };
      } catch (error) {
        const isQuick = this.#sim.clock.monotonicMs() - begunMs < LEAST_AGE_MS;
        const isOvertaken = error instanceof Refused && OVERTAKEN.has(error.state);
        const told = `${sql} alone is refused: ${String(error)}`;
        this.#sim.must(!(isQuick && isOvertaken), () => `${this.client.name}: ${told}`);
        return await this.#failed(operation, error, allowed, true);
      }
    });
  }

  /** Copies lines in, as a statement that commits itself. */
  async copyAlone(operation: string, sql: string, pieces: readonly string[]): Promise<Outcome> {
    return await this.#sim.during(operation, async () => {
      try {
        const { tag } = await this.client.copyIn(sql, pieces, this.#disturbance());
        this.#sim.log(`${this.client.name} ${sql}: ${tag}`);
        this.#sim.coverage.note(`${operation} answered`);
        return { fate: "committed" };
      } catch (error) {
        this.#sim.log(`${this.client.name} ${sql}: ${String(error)}`);
        return await this.#failed(operation, error, [], true);
      }
    });
  }

  /** Sends messages of the extended protocol up to a Sync, which are one transaction. */
  async pipeline(operation: string, messages: readonly Buffer[]): Promise<Fate> {
    return await this.#sim.during(operation, async () => {
      try {
        await this.client.extended(messages, this.#disturbance());
        this.#sim.log(`${this.client.name} ${operation}: done`);
        this.#sim.coverage.note(`${operation} answered`);
        return "committed";
      } catch (error) {
        this.#sim.log(`${this.client.name} ${operation}: ${String(error)}`);
        return (await this.#failed(operation, error, [], true)).fate;
      }
    });
  }

  /** Runs work between BEGIN and its end. `allowed`: what it may be refused with besides. */
  async transact(
    operation: string,
    level: Level,
    work: (ask: Ask) => Promise<typeof UNDO | undefined>,
    allowed: readonly string[] = [],
  ): Promise<Outcome> {
    return await this.#sim.during(operation, async () => {
      let commits = false;
      const at = this.#sim.chance(0.1) ? this.#sim.below(8) : -1;
      let asked = 0;
      const ask: Ask = (sql) => this.ask(sql, asked++ === at ? this.#disturbance(true) : undefined);
      try {
        await ask(`BEGIN ISOLATION LEVEL ${level}`);
        if ((await work(ask)) === UNDO) {
          await ask("ROLLBACK");
          this.#sim.coverage.note(`${operation} undone`);
          return { fate: "aborted" };
        }
        commits = true;
        const { tag } = await ask("COMMIT");
        this.#sim.must(tag === "COMMIT", () => `${this.client.name}: COMMIT answers ${tag}`);
        this.#sim.coverage.note(`${operation} answered`);
        return { fate: "committed" };
      } catch (error) {
        return await this.#failed(operation, error, allowed, commits);
      }
    });
  }

  /** Asks one text, and notes what is said. @throws Refused, Gone. */
  async ask(sql: string, disturbance?: Disturbance): Promise<Reply> {
    const { name } = this.client;
    try {
      const reply = await this.client.query(sql, disturbance);
      const rows = reply.rows.map((row) => row.map((value) => value ?? "∅").join("|")).join("; ");
      this.#sim.log(`${name} ${sql}: ${reply.tag}${rows === "" ? "" : ` ${rows}`}`);
      return reply;
    } catch (error) {
      this.#sim.log(`${name} ${sql}: ${String(error)}`);
      throw error;
    }
  }

  /** Whether the process still owns the shard: what it has told before was true. */
  async confirmed(): Promise<boolean> {
    const confirm = async (): Promise<true> => {
      await this.member.engine.confirm();
      return true;
    };
    const isConfirmed = (await this.member.use("confirm", confirm)) === true;
    if (!isConfirmed) this.isStale = true;
    return isConfirmed;
  }

  async #failed(
    operation: string,
    error: unknown,
    allowed: readonly string[],
    commits: boolean,
  ): Promise<Outcome> {
    const { coverage } = this.#sim;
    if (error instanceof Gone) {
      coverage.note(`${operation} cut off`);
      return { fate: commits ? "maybe" : "aborted" };
    }
    if (!(error instanceof Refused)) throw error;
    const { state } = error;
    coverage.note(`${operation} ${state}`);
    const isAllowed = ALWAYS.has(state) || allowed.includes(state);
    const told = `${operation} is refused with ${error.message}`;
    this.#sim.must(isAllowed, () => `${this.client.name}: ${told} ${JSON.stringify(error.fields)}`);
    if (this.client.status !== "I") await this.#endFailed();
    if (DOUBTFUL.has(state)) await this.confirmed();
    return { fate: state === UNKNOWN && commits ? "maybe" : "aborted", state };
  }

  /** COMMIT, too, undoes a block that has failed. */
  async #endFailed(): Promise<void> {
    const { name, status } = this.client;
    const end = status === "E" ? this.#sim.pick(["ROLLBACK", "COMMIT"]) : "ROLLBACK";
    const ended = await this.ask(end).catch(() => undefined);
    const tag = ended?.tag ?? "ROLLBACK";
    this.#sim.must(tag === "ROLLBACK", () => `${name}: ${end} of a failed block answers ${tag}`);
  }

  #disturbance(isCertain = false): Disturbance | undefined {
    if (!isCertain && !this.#sim.chance(0.05)) return undefined;
    const kind = this.#sim.pick(["cut", "cancel"] as const);
    return { kind, afterMs: this.#sim.spanMs(0.1, 200) };
  }
}
