import { run } from "./program.ts";

process.exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  serve: async (settings) => (await import("./serve.ts")).serve(settings),
  printError: (text) => process.stderr.write(text),
});
// A second signal, or a store that does not let go, must not keep the process.
process.exit();
