import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./tools.ts";

interface LockEntry {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/**
 * What is wrong with a lock file: a platform package that some mirror lacked is dropped from it in
 * silence, and `npm ci` then fails on another platform; an address binds it to one registry; a
 * manifest that asks for something else makes `npm ci` refuse.
 */
export function lockProblems(lock: Lock, manifest: Manifest): readonly string[] {
  const problems: string[] = [];
  const names = new Set(
    Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1)),
  );
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const name of Object.keys(entry.optionalDependencies ?? {})) {
      if (!names.has(name)) problems.push(`${path || "(root)"}: no entry for optional ${name}`);
    }
    if (entry.resolved !== undefined && entry.link !== true) {
      problems.push(`${path}: names a registry`);
    }
    // Entries elsewhere are the project itself and its workspaces.
    const isInstalled = /(?:^|\/)node_modules\//.test(path);
    const packed = isInstalled && entry.link !== true && entry.inBundle !== true;
    if (packed && entry.integrity === undefined) problems.push(`${path}: no integrity`);
  }
  const root = lock.packages[""] ?? {};
  for (const kind of ["dependencies", "devDependencies", "optionalDependencies"] as const) {
    const wanted = manifest[kind] ?? {};
    const locked = root[kind] ?? {};
    for (const name of new Set([...Object.keys(wanted), ...Object.keys(locked)])) {
      if (wanted[name] !== locked[name]) {
        const versions = `${wanted[name] ?? "nothing"}, lock has ${locked[name] ?? "nothing"}`;
        problems.push(`${kind}: package.json asks for ${name} ${versions}`);
      }
    }
  }
  return problems;
}

/** The problems of this checkout's lock file. */
export async function checkLock(): Promise<readonly string[]> {
  const read = async (name: string): Promise<string> => readFile(join(ROOT, name), "utf8");
  const lock = JSON.parse(await read("package-lock.json")) as Lock;
  return lockProblems(lock, JSON.parse(await read("package.json")) as Manifest);
}
