import { writeSync } from "node:fs";

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes a line to the pipe of who reads a process that is about to be killed. It is in the pipe
 * when this returns, and survives the process.
 */
export function tell(line: string): void {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      // The reader is slow, and its pipe is full.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(PAUSE, 0, 0, 1);
    }
  }
}
