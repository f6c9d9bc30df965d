import { checkStore } from "./check-store.ts";
import { Lane, type Stop } from "./gate.ts";
import { answerOf, type Node, type Operation } from "./operations.ts";
import { type Image, imageOf, openWorld, type Wrapping, warm } from "./world.ts";

/** Two lines of work over one tree: each is one operation or several, one after the other. */
export interface Race {
  readonly name: string;
  readonly tree: readonly Operation[];
  /** What every node has read before the race, so that its names are cached. */
  readonly reads: readonly Operation[];
  readonly lanes: readonly [readonly Operation[], readonly Operation[]];
}

interface Setting {
  readonly image: Image;
  readonly wrapping: Wrapping;
}

/** What one history came to, in words. */
interface Outcome {
  readonly answers: readonly (readonly string[])[];
  readonly tree: readonly string[];
}

/** Which lane goes first, where it stops, and where the other one stops, if it does. */
export interface Schedule {
  readonly first: 0 | 1;
  readonly stop: Stop;
  readonly otherStop?: Stop;
  readonly nodes: 1 | 2;
}

export interface Explored {
  readonly schedules: number;
  readonly failure?: string;
}

async function runAll(node: Node, operations: readonly Operation[]): Promise<readonly string[]> {
  const answers: string[] = [];
  for (const operation of operations) answers.push(await answerOf(node, operation));
  return answers;
}

/** Every order of two lanes that keeps the order within each. */
function mergers(a: number, b: number): readonly (readonly (0 | 1)[])[] {
  if (a === 0) return [Array.from({ length: b }, () => 1 as const)];
  if (b === 0) return [Array.from({ length: a }, () => 0 as const)];
  return [
    ...mergers(a - 1, b).map((rest) => [0 as const, ...rest]),
    ...mergers(a, b - 1).map((rest) => [1 as const, ...rest]),
  ];
}

/** What the race may come to: the outcomes of its operations one after the other, in each order. */
async function serialOutcomes({ lanes, reads }: Race, image: Image): Promise<ReadonlySet<string>> {
  const outcomes = new Set<string>();
  for (const order of mergers(lanes[0].length, lanes[1].length)) {
    const world = await openWorld(image, 2);
    await warm(world, reads);
    const answers: [string[], string[]] = [[], []];
    for (const lane of order) {
      const operation = lanes[lane][answers[lane].length];
      const node = world.nodes[lane];
      if (operation === undefined || node === undefined) throw new Error("no such operation");
      answers[lane].push(await answerOf(node, operation));
    }
    outcomes.add(inWords({ answers, tree: await checkStore(world.pointers, world.blobs) }));
  }
  return outcomes;
}

function inWords(outcome: Outcome): string {
  return JSON.stringify(outcome);
}

/** Runs one schedule; undefined where the first lane was done before it came to its stop. */
async function runSchedule(
  race: Race,
  setting: Setting,
  schedule: Schedule,
): Promise<Outcome | undefined> {
  const world = await openWorld(setting.image, schedule.nodes, setting.wrapping);
  await warm(world, race.reads);
  const node = (lane: 0 | 1): Node => {
    const found = world.nodes[schedule.nodes === 1 ? 0 : lane];
    if (found === undefined) throw new Error("no such node");
    return found;
  };
  const other: 0 | 1 = schedule.first === 0 ? 1 : 0;
  const a = new Lane(schedule.stop);
  const b = new Lane(schedule.otherStop);
  const left = await a.start(() => runAll(node(schedule.first), race.lanes[schedule.first]));
  if (!left.parked) return undefined;
  const right = await b.start(() => runAll(node(other), race.lanes[other]));
  if (schedule.otherStop !== undefined && !right.parked) return undefined;
  // Before that call the stores stand as they stood after the one before it.
  if (schedule.stop.side === "after") await checkStore(world.pointers, world.blobs);
  a.release();
  const answersLeft = await left.done;
  b.release();
  const answersRight = await right.done;
  const answers = schedule.first === 0 ? [answersLeft, answersRight] : [answersRight, answersLeft];
  return { answers, tree: await checkStore(world.pointers, world.blobs) };
}

/** How thoroughly a race is explored. */
export interface Depth {
  readonly nodes: readonly (1 | 2)[];
  /** Also lets the second lane stop before each of its calls until the first one is done. */
  readonly twoStops?: boolean;
}

/**
 * Runs a race with a stop at every store call of either lane, on both sides of the call, and
 * compares what it came to with its operations one after the other. Stops at the first failure.
 */
export async function explore(race: Race, wrapping: Wrapping, depth: Depth): Promise<Explored> {
  const image = await imageOf(race.tree);
  const setting: Setting = { image, wrapping };
  const allowed = await serialOutcomes(race, image);
  let schedules = 0;
  const attempt = async (schedule: Schedule): Promise<"over" | "fine" | string> => {
    const label = `${race.name} ${JSON.stringify(schedule)}`;
    try {
      const outcome = await runSchedule(race, setting, schedule);
      if (outcome === undefined) return "over";
      schedules++;
      const words = inWords(outcome);
      if (allowed.has(words)) return "fine";
      return `${label} is like no order:\n${words}\nallowed:\n${[...allowed].join("\n")}`;
    } catch (error) {
      return `${label}: ${error instanceof Error ? error.stack : String(error)}`;
    }
  };
  for (const nodes of depth.nodes) {
    for (const first of [0, 1] as const) {
      for (const side of ["before", "after"] as const) {
        for (let call = 0; ; call++) {
          const result = await attempt({ first, nodes, stop: { call, side } });
          if (result === "over") break;
          if (result !== "fine") return { schedules, failure: result };
          // Two stops on one side: a stop after a call is in effect one before the next.
          const deep = depth.twoStops === true && side === "before" && nodes === 2;
          for (let next = 0; deep; next++) {
            const otherStop = { call: next, side: "before" as const };
            const deeper = await attempt({ first, nodes, stop: { call, side }, otherStop });
            if (deeper === "over") break;
            if (deeper !== "fine") return { schedules, failure: deeper };
          }
        }
      }
    }
  }
  return { schedules };
}
