import { spawn } from "node:child_process";

/**
 * Runs a command for as long as whoever forked this process lives: also an end by SIGKILL, which
 * nobody can answer, closes the channel between the two. Tells the id of the command's process.
 *
 *   node keeper.ts COMMAND ARGUMENTS…
 */
const [command = "", ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ["ignore", "inherit", "inherit"] });
child.on("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code) => process.exit(code ?? 1));
child.on("spawn", () => process.send?.(child.pid));
process.on("SIGTERM", () => child.kill("SIGTERM"));
process.on("disconnect", () => child.kill("SIGKILL"));
