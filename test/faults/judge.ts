import { saysNothingHappened } from "../catalog/support/fault-runs.ts";
import type { Answers, Lab, Run } from "./lab.ts";
import type { Site } from "./sites.ts";
import type { Subject } from "./subjects.ts";

/** What subject and rival come to in one order of those that happen, without faults. */
interface Reference {
  readonly answers: readonly [string | undefined, string | undefined];
  readonly tree: string;
  readonly view: string;
}

const ALONE: readonly (readonly (0 | 1)[])[] = [[], [0]];
const RIVALS: readonly (readonly (0 | 1)[])[] = [...ALONE, [1], [0, 1], [1, 0]];

/** Knows what is true of one subject. */
export class Judge {
  readonly #subject: Subject;
  readonly #references: readonly Reference[];

  private constructor(subject: Subject, references: readonly Reference[]) {
    this.#subject = subject;
    this.#references = references;
  }

  static async of(lab: Lab, site: Site, subject: Subject): Promise<Judge> {
    const references: Reference[] = [];
    for (const order of subject.rival === undefined ? ALONE : RIVALS) {
      const { answers, tree, view } = await lab.inTurn(site, subject, order);
      const told = (who: 0 | 1): string | undefined => {
        const answer = order.includes(who) ? answers[who] : undefined;
        return answer === undefined || saysNothingHappened(answer) ? undefined : answer;
      };
      references.push({ answers: [told(0), told(1)], tree, view });
    }
    return new Judge(subject, references);
  }

  /** Why a run is wrong; undefined where it is not. */
  verdict(run: Run): string | undefined {
    const atAnswer = this.#explanations(run.answersThen, run.tree);
    if (atAnswer.length === 0) {
      return `not so when it was answered: ${run.answersThen}\n${run.tree}`;
    }
    const inTheEnd = this.#explanations(run.answers, run.treeInTheEnd);
    if (inTheEnd.length === 0) return `not so in the end: ${run.answers}\n${run.treeInTheEnd}`;
    if (!inTheEnd.some(({ view }) => view === run.view)) {
      return `another process says otherwise:\n${run.view}\nstored:\n${run.treeInTheEnd}`;
    }
    return this.#verdictOnAgain(run);
  }

  /** Whether the subject was left without a certain answer. */
  isOpen({ answers: [answer], ended }: Run): boolean {
    return !ended && answer.startsWith("Unknown");
  }

  /** The references that an answer and a tree agree with. */
  #explanations(answers: Answers, tree: string): readonly Reference[] {
    return this.#references.filter(
      (reference) =>
        reference.tree === tree &&
        answers.every((answer, who) => {
          const expected = reference.answers[who];
          if (answer === undefined) return expected === undefined;
          if (answer.startsWith("Unknown")) return true;
          return saysNothingHappened(answer) ? expected === undefined : expected === answer;
        }),
    );
  }

  /** Once more under the same key, it is as if it had been asked but once. */
  #verdictOnAgain({ again }: Run): string | undefined {
    if (again === undefined) return undefined;
    const once = this.#references[1];
    if (once === undefined) throw new Error(`${this.#subject.name} has no reference`);
    if (again.answer !== once.answers[0]) return `under the same key: ${again.answer}`;
    if (again.tree !== once.tree) return `under the same key twice:\n${again.tree}`;
    return undefined;
  }
}
