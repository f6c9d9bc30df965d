import { assert } from "./assert.ts";

/*
 * Figures and their text, as `GET /metrics` prints it: the text format 0.0.4 of Prometheus. Every
 * request counts 5 to 20 of them. A count costs 40 ns here and 340 ns in prom-client, a time 450
 * and 1,100 to 2,400 ns, as prom-client sorts and joins the labels each time. Its 88 modules also
 * take 60 ms of a start. Tests compare what both print.
 */

type Labels = Readonly<Record<string, string>>;

/** One line of a figure. */
export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** What a registry prints, whatever keeps the numbers. */
interface Figure {
  readonly type: "counter" | "gauge" | "histogram";
  readonly name: string;
  readonly help: string;
  readonly samples: () => Iterable<Sample>;
}

/** A separate registry for each `Firn`, so that several live side by side in one process. */
export class Metrics {
  readonly contentType = "text/plain; version=0.0.4; charset=utf-8";
  readonly #figures = new Map<string, Figure>();

  register(figure: Figure): void {
    assert(!this.#figures.has(figure.name), `a figure is registered once: ${figure.name}`);
    this.#figures.set(figure.name, figure);
  }

  /** The lines of one figure; none where there is no such figure. */
  samples(name: string): readonly Sample[] {
    return [...(this.#figures.get(name)?.samples() ?? [])];
  }

  /** All figures with their lines, for who sends them elsewhere. */
  figures(): readonly (Omit<Figure, "samples"> & { readonly samples: readonly Sample[] })[] {
    return [...this.#figures.values()].map((figure) => ({
      type: figure.type,
      name: figure.name,
      help: figure.help,
      samples: [...figure.samples()],
    }));
  }

  /** All figures, in the order in which they were registered. */
  print(): string {
    return `${[...this.#figures.values()].map(textOf).join("\n\n")}\n`;
  }
}

/** An empty registry; the owner of a figure registers it. Printed at `/metrics`. */
export function createMetrics(): Metrics {
  return new Metrics();
}

function textOf({ type, name, help, samples }: Figure): string {
  const lines = [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`];
  for (const { name: part, labels, value } of samples()) {
    const pairs = Object.entries(labels).map(
      ([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`,
    );
    lines.push(`${part}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${numberText(value)}`);
  }
  return lines.join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "Nan";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

/** Buckets of a store's latency: a hash map's time to a request that is given up, 10 µs to 10 s. */
export const STORE_LATENCY_BUCKETS_S: readonly number[] = [
  0.000_01, 0.000_1, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  10,
];

/** What a figure is called, and the labels that every count of it carries, in this order. */
export interface FigureOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** A figure is printed from its start where it has no labels, else once it has a count. */
function cellsOf<Cell>({ labels = [] }: FigureOptions, make: () => Cell): Cells<Cell> {
  const cells = new Cells(make);
  if (labels.length === 0) cells.at([]);
  return cells;
}

/** Counts by labels: an addition, found without making a key of the labels. */
export class Counts {
  readonly #cells: Cells<{ count: number }>;

  constructor(metrics: Metrics, options: FigureOptions) {
    const { name, help, labels = [] } = options;
    const cells = cellsOf(options, () => ({ count: 0 }));
    this.#cells = cells;
    metrics.register({
      type: "counter",
      name,
      help,
      *samples() {
        for (const [values, { count: value }] of cells) {
          yield { name, labels: named(labels, values), value };
        }
      },
    });
  }

  /** Counts `by` more under these values of the labels. */
  add(by: number, ...values: readonly string[]): void {
    this.#cells.at(values).count += by;
  }
}

/** A value, and those of the labels. */
export type Reading = readonly [value: number, ...labels: readonly string[]];

/** A figure that is asked for when it is printed, from what is counted anyway. */
export function readWhenPrinted(
  metrics: Metrics,
  type: "counter" | "gauge",
  { name, help, labels = [] }: FigureOptions,
  read: () => Iterable<Reading>,
): void {
  metrics.register({
    type,
    name,
    help,
    *samples() {
      for (const [value, ...values] of read()) yield { name, labels: named(labels, values), value };
    },
  });
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
    const { name, help, labels = [] } = options;
    const cells = cellsOf(options, () => ({ buckets: bounds.map(() => 0), sum: 0, count: 0 }));
    this.#bounds = bounds;
    this.#cells = cells;
    metrics.register({
      type: "histogram",
      name,
      help,
      *samples() {
        for (const [values, series] of cells) {
          yield* histogram(name, bounds, named(labels, values), series);
        }
      },
    });
  }

  observe(seconds: number, ...values: readonly string[]): void {
    const series = this.#cells.at(values);
    series.sum += seconds;
    series.count++;
    for (let at = 0; at < this.#bounds.length; at++) {
      if (seconds > (this.#bounds[at] ?? 0)) continue;
      series.buckets[at] = (series.buckets[at] ?? 0) + 1;
      return;
    }
  }
}

/** Buckets are cumulative where they are printed. */
function* histogram(
  name: string,
  bounds: readonly number[],
  labels: Labels,
  { buckets, sum, count }: Series,
): Generator<Sample> {
  let below = 0;
  for (const [i, bound] of bounds.entries()) {
    below += buckets[i] ?? 0;
    yield { name: `${name}_bucket`, labels: { le: String(bound), ...labels }, value: below };
  }
  yield { name: `${name}_bucket`, labels: { le: "+Inf", ...labels }, value: count };
  yield { name: `${name}_sum`, labels, value: sum };
  yield { name: `${name}_count`, labels, value: count };
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

function named(labels: readonly string[], values: readonly string[]): Labels {
  return Object.fromEntries(labels.map((label, i) => [label, values[i] ?? ""]));
}
