import { benchCatalog } from "./catalog.ts";
import { benchJson } from "./json.ts";
import { keepResult } from "./report.ts";

const USAGE = "usage: npm run bench -- catalog [--smoke] [--keep] | json";
const FLAGS: ReadonlySet<string> = new Set(["--smoke", "--keep"]);

/** Measures and prints. */
async function main(args: readonly string[]): Promise<number> {
  if (args.join(" ") === "json") {
    await benchJson();
    return 0;
  }
  const [name, ...flags] = args;
  if (name === "catalog" && flags.every((flag) => FLAGS.has(flag))) return await catalog(flags);
  console.error(USAGE);
  return 2;
}

/** Closes with the plain line that CI adds up: one for each cell. */
async function catalog(flags: readonly string[]): Promise<number> {
  const figures = await benchCatalog({ smoke: flags.includes("--smoke") });
  const failed = figures.cells.filter((cell) => cell.errors > 0 || cell.operations === 0).length;
  if (flags.includes("--keep")) {
    if (failed > 0) console.error("not kept: some cells failed");
    else keepResult("catalog", figures);
  }
  console.log(`\n${figures.cells.length - failed} passed, ${failed} failed, 0 skipped`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
