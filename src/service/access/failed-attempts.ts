import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import { LruMap } from "../../base/lru.ts";
import { parseKeyText } from "./api-keys.ts";

const WINDOW_MS = 60_000;
/** Wrong credentials of one address for one key that are answered as such in a minute. */
const FAILURES = 10;
const REMEMBERED = 10_000;

interface Window {
  readonly startedMs: number;
  failures: number;
}

/**
 * Bounds guesses of the secrets of API keys: by address and by key id, so that no client locks out
 * another. A right key never asks here. Tokens cannot be guessed, and a client whose token has
 * expired must hear 401, however many others share its address.
 */
export class FailedAttempts {
  readonly #clock: Clock;
  readonly #windows: LruMap<string, Window> = new LruMap(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts a failure. @returns the refusal of one too many. */
  failed(address: string | undefined, credential: string): FirnError | undefined {
    const keyId = parseKeyText(credential)?.id;
    return keyId === undefined ? undefined : this.failedAt(address, keyId);
  }

  /** As `failed`, of a key's id or a user's name. */
  failedAt(address: string | undefined, name: string): FirnError | undefined {
    const nowMs = this.#clock.monotonicMs();
    const place = `${address ?? ""} ${name}`;
    let window = this.#windows.get(place);
    if (window === undefined || nowMs - window.startedMs >= WINDOW_MS) {
      window = { startedMs: nowMs, failures: 0 };
      this.#windows.set(place, window);
    }
    window.failures++;
    if (window.failures <= FAILURES) return undefined;
    const retryAfterMs = Math.max(1, window.startedMs + WINDOW_MS - nowMs);
    const message = "too many failed sign-ins: wait before the next one";
    return new FirnError("Overloaded", "TOO_MANY_ATTEMPTS", message, { retryAfterMs });
  }
}
