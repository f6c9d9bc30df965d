/** Work that makes something of one input in pieces, each of which passes between threads. */
export type Task = (input: never) => Generator<unknown, void>;
export type Tasks = Readonly<Record<string, Task>>;

export type InputOf<T extends Task> = Parameters<T>[0];
export type PieceOf<T extends Task> = ReturnType<T> extends Generator<infer P, void> ? P : never;

/**
 * Where work on what others sent is done, so that it may be as hostile as it likes. A task goes on
 * when its next piece is asked for. One that is left early is called off.
 */
export interface Workers<T extends Tasks> {
  /**
   * The pieces of a task, each in a separate turn.
   *
   * @param owned memory of the input that the caller gives up: it is not copied.
   * @throws FirnError what the task throws; `Invalid` `WORK_TOO_LONG`, `WORK_TOO_LARGE`;
   * `Internal` `WORK_FAILED`; `Unavailable` `WORK_STOPPED`.
   */
  run<N extends keyof T & string>(
    task: N,
    input: InputOf<T[N]>,
    owned?: readonly ArrayBuffer[],
  ): AsyncGenerator<PieceOf<T[N]>, void>;
  /** What is under way fails, as does what comes later. Idempotent. */
  close(): Promise<void>;
}

/** Does the work where it is asked for, without limits: for tests and simulations. */
export class InlineWorkers<T extends Tasks> implements Workers<T> {
  readonly #tasks: T;

  constructor(tasks: T) {
    this.#tasks = tasks;
  }

  async *run<N extends keyof T & string>(
    task: N,
    input: InputOf<T[N]>,
  ): AsyncGenerator<PieceOf<T[N]>, void> {
    yield* this.#tasks[task]?.(input as never) as Generator<PieceOf<T[N]>, void>;
  }

  async close(): Promise<void> {}
}
