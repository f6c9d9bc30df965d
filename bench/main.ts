import { PROFILES } from "../src/runtime/settings.ts";
import { benchAccess } from "./access.ts";
import { benchBackup } from "./backup.ts";
import { benchBorders } from "./borders.ts";
import { benchCatalog } from "./catalog.ts";
import { benchCompaction } from "./compaction.ts";
import { benchComplete } from "./complete.ts";
import { benchConsole } from "./console.ts";
import { benchDeadNames } from "./dead-names.ts";
import { compareIceberg } from "./iceberg.ts";
import { failedCells, showComparison } from "./iceberg-report.ts";
import { benchJson } from "./json.ts";
import { benchKeys } from "./keys.ts";
import { benchCold } from "./lsm/cold.ts";
import { benchLarge } from "./lsm/large.ts";
import { benchManifest } from "./lsm/manifest.ts";
import { benchResume } from "./lsm/resume.ts";
import { benchLsm, cellsOf } from "./lsm.ts";
import { benchLsmBlocks } from "./lsm-blocks.ts";
import { benchNative } from "./native.ts";
import { benchOverload } from "./overload.ts";
import { judge } from "./overload-goals.ts";
import { PeerMissing } from "./peer/reference-server.ts";
import { keepResult } from "./report.ts";
import { benchRows, type RowsOptions, rowsCells } from "./rows.ts";
import { benchScale } from "./scale.ts";
import { benchSql, sqlCells } from "./sql.ts";
import { benchStart } from "./start.ts";
import { benchWal } from "./wal.ts";

const USAGE =
  "usage: npm run bench -- catalog | native | iceberg | lsm | keys | wal | compaction | " +
  "overload | access | start | complete | console | dead-names | backup " +
  "[--smoke] [--keep], rows | sql --rows=N --rounds=N --peers=A,B, " +
  "catalog --tables N --profile PROFILE, iceberg --only=TEXT, " +
  "lsm --rows=N --rounds=N --workloads=A,B --peers=A,B --alone " +
  "--cpu-profile | --large, lsm-blocks, lsm-manifest, lsm-resume, borders --root=DIR, json";
const LSM_FLAGS =
  /^--(smoke|keep|alone|cpu-profile|rows=[1-9]\d*|rounds=[1-9]\d*|(workloads|peers)=.+)$/;
const ROWS_FLAGS = /^--(smoke|keep|rows=[1-9]\d*|rounds=[1-9]\d*|(peers|profile-to)=.+)$/;
const ICEBERG_FLAGS = /^--(smoke|keep|only=.+)$/;
const LARGE_FLAGS: ReadonlySet<string> = new Set(["--large", "--smoke", "--keep"]);
const BORDERS_FLAGS = /^--(keep|root=.+)$/;
const FLAGS: ReadonlySet<string> = new Set(["--smoke", "--keep"]);

/** Measures and prints. */
async function main(args: readonly string[]): Promise<number> {
  if (args.join(" ") === "json") {
    await benchJson();
    return 0;
  }
  const [name, ...flags] = args;
  if (name === "lsm-blocks" && flags.every((flag) => flag === "--smoke")) {
    return close("lsm-blocks", {}, benchLsmBlocks({ smoke: flags.includes("--smoke") }), flags);
  }
  if (name === "borders" && flags.every((flag) => BORDERS_FLAGS.test(flag))) {
    return await borders(flags);
  }
  if (name === "lsm") return await lsm(flags);
  if (name === "rows") return await rows(flags);
  if (name === "sql") return await sql(flags);
  if (name === "catalog") return await catalog(flags);
  const known = flags.every((flag) => FLAGS.has(flag));
  if (name === "iceberg" && flags.every((flag) => ICEBERG_FLAGS.test(flag))) {
    return await iceberg(flags);
  }
  if (name === "native" && known) return await native(flags);
  if (name === "access" && known) return await access(flags);
  if (name === "keys" && known) return keys(flags);
  if (name === "lsm-manifest" && known) return await lsmManifest(flags);
  if (name === "lsm-resume" && known) return await lsmResume(flags);
  if (name === "wal" && known) return await wal(flags);
  if (name === "compaction" && known) return await compaction(flags);
  if (name === "start" && known) return await start(flags);
  if (name === "complete" && known) return await completion(flags);
  if (name === "console" && known) return await consoleViews(flags);
  if (name === "backup" && known) return await backup(flags);
  if (name === "dead-names" && known) return await deadNames(flags);
  if (name === "overload" && known) return await overload(flags);
  console.error(USAGE);
  return 2;
}

/** `--profile PROFILE`: those in S3 run over doubles of the services. */
async function catalog(args: readonly string[]): Promise<number> {
  const scale = args.indexOf("--tables");
  if (scale >= 0) return await catalogOf(Number(args[scale + 1]), args.toSpliced(scale, 2));
  const at = args.indexOf("--profile");
  const profile = PROFILES.find((each) => each === args[at + 1]);
  const flags = at < 0 ? args : args.toSpliced(at, 2);
  if (!flags.every((flag) => FLAGS.has(flag)) || (at >= 0 && profile === undefined)) {
    console.error(USAGE);
    return 2;
  }
  const figures = await benchCatalog({
    smoke: flags.includes("--smoke"),
    ...(at >= 0 && profile !== undefined && { profile }),
  });
  const cells = figures.flatMap((each) => each.cells);
  const failed = cells.filter((cell) => cell.errors > 0 || cell.operations === 0).length;
  return close("catalog", figures, { cells: cells.length, failed }, flags);
}

