import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ServerProcess, startServer } from "../test/clients/server-process.ts";
import {
  allCells,
  type Cell,
  prepareFixtures,
  prepareSide,
  type Scale,
  type Side,
} from "./cells.ts";
import { drive, type Figures } from "./driver.ts";
import { fileWriteCosts, type WriteCost } from "./file-writes.ts";
import { buildPeer, startPeer } from "./peer/reference-server.ts";
import { Target } from "./target.ts";

/** The servers that are compared, ours first. */
export const SIDES = ["firn", "sqlite", "in-memory"] as const;
export type SideName = (typeof SIDES)[number];

export interface SideFigures extends Figures {
  /** Refusals by 409 that were tried again. */
  readonly refused: number;
}

export interface ComparedCell {
  readonly name: string;
  readonly clients: number;
  readonly sides: Readonly<Record<SideName, SideFigures>>;
}

export interface Comparison {
  readonly cells: readonly ComparedCell[];
  /** What writing a metadata file alone costs us, by the length of the history. */
  readonly fileWrites: readonly WriteCost[];
}

interface Timing {
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** For all cells together, before the first: a virtual machine compiles what it runs often. */
  readonly firstWarmUpMs: number;
}

const FULL: Scale = {
  histories: [1, 100, 1_000, 5_000],
  lists: [1_000, 10_000],
  clients: [1, 16, 64],
  appendTables: 64,
  appendsATable: 64,
};
const FULL_TIMING: Timing = { warmUpMs: 300, measureMs: 1_500, firstWarmUpMs: 1_000 };

const SMOKE: Scale = {
  histories: [1, 100],
  lists: [50, 100],
  clients: [1, 16],
  appendTables: 8,
  appendsATable: 32,
};
const SMOKE_TIMING: Timing = { warmUpMs: 50, measureMs: 200, firstWarmUpMs: 50 };

const WARM_UP_CLIENTS = 16;

/**
 * Measures a server of this checkout, profile `memory`, beside the reference server in two forms,
 * cell by cell in turn, so that whatever else the machine does hits all of them.
 *
 * @throws PeerMissing without Java or Maven: a missing peer is not a result.
 */
export async function compareIceberg(options: {
  readonly smoke: boolean;
  /** Only cells whose name holds this text. */
  readonly only?: string;
}): Promise<Comparison> {
  buildPeer();
  const scale = options.smoke ? SMOKE : FULL;
  const timing = options.smoke ? SMOKE_TIMING : FULL_TIMING;
  const directory = mkdtempSync(join(scratch(), "firn-bench-"));
  const stops: (() => Promise<unknown>)[] = [];
  const interrupted = () => void end(stops, directory).then(() => process.exit(130));
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  try {
    const sides = await startSides(directory, stops);
    const fixtures = prepareFixtures(join(directory, "shared"), scale);
    for (const side of sides.values()) {
      const beganMs = performance.now();
      await prepareSide(side, fixtures);
      say(`${side.target.name}: tables made in ${seconds(performance.now() - beganMs)}`);
    }
    const every = allCells(scale, fixtures);
    const cells = every.filter(({ name }) => name.includes(options.only ?? ""));
    await warmUp(every, sides, timing);
    const compared: ComparedCell[] = [];
    for (const cell of cells) compared.push(await compareCell(cell, sides, timing));
    const fileWrites = await fileWriteCosts(join(directory, "writes"), scale.histories);
    return { cells: compared, fileWrites };
  } finally {
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
    await end(stops, directory);
  }
}

async function end(stops: readonly (() => Promise<unknown>)[], directory: string): Promise<void> {
  for (const stop of stops) await stop();
  rmSync(directory, { recursive: true, force: true });
}

const RAM_DISK = "/dev/shm";

/**
 * Where every server keeps its files: in memory where the system has such a file system, so that
 * no figure is that of a disk. (A new inode alone costs more than a commit on some of them.)
 */
function scratch(): string {
  try {
    accessSync(RAM_DISK, constants.W_OK);
    return RAM_DISK;
  } catch {
    return tmpdir();
  }
}

type Sides = ReadonlyMap<SideName, Side>;

async function startSides(directory: string, stops: (() => Promise<unknown>)[]): Promise<Sides> {
  const sides = new Map<SideName, Side>();
  for (const name of SIDES) {
    const own = join(directory, name);
    mkdirSync(own, { recursive: true });
    const server = name === "firn" ? await startFirn(own, directory) : await startPeer(name, own);
    say(`${name}: ${server.options}`);
    stops.push(() => server.stop());
    const prefix = name === "firn" ? "/iceberg/v1/default" : "/v1";
    const target = new Target(name, server, prefix);
    stops.unshift(async () => target.client.close());
    sides.set(name, { target, readsFiles: name !== "in-memory" });
  }
  return sides;
}

async function startFirn(
  directory: string,
  allowed: string,
): Promise<ServerProcess & { readonly options: string }> {
  const flags = ["--profile", "memory", "--log-level", "error", "--allow-location", allowed];
  const server = await startServer(directory, flags);
  return { ...server, options: `node ${process.version}, firn serve ${flags.join(" ")}` };
}

/** Every kind of operation for a while at many clients, in namespaces of its own. */
async function warmUp(cells: readonly Cell[], sides: Sides, timing: Timing): Promise<void> {
  const kinds = cells.filter(
    ({ clients, name }) =>
      clients === WARM_UP_CLIENTS && !/^(?:load [15]000|list 10000)/.test(name),
  );
  for (const side of sides.values()) {
    const beganMs = performance.now();
    for (const cell of kinds) {
      await runCell(cell, side, {
        ...timing,
        warmUpMs: timing.firstWarmUpMs / 2,
        measureMs: timing.firstWarmUpMs / 2,
      });
    }
    say(`${side.target.name}: warmed up in ${seconds(performance.now() - beganMs)}`);
  }
}

async function compareCell(cell: Cell, sides: Sides, timing: Timing): Promise<ComparedCell> {
  const figures: Partial<Record<SideName, SideFigures>> = {};
  for (const [name, side] of sides) figures[name] = await runCell(cell, side, timing);
  const { firn, sqlite, "in-memory": inMemory } = figures;
  if (!firn || !sqlite || !inMemory) throw new Error("a side was not measured");
  const { name, clients } = cell;
  const compared = { name, clients, sides: { firn, sqlite, "in-memory": inMemory } };
  say(
    `${name}, ${clients} clients: ${SIDES.map((side) => {
      const { perSecond, serverCpuMs } = compared.sides[side];
      return `${side} ${perSecond.toFixed(0)}/s ${serverCpuMs.toFixed(2)} ms`;
    }).join("; ")}`,
  );
  return compared;
}

async function runCell(cell: Cell, side: Side, timing: Timing): Promise<SideFigures> {
  const { operation, refused } = await cell.prepare(side);
  const { clients } = cell;
  const { warmUpMs, measureMs } = timing;
  const serverPid = side.target.pid;
  const figures = await drive({ clients, warmUpMs, measureMs, serverPid, operation });
  return { ...figures, refused: refused?.() ?? 0 };
}

function say(text: string): void {
  console.error(text);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
