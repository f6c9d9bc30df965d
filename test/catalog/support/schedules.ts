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
  /** How long after the tree was made the race is. */
  readonly laterMs?: number;
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

/** What is told of a location that the other lane holds and neither claims nor gives up. */
const PENDING = "Overloaded LOCATION_PENDING";

/**
 * What the race may come to: the outcomes of its operations one after the other, in each order. An
 * operation that was told to come again has done nothing: `told` says of each what it was answered.
 */
async function serialOutcomes(
  { lanes, reads, laterMs }: Race,
  image: Image,
  told: Outcome["answers"] = [],
): Promise<ReadonlySet<string>> {
  const outcomes = new Set<string>();
  for (const order of mergers(lanes[0].length, lanes[1].length)) {
    const world = await openWorld(image, 2, {}, laterMs);
    await warm(world, reads);
    const answers: [string[], string[]] = [[], []];
    for (const lane of order) {
      const operation = lanes[lane][answers[lane].length];
      const node = world.nodes[lane];
      if (operation === undefined || node === undefined) throw new Error("no such operation");
      const isPending = told[lane]?.[answers[lane].length] === PENDING;
      answers[lane].push(isPending ? PENDING : await answerOf(node, operation));
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
  const { image, wrapping } = setting;
  const world = await openWorld(image, schedule.nodes, wrapping, race.laterMs);
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

/** How thoroughly a race is explored: with which nodes, and on which sides of a call it stops. */
export interface Depth {
  readonly nodes: 1 | 2;
  readonly sides: readonly Stop["side"][];
  /** Also lets the second lane stop before each of its calls until the first one is done. */
  readonly twoStops?: boolean;
}

/** Both sides of every call, on one node and on two, and two stops on two nodes. */
export const THOROUGH: readonly Depth[] = [
  { nodes: 1, sides: ["before", "after"] },
  { nodes: 2, sides: ["after"] },
  { nodes: 2, sides: ["before"], twoStops: true },
];

/**
 * Every order of calls: to the stores a stop after a call is one before the next, and only a cache
 * that both lanes share can tell the two apart.
 */
export const EVERY_ORDER: readonly Depth[] = [
  { nodes: 1, sides: ["after"] },
  { nodes: 2, sides: ["before"] },
];

/** `over`: the lane was done before it came to its stop, so there are no later ones. */
type Verdict = "fine" | "over" | { readonly failure: string };

/** Runs a schedule and compares what it came to with what is allowed. */
async function judge(
  race: Race,
  setting: Setting,
  schedule: Schedule,
  allowed: ReadonlySet<string>,
): Promise<Verdict> {
  const label = `${race.name} ${JSON.stringify(schedule)}`;
  try {
    const outcome = await runSchedule(race, setting, schedule);
    if (outcome === undefined) return "over";
    const words = inWords(outcome);
    if (allowed.has(words)) return "fine";
    const without = outcome.answers.flat().includes(PENDING)
      ? await serialOutcomes(race, setting.image, outcome.answers)
      : allowed;
    if (without.has(words)) return "fine";
    const orders = [...without].join("\n");
    return { failure: `${label} is like no order:\n${words}\nallowed:\n${orders}` };
  } catch (error) {
    return { failure: `${label}: ${error instanceof Error ? error.stack : String(error)}` };
  }
}

/**
 * Runs a race with a stop at every store call of either lane and compares what it came to with its
 * operations one after the other. Stops at the first failure.
 */
export async function explore(
  race: Race,
  wrapping: Wrapping,
  depths: readonly Depth[],
): Promise<Explored> {
  const image = await imageOf(race.tree);
  const setting: Setting = { image, wrapping };
  const allowed = await serialOutcomes(race, image);
  let schedules = 0;
  /** Tries the schedules of a growing index, until the lane that stops is done before its stop. */
  const until = async (
    scheduleAt: (call: number) => Schedule,
    deeper?: (call: number) => Promise<string | undefined>,
  ): Promise<string | undefined> => {
    for (let call = 0; ; call++) {
      const verdict = await judge(race, setting, scheduleAt(call), allowed);
      if (verdict === "over") return undefined;
      schedules++;
      if (verdict !== "fine") return verdict.failure;
      const failure = await deeper?.(call);
      if (failure !== undefined) return failure;
    }
  };
  for (const { nodes, sides, twoStops } of depths) {
    for (const side of sides) {
      for (const first of [0, 1] as const) {
        const one = (call: number): Schedule => ({ first, nodes, stop: { call, side } });
        const two = (call: number): Promise<string | undefined> =>
          until((next) => ({ ...one(call), otherStop: { call: next, side: "before" } }));
        const failure = await until(one, twoStops === true ? two : undefined);
        if (failure !== undefined) return { schedules, failure };
      }
    }
  }
  return { schedules };
}
