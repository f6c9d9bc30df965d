import type { Disk, ReadableFile, WritableFile } from "../../../src/lsm/disk/port.ts";
import { isSpare } from "../../../src/lsm/wal/names.ts";
import { BLOCK_BYTES } from "../../../src/lsm/wal/segment-header.ts";
import { type Fate, isApart } from "./fate.ts";

/** A disk each call of which is a step of the log, and may be the last. */
export class FatalDisk implements Disk {
  readonly path: string;
  readonly syncs: boolean;
  readonly #disk: Disk;
  readonly #fate: Fate;

  constructor(disk: Disk, fate: Fate) {
    this.path = disk.path;
    this.syncs = disk.syncs;
    this.#disk = disk;
    this.#fate = fate;
  }

  prepare(): Promise<void> {
    return this.#meet("make the directory", () => this.#disk.prepare());
  }

  list(): Promise<readonly string[]> {
    return this.#meet("list segments", () => this.#disk.list());
  }

  exists(name: string): boolean {
    const { phase } = this.#fate;
    const who = phase === "take-over" ? phase : "log";
    return this.#fate.meetNow(
      (found) => `${who}: ${found ? "find a" : "find no"} successor`,
      () => this.#disk.exists(name),
    );
  }

  async create(name: string): Promise<WritableFile | undefined> {
    const file = await this.#meet("create a segment", () => this.#disk.create(name));
    return file && new FatalFile(file, this.#fate);
  }

  async open(name: string): Promise<ReadableFile | undefined> {
    const file = await this.#meet("open a segment", () => this.#disk.open(name));
    return file && this.#reading(file);
  }

  link(name: string, to: string): Promise<"linked" | "taken" | "gone"> {
    return this.#meet("name a spare as a segment", () => this.#disk.link(name, to));
  }

  rename(name: string, to: string): Promise<boolean> {
    return this.#meet("release a segment into a spare", () => this.#disk.rename(name, to));
  }

  remove(name: string): Promise<void> {
    const what = isSpare(name) ? "remove a spare's name" : "release a segment";
    return this.#meet(what, () => this.#disk.remove(name));
  }

  sync(): Promise<void> {
    return this.#meet("sync the names", () => this.#disk.sync());
  }

  #reading(file: ReadableFile): ReadableFile {
    return {
      size: file.size,
      read: (offset, length) => this.#meet("read a segment", () => file.read(offset, length)),
      sync: () => this.#meet("sync the tail", () => file.sync()),
      close: () => file.close(),
    };
  }

  #meet<T>(what: string, call: () => Promise<T>): Promise<T> {
    const { phase } = this.#fate;
    return this.#fate.meet(`${isApart(phase) ? phase : "log"}: ${what}`, call);
  }
}

class FatalFile implements WritableFile {
  readonly #file: WritableFile;
  readonly #fate: Fate;

  constructor(file: WritableFile, fate: Fate) {
    this.#file = file;
    this.#fate = fate;
  }

  /** Half a write ends within a block: what is not synced may be there in part. */
  write(offset: number, bytes: Uint8Array, isAlone?: boolean): Promise<void> {
    const { phase } = this.#fate;
    const what =
      offset === 0
        ? "write a header"
        : bytes.some((byte) => byte !== 0)
          ? "append a group"
          : "write zeros";
    const cut = offset === 0 ? 32 : Math.min(bytes.length - 1, BLOCK_BYTES / 2);
    return this.#fate.meet(
      `${phase === "take-over" ? phase : "log"}: ${what}`,
      () => this.#file.write(offset, bytes, isAlone),
      () => this.#file.write(offset, bytes.subarray(0, cut)),
    );
  }

  isNamed(): boolean {
    const { phase } = this.#fate;
    const who = phase === "take-over" ? phase : "log";
    return this.#fate.meetNow(
      (named) => `${who}: find the segment ${named ? "named" : "without a name"}`,
      () => this.#file.isNamed(),
    );
  }

  renamed(name: string): void {
    this.#file.renamed(name);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
