import { assertPositive } from "../base/limits.ts";

/** Maxima of the HTTP protocols, each with its reason. */
export const HTTP_LIMITS = {
  /** A body that an operator sends. */
  operatorBodyBytes: 65_536,
  /** Answers from this size on are compressed for clients on other machines that accept it. */
  compressFromBytes: 262_144,
  /** Compressed answers kept, by their ETags. */
  compressedBytesKept: 67_108_864,
  /** Rows of SQL that are answered as one JSON document, which is held in memory. */
  sqlAnswerChars: 33_554_432,
} as const;

type HttpLimits = { readonly [name in keyof typeof HTTP_LIMITS]: number };

/** Asserts how they hang together, and with those that all share. Runs at every start. */
export function assertHttpLimits(limits: HttpLimits = HTTP_LIMITS): void {
  assertPositive(limits);
}
