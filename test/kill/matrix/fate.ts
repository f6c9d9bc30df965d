import { tell } from "../../support/tell.ts";

/** When, relative to a call, the process ends. `half`: a part of what the call does is done. */
export type Moment = "before" | "half" | "after";

/** Where a life ends: at the n-th call of a step, counted from 1. */
export interface Plan {
  readonly step: string;
  readonly moment: Moment;
  readonly nth: number;
}

/** What a life is doing; the same call is another step in another phase. */
export type Phase = "take-over" | "serve" | "flush" | "compact" | "ingest" | "collect" | "close";

/** What the log does is a step of its own phase, but for what opens and closes it. */
export function isApart(phase: Phase): boolean {
  return phase === "take-over" || phase === "close";
}

/** Counts the calls of a life by their steps, and ends it by SIGKILL where it was told to. */
export class Fate {
  phase: Phase = "take-over";
  readonly #plan: Plan | undefined;
  readonly #counts = new Map<string, number>();
  readonly #moments = new Map<string, Set<Moment>>();

  constructor(plan: Plan | undefined) {
    this.#plan = plan;
  }

  /** @param half does a part of what the call does, where there is such a thing. */
  async meet<T>(step: string, call: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
    const due = this.#arrive(step, half !== undefined);
    if (due === "before") end(step, due);
    if (due === "half") {
      await half?.();
      end(step, due);
    }
    const result = await call();
    if (due === "after") end(step, due);
    return result;
  }

  /** As `meet`, of a call that answers on the spot; its step may depend on the answer. */
  meetNow<T>(stepOf: (result: T) => string, call: () => T): T {
    const result = call();
    const step = stepOf(result);
    // Nothing but the answer is told by such a call: before and after it are the same instant.
    if (this.#arrive(step, false) !== undefined) end(step, "after");
    return result;
  }

  /** As `meet`, of a call that changes something on the spot. */
  doNow<T>(step: string, call: () => T): T {
    const due = this.#arrive(step, false);
    if (due === "before") end(step, due);
    const result = call();
    if (due === "after") end(step, due);
    return result;
  }

  /** Every step that this life came to, how often, and whether it can be done by half. */
  report(): string {
    return JSON.stringify(
      [...this.#counts].map(([step, calls]) => ({
        step,
        calls,
        half: this.#moments.get(step)?.has("half") === true,
      })),
    );
  }

  #arrive(step: string, halves: boolean): Moment | undefined {
    const count = (this.#counts.get(step) ?? 0) + 1;
    this.#counts.set(step, count);
    if (halves) this.#moments.set(step, new Set(["half"]));
    const { step: last, nth, moment } = this.#plan ?? {};
    return step === last && count === nth ? moment : undefined;
  }
}

function end(step: string, moment: Moment): never {
  tell(`dies ${moment} ${step}`);
  process.kill(process.pid, "SIGKILL");
  throw new Error("a process that was killed goes on");
}
