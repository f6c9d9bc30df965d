import {
  type BigIntStats,
  closeSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  type Stats,
  unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/error.ts";
import { type Modes, makeDirectories, makeDirectory } from "./directories.ts";
import { errnoOf, faultOf, isAbsence } from "./local-fault.ts";
import { type OpenFile, openFile, syncFile } from "./local-file.ts";
import { removeAbandoned, temporaryName } from "./local-temporaries.ts";

/** Directories that this process knows to be durable; forgetting one costs a sync, no more. */
const MAX_KNOWN = 10_000;

export interface LocalDirectoryOptions {
  readonly durable: boolean;
  readonly clock: Clock;
  /** Of what is made in it. */
  readonly modes: Modes;
}

/**
 * A directory tree that files are made visible in whole and durably. All paths here are relative to
 * the root, `""` being the root itself.
 *
 * Invariant: before a file gets its name, its bytes are on the disk; before a write is
 * acknowledged, so are its name and the names of all directories above it, even those that another
 * process made.
 *
 * No symbolic link below the root is ever followed. A process that may change the tree while we
 * read it could still slip one in: the tree is as trusted as the account that owns it.
 */
export class LocalDirectory {
  readonly #root: string;
  readonly #durable: boolean;
  readonly #clock: Clock;
  readonly #modes: Modes;
  /** Directories that are durable, as they were when no link was found on the way to them. */
  readonly #known = new Map<string, Identity>();
  /** The root may itself be reached through links: the operator named it. */
  #realRoot: string | undefined;
  #temporaries = 0;

  /** @param root absolute; made, with its parents, by the first write. */
  constructor(root: string, { durable, clock, modes }: LocalDirectoryOptions) {
    this.#root = root === "/" ? "" : root;
    this.#durable = durable;
    this.#clock = clock;
    this.#modes = modes;
  }

  /**
   * The absolute path of what stands at `path`, or undefined where nothing does.
   *
   * @throws FirnError `Invalid`, code `BLOB_PATH_UNSUPPORTED`: a symbolic link is in the way.
   */
  locate(path: string): string | undefined {
    const file = this.#absolute(path);
    try {
      this.#assertConfined(path, file);
      return file;
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw faultOf(error, path, "nothing");
    }
  }

  /** Opens the regular file at `path` for reading; undefined where there is none. */
  open(path: string): OpenFile | undefined {
    try {
      const file = this.locate(path);
      return file === undefined ? undefined : openFile(file);
    } catch (error) {
      // ENXIO: a socket stands there.
      if (isAbsence(error) || errnoOf(error) === "ENXIO") return undefined;
      throw faultOf(error, path, "nothing");
    }
  }

  /** One `lstat`, plus the check of `locate` where something stands. */
  stat(path: string): Stats | undefined {
    try {
      const stat = lstatSync(this.#absolute(path), { throwIfNoEntry: false });
      if (stat !== undefined) this.#assertConfined(path, this.#absolute(path));
      return stat;
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw faultOf(error, path, "nothing");
    }
  }

  /**
   * A look whether a regular file stands at `path`: one `lstat` on the spot, which costs 2 µs where
   * a detour through the thread pool costs 40. That no link leads there is not proven anew, at
   * three times the price: a look hands out no bytes.
   */
  watch(path: string): () => boolean {
    const absolute = this.#absolute(path);
    return () => {
      try {
        return lstatSync(absolute, { throwIfNoEntry: false })?.isFile() === true;
      } catch (error) {
        if (isAbsence(error)) return false;
        throw faultOf(error, path, "nothing");
      }
    };
  }

  /**
   * Writes and syncs a temporary file in the directory of `path`, not yet visible as a blob. On any
   * error nothing is left of it.
   */
  async stage(path: string, write: (fd: number) => Promise<void>): Promise<string> {
    try {
      const { fd, temporary } = await this.#openIn(parentOf(path), (parent) =>
        this.#openTemporary(parent),
      );
      try {
        await write(fd);
        if (this.#durable) await syncFile(fd);
      } catch (error) {
        removeQuietly(temporary);
        throw error;
      } finally {
        closeSync(fd);
      }
      return temporary;
    } catch (error) {
      throw faultOf(error, path, "nothing");
    }
  }

  /**
   * Writes a file in its place unless the name is taken, at two thirds of the price of `stage` and
   * `publishAbsent`. Not durable: a crash may leave half of it, and others may see that for a
   * moment. On any error nothing is left of it.
   */
  async create(path: string, write: (fd: number) => Promise<void>): Promise<"published" | "taken"> {
    const absolute = this.#absolute(path);
    try {
      const fd = await this.#openIn(parentOf(path), () =>
        openSync(absolute, "wx", this.#modes.file),
      );
      try {
        await write(fd);
      } catch (error) {
        removeQuietly(absolute);
        throw error;
      } finally {
        closeSync(fd);
      }
      return "published";
    } catch (error) {
      if (errnoOf(error) === "EEXIST") return "taken";
      throw faultOf(error, path, "nothing");
    }
  }

  /** Gives a staged file its name unless that is taken: exclusive, one winner of any racers. */
  async publishAbsent(temporary: string, path: string): Promise<"published" | "taken"> {
    let taken = false;
    try {
      linkSync(temporary, this.#absolute(path));
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw faultOf(error, path, "nothing");
      taken = true;
    } finally {
      removeQuietly(temporary);
    }
    // Also for a loser: what it is told stands there must not vanish in a crash.
    await this.syncDirectory(parentOf(path));
    return taken ? "taken" : "published";
  }

  /** Gives a staged file its name, over whatever stands there. Call `syncDirectory` after it. */
  publishOver(temporary: string, path: string): void {
    try {
      renameSync(temporary, this.#absolute(path));
    } catch (error) {
      throw faultOf(error, path, "nothing");
    }
  }

  discard(temporary: string): void {
    removeQuietly(temporary);
  }

  /** Removes a name; nothing there is fine. Call `syncDirectory` after it. */
  remove(path: string): void {
    try {
      if (this.locate(parentOf(path)) !== undefined) unlinkSync(this.#absolute(path));
    } catch (error) {
      // EPERM is what some systems answer for a directory, which is not a blob either.
      const absent = isAbsence(error) || errnoOf(error) === "EISDIR" || this.#isDirectory(path);
      if (!absent) throw faultOf(error, path, "nothing");
    }
  }

  /** Makes the names in a directory durable, deletions included; no directory is fine. */
  async syncDirectory(directory: string): Promise<void> {
    try {
      await this.#sync(this.#absolute(directory));
    } catch (error) {
      if (!isAbsence(error)) throw faultOf(error, directory, "maybe");
    }
  }

  /**
   * Makes a directory and those above it. Durable before it resolves, once per process: a directory
   * that another process made may still be unsynced. What was there before may hold what processes
   * left that are no more: that goes.
   */
  async ensure(directory: string): Promise<string> {
    const absolute = this.#absolute(directory);
    const known = this.#known.get(directory);
    if (known !== undefined) {
      const found = identityOf(absolute);
      // The very directory, whatever leads there now: one look, a third of what the path costs.
      if (!isSame(found, known)) {
        this.#assertConfined(directory, absolute);
        this.#known.set(directory, found);
      }
      return absolute;
    }
    const isNew = directory === "" ? await this.#makeRoot() : await this.#makeBelow(directory);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(directory, identityOf(absolute));
    if (!isNew) await removeAbandoned(absolute, this.#clock.nowMs());
    return absolute;
  }

  async #makeRoot(): Promise<boolean> {
    const missing = makeDirectories(this.#absolute(""), this.#modes.folder);
    for (const directory of missing) await this.#sync(dirname(directory));
    return missing.length > 0;
  }

  async #makeBelow(directory: string): Promise<boolean> {
    await this.ensure(parentOf(directory));
    const absolute = this.#absolute(directory);
    const isNew = makeOrRefuse(absolute, this.#modes.folder);
    this.#assertConfined(directory, absolute);
    await this.#sync(dirname(absolute));
    return isNew;
  }

  /** Opens a new file in a directory, which is made where it is not there. */
  async #openIn<T>(directory: string, open: (parent: string) => T): Promise<T> {
    try {
      return open(await this.ensure(directory));
    } catch (error) {
      if (errnoOf(error) !== "ENOENT") throw error;
    }
    // The directory went away under us, known as it was: make it anew, once.
    this.#known.clear();
    return open(await this.ensure(directory));
  }

  #openTemporary(parent: string): { fd: number; temporary: string } {
    for (;;) {
      const temporary = `${parent}/${temporaryName(this.#temporaries++)}`;
      try {
        return { fd: openSync(temporary, "wx", this.#modes.file), temporary };
      } catch (error) {
        // Another store of this process: the next name is free.
        if (errnoOf(error) !== "EEXIST") throw error;
      }
    }
  }

  async #sync(directory: string): Promise<void> {
    if (!this.#durable) return;
    const fd = openSync(directory, "r");
    try {
      await syncFile(fd);
    } finally {
      closeSync(fd);
    }
  }

  #assertConfined(path: string, absolute: string): void {
    const real = realpathSync.native(absolute);
    this.#realRoot ??= realpathSync.native(this.#absolute(""));
    const root = this.#realRoot === "/" ? "" : this.#realRoot;
    const expected = path === "" ? this.#realRoot : `${root}/${path}`;
    if (real !== expected) {
      throw invalid("BLOB_PATH_UNSUPPORTED", "the path goes through a symbolic link", {
        path: path.slice(0, 200),
      });
    }
  }

  #isDirectory(path: string): boolean {
    return lstatSync(this.#absolute(path), { throwIfNoEntry: false })?.isDirectory() === true;
  }

  #absolute(path: string): string {
    return path === "" ? this.#root || "/" : `${this.#root}/${path}`;
  }
}

/** Which directory it is: numbers of what was removed are given again, at another time. */
type Identity = Pick<BigIntStats, "dev" | "ino" | "birthtimeNs">;

/** @throws `ENOENT` where nothing stands. A link is another thing than what it leads to. */
function identityOf(absolute: string): Identity {
  const { dev, ino, birthtimeNs } = lstatSync(absolute, { bigint: true });
  return { dev, ino, birthtimeNs };
}

function isSame(a: Identity, b: Identity): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.birthtimeNs === b.birthtimeNs;
}

/** The directory of a relative path, `""` for the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function makeOrRefuse(absolute: string, mode: number): boolean {
  try {
    return makeDirectory(absolute, mode);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") throw error;
    throw invalid("BLOB_PATH_UNSUPPORTED", "a file is in place of a directory");
  }
}

function removeQuietly(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // A leftover is invisible and harmless; the write's own outcome is what the caller must hear.
  }
}
