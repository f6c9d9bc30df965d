import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Prng, randomBelow, SeededPrng } from "../../../src/base/prng.ts";
import { Violation } from "../ledger.ts";
import type { Moment, Plan } from "./fate.ts";
import { Lane, type Life } from "./lane.ts";
import { BESIDE, FENCED_STEP, OTHERS, STEPS } from "./steps.ts";

const LANES = 2;
/** A cell that a life did not come to waits for another turn. */
const TURNS = 6;
/** How often a step is met at which a life can end, where no life has told. */
const UNTOLD = 1;

/** What a living owner that only writes leaves no reason for. */
const ALONE: ReadonlySet<string> = new Set([
  "take-over: publish the log's mark",
  "take-over: remove a spare's name",
  "take-over: release a segment",
]);

/** One thing to be seen: a process that dies there, alone or while another one owns the shard. */
interface Cell {
  readonly step: string;
  readonly moment: Moment;
  readonly rivals: boolean;
  readonly turns: number;
}

/** An end that leaves spares, and a log with groups. */
const AMID: Plan = { step: "log: release a segment into a spare", moment: "after", nth: 1 };

/** What a run came to. */
export interface Matrix {
  readonly lives: number;
  readonly acknowledged: number;
  readonly landed: number;
  readonly temporary: number;
  /** How often a process died in a cell, by `keyOf`. */
  readonly deaths: ReadonlyMap<string, number>;
  readonly empty: readonly string[];
  /** Steps that lives came to and nobody has named. */
  readonly unnamed: readonly string[];
}

/** Of a step: how often processes died there, by moment; `rival`: while an owner lived. */
export function keyOf(step: string, moment: Moment, rivals: boolean): string {
  return `${step}, ${moment}${rivals ? ", beside a living owner" : ""}`;
}

/**
 * Lets a process die at every step and moment of the table, over directories that go from one owner
 * to the next, and looks at what each of them has left.
 *
 * @throws Violation, with the cell.
 */
export async function runMatrix(
  seed: number,
  wanted: (step: string) => boolean = () => true,
): Promise<Matrix> {
  const run = new Run(new SeededPrng(seed), cellsOf(wanted));
  const modules = mkdtempSync(join(tmpdir(), "firn-matrix-"));
  const lanes = Array.from({ length: LANES }, () => new Lane(modules));
  try {
    await Promise.all(lanes.map((lane) => run.work(lane)));
  } finally {
    for (const lane of lanes) lane.end();
    rmSync(modules, { recursive: true, force: true });
  }
  const sum = (of: (lane: Lane) => number): number =>
    lanes.reduce((all, lane) => all + of(lane), 0);
  return {
    lives: sum((lane) => lane.lives),
    acknowledged: sum((lane) => lane.acknowledged),
    landed: sum((lane) => lane.landed),
    temporary: sum((lane) => lane.temporary),
    deaths: run.deaths,
    empty: run.empty,
    unnamed: run.unnamed,
  };
}

function cellsOf(wanted: (step: string) => boolean): Cell[] {
  const cells: Cell[] = [];
  for (const { name, moments } of STEPS.filter((step) => wanted(step.name))) {
    const cell = { step: name, turns: 0 };
    const isBeside = BESIDE.has(name);
    for (const moment of moments) cells.push({ ...cell, moment, rivals: isBeside });
    // Whoever takes over from the living does what who takes over from the dead does.
    const last = moments.at(-1);
    const another = name.startsWith("take-over: ") && !ALONE.has(name) && !isBeside;
    if (another && last !== undefined) {
      cells.push({ ...cell, moment: last, rivals: true });
    }
  }
  return cells;
}

class Run {
  readonly deaths: Map<string, number> = new Map();
  readonly #prng: Prng;
  readonly #cells: Cell[];
  readonly #all: readonly Cell[];
  readonly #named = new Set([...STEPS.map(({ name }) => name), ...OTHERS]);
  readonly #unnamed = new Set<string>();
  /** How often the last life that told came to each step. */
  #counts: ReadonlyMap<string, number> = new Map();

  constructor(prng: Prng, cells: Cell[]) {
    this.#prng = prng;
    this.#cells = cells;
    this.#all = [...cells];
  }

  get empty(): readonly string[] {
    const keys = this.#all.map(({ step, moment, rivals }) => keyOf(step, moment, rivals));
    return keys.filter((key) => !this.deaths.has(key));
  }

  get unnamed(): readonly string[] {
    return [...this.#unnamed];
  }

  /** Cells one after the other, in an order that chance decides, until none is left. */
  async work(lane: Lane): Promise<void> {
    this.#told(await lane.live(undefined));
    while (this.#cells.length > 0) {
      // One that was prepared for is next.
      const at = (this.#cells[0]?.turns ?? 0) > 0 ? 0 : randomBelow(this.#prng, this.#cells.length);
      const [cell] = this.#cells.splice(at, 1);
      if (cell === undefined) return;
      try {
        await this.#die(lane, cell);
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
        const where = keyOf(cell.step, cell.moment, cell.rivals);
        throw new Violation(`${where}: ${error.message}`, { cause: error });
      }
    }
  }

  async #die(lane: Lane, cell: Cell): Promise<void> {
    const { step, moment, rivals, turns } = cell;
    const calls = turns > TURNS / 2 ? 1 : (this.#counts.get(step) ?? UNTOLD);
    const plan: Plan = { step, moment, nth: 1 + randomBelow(this.#prng, calls) };
    const died = rivals ? await this.#beside(lane, plan) : this.#told(await lane.live(plan)).died;
    const key = keyOf(step, moment, rivals);
    if (died) this.deaths.set(key, (this.deaths.get(key) ?? 0) + 1);
    else if (turns < TURNS) {
      // Some steps need spares of one that died, or a log of one that closed.
      this.#told(await lane.live(turns % 2 === 0 ? AMID : undefined));
      this.#cells.unshift({ ...cell, turns: turns + 1 });
    }
  }

  async #beside(lane: Lane, plan: Plan): Promise<boolean> {
    const mine = plan.step === FENCED_STEP;
    const [owner, heir] = await lane.rival(mine ? plan : undefined, mine ? undefined : plan);
    return (mine ? owner : heir).died;
  }

  #told(life: Life): Life {
    if (life.steps.size > 0) this.#counts = life.steps;
    for (const step of life.steps.keys()) if (!this.#named.has(step)) this.#unnamed.add(step);
    return life;
  }
}
