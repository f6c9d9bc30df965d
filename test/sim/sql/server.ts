import type { Socket } from "node:net";
import { FirnError } from "../../../src/base/error.ts";
import { WaitGraph } from "../../../src/base/wait-graph.ts";
import { CancelKeys } from "../../../src/pgwire/cancel-keys.ts";
import { Connection, type ConnectionHost } from "../../../src/pgwire/connection.ts";
import { RowStore } from "../../../src/rows/index.ts";
import { Parser } from "../../../src/sql/parse/parser.ts";
import { RowExpressions } from "../../../src/sql/plan/row-expressions.ts";
import { AdvisoryLocks } from "../../../src/sql/session/advisory-locks.ts";
import { openSession } from "../../../src/sql/session/open.ts";
import type { Sim } from "../harness/sim.ts";
import type { Member } from "../lsm/member.ts";
import { SqlClient } from "./client.ts";
import type { SimNames } from "./names.ts";
import { MemorySocket } from "./socket.ts";

/** What serves SQL in a process that has the shard open. */
export class SqlServer {
  readonly store: RowStore;
  /** A client was told that the process has lost the shard. */
  isStale = false;
  readonly #sim: Sim;
  readonly #member: Member;
  readonly #host: ConnectionHost;
  readonly #cancelKeys: CancelKeys;
  readonly #running = new Set<Promise<void>>();
  #clients = 0;

  constructor(sim: Sim, member: Member, names: SimNames) {
    this.#sim = sim;
    this.#member = member;
    const { engine, host } = member;
    const { clock } = host;
    const parser = new Parser(clock);
    const expressions = new RowExpressions({ clock, prng: sim.fork(), parser });
    const waits = new WaitGraph();
    const parts = { engine, clock, prng: sim.fork(), account: "acme", expressions, waits };
    this.store = new RowStore(parts);
    const catalog = names.view(host, this.store);
    const locks = new AdvisoryLocks(waits);
    this.#cancelKeys = new CancelKeys(sim.fork());
    this.#host = {
      cancelKeys: this.#cancelKeys,
      openSession: async ({ user, database, settings }) => {
        const advisory = { locks, space: database };
        const shared = { parser, clock, prng: sim.fork(), catalog, advisory };
        const onUnreleased = (): void => sim.coverage.note("a name was not released");
        return openSession({ ...shared, user, database, settings, onUnreleased });
      },
      tls: () => undefined,
      requiresTls: false,
      onDefect: (error) => this.#judgeDefect(error),
    };
  }

  /** Opens a session. @throws Refused, Gone. */
  async connect(who: string, settings: Readonly<Record<string, string>>): Promise<SqlClient> {
    const { host } = this.#member;
    const name = `${who}@${host.name}.${++this.#clients}`;
    const client: SqlClient = new SqlClient(
      { sim: this.#sim, host, name },
      (onBytes, onGone) => {
        const socket = new MemorySocket(onBytes, onGone);
        const connection = new Connection(socket as unknown as Socket, this.#host);
        // What it calls is not counted by what the client asks: it does not know that.
        const running = this.#sim
          .during("session", () => connection.run())
          .finally(() => {
            this.#running.delete(running);
            client.over();
          });
        this.#running.add(running);
        return socket;
      },
      (pid, secret) => void this.#cancelKeys.cancel(pid, secret),
    );
    await client.start(settings);
    return client;
  }

  /** Once all sessions have ended nothing of them is left. */
  async verifyIdle(): Promise<void> {
    const { host } = this.#member;
    const ended = Promise.all(this.#running).then(() => "ended");
    if ((await Promise.race([ended, host.death])) !== "ended" || !host.alive) return;
    const { locked } = this.store;
    this.#sim.must(locked === 0, () => `${host.name}: ${locked} locks of nobody`);
    this.#sim.coverage.note("a server was idle");
  }

  #judgeDefect(error: unknown): void {
    const shown = error instanceof FirnError ? JSON.stringify(error.context) : "";
    const cause = error instanceof Error ? error.stack : "";
    const what = `${this.#member.host.name} has a defect: ${String(error)} ${shown} ${cause}`;
    this.#sim.must(error instanceof FirnError, () => what);
    this.#sim.coverage.note(`defect ${(error as FirnError).code}`);
  }
}
