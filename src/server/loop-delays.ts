import type { Clock } from "../base/clock.ts";
import { Counts, type Metrics, Times } from "../base/metrics.ts";
import { everyMs } from "../runtime/clock.ts";

/** How often the loop is looked at. */
export const LOOK_MS = 20;
/** A look that is less late than this says nothing of what was done before it. */
const LEAST_MS = 10;
const SECONDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** While no request is under way. */
const BACKGROUND = "background";
/** While several are, and which of them it was cannot be told. */
const SEVERAL = "several";

/** The time of the loop, and of this thread. */
export interface LoopClock extends Pick<Clock, "monotonicMs"> {
  /** Processor time that the thread has used so far. */
  readonly threadCpuMs: () => number;
}

/**
 * How late the event loop comes to its next turn, by the operation that held it. A timer looks;
 * when it comes late, what began last before the longest silence is what held the loop: an
 * operation runs where it begins, and ends in the turn that finishes it. Delays under 10 ms are
 * not counted. A begin and an end cost some 0.1 µs together.
 */
export class LoopDelays {
  readonly #clock: LoopClock;
  readonly #delays: Times;
  readonly #cpu: Counts;
  /** How many times each operation is under way: kept at 0, which costs less than to forget. */
  readonly #underWay = new Map<string, { count: number }>();
  #lookedMs: number;
  #lookedCpuMs: number;
  /** When something began or ended last, and what began then; undefined where it ended. */
  #lastMs: number;
  #began: string | undefined;
  /** The longest silence since the last look, and who kept it. */
  #silenceMs = 0;
  #holder: string = BACKGROUND;

  constructor(clock: LoopClock, metrics: Metrics) {
    this.#clock = clock;
    const labels = ["operation"];
    const delay = {
      name: "firn_loop_delay_seconds",
      labels,
      help: "Delays of the event loop of 10 ms and more, by the operation that held it",
    };
    this.#delays = new Times(metrics, delay, SECONDS);
    this.#cpu = new Counts(metrics, {
      name: "firn_loop_delay_cpu_seconds_total",
      labels,
      help: "Processor time of the thread in those delays: less than them where it had to wait",
    });
    this.#lookedMs = this.#lastMs = clock.monotonicMs();
    this.#lookedCpuMs = clock.threadCpuMs();
  }

  /** @param operation one of few: it is a label. */
  begin(operation: string): void {
    this.#note(undefined);
    this.#began = operation;
    const times = this.#underWay.get(operation);
    if (times === undefined) this.#underWay.set(operation, { count: 1 });
    else times.count++;
  }

  end(operation: string): void {
    this.#note(operation);
    this.#began = undefined;
    const times = this.#underWay.get(operation);
    if (times !== undefined) times.count--;
  }

  /** Looks from now on. @returns ends it. */
  watch(): () => void {
    return everyMs(LOOK_MS, () => this.look());
  }

  /** Called by a timer, every `LOOK_MS` unless the loop is held. */
  look(): void {
    this.#note(undefined);
    const [nowMs, cpuMs] = [this.#lastMs, this.#clock.threadCpuMs()];
    const delayMs = nowMs - this.#lookedMs - LOOK_MS;
    if (delayMs >= LEAST_MS) {
      this.#delays.observe(delayMs / 1_000, this.#holder);
      const usedMs = Math.min(delayMs, cpuMs - this.#lookedCpuMs);
      this.#cpu.add(usedMs / 1_000, this.#holder);
    }
    this.#lookedMs = nowMs;
    this.#lookedCpuMs = cpuMs;
    this.#silenceMs = 0;
    this.#began = undefined;
  }

  /** Blames the request that began the silence, else the one that `ends` it, else one under way. */
  #note(ends: string | undefined): void {
    const nowMs = this.#clock.monotonicMs();
    const silenceMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    if (silenceMs <= this.#silenceMs) return;
    this.#silenceMs = silenceMs;
    this.#holder = this.#began ?? ends ?? this.#onlyOne();
  }

  #onlyOne(): string {
    const names = [...this.#underWay].filter(([, { count }]) => count > 0).map(([name]) => name);
    return names.length > 1 ? SEVERAL : (names[0] ?? BACKGROUND);
  }
}
