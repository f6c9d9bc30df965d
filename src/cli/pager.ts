import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Output } from "./output.ts";

/** The pager of a user; undefined where output is not to be paged. */
export function pagerOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { FIRN_PAGER: own, PAGER: general, TERM: terminal } = env;
  const pager = own ?? general ?? "less";
  return pager === "" || pager === "cat" || terminal === "dumb" ? undefined : pager;
}

/**
 * Output that goes through a pager once it is longer than the screen. What fits is printed as it
 * is, when the command ends.
 */
export class Pager {
  readonly #output: Output;
  readonly #command: string;
  readonly #rows: number;
  readonly #env: NodeJS.ProcessEnv;
  #held = "";
  #lines = 0;
  #child: ChildProcess | undefined;
  #isGone = false;

  constructor(
    output: Output,
    at: { readonly command: string; readonly rows: number; readonly env: NodeJS.ProcessEnv },
  ) {
    this.#output = output;
    this.#command = at.command;
    this.#rows = at.rows;
    this.#env = at.env;
  }

  print(text: string): void {
    if (this.#isGone) return;
    if (this.#child !== undefined) {
      this.#child.stdin?.write(text);
      return;
    }
    this.#held += text;
    this.#lines += text.split("\n").length - 1;
    if (this.#lines >= this.#rows) this.#open();
  }

  /** Resolves when the pager has taken what was printed. */
  async drained(): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (stdin?.writableNeedDrain === true) {
      await Promise.race([once(stdin, "drain"), once(stdin, "close")]);
    }
  }

  /** Prints what was held back, or waits until its reader leaves the pager. */
  async end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) {
      this.#output.print(this.#held);
      this.#held = "";
      return;
    }
    child.stdin?.end();
    if (child.exitCode === null && !this.#isGone) await once(child, "close");
  }

  #open(): void {
    const child = spawn(this.#command, {
      shell: true,
      stdio: ["pipe", "inherit", "inherit"],
      env: { LESS: "FRX", ...this.#env },
    });
    this.#child = child;
    // Its reader has seen enough.
    child.stdin?.on("error", () => {
      this.#isGone = true;
    });
    child.on("close", () => {
      this.#isGone = true;
    });
    child.stdin?.write(this.#held);
    this.#held = "";
  }
}
