import { FirnError } from "./error.ts";

/** Told of a defect of ours, which no caller waits for. */
export type OnDefect = (error: unknown) => void;

/**
 * Work that follows an answer and that no caller waits for, one piece after the other. It must be
 * such that a process may end at any step of it: what is left undone is found and done by others. A
 * store that refuses or keeps silent is therefore no error here; a defect of ours is. `onDefect`
 * is told each such defect as it comes up; without it, `settled` throws the first.
 */
export class Background {
  readonly #onDefect: OnDefect;
  #last: Promise<void> = Promise.resolve();
  #defect: { readonly error: unknown } | undefined;

  constructor(onDefect?: OnDefect) {
    this.#onDefect =
      onDefect ??
      ((error) => {
        this.#defect ??= { error };
      });
  }

  run(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => {
      if (!isPassing(error)) this.#onDefect(error);
    });
  }

  /**
   * Resolves when all that was asked for is done. @throws the first defect that was not reported.
   */
  async settled(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
    if (this.#defect !== undefined) throw this.#defect.error;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof FirnError && error.kind !== "Internal" && error.kind !== "Corrupt";
}
