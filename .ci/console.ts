import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { build, type Plugin } from "vite";
import { OPERATIONS } from "../src/api/operations.ts";
import { ROOT } from "./tools.ts";

const SOURCE = join(ROOT, "src", "console");
const TARGET = join(ROOT, "dist", "console");
/** Written last: a build that was interrupted is made anew. */
const LIST = join(TARGET, "files.json");
/** What the console is made of, beside its own folder. */
const SOURCES = ["src/console", "src/api", "src/client", "package-lock.json", ".ci/console.ts"];

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

const TABLE = join(ROOT, "src", "api", "operations.ts");

/**
 * Gives the page what its client reads of the operations alone. Schemas and texts of all of them
 * are three quarters of the script otherwise; the server checks what is sent.
 */
const CALLED_ALONE: Plugin = {
  name: "firn-operations",
  enforce: "pre",
  load(id) {
    if (id !== TABLE) return undefined;
    const called = Object.entries(OPERATIONS).map(([name, { method, template, lines }]) => [
      name,
      { method, template, ...(lines === true && { lines }) },
    ]);
    return `export const OPERATIONS = ${JSON.stringify(Object.fromEntries(called))};`;
  },
};

async function filesBelow(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

/** Whether anything that the console is made of is newer than its last build. */
async function isStale(): Promise<boolean> {
  if (!existsSync(LIST)) return true;
  const builtMs = (await stat(LIST)).mtimeMs;
  for (const source of SOURCES) {
    for (const file of await filesBelow(join(ROOT, source))) {
      if ((await stat(file)).mtimeMs > builtMs) return true;
    }
  }
  return false;
}

/**
 * Builds the console into `dist/console/`: its page and hashed files, each beside its compressed
 * forms, and `files.json`, which lists all that may be asked for.
 */
export async function buildConsole(): Promise<void> {
  await build({
    root: SOURCE,
    base: "/console/",
    configFile: false,
    logLevel: "error",
    plugins: [CALLED_ALONE],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir: TARGET,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: "es2024",
    },
  });
  const names = (await filesBelow(TARGET)).map((path) => path.slice(TARGET.length + 1)).sort();
  const files: { name: string; type: string }[] = [];
  for (const name of names) {
    const type = TYPES[name.split(".").at(-1) ?? ""];
    if (type === undefined) throw new Error(`a file of a type that is not served: ${name}`);
    const bytes = await readFile(join(TARGET, name));
    await writeFile(join(TARGET, `${name}.gz`), await promisify(gzip)(bytes, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    await writeFile(join(TARGET, `${name}.br`), await promisify(brotliCompress)(bytes, { params }));
    files.push({ name, type });
  }
  await writeFile(LIST, `${JSON.stringify(files, undefined, 1)}\n`);
}

if (import.meta.main && (!process.argv.includes("--if-stale") || (await isStale()))) {
  await buildConsole();
}
