import type { Clock } from "../../base/clock.ts";
import { Pauses } from "../../base/pauses.ts";
import type { BlobStore } from "../../blob/port.ts";

/** Lines, or characters, that are sorted in memory and written as one run. */
const RUN_LINES = 16_384;
const RUN_CHARACTERS = 8 * 1_048_576;
/** Bytes of a run that are read at once, unless a line is longer. */
const READ_BYTES = 262_144;
/** Runs that are merged at once: each holds one piece in memory. */
const FAN_IN = 32;
/** Lines between two turns of the event loop. */
const LINES_A_TURN = 2_000;

/** Where a sort keeps what does not fit the memory. */
export interface SortPorts {
  readonly scratch: BlobStore;
  readonly clock: Clock;
}

/**
 * A set of lines of text, however many: sorted in runs, which lie in a scratch store, and merged as
 * they are read. Memory is bounded by `RUN_LINES`, `RUN_CHARACTERS` and `FAN_IN`. Lines hold no
 * newline. The order is that of `<`.
 */
export class SortedLines {
  readonly #ports: SortPorts;
  readonly #name: string;
  readonly #pauses: Pauses;
  #waiting: string[] = [];
  #characters = 0;
  #runs: string[] = [];
  #made = 0;

  /** @param name no other set in the same scratch has it. */
  constructor(ports: SortPorts, name: string) {
    this.#ports = ports;
    this.#name = name;
    this.#pauses = new Pauses(ports.clock, LINES_A_TURN);
  }

  async add(line: string): Promise<void> {
    this.#waiting.push(line);
    this.#characters += line.length;
    const isFull = this.#waiting.length >= RUN_LINES || this.#characters >= RUN_CHARACTERS;
    if (isFull) await this.#spill();
  }

  /** Every line once, in order. Once nothing is added any more; may be read again. */
  async *lines(): AsyncGenerator<string> {
    if (this.#runs.length > 0) await this.#spill();
    while (this.#runs.length > FAN_IN) {
      const some = this.#runs.splice(0, FAN_IN);
      this.#runs.push(await this.#write(this.#merged(some)));
      await this.#ports.scratch.deleteMany(some);
    }
    if (this.#runs.length > 0) {
      yield* this.#merged(this.#runs);
      return;
    }
    for (const line of distinct(this.#waiting.sort())) {
      yield line;
      const pause = this.#pauses.step();
      if (pause !== undefined) await pause;
    }
  }

  async #spill(): Promise<void> {
    if (this.#waiting.length === 0) return;
    await this.#ports.clock.sleep(0);
    // Without a comparator, which costs several times as much: the order is the same.
    const lines = this.#waiting.sort();
    this.#waiting = [];
    this.#characters = 0;
    this.#runs.push(await this.#write(distinct(lines)));
  }

  async #write(lines: Iterable<string> | AsyncIterable<string>): Promise<string> {
    const path = `${this.#name}/run-${this.#made++}`;
    await this.#ports.scratch.putStream(path, pieces(lines, this.#pauses));
    return path;
  }

  async *#merged(paths: readonly string[]): AsyncGenerator<string> {
    const runs = paths.map((path) => new Run(this.#ports.scratch, path));
    await Promise.all(runs.map((run) => run.next()));
    for (let last: string | undefined; ; ) {
      let least: Run | undefined;
      for (const run of runs) {
        if (run.line === undefined) continue;
        if (least?.line === undefined || run.line < least.line) least = run;
      }
      if (least?.line === undefined) return;
      const { line } = least;
      if (line !== last) yield line;
      last = line;
      // A promise a line would cost more than the comparison.
      if (!least.step()) await least.next();
      const pause = this.#pauses.step();
      if (pause !== undefined) await pause;
    }
  }
}

/** Reads one run, a piece at a time. */
class Run {
  line: string | undefined;
  readonly #store: BlobStore;
  readonly #path: string;
  #lines: string[] = [];
  #at = 0;
  #offset = 0;
  #length = READ_BYTES;
  #isOver = false;

  constructor(store: BlobStore, path: string) {
    this.#store = store;
    this.#path = path;
  }

  /** Goes on to the next line, if that has been read already. */
  step(): boolean {
    if (this.#at >= this.#lines.length) return false;
    this.line = this.#lines[this.#at++];
    return true;
  }

  async next(): Promise<void> {
    while (!this.step()) {
      if (this.#isOver) {
        this.line = undefined;
        return;
      }
      await this.#read();
    }
  }

  async #read(): Promise<void> {
    const blob = await this.#store.getRange(this.#path, this.#offset, this.#length);
    const bytes = Buffer.from(blob?.bytes ?? new Uint8Array());
    this.#isOver = bytes.length < this.#length;
    // A piece ends with the last whole line in it.
    const end = bytes.lastIndexOf(0x0a) + 1;
    this.#length = end === 0 ? 2 * this.#length : READ_BYTES;
    this.#lines = end === 0 ? [] : bytes.toString("utf8", 0, end - 1).split("\n");
    this.#at = 0;
    this.#offset += end;
  }
}

function* distinct(sorted: readonly string[]): Generator<string> {
  let last: string | undefined;
  for (const line of sorted) {
    if (line !== last) yield line;
    last = line;
  }
}

async function* pieces(
  lines: Iterable<string> | AsyncIterable<string>,
  pauses: Pauses,
): AsyncGenerator<Uint8Array> {
  let text: string[] = [];
  for await (const line of lines) {
    text.push(line, "\n");
    if (text.length < LINES_A_TURN) continue;
    yield Buffer.from(text.join(""));
    text = [];
    const pause = pauses.step();
    if (pause !== undefined) await pause;
  }
  if (text.length > 0) yield Buffer.from(text.join(""));
}

/** The text of a line up to its first space: what two streams are joined by. */
export function keyOfLine(line: string): string {
  const space = line.indexOf(" ");
  return space < 0 ? line : line.slice(0, space);
}

/** Lines of `from` whose key stands in `keys` (`has`), or does not. Both in order. */
export async function* joined(
  from: AsyncIterable<string>,
  keys: AsyncIterable<string>,
  has: boolean,
): AsyncGenerator<string> {
  const others = keys[Symbol.asyncIterator]();
  let other = await others.next();
  for await (const line of from) {
    const key = keyOfLine(line);
    while (other.done !== true && keyOfLine(other.value) < key) other = await others.next();
    const found = other.done !== true && keyOfLine(other.value) === key;
    if (found === has) yield line;
  }
}
