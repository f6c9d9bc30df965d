import { lsm } from "../../src/cli/lsm.ts";
import { run } from "../../src/cli/program.ts";

/** What a command line came to. */
interface Said {
  readonly exitCode: number;
  readonly out: string;
  readonly errors: string;
}

/** `firn lsm` and its arguments, run in this process. */
export async function firnLsm(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Said> {
  const printed: string[] = [];
  const refused: string[] = [];
  const output = {
    print: (text: string) => void printed.push(text),
    printError: (text: string) => void refused.push(text),
  };
  const exitCode = await run(["lsm", ...args], {
    ...{ env, cwd: "/", printError: output.printError },
    serve: () => Promise.reject(new Error("nothing is served")),
    storageInit: () => Promise.reject(new Error("nothing is made")),
    lsm: (command) => lsm(command, output),
  });
  return { exitCode, out: printed.join(""), errors: refused.join("") };
}