/** A catalog of so many tables against an empty one. */
async function catalogOf(tables: number, args: readonly string[]): Promise<number> {
  const at = args.indexOf("--profile");
  const profile = PROFILES.find((each) => each === args[at + 1]);
  const flags = at < 0 ? args : args.toSpliced(at, 2);
  const isKnown = flags.every((flag) => FLAGS.has(flag)) && (at < 0 || profile !== undefined);
  if (!isKnown || !Number.isSafeInteger(tables) || tables < 1) {
    console.error(USAGE);
    return 2;
  }
  const options = { tables, smoke: flags.includes("--smoke") };
  const figures = await benchScale({ ...options, ...(profile !== undefined && { profile }) });
  const cells = figures.flatMap((each) => each.cells);
  const failed = cells.filter(({ fullCpuMs }) => !(fullCpuMs >= 0)).length;
  return close("catalog-scale", figures, { cells: cells.length, failed }, flags);
}

async function native(flags: readonly string[]): Promise<number> {
  const cells = await benchNative({ smoke: flags.includes("--smoke") });
  const failed = cells.filter(({ ratio }) => !(ratio > 0)).length;
  return close("native", cells, { cells: cells.length, failed }, flags);
}

async function access(flags: readonly string[]): Promise<number> {
  const { figures } = await benchAccess({ smoke: flags.includes("--smoke") });
  const failed = figures.filter(({ value }) => !(value >= 0)).length;
  return close("access", figures, { cells: figures.length, failed }, flags);
}

/** Growth alone: a shard of ten times the rows. */
async function lsmLarge(flags: readonly string[]): Promise<number> {
  const smoke = flags.includes("--smoke");
  const cold = await benchCold(smoke);
  const cells = await benchLarge(smoke);
  const failed = cells.filter(({ warmGets, openMs }) => !(warmGets > 0 && openMs > 0)).length;
  const count = cells.length + cold.length;
  return close("lsm-large", [...cells, ...cold], { cells: count, failed }, flags);
}

/** A missing peer fails the run: a table with holes is not a comparison. */
async function lsm(flags: readonly string[]): Promise<number> {
  const isLarge = flags.includes("--large");
  if (isLarge && flags.every((flag) => LARGE_FLAGS.has(flag))) return await lsmLarge(flags);
  const unknown = flags.filter((flag) => !LSM_FLAGS.test(flag));
  if (unknown.length > 0) {
    console.error(`${unknown.join(" ")}: unknown; ${USAGE}`);
    return 2;
  }
  const rows = numberOf(flags, "rows");
  const rounds = numberOf(flags, "rounds");
  const figures = await benchLsm({
    smoke: flags.includes("--smoke"),
    alone: flags.includes("--alone"),
    cpuProfile: flags.includes("--cpu-profile"),
    ...(rows !== undefined && { rows }),
    ...(rounds !== undefined && { rounds }),
    ...listOf(flags, "workloads"),
    ...listOf(flags, "peers"),
  });
  return close("lsm", figures, cellsOf(figures), flags);
}

/** A missing peer fails the run. */
async function rows(flags: readonly string[]): Promise<number> {
  const options = rowsOptions(flags);
  if (options === undefined) return 2;
  const figures = await benchRows(options);
  return close("rows", figures, rowsCells(figures), flags);
}

async function sql(flags: readonly string[]): Promise<number> {
  const options = rowsOptions(flags);
  if (options === undefined) return 2;
  const profileTo = textOf(flags, "profile-to");
  const figures = await benchSql({ ...options, ...(profileTo !== undefined && { profileTo }) });
  return close("sql", figures, sqlCells(figures), flags);
}

function rowsOptions(flags: readonly string[]): RowsOptions | undefined {
  if (!flags.every((flag) => ROWS_FLAGS.test(flag))) {
    console.error(USAGE);
    return undefined;
  }
  const [rows, rounds] = [numberOf(flags, "rows"), numberOf(flags, "rounds")];
  return {
    smoke: flags.includes("--smoke"),
    ...(rows !== undefined && { rows }),
    ...(rounds !== undefined && { rounds }),
    ...listOf(flags, "peers"),
  };
}

function listOf<K extends string>(flags: readonly string[], name: K): { [name in K]?: string[] } {
  const text = textOf(flags, name);
  return text === undefined ? {} : ({ [name]: text.split(",") } as { [name in K]: string[] });
}

function textOf(flags: readonly string[], name: string): string | undefined {
  const start = `--${name}=`;
  return flags.find((flag) => flag.startsWith(start))?.slice(start.length);
}

