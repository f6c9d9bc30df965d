import { posix } from "node:path";
import { type Finding, lineAt, type SourceFile } from "./source.ts";

/** A module that a file names: by import, `import type`, re-export, worker or dynamic import. */
export interface ImportOf {
  readonly specifier: string;
  readonly line: number;
}

/**
 * Where a specifier may stand in masked code: the content of its quotes is blank there, so a match
 * is code for certain, and the text itself is read from the original at the same offsets.
 */
const SPECIFIERS: readonly RegExp[] = [
  /\b(?:import|export)\b[^;"'`()]*?\bfrom\s*(["'])\s*\1/g,
  /\bimport\s*(["'])\s*\1/g,
  /\bimport\s*\(\s*(["'])\s*\1/g,
  /\bnew URL\(\s*(["'`])\s*\1\s*,\s*import\.meta\.url/g,
  /\brequire\s*\(\s*(["'])\s*\1/g,
];

export function importsOf(file: SourceFile): readonly ImportOf[] {
  const found: ImportOf[] = [];
  for (const pattern of SPECIFIERS) {
    for (const match of file.code.matchAll(pattern)) {
      const quote = match[1] ?? '"';
      const start = file.code.indexOf(quote, match.index) + 1;
      const specifier = file.text.slice(start, file.code.indexOf(quote, start));
      found.push({ specifier, line: lineAt(file.text, start) });
    }
  }
  return found;
}

/** The path that a relative specifier names, or undefined for a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.normalize(posix.join(posix.dirname(from), specifier));
}

/** file → files that it imports, of those given. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export function importGraph(files: readonly SourceFile[]): ImportGraph {
  const known = new Set(files.map((file) => file.path));
  const graph = new Map<string, readonly string[]>();
  for (const file of files) {
    const targets = importsOf(file)
      .map((entry) => resolveImport(file.path, entry.specifier))
      .filter((path) => path !== undefined)
      .filter((path) => known.has(path));
    graph.set(file.path, targets);
  }
  return graph;
}

/** One finding for each import that closes a circle, `import type` included. */
export function cycles(files: readonly SourceFile[]): readonly Finding[] {
  const graph = importGraph(files);
  const found: Finding[] = [];
  const state = new Map<string, "open" | "done">();
  const visit = (path: string, trail: readonly string[]): void => {
    state.set(path, "open");
    for (const next of graph.get(path) ?? []) {
      if (state.get(next) === "open") {
        const circle = [...trail.slice(trail.indexOf(next)), next];
        found.push({ path, line: 1, what: `import cycle: ${circle.join(" -> ")}` });
      } else if (state.get(next) === undefined) visit(next, [...trail, next]);
    }
    state.set(path, "done");
  };
  for (const path of graph.keys()) if (state.get(path) === undefined) visit(path, [path]);
  return found;
}

/** Files that no root reaches through imports. */
export function deadFiles(
  files: readonly SourceFile[],
  roots: readonly string[],
): readonly Finding[] {
  const graph = importGraph(files);
  const reached = new Set<string>();
  const open = roots.filter((root) => graph.has(root));
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    open.push(...(graph.get(path) ?? []));
  }
  return files
    .filter((file) => !reached.has(file.path))
    .map((file) => ({
      path: file.path,
      line: 1,
      what: `reached from none of ${roots.join(", ")}`,
    }));
}
