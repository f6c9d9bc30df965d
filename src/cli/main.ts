import { standardOutput } from "./output.ts";
import { run } from "./program.ts";
import { terminalScreen } from "./terminal.ts";

let serving = false;
const output = standardOutput(process.stdout, process.stderr, (error) => {
  // A server goes on: only its banner was printed there.
  if (serving) return;
  // The reader has seen enough, as `head` has.
  if (error.code === "EPIPE") process.exit(0);
  output.printError(`firn: cannot write the output: ${error.message}\n`);
  process.exit(1);
});
const { stdin, stdout, stderr, env } = process;
const screen = terminalScreen(output, { stdin, stdout, stderr, env });
const settings = { env, cwd: process.cwd(), printError: output.printError };
process.exitCode = await run(process.argv.slice(2), {
  ...settings,
  serve: async (settings) => {
    serving = true;
    return (await import("./serve.ts")).serve(settings);
  },
  storageInit: async (settings) => (await import("./storage.ts")).storageInit(settings, output),
  storageCheck: async (line) => (await import("./storage.ts")).storageCheck(line, output),
  housekeeping: async (line) => (await import("./housekeeping.ts")).housekeeping(line, output),
  keys: async (line) => (await import("./keys.ts")).keys(line, output),
  restore: async (line) => (await import("./restore.ts")).restore(line, output),
  lsm: async (command) => (await import("./lsm.ts")).lsm(command, output),
  fsck: async (command) => (await import("./fsck.ts")).fsck(command, output),
  gc: async (command) => (await import("./gc.ts")).gc(command, output),
  catalog: async (line) => {
    const { runCatalogLine } = await import("./verbs/run-line.ts");
    return runCatalogLine(line, { settings, screen, stdin });
  },
  names: async (kind, typed) =>
    (await import("./verbs/complete-names.ts")).completeNames(kind, typed, settings),
  look: screen,
  print: output.print,
});
await output.flush();
// A second signal, or a store that does not let go, must not keep the process.
process.exit();
