import { SqlError } from "../error.ts";

/** A temporary file, which is gone when it is closed. */
export interface SpillFile {
  write(bytes: Uint8Array, at: number): Promise<void>;
  read(at: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Where statements have temporary files. */
export interface SpillSpace {
  /** Instead of what the settings of a session say. */
  readonly limits?: SpillLimits | undefined;
  open(): Promise<SpillFile>;
}

export interface SpillLimits {
  /** Memory of one sort, or of rows that are kept to be read again. */
  readonly workBytes: number;
  /** Memory of one hash table. */
  readonly hashBytes: number;
  /** Bytes of all temporary files of a statement at one time. */
  readonly fileBytes: number;
}

/** One statement's temporary files. They go with it, however it ends. */
export class Spill {
  readonly #space: SpillSpace;
  readonly #limits: () => SpillLimits;
  readonly #signal: AbortSignal;
  /** Those that are open; absent until there is one: most statements have none. */
  #files: Set<TapeFile> | undefined;
  #known: SpillLimits | undefined;
  #bytes = 0;

  /** @param limits asked for once, when an operator first keeps rows. */
  constructor(space: SpillSpace, limits: () => SpillLimits, signal: AbortSignal) {
    this.#space = space;
    this.#limits = limits;
    this.#signal = signal;
  }

  get limits(): SpillLimits {
    this.#known ??= this.#limits();
    return this.#known;
  }

  /** Rows of one block of a tape, in bytes: many tapes are open at once. */
  get blockBytes(): number {
    return Math.min(65_536, Math.max(1_024, Math.floor(this.limits.workBytes / 64)));
  }

  open(): TapeFile {
    this.#signal.throwIfAborted();
    const files = this.#files ?? this.#begin();
    const file = new TapeFile(this.#space.open(), this.#signal, {
      grows: (bytes) => this.#grow(bytes),
      ends: (bytes) => {
        files.delete(file);
        this.#bytes -= bytes;
      },
    });
    files.add(file);
    return file;
  }

  #begin(): Set<TapeFile> {
    const files = new Set<TapeFile>();
    this.#files = files;
    this.#signal.addEventListener("abort", () => {
      for (const file of files) file.close();
    });
    return files;
  }

  #grow(bytes: number): void {
    const { fileBytes } = this.limits;
    if (this.#bytes + bytes > fileBytes) {
      const limit = `${Math.floor(fileBytes / 1_024)}kB`;
      throw new SqlError("53400", `temporary file size exceeds temp_file_limit (${limit})`, {
        hint: "Raise work_mem, or sort, group or join fewer rows.",
      });
    }
    this.#bytes += bytes;
  }
}

/** Where bytes of a file are. */
export interface Block {
  readonly at: number;
  readonly length: number;
}

interface FileWatch {
  /** @throws SqlError 53400. */
  readonly grows: (bytes: number) => void;
  readonly ends: (bytes: number) => void;
}

/** A temporary file that several tapes share. */
export class TapeFile {
  readonly #opened: Promise<SpillFile>;
  readonly #signal: AbortSignal;
  readonly #told: FileWatch;
  #bytes = 0;
  #isClosed = false;

  constructor(opened: Promise<SpillFile>, signal: AbortSignal, told: FileWatch) {
    this.#opened = opened;
    this.#signal = signal;
    this.#told = told;
    // Who writes to it is told why it could not be opened.
    opened.catch(() => undefined);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async append(bytes: Uint8Array): Promise<Block> {
    this.#assertOpen();
    this.#told.grows(bytes.length);
    const block = { at: this.#bytes, length: bytes.length };
    this.#bytes += bytes.length;
    await this.#work(async (file) => file.write(bytes, block.at));
    return block;
  }

  async read({ at, length }: Block): Promise<Uint8Array> {
    this.#assertOpen();
    return await this.#work((file) => file.read(at, length));
  }

  /** Lets go of its disk. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#told.ends(this.#bytes);
    this.#opened.then((file) => file.close()).catch(() => undefined);
  }

  #assertOpen(): void {
    this.#signal.throwIfAborted();
    if (this.#isClosed) throw new SqlError("XX000", "a temporary file is closed");
  }

  async #work<T>(work: (file: SpillFile) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#opened);
    } catch (error) {
      // A statement that was ended has lost its files: the reason is told, not what follows of it.
      this.#signal.throwIfAborted();
      throw shownFault(error);
    }
  }
}

const FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** The place of the file is the server's own: errors do not name it. */
function shownFault(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error) || error instanceof SqlError) return error;
  if (FULL.has(error.code)) {
    const message = "could not write to a temporary file: No space left on device";
    return new SqlError("53100", message);
  }
  const code = String(error.code);
  if (code.startsWith("EM") || code === "ENFILE") {
    return new SqlError("53000", `could not open a temporary file (${code})`);
  }
  return new SqlError("58030", `a temporary file failed (${code})`);
}
