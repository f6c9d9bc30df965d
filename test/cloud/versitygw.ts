import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { type StandIn, startStandIn } from "./stand-in.ts";

const VERSION = "1.8.0";
const PACKAGE = `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`;
const HOME = join(import.meta.dirname, "target", `versitygw-${VERSION}`);
const BINARY = join(HOME, "versitygw");

export const VERSITYGW_ACCOUNT = { accessKeyId: "firn", secretAccessKey: "firn-secret" } as const;

/**
 * versitygw, S3 over a directory by other hands, which checks signatures; built once, with nothing
 * in it.
 *
 * @returns what is missing, where it cannot be had.
 */
export async function startVersitygw(): Promise<StandIn | string> {
  if (!existsSync(BINARY)) {
    if (spawnSync("go", ["version"], { stdio: "ignore" }).status !== 0) {
      return "versitygw: no Go toolchain to build it with (golang)";
    }
    console.log(`building versitygw ${VERSION} into ${relative(process.cwd(), HOME)}: minutes`);
    mkdirSync(HOME, { recursive: true });
    // Two at a time: a build takes the whole machine otherwise.
    const built = spawnSync("go", ["install", "-p", "2", PACKAGE], {
      env: { ...process.env, GOBIN: HOME, CGO_ENABLED: "0" },
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (built.status !== 0) return "versitygw: it cannot be built";
  }
  const directory = mkdtempSync(join(tmpdir(), "firn-versitygw-"));
  const server = await startStandIn((port) => ({
    name: "versitygw",
    command: BINARY,
    args: ["-q", "--port", `127.0.0.1:${port}`, "posix", directory],
    env: {
      ROOT_ACCESS_KEY: VERSITYGW_ACCOUNT.accessKeyId,
      ROOT_SECRET_KEY: VERSITYGW_ACCOUNT.secretAccessKey,
    },
  }));
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
