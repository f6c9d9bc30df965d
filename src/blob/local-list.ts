import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { compareUtf8 } from "../base/bytes.ts";
import { isPossiblePath } from "./checks.ts";
import type { LocalDirectory } from "./local-directory.ts";
import { faultOf, isAbsence } from "./local-fault.ts";
import { type OpenFile, openFile } from "./local-file.ts";
import type { LocalLayout } from "./local-layout.ts";
import { corrupt, damageOf } from "./local-trailer.ts";
import type { BlobEntry, BlobInfo } from "./port.ts";

interface Query {
  readonly prefix: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Of a file whose trailer is damaged: it is there, under the name that leads to it, and no
 * condition on an etag holds of it. One such file would else hide all the others; any caller that
 * reads it learns of the damage.
 */
const DAMAGED_ETAG = "";

/** `file` is absolute; `key` gives the order: a blob's path, or a directory's and a slash. */
interface Child {
  readonly key: string;
  readonly file: string;
  readonly isDirectory: boolean;
}

interface Found {
  readonly info: BlobInfo;
  /** Where the layout keeps it. */
  readonly path: string | undefined;
}

/**
 * Blobs of a directory tree in the order of their paths, by a walk in that order: every path below
 * a directory begins with the directory's own path and a slash, so sorting each directory by name,
 * with a slash after those of directories, sorts them all. Symbolic links on the way are left out.
 */
export class LocalLister {
  readonly #tree: LocalDirectory;
  readonly #layout: LocalLayout;

  constructor(tree: LocalDirectory, layout: LocalLayout) {
    this.#tree = tree;
    this.#layout = layout;
  }

  async list(query: Query): Promise<readonly BlobEntry[]> {
    const slash = query.prefix.lastIndexOf("/");
    const above = query.prefix.slice(0, Math.max(0, slash));
    // No path begins so, and a directory that does not fit the port's paths is not for us to enter.
    if (slash >= 0 && !isPossiblePath(above)) return [];
    const directory = slash < 0 ? "" : this.#layout.directoryOf(above);
    const start = this.#tree.locate(directory);
    const found: BlobEntry[] = [];
    if (start === undefined) return found;
    try {
      await this.#walk(start, query.prefix.slice(0, slash + 1), query, found);
    } catch (error) {
      throw faultOf(error, query.prefix, "nothing");
    }
    return found;
  }

  async #walk(directory: string, path: string, query: Query, found: BlobEntry[]): Promise<void> {
    const children: Child[] = [];
    for (const entry of await this.#entries(directory)) {
      const child = await this.#child(directory, path, entry);
      if (child !== undefined && matches(child, query)) children.push(child);
    }
    children.sort((a, b) => compareUtf8(a.key, b.key));
    for (const child of children) {
      if (found.length >= query.limit) return;
      if (child.isDirectory) {
        await this.#walk(child.file, child.key, query, found);
      } else {
        const described = await this.#describe(child.file);
        if (described !== undefined) found.push({ path: child.key, ...described.info });
      }
    }
  }

  async #child(directory: string, path: string, entry: Dirent): Promise<Child | undefined> {
    const { name } = entry;
    const isDirectory = entry.isDirectory();
    // Neither: a symbolic link, a pipe, a device. None is a blob, and none is followed.
    if (!isDirectory && !entry.isFile()) return undefined;
    if (!this.#layout.holds(name, isDirectory)) return undefined;
    const file = `${directory}/${name}`;
    const segment =
      this.#layout.segmentOf(name, isDirectory) ??
      (await this.#witness(file, isDirectory))?.split("/")[path.split("/").length - 1];
    if (segment === undefined) return undefined;
    return { key: path + segment + (isDirectory ? "/" : ""), file, isDirectory };
  }

  /** The path of any one blob at or below a file whose name is only a hash. */
  async #witness(file: string, isDirectory: boolean): Promise<string | undefined> {
    if (!isDirectory) {
      const found = await this.#describe(file);
      if (found !== undefined && found.path === undefined) throw corrupt("its path is not known");
      return found?.path;
    }
    for (const entry of await this.#entries(file)) {
      const below = entry.isDirectory();
      if (!this.#layout.holds(entry.name, below)) continue;
      const path = await this.#witness(`${file}/${entry.name}`, below);
      if (path !== undefined) return path;
    }
    return undefined;
  }

  async #entries(directory: string): Promise<readonly Dirent[]> {
    try {
      return await readdir(directory, { withFileTypes: true });
    } catch (error) {
      if (isAbsence(error)) return [];
      throw error;
    }
  }

  async #describe(file: string): Promise<Found | undefined> {
    const open = tryOpen(file);
    if (open === undefined) return undefined;
    try {
      const { size, etag, path } = await this.#layout.describe(open);
      return { info: { size, etag, modifiedAtMs: open.modifiedAtMs }, path };
    } catch (error) {
      if (damageOf(error, file) === undefined) throw error;
      const { size, modifiedAtMs } = open;
      return { info: { size, etag: DAMAGED_ETAG, modifiedAtMs }, path: undefined };
    } finally {
      open.close();
    }
  }
}

/** Undefined where the file is gone again: it was deleted while we listed. */
function tryOpen(file: string): OpenFile | undefined {
  try {
    return openFile(file);
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function matches({ key, isDirectory }: Child, { prefix, after }: Query): boolean {
  if (isDirectory) {
    // Everything below begins with the key: all of it comes after `after`, or none, or some.
    const reached = after === undefined || compareUtf8(key, after) > 0 || after.startsWith(key);
    return reached && (key.startsWith(prefix) || prefix.startsWith(key));
  }
  return key.startsWith(prefix) && (after === undefined || compareUtf8(key, after) > 0);
}
