import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Directories of their own, made and removed by whoever runs the bench. */
export type Scratch = () => string;

/** A directory of its own for each database, and none of them longer than it is measured. */
export async function inScratch<T>(work: (scratch: Scratch) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(tmpdir(), "firn-bench-lsm-"));
  try {
    return await work(() => mkdtempSync(`${root}/`));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
