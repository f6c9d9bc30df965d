import { createInterface, type Interface } from "node:readline/promises";
import { EXIT } from "../exit-codes.ts";
import type { VerbCall } from "./call.ts";
import { cutStatements, isBlank } from "./sql-text.ts";

const HELP = `Statements end with a semicolon. Each one is a transaction.
\\timing  shows how long statements take, or no longer
\\?       shows this
\\q       ends, as Ctrl-D does
`;

/** Reads statements of a person until the end of input. @returns the exit code. */
export async function runSqlPrompt(
  { screen, stdin, values }: VerbCall,
  run: (text: string) => Promise<number>,
): Promise<number> {
  const catalog = typeof values["catalog"] === "string" ? values["catalog"] : "default";
  const lines = createInterface({ input: stdin, output: process.stdout, terminal: true });
  const ended = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
  screen.print("Statements end with a semicolon; \\? for help, \\q to quit.\n");
  let typed = "";
  let isTimed = false;
  try {
    for (;;) {
      const line = await nextLine(lines, ended, `${catalog}${typed === "" ? "=>" : "->"} `);
      if (line === undefined) return EXIT.ok;
      const command = typed === "" ? /^\s*\\(\S*)/.exec(line)?.[1] : undefined;
      if (command !== undefined) {
        if (command === "q") return EXIT.ok;
        if (command === "timing") {
          isTimed = !isTimed;
          screen.print(`Timing is ${isTimed ? "on" : "off"}.\n`);
        } else screen.print(command === "?" ? HELP : `\\${command} is not known: \\? for help\n`);
        continue;
      }
      typed += `${line}\n`;
      const { statements, rest } = cutStatements(typed);
      for (const statement of statements) {
        const startedMs = screen.nowMs();
        await run(statement);
        if (isTimed) screen.print(`Time: ${screen.nowMs() - startedMs} ms\n`);
      }
      typed = isBlank(rest) ? "" : rest;
    }
  } finally {
    lines.close();
  }
}

/** @returns undefined at the end of input. */
async function nextLine(
  lines: Interface,
  ended: Promise<undefined>,
  prompt: string,
): Promise<string | undefined> {
  return await Promise.race([lines.question(prompt), ended]);
}
