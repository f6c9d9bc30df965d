import { invalid } from "../base/error.ts";

/** Bytes that are not a message of the protocol, or one that may not come now. */
export function protocolViolation(message: string, fatal = false): Error {
  return invalid("PROTOCOL_VIOLATION", message, { sqlState: "08P01", fatal });
}
