import { keyOf, type Matrix } from "./matrix.ts";
import { STEPS } from "./steps.ts";

const MOMENTS = ["before", "half", "after"] as const;

/** The table of a run: how often processes died at each step, by moment. `-`: there is no such. */
export function showMatrix({ deaths }: Matrix): string {
  const count = (step: string, moment: (typeof MOMENTS)[number], rivals: boolean): string =>
    String(deaths.get(keyOf(step, moment, rivals)) ?? "-").padStart(7);
  const lines = STEPS.map(({ name }) => {
    const alone = MOMENTS.map((moment) => count(name, moment, false)).join("");
    const beside = MOMENTS.flatMap((moment) => deaths.get(keyOf(name, moment, true)) ?? []);
    const sum = beside.length === 0 ? "-" : String(beside.reduce((all, some) => all + some, 0));
    return `${name.padEnd(40)}${alone}${sum.padStart(7)}`;
  });
  const head = [...MOMENTS, "beside"].map((word) => word.padStart(7)).join("");
  return [`${"died at".padEnd(40)}${head}`, ...lines].join("\n");
}
