import { FirnError } from "../base/error.ts";
import { closed } from "./errors.ts";

/**
 * Whether an engine still serves. Once something failed that leaves unknown what is stored, every
 * later call gets the same answer until the shard is opened again: there is no half state.
 */
export class Health {
  #failure: FirnError | undefined;
  #closed = false;
  #onEnd: () => void = () => {};

  /** @throws FirnError what ended the engine; `Unavailable`, code `LSM_CLOSED`. */
  readonly assertOpen = (): void => {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closed) throw closed();
  };

  /**
   * As `assertOpen`, for reads of what is durable: where a disk that is full, say, ended the log,
   * all that it had acknowledged is in memory still, and no other process has it as long as the
   * lease says so. What it left in doubt was never shown, and is not now.
   */
  readonly assertReadable = (isDurable: boolean): void => {
    if (!this.#closed && isDurable && this.readsOn) return;
    this.assertOpen();
  };

  /** Whether reads of what is durable go on although writes have ended. */
  get readsOn(): boolean {
    const cause = this.#failure?.cause;
    if (this.#failure?.code !== "LSM_FAILED" || !(cause instanceof FirnError)) return false;
    return ["Unavailable", "Unknown", "Overloaded"].includes(cause.kind);
  }

  get failure(): FirnError | undefined {
    return this.#failure;
  }

  /** Ends it where another writer has taken the shard over. */
  failIfFenced(error: unknown): void {
    if (error instanceof FirnError && error.code === "LSM_FENCED") this.fail(error);
  }

  close(): void {
    this.#closed = true;
    this.#onEnd();
  }

  /** @param listener called whenever it serves less than before. */
  onEnd(listener: () => void): void {
    this.#onEnd = listener;
  }

  /** Ends it. The first failure stays; those who were under way hear their own. */
  readonly fail = (error: unknown): void => {
    this.#failure ??= ended(error);
    this.#onEnd();
  };
}

function ended(error: unknown): FirnError {
  const code = error instanceof FirnError ? error.code : "";
  if (code === "LSM_FENCED" || code === "WAL_FENCED") {
    const message = "fenced: another process took the shard over";
    return new FirnError("Unavailable", "LSM_FENCED", message, {}, error);
  }
  const message = "the engine failed: open it again";
  return new FirnError("Unavailable", "LSM_FAILED", message, { cause: code }, error);
}
