#!/usr/bin/env node
// Starts the `firn` command. Plain JavaScript for any Node: where the running one is too old, the
// same file runs again under the Node that is installed with a clone's dependencies.
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const OLDEST = "22.15";
/** Set for the second run, so that it neither runs again nor outlives the first. */
const LAUNCHED = "_FIRN_LAUNCHED";

/**
 * Left to itself Node lets the young generation grow to 128 MiB, which serves nobody faster. Who
 * starts this file under a Node that fits says so himself (`npm start`, the container).
 */
const FLAGS = ["--max-semi-space-size=16"];

const source = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
const packed = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const main = existsSync(source) ? source : packed;

function fits() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const [oldestMajor, oldestMinor] = OLDEST.split(".").map(Number);
  const recent = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return recent && (main === packed || Boolean(process.features.typescript));
}

function bundledNode() {
  const require = nodeModule.createRequire(import.meta.url);
  const system = process.platform === "win32" ? "win" : process.platform;
  try {
    const manifest = require.resolve(`node-${system}-${process.arch}/package.json`);
    const name = process.platform === "win32" ? "node.exe" : "node";
    const path = join(dirname(manifest), "bin", name);
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

async function runUnder(node) {
  const { spawn } = await import("node:child_process");
  const child = spawn(node, [...FLAGS, ...process.argv.slice(1)], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, [LAUNCHED]: "1" },
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (error) => {
    process.stderr.write(`firn: cannot run ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

async function runHere() {
  if (process.env[LAUNCHED] !== undefined) {
    delete process.env[LAUNCHED];
    process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
    process.channel?.unref();
  }
  nodeModule.enableCompileCache?.();
  await import(pathToFileURL(main).href);
}

const node = fits() ? undefined : bundledNode();
if (fits()) await runHere();
else if (node !== undefined && process.env[LAUNCHED] === undefined) await runUnder(node);
else {
  const wanted = main === packed ? OLDEST : "24";
  process.stderr.write(
    `firn: needs Node ${wanted} or newer, this is ${process.versions.node}, and no bundled one is ` +
      `installed for ${process.platform} ${process.arch}.\n` +
      "Install it from https://nodejs.org/ and run firn again.\n",
  );
  process.exit(1);
}
