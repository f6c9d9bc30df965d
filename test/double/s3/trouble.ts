import type { Refusal, SeededFaults } from "../faults.ts";
import { failure } from "./xml.ts";

function refusal(status: number, code: string): Refusal {
  return { name: `${status} ${code}`, answer: () => failure(status, code) };
}

/** Answers that say nothing of a condition. */
export const TROUBLE: readonly Refusal[] = [
  refusal(500, "InternalError"),
  refusal(503, "SlowDown"),
  refusal(503, "ServiceUnavailable"),
  refusal(429, "TooManyRequests"),
  refusal(409, "ConditionalRequestConflict"),
  refusal(400, "RequestTimeout"),
];

/** Answers that a client takes for the last word. */
export const LAST_WORDS: readonly Refusal[] = [
  refusal(412, "PreconditionFailed"),
  refusal(404, "NoSuchKey"),
  refusal(403, "AccessDenied"),
  refusal(400, "InvalidRequest"),
];

/** Every kind of fault; the slow ones seldom, since somebody waits for each. */
export const EVERY_FAULT: SeededFaults["weights"] = {
  unsent: 3,
  lost: 6,
  resent: 2,
  late: 3,
  duplicated: 3,
  torn: 3,
  refused: 12,
  delayed: 2,
  reordered: 2,
  silent: 1,
};
