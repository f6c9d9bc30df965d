import { cpSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";

/** Size and times of a file, by its path below the copy. */
type Stamps = ReadonlyMap<string, string>;

/**
 * A copy of a tree that is as the tree whenever it is asked for: what was changed, added or removed
 * in between is put right. Thousands of files are copied once, and looked at each time after.
 */
export class TreeCopy {
  readonly #base: string;
  readonly #path: string;
  #stamps: Stamps | undefined;

  constructor(base: string, path: string) {
    this.#base = base;
    this.#path = path;
  }

  /** @returns where the copy is. */
  fresh(): string {
    if (this.#stamps === undefined) {
      cpSync(this.#base, this.#path, { recursive: true, preserveTimestamps: true });
    } else {
      this.#restore(this.#stamps);
    }
    this.#stamps = stampsOf(this.#path);
    return this.#path;
  }

  #restore(stamps: Stamps): void {
    const found = stampsOf(this.#path);
    for (const path of found.keys()) {
      if (!stamps.has(path)) rmSync(join(this.#path, path), { recursive: true, force: true });
    }
    for (const [path, stamp] of stamps) {
      if (found.get(path) === stamp) continue;
      const [from, to] = [join(this.#base, path), join(this.#path, path)];
      rmSync(to, { recursive: true, force: true });
      cpSync(from, to, { recursive: true, preserveTimestamps: true });
    }
  }
}

/** Of every file and link; a folder is what is in it. */
function stampsOf(root: string): Stamps {
  const stamps = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        walk(path);
        continue;
      }
      // A change sets the time of the file's node too, whatever times it is given.
      const { size, mtimeNs, ctimeNs, ino } = lstatSync(path, { bigint: true });
      stamps.set(relative(root, path), `${size} ${mtimeNs} ${ctimeNs} ${ino}`);
    }
  };
  walk(root);
  return stamps;
}
