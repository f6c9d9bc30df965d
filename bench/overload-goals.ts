/** One operation under overload; latencies in milliseconds, as clients saw them. */
export interface OverloadFigures {
  readonly operation: string;
  /** Medians over rounds that take turns. */
  readonly peakPerSecond: number;
  readonly goodputPerSecond: number;
  /** Median of the rounds' own ratios: both halves of one saw the same machine. */
  readonly goodputOfPeak: number;
  readonly acceptedP99Ms: number;
  readonly shed: number;
  readonly shedP50Ms: number;
  readonly shedP99Ms: number;
  readonly recoveryMs: number;
  /** Answers other than success and 429, and none at all. */
  readonly errors: number;
  /** Processor time of the server for each request that it accepted, refusals included. */
  readonly peakCpuMs: number;
  readonly overloadCpuMs: number;
  /** How late the loop of the clients' own process was: part of every latency here. */
  readonly lagP50Ms: number;
  readonly lagP99Ms: number;
}

export interface Verdict {
  readonly goal: string;
  readonly measured: string;
  /** `near`: missed by less than what a machine that is shared may take from it. */
  readonly verdict: "met" | "near" | "missed";
}

/** What a time may exceed its goal by, and goodput fall short of it, before it counts as missed. */
const TIMES = 2;
const GOODPUT_SLACK = 0.1;

/** How figures compare with the goals. What is not a number is missed. */
export function judge(figures: OverloadFigures): readonly Verdict[] {
  const { goodputOfPeak, acceptedP99Ms, shedP50Ms, recoveryMs, shed, errors } = figures;
  return [
    atLeast("goodput ≥ 90 % of peak", goodputOfPeak),
    atMost("p99 of what is accepted ≤ 1 s", acceptedP99Ms, 1_000),
    atMost("half of the refusals in ≤ 20 ms", shedP50Ms, 20),
    atMost("recovery in ≤ 10 s", recoveryMs, 10_000),
    exactly("some are refused", shed > 0, shed),
    exactly("every answer is success or 429", errors === 0, errors),
  ];
}

function atLeast(goal: string, share: number): Verdict {
  const measured = `${(100 * share).toFixed(0)} %`;
  const verdict = share >= 0.9 ? "met" : share >= 0.9 - GOODPUT_SLACK ? "near" : "missed";
  return { goal, measured, verdict };
}

function atMost(goal: string, ms: number, limitMs: number): Verdict {
  const verdict = ms <= limitMs ? "met" : ms <= TIMES * limitMs ? "near" : "missed";
  return { goal, measured: `${ms.toFixed(1)} ms`, verdict };
}

function exactly(goal: string, holds: boolean, count: number): Verdict {
  return { goal, measured: String(count), verdict: holds ? "met" : "missed" };
}
