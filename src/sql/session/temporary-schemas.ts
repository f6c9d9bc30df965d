import { TemporaryMemory } from "../../rows/index.ts";

/** A session's place among those that have temporary tables. */
export interface TemporarySlot {
  /** `pg_temp_1`: taken when it is first asked for. */
  schema(): string;
  close(): void;
}

/** What the temporary tables of all sessions of a server share: numbers of schemas, and memory. */
export class TemporarySchemas {
  readonly memory: TemporaryMemory;
  readonly #taken = new Set<number>();

  constructor(memory: TemporaryMemory = new TemporaryMemory()) {
    this.memory = memory;
  }

  open(): TemporarySlot {
    let number: number | undefined;
    return {
      schema: () => {
        number ??= this.#take();
        return `pg_temp_${number}`;
      },
      close: () => {
        if (number !== undefined) this.#taken.delete(number);
      },
    };
  }

  /** The lowest that is free, as PostgreSQL numbers its sessions. */
  #take(): number {
    let number = 1;
    while (this.#taken.has(number)) number++;
    this.#taken.add(number);
    return number;
  }
}
