import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { generateCatalogShapes } from "./generate/catalog-shapes.ts";
import { generateConsistency } from "./generate/consistency.ts";
import { generateErrors } from "./generate/errors.ts";
import type { Generated } from "./generate/generated.ts";
import { generateIceberg } from "./generate/iceberg.ts";
import { generateKeys } from "./generate/keys.ts";
import { generateProto, protoFiles } from "./generate/proto.ts";
import { generateSettings } from "./generate/settings.ts";
import { generateSignatures } from "./generate/signatures.ts";
import { generateSqlFunctions } from "./generate/sql-functions.ts";
import { ROOT, runTool } from "./tools.ts";

/** What `buf breaking` compares with: renewed only on purpose, by `npm run gen -- --accept`. */
const BASELINE = "test/fixtures/proto/firn.v1.binpb";

const GENERATORS: readonly (() => Promise<readonly Generated[]>)[] = [
  generateProto,
  generateErrors,
  generateKeys,
  generateIceberg,
  generateConsistency,
  generateSettings,
  generateSignatures,
  generateCatalogShapes,
  generateSqlFunctions,
];

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(join(ROOT, path), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

async function acceptBaseline(): Promise<void> {
  if ((await protoFiles()).length === 0) throw new Error("proto/ holds no protocol files");
  await mkdir(join(ROOT, dirname(BASELINE)), { recursive: true });
  const result = await runTool("buf", ["build", "proto", "--exclude-source-info", "-o", BASELINE]);
  if (result.exitCode !== 0) throw new Error(`buf build failed:\n${result.output}`);
  console.log(`renewed ${BASELINE}`);
}

/** Writes every generated file; with `--check` writes nothing and exits 1 where one differs. */
async function main(args: readonly string[]): Promise<number> {
  const unknown = args.filter((arg) => arg !== "--check" && arg !== "--accept");
  if (unknown.length > 0) {
    console.error(`unknown argument: ${unknown.join(" ")}; there are --check and --accept`);
    return 2;
  }
  const check = args.includes("--check");
  let stale = 0;
  for (const generate of GENERATORS) {
    for (const { path, text } of await generate()) {
      if ((await readIfPresent(path)) === text) {
        console.log(`up to date ${path}`);
        continue;
      }
      stale++;
      console.log(check ? `stale ${path}: run npm run gen` : `wrote ${path}`);
      if (check) continue;
      await mkdir(join(ROOT, dirname(path)), { recursive: true });
      await writeFile(join(ROOT, path), text);
    }
  }
  if (args.includes("--accept") && !check) await acceptBaseline();
  return check && stale > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
