import { assert } from "../../base/assert.ts";
import type { Ulid } from "../format/ulid.ts";

/**
 * Tables that this process writes, and the values apart that they refer to, from before their first
 * byte until a manifest names the tables or they are given up: not garbage, though nothing refers
 * to them.
 *
 * The publisher of a table lets go of it only after the current view holds it, in the same turn, so
 * that at every moment it is found in one of the two.
 */
export class TablesUnderWay {
  readonly #ids = new Set<Ulid>();
  /** Of tables. */
  readonly #values = new Map<Ulid, Ulid[]>();

  begin(id: Ulid): void {
    assert(!this.#ids.has(id), "an id is one table's: two would write one file");
    this.#ids.add(id);
  }

  /** A value apart: it is under way as long as the table that refers to it. */
  beginValue(id: Ulid, table: Ulid): void {
    this.begin(id);
    const values = this.#values.get(table);
    if (values === undefined) this.#values.set(table, [id]);
    else values.push(id);
  }

  end(id: Ulid): void {
    this.#ids.delete(id);
    for (const value of this.#values.get(id) ?? []) this.#ids.delete(value);
    this.#values.delete(id);
  }

  has(id: Ulid): boolean {
    return this.#ids.has(id);
  }

  /** Those of this moment. */
  now(): ReadonlySet<Ulid> {
    return new Set(this.#ids);
  }
}
