import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

const ROOT = join(import.meta.dirname, "..");

/** A double of a service, as a process of its own. */
export interface DoubleProcess {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts `test/double/main.ts`, and waits for the line that says where it listens. */
export async function startDouble(...args: readonly string[]): Promise<DoubleProcess> {
  const child = spawn(process.execPath, ["test/double/main.ts", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const line = once(createInterface({ input: child.stdout }), "line");
  const [first] = await Promise.race([line, ended]);
  if (typeof first !== "string" || child.pid === undefined) {
    throw new Error(`the double ${args[0]} ended instead of serving`);
  }
  return {
    url: first,
    pid: child.pid,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
