/**
 * One flat directory of a local disk, as far as a log needs it: what is durable, and when, is the
 * whole point of it, so tests bring one that loses everything that was not made so. Names hold no
 * `/`. Every method may throw a `FirnError`: `DISK_FULL`, `DISK_READ_ONLY` or
 * `DISK_FAILED` (all `Unavailable`).
 */
export interface Disk {
  /** Where it is, for messages. */
  readonly path: string;
  /** False: what is written is the operating system's to bring to the disk, when it likes. */
  readonly syncs: boolean;
  /** Makes the directory where it is missing; its own name is on the disk afterwards. */
  prepare(): Promise<void>;
  list(): Promise<readonly string[]>;
  /** Whether the name is taken. Synchronous: it stands between a write and its acknowledgement. */
  exists(name: string): boolean;
  /**
   * Creates an empty file: of any racers, in any process, exactly one gets it. The others get
   * undefined. The name is durable after `sync`.
   */
  create(name: string): Promise<WritableFile | undefined>;
  /** Opens a file for reading; undefined where there is none. */
  open(name: string): Promise<ReadableFile | undefined>;
  /** A second name for a file, as exclusively as `create`. `gone`: there is no such file. */
  link(name: string, to: string): Promise<"linked" | "taken" | "gone">;
  /** Replaces what stands at `to`. @returns false where there is no such file. */
  rename(name: string, to: string): Promise<boolean>;
  /** Removing what is not there is fine. */
  remove(name: string): Promise<void>;
  /** Brings every name that was created, linked, renamed or removed so far to the disk. */
  sync(): Promise<void>;
}

export interface ReadableFile {
  /** Bytes, when it was opened. */
  readonly size: number;
  /** Bytes [offset, offset + length), fewer at the end of the file. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Syncs what was read so far, also what others wrote: it may have been in memory only. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The handle of the process that created a file. No other process ever writes to it. */
export interface WritableFile {
  /**
   * Writes and, if the disk syncs, does so: when it resolves the bytes are on the disk. When it
   * throws, any part of them may be, and no later sync says anything about them.
   *
   * @param isAlone nothing else waits for this thread: it may wait for the disk itself.
   */
  write(offset: number, bytes: Uint8Array, isAlone?: boolean): Promise<void>;
  /**
   * Whether the file still has a name: false once another process removed it, whatever stands under
   * the name now. Synchronous, as `exists` is.
   */
  isNamed(): boolean;
  /**
   * Told that the file got this name, by `link`, and lost the one before: `isNamed` answers the
   * same without, at a higher price. Nothing is being written meanwhile.
   */
  renamed(name: string): void;
  close(): Promise<void>;
}
