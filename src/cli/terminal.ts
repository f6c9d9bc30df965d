import { createInterface } from "node:readline";
import { SystemClock } from "../runtime/clock.ts";
import type { Output } from "./output.ts";
import type { Screen } from "./screen.ts";

/** The standard streams of a process, as far as a screen is made of them. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Columns and rows of a terminal that does not tell. */
const [COLUMNS, ROWS] = [80, 24];

/** The screen of a process. `NO_COLOR` and a dumb terminal turn colours off. */
export function terminalScreen(output: Output, streams: Streams): Screen {
  const { stdin, stdout, stderr, env } = streams;
  const clock = new SystemClock();
  const isTerminal = stdout.isTTY === true;
  const isPlain = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return {
    ...output,
    isTerminal,
    showsProgress: stderr.isTTY === true,
    hasColour: isTerminal && !isPlain,
    columns: stdout.columns ?? COLUMNS,
    rows: stdout.rows ?? ROWS,
    nowMs: () => clock.nowMs(),
    ask: async (question) => {
      if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await new Promise<string>((resolve) => {
          lines.question(question, resolve);
          // End of input, or an interrupt: nothing was agreed to.
          lines.on("close", () => resolve(""));
        });
      } finally {
        lines.close();
      }
    },
  };
}
