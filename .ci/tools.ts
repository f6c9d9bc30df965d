import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";

/** The checkout, whatever directory a script is started from. */
export const ROOT: string = join(import.meta.dirname, "..");

export interface ToolResult {
  readonly exitCode: number;
  /** Standard output and standard error, in the order they came. */
  readonly output: string;
}

export interface ToolOptions {
  /** Also shows the output while it comes. */
  readonly echo?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Directory of the command; the checkout if absent. */
  readonly cwd?: string;
}

/**
 * Runs a command of this checkout: names are looked up in `node_modules/.bin` first. Never rejects
 * for a red command; a command that cannot be started answers exit code 127.
 */
export function runTool(
  command: string,
  args: readonly string[],
  options: ToolOptions = {},
): Promise<ToolResult> {
  const path = `${join(ROOT, "node_modules", ".bin")}${delimiter}${process.env["PATH"] ?? ""}`;
  const child = spawn(command, [...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
      if (options.echo === true) process.stdout.write(chunk);
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", (error) => resolve({ exitCode: 127, output: String(error) }));
    child.on("close", (code) => {
      resolve({ exitCode: code ?? 1, output: Buffer.concat(chunks).toString("utf8") });
    });
  });
}
