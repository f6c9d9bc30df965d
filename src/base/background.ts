import { CatalogError } from "./error.ts";

/**
 * Work that follows an answer and that nobody waits for, one piece after the other. It must be such
 * that a process may end at any step of it: what is left undone is found and done by others. A
 * store that refuses or keeps silent is therefore no error here; a defect of ours is.
 */
export class Background {
  #last: Promise<void> = Promise.resolve();
  #defect: { readonly error: unknown } | undefined;

  run(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => {
      if (!isPassing(error)) this.#defect ??= { error };
    });
  }

  /** Resolves when all that was asked for is done. @throws the first defect, if there was one. */
  async settled(): Promise<void> {
    for (let last: Promise<void> | undefined; last !== this.#last; ) {
      last = this.#last;
      await last;
    }
    if (this.#defect !== undefined) throw this.#defect.error;
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof CatalogError && error.kind !== "Internal" && error.kind !== "Corrupt";
}
