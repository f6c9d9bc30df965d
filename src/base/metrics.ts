import { Counter, Histogram, Registry } from "./prom.ts";

/** A registry of its own for each `Firn`, so that several live side by side in one process. */
export type Metrics = Registry;

/** An empty registry; whoever owns a figure registers it. Printed at `/metrics`. */
export function createMetrics(): Metrics {
  return new Registry();
}

/** Buckets of a store's latency: a hash map's time to a request that is given up, 10 µs to 10 s. */
export const STORE_LATENCY_BUCKETS_S: number[] = [
  0.000_01, 0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  10,
];

/** What a figure is called, and the labels that every count of it carries, in this order. */
export interface FigureOptions {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/**
 * Counts by labels, for what happens at every request: an addition, where the registry's own
 * counters sort and join the labels each time. The registry reads them when it prints.
 */
export class Counts {
  readonly #cells = new Cells<{ count: number }>(() => ({ count: 0 }));

  constructor(metrics: Metrics, { name, help, labels }: FigureOptions) {
    const cells = this.#cells;
    new Counter({
      name,
      help,
      registers: [metrics],
      labelNames: [...labels],
      collect() {
        this.reset();
        for (const [values, { count }] of cells) this.inc(named(labels, values), count);
      },
    });
  }

  /** Counts `by` more under these values of the labels. */
  add(by: number, ...values: readonly string[]): void {
    this.#cells.at(values).count += by;
  }
}

/** Observations of one series: how many fell into each bucket and none before it, and their sum. */
interface Series {
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** Times by labels, in seconds, as `Counts` are counted. */
export class Times {
  readonly #bounds: readonly number[];
  readonly #cells: Cells<Series>;

  constructor(metrics: Metrics, options: FigureOptions, bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#cells = new Cells(() => ({ buckets: bounds.map(() => 0), sum: 0, count: 0 }));
    new PrintedTimes(metrics, options, bounds, this.#cells);
  }

  observe(seconds: number, ...values: readonly string[]): void {
    const series = this.#cells.at(values);
    series.sum += seconds;
    series.count++;
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    if (at >= 0) series.buckets[at] = (series.buckets[at] ?? 0) + 1;
  }
}

interface Line {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly sharedLabels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A histogram of the registry's that prints what is observed elsewhere. */
class PrintedTimes extends Histogram {
  readonly #options: FigureOptions;
  readonly #bounds: readonly number[];
  readonly #cells: Cells<Series>;

  constructor(
    metrics: Metrics,
    options: FigureOptions,
    bounds: readonly number[],
    cells: Cells<Series>,
  ) {
    const { name, help, labels } = options;
    super({ name, help, labelNames: [...labels], buckets: [...bounds], registers: [metrics] });
    this.#options = options;
    this.#bounds = bounds;
    this.#cells = cells;
  }

  /** What the registry prints, and what `get` is made of. */
  async getForPromString(): Promise<object> {
    const { name, help } = this.#options;
    const values = [...this.#cells].flatMap(([labels, series]) => this.#lines(labels, series));
    return { name, help, type: "histogram", aggregator: "sum", values };
  }

  #lines(values: readonly string[], { buckets, sum, count }: Series): Line[] {
    const { name, labels } = this.#options;
    const sharedLabels = named(labels, values);
    const line = (part: string, value: number, le?: number | string): Line => ({
      metricName: `${name}_${part}`,
      sharedLabels,
      value,
      labels: le === undefined ? {} : { le },
    });
    let below = 0;
    const lines = this.#bounds.map((bound, i) => {
      below += buckets[i] ?? 0;
      return line("bucket", below, bound);
    });
    return [...lines, line("bucket", count, "+Inf"), line("sum", sum), line("count", count)];
  }
}

interface Branch<Cell> {
  readonly children: Map<string, Branch<Cell>>;
  cell: Cell | undefined;
}

/** One cell for each combination of label values, found without making a key of them. */
class Cells<Cell> implements Iterable<readonly [values: readonly string[], cell: Cell]> {
  readonly #make: () => Cell;
  readonly #root: Branch<Cell> = { children: new Map(), cell: undefined };
  readonly #all: (readonly [readonly string[], Cell])[] = [];

  constructor(make: () => Cell) {
    this.#make = make;
  }

  at(values: readonly string[]): Cell {
    let branch = this.#root;
    for (const value of values) {
      let child = branch.children.get(value);
      if (child === undefined) {
        child = { children: new Map(), cell: undefined };
        branch.children.set(value, child);
      }
      branch = child;
    }
    if (branch.cell === undefined) {
      branch.cell = this.#make();
      this.#all.push([values, branch.cell]);
    }
    return branch.cell;
  }

  [Symbol.iterator](): Iterator<readonly [readonly string[], Cell]> {
    return this.#all[Symbol.iterator]();
  }
}

function named(labels: readonly string[], values: readonly string[]): Record<string, string> {
  return Object.fromEntries(labels.map((label, i) => [label, values[i] ?? ""]));
}