function numberOf(flags: readonly string[], name: string): number | undefined {
  const text = textOf(flags, name);
  return text === undefined ? undefined : Number(text);
}

async function compaction(flags: readonly string[]): Promise<number> {
  const cells = await benchCompaction({ smoke: flags.includes("--smoke") });
  const failed = cells.filter((cell) => !(cell.megabytesPerSecond > 0)).length;
  return close("compaction", cells, { cells: cells.length, failed }, flags);
}

function keys(flags: readonly string[]): number {
  const figures = benchKeys(flags.includes("--smoke"));
  const cells = figures.keys.length + figures.curves.length;
  return close("keys", figures, { cells, failed: 0 }, flags);
}

async function lsmManifest(flags: readonly string[]): Promise<number> {
  const figures = await benchManifest(flags.includes("--smoke"));
  const failed = figures.readCpuMs.filter((ms) => !(ms > 0)).length;
  return close("lsm-manifest", figures, { cells: figures.readCpuMs.length, failed }, flags);
}

async function lsmResume(flags: readonly string[]): Promise<number> {
  const figures = await benchResume(flags.includes("--smoke"));
  const failed = figures.resumedInputMib < figures.totalMib ? 0 : 1;
  return close("lsm-resume", figures, { cells: 1, failed }, flags);
}

async function wal(flags: readonly string[]): Promise<number> {
  const cells = await benchWal({ smoke: flags.includes("--smoke") });
  const failed = cells.filter((cell) => !(cell.perSecond > 0)).length;
  return close("wal", cells, { cells: cells.length, failed }, flags);
}

async function start(flags: readonly string[]): Promise<number> {
  const cells = await benchStart({ smoke: flags.includes("--smoke") });
  return close("start", cells, { cells: cells.length, failed: 0 }, flags);
}

/** A goal that is missed fails; a smoke run has none. */
async function completion(flags: readonly string[]): Promise<number> {
  const smoke = flags.includes("--smoke");
  const cells = await benchComplete(smoke);
  const failed = smoke ? 0 : cells.filter(({ met }) => !met).length;
  return close("complete", cells, { cells: cells.length, failed }, flags);
}

/** A goal that is missed fails; a smoke run has none. */
async function consoleViews(flags: readonly string[]): Promise<number> {
  const smoke = flags.includes("--smoke");
  const cells = await benchConsole(smoke);
  const failed = smoke ? 0 : cells.filter(({ met }) => !met).length;
  return close("console", cells, { cells: cells.length, failed }, flags);
}

async function borders(flags: readonly string[]): Promise<number> {
  const cells = await benchBorders(textOf(flags, "root"));
  return close("borders", cells, { cells: cells.length, failed: 0 }, flags);
}

/** A goal that is missed fails; a smoke run has none. */
async function backup(flags: readonly string[]): Promise<number> {
  const smoke = flags.includes("--smoke");
  const cells = await benchBackup(smoke);
  const failed = smoke ? 0 : cells.filter(({ met }) => !met).length;
  return close("backup", cells, { cells: cells.length, failed }, flags);
}

/** A goal that is missed fails; a smoke run has none. */
async function deadNames(flags: readonly string[]): Promise<number> {
  const smoke = flags.includes("--smoke");
  const cells = await benchDeadNames(smoke);
  const failed = smoke ? 0 : cells.filter(({ met }) => !met).length;
  return close("dead-names", cells, { cells: cells.length, failed }, flags);
}

/** A goal that is missed by more than its tolerance fails; a smoke run judges answers alone. */
async function overload(flags: readonly string[]): Promise<number> {
  const smoke = flags.includes("--smoke");
  const figures = await benchOverload(smoke);
  const failed = figures.filter((each) =>
    smoke
      ? each.errors > 0 || each.shed === 0
      : judge(each).some(({ verdict }) => verdict === "missed"),
  ).length;
  return close("overload", figures, { cells: figures.length, failed }, flags);
}

/** A missing peer is not a result: nothing is measured without it. */
async function iceberg(flags: readonly string[]): Promise<number> {
  try {
    const comparison = await compareIceberg({
      smoke: flags.includes("--smoke"),
      only: textOf(flags, "only") ?? "",
    });
    console.log(showComparison(comparison));
    const { cells } = comparison;
    const failed = failedCells(cells).length;
    return close("iceberg", comparison, { cells: cells.length, failed }, flags);
  } catch (error) {
    if (!(error instanceof PeerMissing)) throw error;
    console.error(`${error.message}: a missing peer is not a result`);
    console.log("\n0 passed, 1 failed, 0 skipped");
    return 1;
  }
}

interface Counted {
  readonly cells: number;
  readonly failed: number;
}

/** Keeps the figures if that is asked for, and prints the plain line that CI adds up. */
function close(
  name: string,
  figures: unknown,
  { cells, failed }: Counted,
  flags: readonly string[],
): number {
  if (flags.includes("--keep")) {
    if (failed > 0) console.error("not kept: some cells failed");
    else keepResult(name, figures);
  }
  console.log(`\n${cells - failed} passed, ${failed} failed, 0 skipped`);
  return failed > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
