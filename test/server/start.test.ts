import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const BIN = new URL("../../bin/firn.mjs", import.meta.url).pathname;
/** Put before the process's own code: tells whoever started it of each module that it loads. */
const TELLING = new URL("./loaded-modules.ts", import.meta.url).pathname;

/** All that a process loads until it serves, as URLs and as paths of packages in `node_modules`. */
async function loadedBy(profile: string): Promise<ReadonlySet<string>> {
  const dir = await mkdtemp(join(tmpdir(), "firn-start-"));
  const flags = ["serve", "--port", "0", "--profile", profile, "--dir", dir];
  const child = spawn(process.execPath, ["--import", pathToFileURL(TELLING).href, BIN, ...flags], {
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
    await rm(dir, { recursive: true, force: true });
  });
  const loaded = new Set<string>();
  child.on("message", (url) => loaded.add(String(url)));
  let written = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      written += chunk;
      if (written.includes("serves http://")) resolve();
    });
    void ended.then(() => reject(new Error(`it ended, and wrote:\n${written}`)));
  });
  // Messages come in order: with this one all that were sent before it are here.
  const last = new Promise((resolve) => {
    child.on("message", (message) => message === "asked" && resolve(message));
  });
  child.send("ask");
  await last;
  return loaded;
}

function packagesOf(urls: ReadonlySet<string>): ReadonlySet<string> {
  const found = [...urls].flatMap((url) => {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
    return name === undefined ? [] : [name];
  });
  return new Set(found);
}

it.each(["memory", "local"])(
  "a start of profile %s loads nothing of the clouds",
  async (profile) => {
    const loaded = await loadedBy(profile);
    const packages = packagesOf(loaded);
    // Or it would have seen nothing at all.
    expect(packages).toContain("protobufjs");
    expect([...loaded].some((url) => url.endsWith("/src/lsm/engine/engine.ts"))).toBe(true);
    const heavy = /^(@aws-sdk|@smithy|@opentelemetry)\//;
    expect([...packages].filter((name) => heavy.test(name))).toEqual([]);
    const files = [...loaded].map((url) => url.split("/").slice(-2).join("/"));
    for (const file of ["runtime/s3-stores.ts", "pointer/dynamo.ts", "s3/store.ts", "cli/lsm.ts"]) {
      expect(files).not.toContain(file);
    }
  },
);
