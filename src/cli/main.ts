import { run } from "./program.ts";

const output = {
  print: (text: string) => process.stdout.write(text),
  printError: (text: string) => process.stderr.write(text),
};
// Whoever reads the output has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.exit(error.code === "EPIPE" ? 0 : 1);
});
process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  serve: async (settings) => (await import("./serve.ts")).serve(settings),
  storageInit: async (settings) => (await import("./storage.ts")).storageInit(settings, output),
  lsm: async (command) => (await import("./lsm.ts")).lsm(command, output),
  printError: output.printError,
});
// A second signal, or a store that does not let go, must not keep the process.
process.exit();
