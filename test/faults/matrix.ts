import { randomBelow, SeededPrng } from "../../src/base/prng.ts";
import { Judge } from "./judge.ts";
import { KINDS, type Kind } from "./kinds.ts";
import type { Blow, Lab, Run } from "./lab.ts";
import { SITES, type Site } from "./sites.ts";
import { SUBJECTS, type Subject } from "./subjects.ts";
import type { Seen } from "./wires.ts";

/** One subject in one profile: its steps are rows of the matrix. */
export interface Part {
  readonly name: string;
  readonly site: Site;
  readonly subject: Subject;
}

/** One or two blows at one subject. */
export interface Case {
  /** `part: step, kind`, or two of the latter: names it when it is to be repeated. */
  readonly name: string;
  readonly part: Part;
  readonly blows: readonly Blow[];
}

export interface Finding {
  readonly case: Case;
  readonly why: string;
}

/** What became of the cases of a part. */
export interface Tally {
  runs: number;
  /** Subjects that were told for certain what became of them, of those that heard an answer. */
  certain: number;
  heard: number;
  readonly findings: Finding[];
}

export function newTally(): Tally {
  return { runs: 0, certain: 0, heard: 0, findings: [] };
}

export const PARTS: readonly Part[] = SITES.flatMap((site) =>
  SUBJECTS.filter((subject) => (subject.site ?? site.name) === site.name).map((subject) => ({
    name: `${site.name} ${subject.name}`,
    site,
    subject,
  })),
);

/** A part at work: its steps without faults, what is true of it, and what was struck so far. */
export class PartRuns {
  readonly part: Part;
  readonly steps: readonly Seen[];
  readonly #lab: Lab;
  readonly #judge: Judge;
  readonly #struck = new Map<string, number>();
  /** After each single case: the steps that came behind its blow, which a second one may strike. */
  readonly #behind = new Map<Case, readonly Seen[]>();

  private constructor(lab: Lab, part: Part, judge: Judge, steps: readonly Seen[]) {
    this.#lab = lab;
    this.part = part;
    this.#judge = judge;
    this.steps = steps;
  }

  /** Undefined where the part goes wrong by itself, which is a finding. */
  static async open(lab: Lab, part: Part, tally: Tally): Promise<PartRuns | undefined> {
    const fail = (why: string): undefined => {
      tally.findings.push({ case: { name: `${part.name}: no fault`, part, blows: [] }, why });
    };
    try {
      const judge = await Judge.of(lab, part.site, part.subject);
      const run = await lab.run(part.site, part.subject, []);
      const why = judge.verdict(run);
      return why === undefined ? new PartRuns(lab, part, judge, run.seen) : fail(why);
    } catch (error) {
      return fail(textOf(error));
    }
  }

  /** Every fault that can come to every step, and of a rival that it comes and nothing else. */
  singles(): readonly Case[] {
    const { subject } = this.part;
    const rival = subject.rival !== undefined;
    return this.steps.flatMap((step) => {
      const kinds: readonly (Kind | undefined)[] = kindsFor(step);
      return (rival ? [undefined, ...kinds] : kinds).map((kind) =>
        this.#case([{ step: step.name, rival, ...(kind && { kind }) }]),
      );
    });
  }

  /** Every second fault behind each single one that has been run. */
  *pairs(): Generator<Case> {
    for (const [{ blows }, behind] of this.#behind) {
      for (const step of behind) {
        for (const kind of kindsFor(step)) {
          yield this.#case([...blows, { step: step.name, kind, rival: false }]);
        }
      }
    }
  }

  get pairCount(): number {
    let count = 0;
    for (const behind of this.#behind.values()) {
      for (const step of behind) count += kindsFor(step).length;
    }
    return count;
  }

  /** Runs a case and judges it. A single fault must leave its subject with a certain answer. */
  async run(one: Case, tally: Tally): Promise<void> {
    const { site, subject } = this.part;
    tally.runs++;
    try {
      const run = await this.#lab.run(site, subject, one.blows);
      const isOpen = this.#judge.isOpen(run);
      if (!run.ended) tally.heard++;
      if (!run.ended && !isOpen) tally.certain++;
      if (one.blows.length === 1) this.#note(one, run);
      const why = this.#judge.verdict(run);
      if (why !== undefined) tally.findings.push({ case: one, why });
      else if (isOpen && one.blows.length === 1) {
        tally.findings.push({ case: one, why: `left in doubt: ${run.answers[0]}` });
      }
    } catch (error) {
      tally.findings.push({ case: one, why: textOf(error) });
    }
  }

  /** How often a fault struck a step, alone; undefined where it cannot. */
  struck(step: Seen, kind: Kind): number | undefined {
    if (!kind.comesTo(step)) return undefined;
    return this.#struck.get(`${step.name} ${kind.name}`) ?? 0;
  }

  /** Where nothing was ever struck: there the run has shown nothing. */
  get empty(): readonly string[] {
    return this.steps.flatMap((step) =>
      KINDS.filter((kind) => this.struck(step, kind) === 0).map(
        (kind) => `${this.part.name}: ${step.name}, ${kind.name}`,
      ),
    );
  }

  #note(one: Case, { seen }: Run): void {
    const at = seen.findIndex(({ struck }) => struck);
    if (at < 0) return;
    const [blow] = one.blows;
    const cell = `${blow?.step} ${blow?.kind?.name ?? ""}`;
    this.#struck.set(cell, (this.#struck.get(cell) ?? 0) + 1);
    if (blow?.kind?.ends !== true) this.#behind.set(one, seen.slice(at + 1));
  }

  #case(blows: readonly Blow[]): Case {
    const said = blows.map(({ step, kind }) => `${step}, ${kind?.name ?? "rival alone"}`);
    return { name: `${this.part.name}: ${said.join("; ")}`, part: this.part, blows };
  }
}

/** So many indices below a bound, drawn by a seed; all where there are not more. */
export function drawn(count: number, bound: number, seed: number): ReadonlySet<number> {
  const prng = new SeededPrng(seed);
  const indices = new Set<number>();
  if (count >= bound) return new Set(Array.from({ length: bound }, (_, index) => index));
  while (indices.size < count) indices.add(randomBelow(prng, bound));
  return indices;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function kindsFor(step: Seen): readonly Kind[] {
  return KINDS.filter((kind) => kind.comesTo(step));
}
