/** What a run did to the calls of each operation. A cell is one kind of fault at one operation. */
export class Coverage {
  readonly #injected = new Map<string, number>();
  readonly #calls = new Map<string, number>();
  readonly #notes = new Map<string, number>();

  call(operation: string, site: string): void {
    bump(this.#calls, cellOf(operation, site));
  }

  inject(operation: string, site: string, fault: string): void {
    bump(this.#injected, cellOf(operation, site, fault));
  }

  /** Counts something that is worth telling, such as the outcomes of operations. */
  note(what: string): void {
    bump(this.#notes, what);
  }

  injected(operation: string, site: string, fault: string): number {
    return this.#injected.get(cellOf(operation, site, fault)) ?? 0;
  }

  calls(operation: string, site: string): number {
    return this.#calls.get(cellOf(operation, site)) ?? 0;
  }

  add(other: Coverage): void {
    for (const [cell, count] of other.#injected) bump(this.#injected, cell, count);
    for (const [cell, count] of other.#calls) bump(this.#calls, cell, count);
    for (const [what, count] of other.#notes) bump(this.#notes, what, count);
  }

  get notes(): ReadonlyMap<string, number> {
    return this.#notes;
  }

  get totalCalls(): number {
    return sum(this.#calls);
  }

  get totalInjected(): number {
    return sum(this.#injected);
  }
}

/** Where faults strike, and which. */
export type Sites = Readonly<Record<string, readonly string[]>>;

/** One line of the matrix: what one operation suffered at one site, by kind of fault. */
export interface Row {
  readonly operation: string;
  readonly site: string;
  readonly calls: number;
  readonly injected: readonly number[];
}

/** The matrix of a run. `reached` names the sites that each operation must have come to. */
export function matrixOf(
  coverage: Coverage,
  sites: Sites,
  reached: Readonly<Record<string, readonly string[]>>,
): readonly Row[] {
  return Object.entries(reached).flatMap(([operation, names]) =>
    names.map((site) => ({
      operation,
      site,
      calls: coverage.calls(operation, site),
      injected: (sites[site] ?? []).map((fault) => coverage.injected(operation, site, fault)),
    })),
  );
}

/** The cells that nothing was ever injected into: there the run has shown nothing. */
export function emptyCells(matrix: readonly Row[], sites: Sites): readonly string[] {
  return matrix.flatMap(({ operation, site, injected }) =>
    injected.flatMap((count, i) =>
      count > 0 ? [] : [`${operation} at ${site}: ${sites[site]?.[i] ?? "?"}`],
    ),
  );
}

function cellOf(...parts: readonly string[]): string {
  return parts.join("\t");
}

function bump(counts: Map<string, number>, key: string, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

function sum(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}
