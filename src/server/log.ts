import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { OnDefect } from "../base/background.ts";
import type { Clock } from "../base/clock.ts";
import type { FirnError } from "../base/error.ts";
import { asFirnError } from "../http/failure.ts";
import type { LogLevel } from "../runtime/settings.ts";
import { textLine } from "./log-text.ts";

export interface LogOptions {
  /** Lines for people, not JSON. */
  readonly text?: boolean;
  /** Test only: stderr if absent. */
  readonly stream?: DestinationStream;
}

/** Lines to stderr, written at once, so that none is lost at the end. */
export function createLogger(level: LogLevel, clock: Clock, options: LogOptions = {}): Logger {
  const timestamp = () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`;
  const formatters = { level: (label: string) => ({ level: label }) };
  const stream = options.stream ?? destination({ fd: 2, sync: true });
  const lines =
    options.text === true ? { write: (line: string) => writeText(stream, line) } : stream;
  return pino({ level, base: null, timestamp, formatters }, lines);
}

function writeText(stream: DestinationStream, line: string): void {
  stream.write(textLine(line));
}

/** An error as the log shows it: for operators, so with its cause and stack. */
export function errorFields(error: FirnError): Readonly<Record<string, unknown>> {
  const cause = error.cause instanceof Error ? error.cause.stack : undefined;
  const context = Object.fromEntries(
    Object.entries(error.context).map(([key, value]) => [
      key,
      typeof value === "bigint" ? value.toString() : value,
    ]),
  );
  return { kind: error.kind, code: error.code, context, stack: cause ?? error.stack };
}

/** Logs what went wrong where no request waited for it. */
export function defectLogger(log: Logger): OnDefect {
  return (error) => log.error(errorFields(asFirnError(error)), "work in the background failed");
}
