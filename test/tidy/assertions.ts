import type { Finding, SourceFile } from "./source.ts";

/** Assertions for each thousand lines of code, where a broken invariant reaches a store. */
const FLOOR = 10;
const FOLDERS = ["src/lsm/", "src/pointer/", "src/catalog/"];

/** What keeps data states its invariants where they are established, not only in its decoders. */
export function assertions(files: readonly SourceFile[]): readonly Finding[] {
  return FOLDERS.flatMap((folder) => {
    const code = files.filter(({ path }) => path.startsWith(folder)).map((file) => file.code);
    const lines = code.join("\n").match(/^.*\S/gm)?.length ?? 0;
    const asserted = code.join("\n").match(/(?<![\w.])assert\(/g)?.length ?? 0;
    const share = (1_000 * asserted) / Math.max(1, lines);
    if (lines > 0 && share >= FLOOR) return [];
    return [{ path: folder, line: 1, what: `${share.toFixed(1)} assertions in 1,000 lines` }];
  });
}
