/** Decisions of one run: the first ones given, the rest 0; remembers how many ways each one had. */
export class Choices {
  readonly #given: readonly number[];
  readonly #taken: { pick: number; ways: number }[] = [];

  constructor(given: readonly number[] = []) {
    this.#given = given;
  }

  /** An integer in [0, ways). */
  pick(ways: number): number {
    const pick = this.#given[this.#taken.length] ?? 0;
    this.#taken.push({ pick, ways });
    return pick;
  }

  of<T>(options: readonly T[]): T {
    return options[this.pick(options.length)] as T;
  }

  get taken(): readonly number[] {
    return this.#taken.map(({ pick }) => pick);
  }

  /** The decisions of the next run in depth-first order; undefined after the last one. */
  next(): number[] | undefined {
    const last = this.#taken.findLastIndex(({ pick, ways }) => pick + 1 < ways);
    if (last < 0) return undefined;
    const given = this.taken.slice(0, last + 1);
    given[last] = (given[last] ?? 0) + 1;
    return given;
  }
}

export interface Exploration {
  readonly runs: number;
  /** What the first failing run reported, and its decisions. */
  readonly failure?: { readonly reason: string; readonly decisions: readonly number[] };
}

/** Runs `run` once for every sequence of decisions that it can take, until one run fails. */
export async function explore(
  run: (choices: Choices) => Promise<string | undefined>,
): Promise<Exploration> {
  let given: number[] | undefined = [];
  let runs = 0;
  while (given !== undefined) {
    const choices = new Choices(given);
    const reason = await run(choices);
    runs++;
    if (reason !== undefined) return { runs, failure: { reason, decisions: choices.taken } };
    given = choices.next();
  }
  return { runs };
}
