import { type JsonValue, printJson } from "../../../base/json.ts";
import type { Datum } from "../../../rows/datum.ts";
import type { VirtualColumn, VirtualScan } from "../../../sql/catalog/virtual.ts";
import type { CatalogWalk, Wanted } from "./walk.ts";

/** A row by the names of its columns; what it does not name is NULL. */
export type Named = Readonly<Record<string, Datum>>;

/** One scan of a system table. */
export class SystemScan {
  readonly walk: CatalogWalk;
  readonly #columns: readonly VirtualColumn[];
  readonly #scan: VirtualScan;

  constructor(walk: CatalogWalk, columns: readonly VirtualColumn[], scan: VirtualScan) {
    this.walk = walk;
    this.#columns = columns;
    this.#scan = scan;
  }

  /** What a column is compared with; undefined where it is not. */
  values(name: string): ReadonlySet<string> | undefined {
    const place = this.#columns.findIndex((column) => column.name === name);
    const values = this.#scan.equal.get(place);
    return values && new Set(values.filter((each) => typeof each === "string"));
  }

  /** Ids and names that a scan is for. */
  wanted(): Wanted {
    return { ids: this.values("id"), names: this.values("name") };
  }

  /** The least time that a column may have, in milliseconds. */
  leastMs(name: string): number | undefined {
    const place = this.#columns.findIndex((column) => column.name === name);
    const least = this.#scan.least?.get(place) ?? this.#scan.equal.get(place)?.[0];
    return typeof least === "bigint" ? Number(least / MICROS_A_MS) : undefined;
  }

  /** Whether the statement reads no other columns than these. */
  needsOnly(names: readonly string[]): boolean {
    return [...this.#scan.needed].every((place) =>
      names.includes(this.#columns[place]?.name ?? ""),
    );
  }
}

const MICROS_A_MS = 1_000n;

/** A time as `timestamptz`; NULL for none. */
export function micros(ms: number | undefined): bigint | null {
  return ms === undefined || ms === 0 ? null : BigInt(ms) * MICROS_A_MS;
}

/** A value as `jsonb` is kept. */
export function json(value: object): string {
  return printJson(value as JsonValue);
}
