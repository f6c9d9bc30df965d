import { readFileSync } from "node:fs";
import { Locations } from "../src/blob/locations.ts";
import { SystemClock } from "../src/runtime/clock.ts";
import { SystemPrng } from "../src/runtime/prng.ts";
import { prepareTable } from "./history.ts";
import { touchMemory } from "./touch.ts";

/** What writing one metadata file costs. */
export interface WriteCost {
  readonly snapshots: number;
  readonly bytes: number;
  readonly perSecond: number;
  /** Processor time of the process, its thread pool included. */
  readonly cpuMs: number;
}

const WRITES = 60;

/**
 * Writes metadata files as a commit does, and nothing else: through the store that the server of
 * profile `memory` uses, in this process. So the rest of a commit can be told from its file.
 */
export async function fileWriteCosts(
  directory: string,
  histories: readonly number[],
): Promise<readonly WriteCost[]> {
  const locations = new Locations({
    allowedRoots: [`file://${directory}`],
    clock: new SystemClock(),
    prng: new SystemPrng(),
    durable: false,
  });
  const costs: WriteCost[] = [];
  for (const snapshots of histories) {
    const { metadataLocation } = prepareTable(`${directory}/${snapshots}`, snapshots);
    const bytes = readFileSync(metadataLocation.slice("file://".length));
    const folder = `file://${directory}/${snapshots}/metadata`;
    await locations.write(`${folder}/first.metadata.json`, bytes);
    touchMemory(directory, WRITES * bytes.length);
    const startMs = performance.now();
    const before = process.cpuUsage();
    for (let i = 0; i < WRITES; i++) await locations.write(`${folder}/${i}.metadata.json`, bytes);
    const used = process.cpuUsage(before);
    costs.push({
      snapshots,
      bytes: bytes.length,
      perSecond: (WRITES / (performance.now() - startMs)) * 1_000,
      cpuMs: (used.user + used.system) / 1_000 / WRITES,
    });
  }
  return costs;
}
