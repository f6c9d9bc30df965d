import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type StandIn, startStandIn } from "./stand-in.ts";

const VERSION = "3.2.0";
const HOME = join(import.meta.dirname, "target", `dynoxide-${VERSION}`);
const BINARY = join(HOME, "bin", "dynoxide");
const FEATURES = "native-sqlite,http-server,cli";

/**
 * Dynoxide, a second server of DynamoDB's protocol by other hands, built once.
 *
 * @returns what is missing, where it cannot be had.
 */
export async function startDynoxide(): Promise<StandIn | string> {
  if (!existsSync(BINARY)) {
    if (spawnSync("cargo", ["--version"], { stdio: "ignore" }).status !== 0) {
      return "dynoxide: no Rust toolchain to build it with (cargo)";
    }
    console.log(`building dynoxide-rs ${VERSION} into ${relative(process.cwd(), HOME)}: minutes`);
    // An unoptimised build takes a tenth of the time, and is fast enough.
    const built = spawnSync(
      "cargo",
      [
        ...["install", "--quiet", "--debug", "-j1", "--locked", "--root", HOME],
        ...["--no-default-features", "--features", FEATURES],
        ...["dynoxide-rs", "--version", VERSION],
      ],
      { stdio: ["ignore", "inherit", "inherit"] },
    );
    if (built.status !== 0) return "dynoxide: it cannot be built";
  }
  return startStandIn((port) => ({
    name: "dynoxide",
    command: BINARY,
    args: ["--host", "127.0.0.1", "--port", String(port)],
  }));
}
