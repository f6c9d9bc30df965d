import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, runTool } from "../tools.ts";
import type { Generated } from "./generated.ts";

const BANNER = "// Generated from proto/ by `npm run gen`; do not edit.\n";

/** The protocol files below `proto/`, relative to it, sorted: their order decides the output. */
export async function protoFiles(): Promise<readonly string[]> {
  const entries = await readdir(join(ROOT, "proto"), { recursive: true });
  return entries.filter((name) => name.endsWith(".proto")).sort();
}

/**
 * Static encoders and decoders of every message, with their types. `--force-long` keeps 64-bit
 * fields exact; the comments stay, since the types are read from them.
 */
export async function generateProto(): Promise<readonly Generated[]> {
  const files = await protoFiles();
  if (files.length === 0) return [];
  const directory = await mkdtemp(join(tmpdir(), "firn-gen-"));
  try {
    const out = join(directory, "firn.js");
    const options = ["-t", "static-module", "-w", "esm", "--es6", "--force-long", "-d"];
    const result = await runTool(
      "pbjs",
      [...options, "-r", "firn", "-p", "proto", "-o", out, ...files],
      { env: { NODE_NO_WARNINGS: "1" } },
    );
    if (result.exitCode !== 0) throw new Error(`pbjs failed:\n${result.output}`);
    const code = await readFile(out, "utf8");
    const types = await readFile(join(directory, "firn.d.ts"), "utf8");
    return [
      { path: "src/gen/firn.js", text: BANNER + code },
      { path: "src/gen/firn.d.ts", text: BANNER + types },
    ];
  } finally {
    await rm(directory, { recursive: true });
  }
}
