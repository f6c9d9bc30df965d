import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleepFor } from "node:timers/promises";
import { randomBelow, SeededPrng } from "../../src/base/prng.ts";
import { kill, type ServerProcess, spawnServer, startServer } from "../clients/server-process.ts";
import { Api } from "./api.ts";
import { Round, type Tally } from "./round.ts";

/** A life in which clients work lasts so long at most; a start, or a stop, this long. */
const WORK_MS = 1_000;
const START_MS = 700;
const STOP_MS = 60;
const FLAGS = ["--log-level", "error"];

export interface Kills extends Tally {
  rounds: number;
  duringStart: number;
  duringStop: number;
}

/**
 * Ends a server by SIGKILL again and again, at instants that a seed decides: while clients write,
 * while it starts, while it stops. After each of them the next life is asked for everything that
 * clients were told.
 *
 * @throws Violation, with the round in its cause.
 */
export async function runKills(seed: number, rounds: number): Promise<Kills> {
  const prng = new SeededPrng(seed);
  const directory = await mkdtemp(join(tmpdir(), "firn-kill-"));
  const kills: Kills = {
    rounds: 0,
    duringStart: 0,
    duringStop: 0,
    acknowledged: 0,
    refused: 0,
    doubtful: 0,
    landed: 0,
  };
  const all: Round[] = [];
  let server = await startServer(directory, FLAGS);
  try {
    for (; kills.rounds < rounds; kills.rounds++) {
      const round = new Round(kills.rounds, kills);
      all.push(round);
      const work = round.work(new Api(server.url));
      await sleepFor(1 + randomBelow(prng, WORK_MS));
      await end(server, prng, kills);
      await work;
      if (randomBelow(prng, 5) === 0) await killStarting(directory, prng, kills);
      server = await startServer(directory, FLAGS);
      await round.verify(new Api(server.url));
      await all[randomBelow(prng, all.length)]?.verify(new Api(server.url));
    }
    for (const round of all) await round.verify(new Api(server.url));
    return kills;
  } catch (error) {
    throw new Error(`seed ${seed}, round ${kills.rounds}: ${String(error)}`, { cause: error });
  } finally {
    await server.kill();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Mostly out of the blue; sometimes in the middle of a stop, which flushes and lets go. */
async function end(server: ServerProcess, prng: SeededPrng, kills: Kills): Promise<void> {
  if (randomBelow(prng, 5) === 0) {
    kills.duringStop++;
    process.kill(server.pid, "SIGTERM");
    await sleepFor(randomBelow(prng, STOP_MS));
  }
  await server.kill();
}

/** A life that nobody ever asked anything. */
async function killStarting(directory: string, prng: SeededPrng, kills: Kills): Promise<void> {
  kills.duringStart++;
  const child = spawnServer(directory, FLAGS);
  await once(child, "spawn");
  await sleepFor(randomBelow(prng, START_MS));
  await kill(child);
}
