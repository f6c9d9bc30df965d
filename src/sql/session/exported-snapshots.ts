import type { ExportedState } from "../../rows/index.ts";
import { SqlError } from "../error.ts";

/** How a transaction reads. */
interface ReaderModes {
  readonly isolation: string;
  readonly readOnly: boolean;
}

/** What a transaction has exported, and how it reads. */
interface Exported {
  readonly space: string;
  readonly state: ExportedState;
  readonly modes: ReaderModes;
}

/** The snapshots that transactions of all sessions have exported, by their identifiers. */
export class ExportedSnapshots {
  readonly #all = new Map<string, Exported>();
  #count = 0;

  /** @param space the rows that it is of. */
  add(exported: Exported, pid: number): string {
    const hex = (value: number): string => value.toString(16).toUpperCase().padStart(8, "0");
    const id = `${hex(pid >>> 0)}-${hex(++this.#count)}-1`;
    this.#all.set(id, exported);
    return id;
  }

  remove(id: string): void {
    this.#all.get(id)?.state.close();
    this.#all.delete(id);
  }

  /**
   * What SET TRANSACTION SNAPSHOT means, of a transaction of some modes.
   *
   * @throws SqlError 22023, 0A000.
   */
  find(id: string, space: string, { isolation, readOnly }: ReaderModes): ExportedState {
    const refused = (message: string): SqlError => new SqlError("0A000", message);
    if (isolation !== "serializable" && isolation !== "repeatable read") {
      const levels = "SERIALIZABLE or REPEATABLE READ";
      throw refused(`a snapshot-importing transaction must have isolation level ${levels}`);
    }
    const found = this.#all.get(id);
    if (found === undefined) throw new SqlError("22023", `invalid snapshot identifier: "${id}"`);
    if (found.space !== space) {
      throw refused("cannot import a snapshot from a different database");
    }
    if (isolation === "serializable") {
      const what = "a serializable transaction cannot import a snapshot from";
      if (found.modes.isolation !== isolation) throw refused(`${what} a non-serializable one`);
      if (found.modes.readOnly && !readOnly) throw refused(`${what} a read-only one`);
    }
    if (!readOnly) {
      throw new SqlError("0A000", "a transaction that imports a snapshot must be read-only", {
        hint: "Set it READ ONLY first.",
      });
    }
    return found.state;
  }
}
