import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMetrics } from "../../src/base/metrics.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import { LsmMetrics } from "../../src/lsm/engine/metrics.ts";
import type { LsmTuning } from "../../src/lsm/options.ts";
import { MemoryBudget } from "../../src/lsm/write/budget.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { composeOver } from "../../src/runtime/compose.ts";
import { localBlobStore, openLocalShard } from "../../src/runtime/local-shard.ts";
import { mintNodeId } from "../../src/runtime/node-identity.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { fromFields, readSettings, requireSettings } from "../../src/runtime/read-settings.ts";
import { SECRET_BYTES } from "../../src/runtime/secret.ts";
import { shardStores } from "../../src/runtime/stores.ts";
import { createLogger } from "../../src/server/log.ts";
import { wireServer } from "../../src/server/wire.ts";
import { type Condition, sampleOf } from "./runbook.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "firn.mjs");
const LOOK_MS = 250;
const LIMIT_MS = 30_000;

/** A whole server on a disk, whose engine has drill-sized memtables. */
export interface Site {
  readonly url: string;
  readonly engine: Engine;
  /** The metrics that the conditions name, as HTTP prints them now. */
  values(conditions: readonly Condition[]): Promise<readonly number[]>;
  /** Looks until every condition holds, or none does. @throws Error when that takes too long. */
  until(conditions: readonly Condition[], which: "alarm" | "calm"): Promise<readonly number[]>;
  /** Runs a line of the runbook as an operator does. @throws Error where its exit code is not 0. */
  operate(line: string): Promise<string>;
  close(): Promise<void>;
}

/**
 * @param options of the engine, beside those of every local shard.
 * @param before works on the shard before the server begins.
 */
export async function openSite(
  options: Partial<LsmTuning>,
  before: (dir: string) => Promise<void> = async () => {},
): Promise<Site> {
  const dir = await mkdtemp(join(tmpdir(), "firn-drill-"));
  await before(dir);
  const [clock, prng, metrics] = [new SystemClock(), new SystemPrng(), createMetrics()];
  const fields = { profile: "local", dir, logLevel: "silent", port: 0 };
  const settings = requireSettings(readSettings([fromFields(fields)], dir));
  const log = createLogger(settings.logLevel, clock);
  const nodeId = mintNodeId(prng);
  const components = { clock, prng, nodeId, notify: () => {}, onDefect: () => {} };
  const budget = new MemoryBudget();
  const blobs = localBlobStore(dir, { clock, prng });
  const shard = await openLocalShard(dir, blobs, {
    clock,
    prng,
    forTests: options,
    budget,
    metrics: new LsmMetrics(metrics, budget),
    takeOver: "refuse",
  });
  const stores = shardStores(
    shard,
    { blobs, secret: prng.bytes(SECRET_BYTES) },
    components,
    metrics,
  );
  const { iceberg, ready, shards, ...composition } = await composeOver(
    stores,
    settings,
    components,
    metrics,
  );
  const server = wireServer({
    nodeId,
    iceberg,
    metrics,
    clock,
    prng,
    log,
    ready,
    shards,
    edge: settings,
    dir,
    maxInFlight: settings.maxInFlight,
  });
  const url = await server.listen(settings.host, settings.port);
  const values = async (conditions: readonly Condition[]): Promise<readonly number[]> => {
    const printed = await (await fetch(`${url}/metrics`)).text();
    return conditions.map((condition) => sampleOf(printed, condition));
  };
  return {
    url,
    engine: await shard.engine(),
    values,
    until: async (conditions, which) => {
      for (const startMs = performance.now(); ; ) {
        const found = await values(conditions);
        const holding = conditions.filter(({ above }, i) => (found[i] ?? 0) > above).length;
        if (holding === (which === "alarm" ? conditions.length : 0)) return found;
        if (performance.now() - startMs > LIMIT_MS) {
          throw new Error(`no ${which}: ${JSON.stringify(conditions)} are ${found}`);
        }
        await clock.sleep(LOOK_MS);
      }
    },
    operate: (line) => operate(line.replace("http://127.0.0.1:8181", url), dir),
    close: async () => {
      await server.stop();
      await composition.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Opens the shard of a directory under a clock that is behind, and closes it. */
export async function inThePast(
  dir: string,
  agoMs: number,
  work: (engine: Engine) => Promise<void>,
): Promise<void> {
  const [clock, prng, budget] = [new LateClock(agoMs), new SystemPrng(), new MemoryBudget()];
  const shard = await openLocalShard(dir, localBlobStore(dir, { clock, prng }), {
    clock,
    prng,
    budget,
    takeOver: "refuse",
    metrics: new LsmMetrics(createMetrics(), budget),
  });
  await work(await shard.engine());
  await shard.close();
}

class LateClock extends SystemClock {
  readonly #agoMs: number;

  constructor(agoMs: number) {
    super();
    this.#agoMs = agoMs;
  }

  override nowMs(): number {
    return super.nowMs() - this.#agoMs;
  }
}

function operate(line: string, dir: string): Promise<string> {
  const [program, ...args] = line.split(" ");
  if (program !== "firn") throw new Error(`no command of ours: ${line}`);
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, FIRN_DIR: dir },
    });
    let written = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        written += chunk.toString("utf8");
      });
    }
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(written);
      else reject(new Error(`${line}: exit code ${code}\n${written}`));
    });
  });
}
