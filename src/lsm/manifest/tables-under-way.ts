import { assert } from "../../base/assert.ts";
import type { Ulid } from "../format/ulid.ts";

/**
 * Tables that this process writes, from before their first byte until a manifest names them or
 * they are given up: not garbage, though nothing refers to them.
 *
 * The publisher of a table lets go of it only after the current view holds it, in the same turn, so
 * that at every moment it is found in one of the two.
 */
export class TablesUnderWay {
  readonly #ids = new Set<Ulid>();

  begin(id: Ulid): void {
    assert(!this.#ids.has(id), "an id is one table's: two would write one file");
    this.#ids.add(id);
  }

  end(id: Ulid): void {
    this.#ids.delete(id);
  }

  has(id: Ulid): boolean {
    return this.#ids.has(id);
  }

  /** Those of this moment. */
  now(): ReadonlySet<Ulid> {
    return new Set(this.#ids);
  }
}
