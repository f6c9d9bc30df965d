import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { createMetrics } from "../base/metrics.ts";
import { OperatorClient } from "../http/admin/client.ts";
import type {
  CompactionReport,
  ShardAdmin,
  ShardReport,
  TreeReport,
} from "../http/admin/shard-admin.ts";
import { noShard } from "../lsm/tools.ts";
import { abortAfter } from "../runtime/clock.ts";
import { openStores } from "../runtime/compose.ts";
import { hasShard } from "../runtime/local-shard.ts";
import { mintNodeId } from "../runtime/node-identity.ts";
import { SystemPrng } from "../runtime/prng.ts";
import type { Settings } from "../runtime/settings.ts";
import { SYSTEM_SHARD } from "../runtime/shard-parts.ts";
import type { HotShard } from "../service/rows/row-heat.ts";
import type { Output } from "./output.ts";
import { operatorTarget, type ServerAt } from "./server-at.ts";

/** Intervals between two polls of a compaction, and between two lines of progress. */
const LOOK_MS = 200;
/** Of the operations on a table: a key that has more is worth a word. */
const TOP_SHARE = 0.1;
const LINE_MS = 2_000;

/** A compaction, in this process or in a server. */
type Compacting = {
  readonly begin: () => Promise<CompactionReport>;
  readonly look: () => Promise<CompactionReport | undefined>;
};

/** As `compactShard`, by the process that owns the shard. */
export async function compactAt(at: ServerAt, clock: Clock, output: Output): Promise<number> {
  const client = await clientOf(at);
  const compacting = { begin: () => client.compact(), look: () => client.compaction() };
  return follow(compacting, clock, output);
}

/**
 * Opens the shard that the settings name, as its owner, and makes one sorted run of it.
 *
 * @returns the exit code.
 * @throws FirnError `Unavailable`, code `LSM_OWNED`: a server has it open; `NotFound`, code
 *   `LSM_NO_SHARD`; what the stores throw.
 */
export async function compactShard(
  settings: Settings,
  clock: Clock,
  output: Output,
): Promise<number> {
  const { profile, dir } = settings;
  if (profile === "memory" || profile === "aws") throw noShard(`profile ${profile}`);
  if (profile === "local" && !hasShard(dir, SYSTEM_SHARD)) throw noShard(dir);
  const prng = new SystemPrng();
  const components = {
    clock,
    prng,
    nodeId: mintNodeId(prng),
    onDefect: () => undefined,
    notify: (text: string) => output.printError(`${text}\n`),
  };
  const stores = await openStores(settings, components, createMetrics());
  try {
    // Profiles with a shard have an admin service for it.
    const shardAdmin = stores.shardAdmin as ShardAdmin;
    const look = async (): Promise<CompactionReport | undefined> => shardAdmin.compaction;
    return await follow({ begin: () => shardAdmin.compact(), look }, clock, output);
  } finally {
    await stores.close();
  }
}

async function follow(
  { begin, look }: Compacting,
  clock: Clock,
  { print, printError }: Output,
): Promise<number> {
  let report = await begin();
  print(`before: ${treeText(report.before)}\n`);
  for (let saidMs = 0; report.state === "running"; ) {
    await clock.sleep(LOOK_MS);
    report = (await look()) ?? report;
    if (report.tookMs - saidMs < LINE_MS || report.state !== "running") continue;
    saidMs = report.tookMs;
    const { writtenBytes, inputBytes } = report;
    printError(
      `${Math.round(saidMs / 1_000)} s: wrote ${writtenBytes} bytes of ${inputBytes} input bytes\n`,
    );
  }
  const { state, error, after, tookMs } = report;
  if (state === "failed" || after === undefined) {
    printError(
      `firn: ${error?.message ?? "the compaction did not finish"} [${error?.code ?? "INTERNAL"}]\n`,
    );
    return 1;
  }
  print(`after:  ${treeText(after)}\n${tookMs} ms\n`);
  return 0;
}

