import type {
  Datum,
  RangeRequest,
  RowScan,
  RowScanRequest,
  RowTransaction,
  SearchFacts,
} from "../../rows/index.ts";
import { Numeric } from "../../rows/numeric.ts";
import type { ExprPrinter } from "../bind/expr-text.ts";
import type { ExecRun, Row, RowSource } from "../exec/run.ts";
import type { AccessPath } from "./access-path.ts";
import type { PlanNode } from "./node.ts";
import { storedColumns } from "./table-columns.ts";
import type { TableUse } from "./table-use.ts";

export interface ScanParts {
  readonly use: TableUse;
  readonly path: AccessPath;
  /** Slots of the columns that the statement needs. */
  readonly needed: ReadonlySet<number>;
  /** Rows that are asked for at most, where no filter leaves any out. */
  readonly limit?: ((run: ExecRun) => number | undefined) | undefined;
  /** Rows hold the needed columns alone, in the order of their slots. */
  readonly isCompact?: boolean | undefined;
  /** Whether an index without an order is left for the whole table where that costs less. */
  readonly mayReadWhole?: boolean;
}

/** Reads rows of a table. */
export function scanNode(printer: ExprPrinter, parts: ScanParts): PlanNode {
  const { use, path } = parts;
  const { name } = use.descriptor;
  const isBounded = path.conditions.length > 0 || path.search !== undefined;
  const backward = path.reverse ? " Backward" : "";
  const kind = path.search?.title ?? "Index Scan";
  const title =
    isBounded || path.index !== 0 || path.reverse
      ? `${kind}${backward} using ${path.name} on ${name}`
      : `Seq Scan on ${name}`;
  const condition = path.shown.map((expr) => printer.text(expr)).join(" AND ");
  return {
    title,
    details: isBounded ? [`Index Cond: ${condition}`] : [],
    children: [],
    open: async (run) => {
      const ranges = parts.path.ranges(run.evaluation);
      return new TableRows(await run.transaction(), run, parts, ranges);
    },
  };
}

/** Reads the rows of a table whose key has one of several values, each tuple behind `outer`. */
export async function scanTuples(
  parts: ScanParts,
  run: ExecRun,
  tuples: readonly (readonly Datum[])[],
): Promise<RowSource> {
  const ranges = new Map<string, RangeRequest>();
  for (const outer of tuples) {
    for (const range of parts.path.ranges({ ...run.evaluation, outer })) {
      ranges.set(rangeText(range), range);
    }
  }
  return new TableRows(await run.transaction(), run, parts, [...ranges.values()]);
}

function rangeText(range: RangeRequest): string {
  return JSON.stringify(range, (_, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value instanceof Uint8Array ? [...value] : value,
  );
}

/** The first batches are small: many statements want few rows. */
const FIRST_ROWS = 64;

class TableRows implements RowSource {
  readonly #scan: RowScan | undefined;
  readonly #run: ExecRun;
  readonly #width: number;
  readonly #slots: readonly number[];
  readonly #numerics: readonly number[];

  constructor(
    rows: RowTransaction,
    run: ExecRun,
    parts: ScanParts,
    ranges: readonly RangeRequest[],
  ) {
    const { use, path, needed } = parts;
    const stored = storedColumns(use.descriptor);
    this.#run = run;
    const sorted = [...needed].sort((a, b) => a - b);
    // A row is at least one value.
    const slots = sorted.length > 0 ? sorted : [0];
    const columns = slots.map((slot) => (stored[slot] as (typeof stored)[number]).id);
    this.#numerics = slots.flatMap((slot, i) => {
      const type = (stored[slot] as (typeof stored)[number]).type;
      return type.kind === "numeric" ? [i] : [];
    });
    const isCompact = parts.isCompact === true;
    this.#slots = isCompact ? slots.map((_, i) => i) : slots;
    this.#width = isCompact ? slots.length : stored.length;
    const limit = parts.limit?.(run);
    const most = limit === undefined ? {} : { limit, batchRows: Math.min(limit, FIRST_ROWS) };
    const request = {
      columns,
      ...(path.index !== 0 && { index: path.index }),
      ...(path.reverse && { reverse: true }),
      ...(limit !== undefined && limit > 0 && most),
    };
    const searched = path.search?.request(run.evaluation);
    const bounds: Partial<RowScanRequest> =
      searched !== undefined
        ? { ...searched, mayReadWhole: parts.mayReadWhole !== false }
        : ranges.length === 1
          ? (ranges[0] as RangeRequest)
          : { ranges };
    this.#scan =
      ranges.length === 0 ? undefined : rows.scan(use.descriptor, { ...request, ...bounds });
  }

  async next(): Promise<readonly Row[] | undefined> {
    const pause = this.#run.pause();
    if (pause !== undefined) await pause;
    const batch = await this.#scan?.nextBatch();
    if (batch === undefined) return undefined;
    const rows: Datum[][] = Array.from({ length: batch.count }, () =>
      new Array<Datum>(this.#width).fill(null),
    );
    for (const [i, slot] of this.#slots.entries()) {
      const values = batch.columns[i] as readonly Datum[];
      for (let r = 0; r < rows.length; r++) (rows[r] as Datum[])[slot] = values[r] as Datum;
    }
    for (const i of this.#numerics) {
      const slot = this.#slots[i] as number;
      for (const row of rows) row[slot] = asNumeric(row[slot] as Datum);
    }
    return rows;
  }

  close(): void {
    this.#scan?.close();
  }

  facts(): readonly string[] {
    const found = this.#scan?.found?.();
    return found === undefined ? [] : [factsText(found)];
  }
}

function factsText(found: SearchFacts): string {
  const { entries, rows, isWhole } = found;
  const named = found.kind === "lists" ? "Posting Lists" : "Ranges";
  if (isWhole) return `${named}: none, the whole table costs less`;
  const counts = `Entries: ${entries}  Rows: ${rows}`;
  if (found.kind === "lists") return `${named}: ${found.lists} of ${found.ofLists}  ${counts}`;
  const overRead = rows === 0 ? "" : `  Over-read: ${(entries / rows).toFixed(2)}`;
  return `${named}: ${found.ranges}  ${counts}${overRead}`;
}

/** Rows store a numeric as its text. */
export function asNumeric(value: Datum): Datum {
  return typeof value === "string" ? (Numeric.parse(value) ?? value) : value;
}
