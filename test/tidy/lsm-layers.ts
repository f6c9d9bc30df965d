import { importsOf, resolveImport } from "./imports.ts";
import type { Finding, SourceFile } from "./source.ts";

/** The folders and flat files of the engine, each on a layer: imports go to lower layers alone. */
export const LSM_LAYERS: Readonly<Record<string, number>> = {
  "errors.ts": 0,
  // What formats may hold is below them.
  "limits.ts": -1,
  "maybe.ts": 0,
  format: 0,
  disk: 0,
  "range.ts": 1,
  "health.ts": 1,
  "compaction-style.ts": 1,
  wal: 1,
  "options.ts": 2,
  manifest: 2,
  memtable: 3,
  states: 3,
  read: 4,
  write: 5,
  ownership: 5,
  transaction: 6,
  subscribe: 6,
  compaction: 6,
  ingest: 7,
  maintenance: 7,
  engine: 8,
  tools: 9,
  "index.ts": 10,
  "tools.ts": 10,
};

/** What others may import of the engine. */
export const LSM_DOORS: readonly string[] = ["src/lsm/index.ts", "src/lsm/tools.ts"];

const INSIDE = /^src\/lsm\/([^/]+)/;

/** Every import within the engine that goes up, or beside; and every place that has no layer. */
export function lsmLayers(file: SourceFile): readonly Finding[] {
  const place = INSIDE.exec(file.path)?.[1];
  if (place === undefined) return [];
  const layer = LSM_LAYERS[place];
  if (layer === undefined) return [{ path: file.path, line: 1, what: `lsm/${place} has no layer` }];
  return importsOf(file).flatMap(({ specifier, line }) => {
    const target = INSIDE.exec(resolveImport(file.path, specifier) ?? "")?.[1];
    if (target === undefined || target === place) return [];
    if ((LSM_LAYERS[target] ?? Number.POSITIVE_INFINITY) < layer) return [];
    return [{ path: file.path, line, what: `lsm/${place} may not import lsm/${target}` }];
  });
}

/** Every import of the engine from another folder that does not pass one of its doors. */
export function lsmDoors(file: SourceFile): readonly Finding[] {
  if (!file.path.startsWith("src/") || INSIDE.test(file.path)) return [];
  return importsOf(file).flatMap(({ specifier, line }) => {
    const target = resolveImport(file.path, specifier);
    if (target === undefined || !INSIDE.test(target) || LSM_DOORS.includes(target)) return [];
    return [{ path: file.path, line, what: `past the doors of lsm/: ${specifier}` }];
  });
}
