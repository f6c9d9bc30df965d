import type { RowTransaction, SequenceDescriptor } from "../../rows/index.ts";
import { SqlError } from "../error.ts";
import type { SqlSequences } from "../types/context.ts";

/** Sequences, as one session sees them: what it was given last outlives rollbacks. */
export class SessionSequences implements SqlSequences {
  readonly #rows: () => Promise<RowTransaction>;
  readonly #given = new Map<string, bigint>();
  #latest: string | undefined;

  constructor(rows: () => Promise<RowTransaction>) {
    this.#rows = rows;
  }

  /** A row or a statement was given a number. */
  note(id: string, value: bigint): void {
    this.#given.set(id, value);
    this.#latest = id;
  }

  /** A sequence has gone. */
  forget(id: string): void {
    this.#given.delete(id);
    if (this.#latest === id) this.#latest = undefined;
  }

  forgetAll(): void {
    this.#given.clear();
    this.#latest = undefined;
  }

  async next({ id }: SequenceDescriptor): Promise<bigint> {
    const rows = await this.#rows();
    return await rows.nextval(await rows.sequences.get(id));
  }

  async set({ id }: SequenceDescriptor, value: bigint, isCalled: boolean): Promise<bigint> {
    const rows = await this.#rows();
    await rows.setval(await rows.sequences.get(id), value, isCalled);
    if (isCalled) this.#given.set(id, value);
    return value;
  }

  async state({ id }: SequenceDescriptor): Promise<{ last: bigint; isCalled: boolean }> {
    const rows = await this.#rows();
    return await rows.sequenceState(await rows.sequences.get(id));
  }

  current({ id, name }: SequenceDescriptor): bigint {
    const given = this.#given.get(id);
    if (given !== undefined) return given;
    const message = `currval of sequence "${name}" is not yet defined in this session`;
    throw new SqlError("55000", message);
  }

  latest(): bigint {
    const given = this.#latest === undefined ? undefined : this.#given.get(this.#latest);
    if (given !== undefined) return given;
    throw new SqlError("55000", "lastval is not yet defined in this session");
  }
}
