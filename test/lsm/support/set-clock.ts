import { SystemClock } from "../../../src/runtime/clock.ts";

/** Time passes as it does, but for the wall clock, which a test sets. */
export class SetClock extends SystemClock {
  wallMs: number = Date.UTC(2026, 0, 1);

  override nowMs(): number {
    return this.wallMs;
  }
}
