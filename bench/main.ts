import { benchCatalog } from "./catalog.ts";
import { keepResult } from "./report.ts";

const USAGE = "usage: npm run bench -- catalog [--smoke] [--keep]";
const FLAGS: ReadonlySet<string> = new Set(["--smoke", "--keep"]);

/** Measures, prints, and closes with the plain line that CI adds up: one for each cell. */
async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith("--"));
  const flags = args.filter((arg) => arg.startsWith("--"));
  if (names.join(" ") !== "catalog" || flags.some((flag) => !FLAGS.has(flag))) {
    console.error(USAGE);
    return 2;
  }
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
