import type { Clock } from "../../base/clock.ts";
import type { Prng } from "../../base/prng.ts";
import { SqlError } from "../error.ts";
import type { SqlContext } from "./context.ts";

/** What functions learn of the session where there is none. */
const NO_SESSION: SqlContext["session"] = {
  database: "",
  user: "firn",
  sessionUser: "firn",
  backendPid: 0,
  schemas: [],
  setting: (name, isMissingOk) => {
    if (isMissingOk) return null;
    throw new SqlError("42704", `unrecognized configuration parameter "${name}"`);
  },
  setSetting: (name) => {
    throw new SqlError("55000", `cannot set "${name}" without a session`);
  },
};

/** What values and expressions are read and written by without a session: settings of a new one. */
export function contextWithoutSession(clock: Clock, random: Prng, micros: bigint): SqlContext {
  return {
    settings: { timeZone: "UTC", dateOrder: "MDY", byteaOutput: "hex", extraFloatDigits: 1 },
    session: NO_SESSION,
    transactionMicros: micros,
    statementMicros: micros,
    clockMicros: () => BigInt(clock.nowMs()) * 1_000n,
    random,
    seedRandom: () => undefined,
  };
}
