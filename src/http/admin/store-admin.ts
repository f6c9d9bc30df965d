import type { Clock } from "../../base/clock.ts";
import { FirnError } from "../../base/error.ts";
import type { FsckFinding, FsckSummary } from "../../service/fsck/fsck.ts";
import { asFirnError, describe } from "../failure.ts";
import { orQuiet } from "./quiet.ts";

/** A check of everything that is stored: findings, and what it came to. */
export type StoreCheck = (repair: boolean) => AsyncGenerator<FsckFinding, FsckSummary>;

/** A finding as a line of JSON. Facts stand beside the rest; 64-bit integers are text. */
export function findingLine({ code, level, subject, facts, repaired }: FsckFinding): string {
  return jsonLine({ code, level, subject, ...facts, ...(repaired && { repaired }) });
}

export function summaryLine(summary: FsckSummary): string {
  return jsonLine({ summary });
}

function jsonLine(value: object): string {
  const text = JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "bigint" ? one.toString() : one,
  );
  return `${text}\n`;
}

/** Where an operator comes to with what all stores of a process need. */
export class StoreAdmin {
  readonly #check: StoreCheck;
  readonly #clock: Clock;
  #isRunning = false;
  #isStopped = false;

  constructor(check: StoreCheck, clock: Clock) {
    this.#check = check;
    this.#clock = clock;
  }

  /**
   * The findings of a check as lines of JSON, its summary last; or a failure: `error`. An empty
   * line says that nothing was found for a while.
   *
   * @throws FirnError `Conflict`, code `FSCK_RUNNING`: one is running.
   */
  check(repair: boolean): AsyncIterable<string> {
    if (this.#isRunning) {
      throw new FirnError(
        "Conflict",
        "FSCK_RUNNING",
        "a check of this store is running: wait for its end",
      );
    }
    this.#isRunning = true;
    return this.#lines(repair);
  }

  /** Ends a check at its next finding, or within seconds. */
  stop(): void {
    this.#isStopped = true;
  }

  async *#lines(repair: boolean): AsyncGenerator<string> {
    const run = this.#check(repair);
    try {
      for (let pending = run.next(); ; ) {
        const step = await orQuiet(pending, this.#clock);
        if (this.#isStopped) throw new FirnError("Unavailable", "STOPPING", "the server stops");
        if (step === "quiet") {
          yield "\n";
          continue;
        }
        if (step.done === true) {
          yield summaryLine(step.value);
          return;
        }
        yield findingLine(step.value);
        pending = run.next();
      }
    } catch (error) {
      const { code, message, context } = asFirnError(error);
      yield jsonLine({ error: { code, message: describe(message, context) } });
    } finally {
      this.#isRunning = false;
      // It ends at its next step; no caller waits for that.
      void run.return(undefined as never).catch(() => undefined);
    }
  }
}
