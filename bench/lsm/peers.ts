import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { load } from "./peers/load.ts";

const DIRECTORY = join(import.meta.dirname, "peers");

/** Installs the peers beside the bench, once; false where the registry does not answer. */
export function installPeers(): boolean {
  if (existsSync(join(DIRECTORY, "node_modules"))) return true;
  // No lock: a mirror that lacks one platform's package would make one that fails elsewhere.
  const args = ["install", "--no-package-lock", "--no-audit", "--no-fund"];
  return spawnSync("npm", args, { cwd: DIRECTORY, stdio: "inherit" }).status === 0;
}

/** A peer's module; undefined where it is missing or does not run here. */
export async function loadPeer<T>(name: string): Promise<T | undefined> {
  try {
    return (await load(name)) as T;
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
    return undefined;
  }
}
