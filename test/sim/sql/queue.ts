import type { Sim } from "../harness/sim.ts";
import type { Fate } from "../rows/cycles.ts";
import type { Cells } from "./client.ts";
import type { Ledger } from "./ledger.ts";
import type { Session } from "./session.ts";

const READY = "SELECT id FROM jobs WHERE state = 'ready' ORDER BY id LIMIT 1 FOR UPDATE";

interface Claim {
  readonly owner: string;
  readonly fate: Fate;
}

/** Jobs that are put into a queue and taken out of it, and a number that many count up. */
export class Queue {
  readonly #sim: Sim;
  readonly #ledger: Ledger;
  readonly #claims = new Map<string, Claim[]>();
  readonly #counted: Record<Fate, number> = { committed: 0, aborted: 0, maybe: 0 };
  readonly #told = new Set<string>();

  constructor(sim: Sim, ledger: Ledger) {
    this.#sim = sim;
    this.#ledger = ledger;
  }

  async act(session: Session): Promise<void> {
    const chance = this.#sim.prng.float();
    if (chance < 0.35) await this.#enqueue(session);
    else if (chance < 0.75) await this.#claim(session);
    else await this.#count(session);
  }

  async #enqueue(session: Session): Promise<void> {
    const sql = "INSERT INTO jobs SELECT nextval('numbers'), 'ready' RETURNING id";
    const { reply } = await session.alone("enqueue", sql);
    for (const [id] of reply?.rows ?? []) this.#ledger.gaveNumber("numbers", String(id));
  }

  /** Takes one job: who else wants one passes over it, or is told that it is taken. */
  async #claim(session: Session): Promise<void> {
    const owner = this.#ledger.token();
    const set = `UPDATE jobs SET state = 'done', owner = '${owner}' WHERE id =`;
    if (this.#sim.chance(0.4)) {
      const sql = `${set} (${READY} SKIP LOCKED) RETURNING id`;
      const { fate, reply } = await session.alone("claim", sql);
      // Which one it may have taken is seen in the end.
      if (fate === "maybe") this.#claimed("", owner, fate);
      for (const [id] of reply?.rows ?? []) this.#claimed(String(id), owner, fate);
      return;
    }
    let taken: string | undefined;
    const wait = this.#sim.pick(["SKIP LOCKED", "SKIP LOCKED", "NOWAIT", ""]);
    const { fate } = await session.transact(
      "claim",
      "read committed",
      async (ask) => {
        const { rows } = await ask(`${READY} ${wait}`);
        const [[id] = []] = rows;
        if (id === undefined || id === null) return undefined;
        if (this.#sim.chance(0.4)) await this.#sim.sleep(this.#sim.spanMs(1, 1_000));
        const { tag } = await ask(`${set} ${id}`);
        this.#sim.must(tag === "UPDATE 1", () => `job ${id} is locked, and answers ${tag}`);
        taken = id;
        return undefined;
      },
      ["55P03"],
    );
    if (taken !== undefined) this.#claimed(taken, owner, fate);
  }

  /** Counts up by one: nobody is told what another one was. */
  async #count(session: Session): Promise<void> {
    const sql = "UPDATE counters SET n = n + 1 WHERE id = 0 RETURNING n";
    const { fate, reply } = await session.alone("count", sql);
    this.#counted[fate]++;
    const [[told] = []] = reply?.rows ?? [];
    if (told === undefined || told === null) return;
    this.#sim.must(!this.#told.has(told), () => `two have counted ${told}`);
    this.#told.add(told);
  }

  #claimed(id: string, owner: string, fate: Fate): void {
    if (fate === "aborted") return;
    const claims = this.#claims.get(id) ?? [];
    const isTaken = fate === "committed" && claims.some((one) => one.fate === fate);
    this.#sim.must(!isTaken, () => `job ${id} is taken by ${owner} and ${claims[0]?.owner}`);
    this.#claims.set(id, [...claims, { owner, fate }]);
  }

  verifyCount(told: string | null | undefined): void {
    const { committed, maybe } = this.#counted;
    const holds = Number(told) >= committed && Number(told) <= committed + maybe;
    this.#sim.must(holds, () => `counted ${told}, not ${committed} and up to ${maybe} more`);
  }

  /** Each job is done by who was told so, and by no one who was not. */
  verifyJobs(rows: readonly Cells[]): void {
    const unknown = this.#claims.get("") ?? [];
    for (const [id, state, owner] of rows) {
      const claims = this.#claims.get(String(id)) ?? [];
      const told = claims.find(({ fate }) => fate === "committed");
      const may = [...claims, ...unknown].map((one) => one.owner);
      const untold = state === "ready" ? ["nobody"] : may;
      const due = told === undefined ? untold : [told.owner];
      const holds = due.includes(owner ?? "nobody");
      this.#sim.must(holds, () => `job ${id} is of ${owner}, not of ${due}`);
    }
  }
}
