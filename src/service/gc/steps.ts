import { stopped } from "./parts.ts";

/**
 * Where a run stands, in the words of its job. `start`: nothing is known, so a mark that broke off
 * starts anew. `waiting`: the first mark has ended; what it missed lies in segments. `deleting`:
 * both marks have missed what lies in segments, so any node may delete it, and more than once.
 */
export type GcStep =
  | { readonly at: "start" }
  | {
      readonly at: "waiting";
      readonly run: string;
      /** When the first mark ended, by its node's wall clock. */
      readonly endedMs: number;
      /** Segments of payloads, of derived pointers, and of metadata files. */
      readonly missed: number;
      readonly rootless: number;
      readonly orphans: number;
    }
  | {
      readonly at: "deleting";
      readonly run: string;
      /** Segments of payloads, and how many are done. */
      readonly doomed: number;
      readonly done: number;
    };

/** A step as the job stores it. */
export function stepText(step: GcStep): string {
  switch (step.at) {
    case "start":
      return "";
    case "waiting": {
      const { run, endedMs, missed, rootless, orphans } = step;
      return `waiting ${run} ${endedMs} ${missed} ${rootless} ${orphans}`;
    }
    case "deleting":
      return `deleting ${step.run} ${step.doomed} ${step.done}`;
  }
}

/** @throws FirnError `Corrupt` `GC_STOPPED`: words of a newer node. */
export function stepOf(text: string): GcStep {
  if (text === "") return { at: "start" };
  const [at, run = "", ...rest] = text.split(" ");
  const numbers = rest.map(Number);
  const [first = 0, second = 0, third = 0, fourth = 0] = numbers;
  if (run !== "" && numbers.every((each) => Number.isSafeInteger(each) && each >= 0)) {
    if (at === "waiting" && numbers.length === 4) {
      return { at, run, endedMs: first, missed: second, rootless: third, orphans: fourth };
    }
    if (at === "deleting" && numbers.length === 2) return { at, run, doomed: first, done: second };
  }
  throw stopped("the step of the job is not one of this version", { step: text.slice(0, 100) });
}
