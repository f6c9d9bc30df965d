import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** No input may keep the server from its next turn for longer, in its own processor time. */
export const TURN_LIMIT_MS = 250;

const PRELOAD = new URL("../../support/turn-log.ts", import.meta.url).href;

/** Long turns of a server's event loop, as the server itself writes them down. */
export class TurnLog {
  readonly #file: string;
  #read = 0;
  longestMs = 0;

  constructor(directory: string) {
    this.#file = join(directory, "turns.log");
  }

  /** What the server's environment needs. */
  get env(): Readonly<Record<string, string>> {
    return { TURN_LOG: this.#file, NODE_OPTIONS: `--import ${PRELOAD}` };
  }

  /** Forgets the turns so far: a process that starts loads its modules in one. */
  start(): void {
    this.take();
    this.longestMs = 0;
  }

  /** The longest turn since the last call, in milliseconds; 0 where all were short. */
  take(): number {
    const text = existsSync(this.#file) ? readFileSync(this.#file, "utf8") : "";
    const lines = text.slice(this.#read).split("\n").map(Number);
    this.#read = text.length;
    const longest = lines.reduce((most, ms) => Math.max(most, ms), 0);
    this.longestMs = Math.max(this.longestMs, longest);
    return longest;
  }
}
