import { median } from "../driver.ts";
import { formatTable } from "../report.ts";
import type { Size } from "./workloads.ts";

/** Medians of rounds, of one size and class: by contender, by workload. */
export interface Figures {
  readonly title: string;
  readonly size: Size;
  readonly rates: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Rates of several rounds, in each of which all contenders took their turn. */
export class Rounds {
  readonly #lists = new Map<string, Map<string, number[]>>();

  add(contender: string, rates: ReadonlyMap<string, number>): void {
    const ofOne = this.#lists.get(contender) ?? new Map<string, number[]>();
    this.#lists.set(contender, ofOne);
    for (const [workload, rate] of rates) {
      ofOne.set(workload, [...(ofOne.get(workload) ?? []), rate]);
    }
  }

  medians(): Figures["rates"] {
    return Object.fromEntries(
      [...this.#lists].map(([name, workloads]) => [
        name,
        Object.fromEntries([...workloads].map(([workload, list]) => [workload, median(list)])),
      ]),
    );
  }
}

/** One row a workload, one column a contender; what a peer lacks is `missing`. */
export function showFigures({ title, rates }: Figures, missing: readonly string[]): string {
  const ours = rates["firn"] ?? {};
  const peers = [...Object.keys(rates).filter((name) => name !== "firn"), ...missing];
  const rows = Object.entries(ours).map(([workload, rate]) => {
    const cells = peers.map((name) => {
      const theirs = rates[name]?.[workload];
      return theirs === undefined ? "missing" : `${short(theirs)} (${(rate / theirs).toFixed(1)}x)`;
    });
    return [workload, short(rate), ...cells];
  });
  const says = "operations a second; in parentheses how many times as fast firn is";
  return `\n${title}\n${says}\n\n${formatTable(["workload", "firn", ...peers], rows)}`;
}

function short(rate: number): string {
  if (rate >= 1e6) return `${(rate / 1e6).toFixed(2)} M`;
  return rate >= 1e4 ? `${(rate / 1e3).toFixed(0)} k` : `${(rate / 1e3).toFixed(2)} k`;
}
