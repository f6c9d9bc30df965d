import { WIRE_LIMITS } from "./limits.ts";
import { FRONTEND } from "./message-types.ts";
import { protocolViolation } from "./protocol-violation.ts";

const LARGEST: ReadonlyMap<number, number> = new Map([
  [FRONTEND.bind, WIRE_LIMITS.dataBytes],
  [FRONTEND.copyData, WIRE_LIMITS.dataBytes],
  [FRONTEND.parse, WIRE_LIMITS.statementBytes],
  [FRONTEND.query, WIRE_LIMITS.statementBytes],
  [FRONTEND.functionCall, WIRE_LIMITS.smallBytes],
  ...[
    FRONTEND.close,
    FRONTEND.copyDone,
    FRONTEND.copyFail,
    FRONTEND.describe,
    FRONTEND.execute,
    FRONTEND.flush,
    FRONTEND.password,
    FRONTEND.sync,
    FRONTEND.terminate,
  ].map((type): [number, number] => [type, WIRE_LIMITS.smallBytes]),
]);

/**
 * Refuses a message before it is read: what follows it cannot be found any more, so each of these
 * ends the connection.
 */
export function checkFrame(type: number, length: number): void {
  if (type === 0) {
    if (length >= 8 && length <= WIRE_LIMITS.startupBytes) return;
    throw protocolViolation("invalid length of startup packet", true);
  }
  const largest = LARGEST.get(type);
  if (largest === undefined) {
    throw protocolViolation(`invalid frontend message type ${type}`, true);
  }
  if (length >= 4 && length <= largest + 4) return;
  const message = `invalid message length ${length} (largest ${largest})`;
  throw protocolViolation(message, true);
}