function treeText(tree: TreeReport): string {
  const { l0Tables, sortedRuns, tables, bytes, entries, deletions, rangeTombstones } = tree;
  return (
    `${tables} tables, ${bytes} bytes (${l0Tables} in level 0, ${sortedRuns} sorted runs), ` +
    `${entries} entries including ${deletions} tombstones, ${rangeTombstones} range tombstones; ` +
    `debt ${tree.compactionDebtBytes} bytes, obsolete ${tree.obsoleteBytes} bytes`
  );
}

/**
 * Prints the hottest key prefixes of the catalog's own shard, and the hottest tables of those of
 * row tables. @throws FirnError as `OperatorClient`.
 */
export async function hot(at: ServerAt, output: Output): Promise<number> {
  const client = await clientOf(at);
  // Profile aws has its pointers in DynamoDB.
  const report = await unless("SHARD_NOT_FOUND", client.report());
  if (report !== undefined) printHot(report, output);
  // A server without row tables, or of an older version, does not tell of them.
  const tables = await unless("ROUTE_NOT_FOUND", client.hotTables());
  for (const shard of tables?.shards ?? []) printHotTables(shard, output);
  return 0;
}

/** What is answered; undefined where it is refused with a code. */
async function unless<T>(code: string, answer: Promise<T>): Promise<T | undefined> {
  return await answer.catch((error: unknown) => {
    if (error instanceof FirnError && error.code === code) return undefined;
    throw error;
  });
}

type Met = { readonly share: number; readonly perSecond: number; readonly keys: number };

function metText({ share, perSecond, keys }: Met): string {
  const percent = `${Math.round(100 * share)} %`.padStart(5);
  const many = `${keys} ${keys === 1 ? "key" : "keys"}`;
  return `  ${percent} ${Math.round(perSecond)}/s on at least ${many}`;
}

function printHot({ hot: found, throttles }: ShardReport, { print }: Output): void {
  for (const kind of ["reads", "writes"] as const) {
    print(`${kind}:${found[kind].length === 0 ? " too few operations" : ""}\n`);
    for (const met of found[kind]) print(`${metText(met)}: "${met.prefix}"\n`);
  }
  for (const { prefix, writesPerSecond, leftSeconds, refused } of throttles) {
    const left = `${leftSeconds} s left, ${refused} refused`;
    print(`limited to ${writesPerSecond} writes/s, ${left}: "${prefix}"\n`);
  }
}

function printHotTables({ catalog, shard, ...found }: HotShard, { print }: Output): void {
  for (const kind of ["reads", "writes"] as const) {
    const few = found[kind].length === 0 ? " too few operations" : "";
    print(`${kind} of shard ${catalog}.${shard}:${few}\n`);
    for (const met of found[kind]) {
      const { table, index, keys, topShare } = met;
      const of = table === undefined ? "what the shard keeps of its tables" : `table ${table}`;
      const where = index === undefined ? of : `index ${index} of ${of}`;
      const one = keys > 1 && topShare >= TOP_SHARE;
      const top = one ? `, ${Math.round(100 * topShare)} % of it on one key` : "";
      print(`${metText(met)}: ${where}${top}\n`);
    }
  }
}

/** Rate-limits writes below a prefix. @throws FirnError as `OperatorClient`. */
export async function throttle(
  at: ServerAt,
  request: Parameters<OperatorClient["throttle"]>[0],
  { print }: Output,
): Promise<number> {
  const { throttles } = await (await clientOf(at)).throttle(request);
  print(`rate limits in force: ${throttles.length}\n`);
  return 0;
}

/** Prints the change feed. @throws FirnError as `OperatorClient`. */
export async function changes(
  at: ServerAt,
  { from, follow }: Parameters<OperatorClient["changes"]>[0],
  { print, drained }: Output,
): Promise<number> {
  const lines = (await clientOf(at)).changes({ from, follow });
  for await (const line of lines) {
    print(`${line}\n`);
    await drained();
  }
  return 0;
}

async function clientOf(at: ServerAt): Promise<OperatorClient> {
  return new OperatorClient(await operatorTarget(at), SYSTEM_SHARD, abortAfter);
}
