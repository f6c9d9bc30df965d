import { CatalogError } from "../base/error.ts";
import { closed } from "./errors.ts";

/**
 * Whether an engine still serves. Once something failed that leaves unknown what is stored, every
 * later call gets the same answer until the shard is opened again: there is no half state.
 */
export class Health {
  #failure: CatalogError | undefined;
  #closed = false;

  /** @throws CatalogError what ended the engine; `Unavailable`, code `LSM_CLOSED`. */
  readonly assertOpen = (): void => {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closed) throw closed();
  };

  get failure(): CatalogError | undefined {
    return this.#failure;
  }

  /** Ends it where another writer has taken the shard over. */
  failIfFenced(error: unknown): void {
    if (error instanceof CatalogError && error.code === "LSM_FENCED") this.fail(error);
  }

  close(): void {
    this.#closed = true;
  }

  /** Ends it. The first failure stays; those who were under way hear their own. */
  readonly fail = (error: unknown): void => {
    this.#failure ??= ended(error);
  };
}

function ended(error: unknown): CatalogError {
  const code = error instanceof CatalogError ? error.code : "";
  if (code === "LSM_FENCED" || code === "WAL_FENCED") {
    const message = "another writer took the shard over";
    return new CatalogError("Unavailable", "LSM_FENCED", message, {}, error);
  }
  const message = "the engine ended with a failure: open it again";
  return new CatalogError("Unavailable", "LSM_FAILED", message, { cause: code }, error);
}
