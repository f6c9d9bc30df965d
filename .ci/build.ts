import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DOCS_FILES } from "../src/runtime/docs-files.ts";
import { buildConsole } from "./console.ts";
import { ROOT, runTool } from "./tools.ts";

/** Emits `dist/`: JavaScript and types from `src/`, and the generated code that tsc only reads. */
async function main(): Promise<number> {
  await rm(join(ROOT, "dist"), { recursive: true, force: true });
  const { exitCode, output } = await runTool("tsc", ["-p", "tsconfig.build.json"]);
  if (exitCode !== 0) {
    console.error(output);
    return 1;
  }
  const from = join(ROOT, "src", "gen");
  const to = join(ROOT, "dist", "gen");
  await mkdir(to, { recursive: true });
  const generated = (await readdir(from)).filter((name) => /\.(?:js|d\.ts)$/.test(name));
  for (const name of generated) await copyFile(join(from, name), join(to, name));
  const signatures = join("sql", "signatures");
  const tables = (await readdir(join(ROOT, "src", signatures))).filter((n) => n.endsWith(".json"));
  for (const name of tables) {
    await copyFile(join(ROOT, "src", signatures, name), join(ROOT, "dist", signatures, name));
  }
  const docs = join(ROOT, "dist", "swagger-ui");
  await mkdir(docs, { recursive: true });
  for (const name of DOCS_FILES) {
    await copyFile(join(ROOT, "node_modules", "swagger-ui-dist", name), join(docs, name));
  }
  await buildConsole();
  console.log(`dist/ built, ${generated.length} generated files copied`);
  return 0;
}

process.exitCode = await main();
