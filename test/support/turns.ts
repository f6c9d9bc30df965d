import { request } from "node:http";
import { expect } from "vitest";
import type { Firn } from "../../src/index.ts";

/** No input keeps the loop from its next turn for longer: the rule that suites hold it to. */
const LONGEST_TURN_MS = 100;
/** The same for work that is measured once: with a collection of garbage by a busy machine. */
const LONGEST_SINGLE_MS = 250;
/** How often work that can be done again is measured before it is called too long. */
const RUNS = 3;
/** Twice the input may take twice the time, and what a busy machine adds to that. */
const MOST_FOR_TWICE = 2.6;
/** Below this, what is measured is the machine rather than the work. */
const LEAST_CPU_MS = 40;

/** What work cost this thread, in its own CPU time, so that a busy machine does not count. */
export interface Cost {
  /** The longest turn of the event loop, garbage collection by this thread included. */
  readonly longestTurnMs: number;
  readonly cpuMs: number;
}

export interface Costing<T> extends Cost {
  readonly result: T;
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Runs work and looks at the clock in every turn of the loop until it is done. */
export async function costOf<T>(work: () => Promise<T> | T): Promise<Costing<T>> {
  const began = threadMs();
  let last = began;
  let longestTurnMs = 0;
  const look = (): void => {
    const now = threadMs();
    longestTurnMs = Math.max(longestTurnMs, now - last);
    last = now;
  };
  let next = setImmediate(function turn() {
    look();
    next = setImmediate(turn);
  });
  try {
    const result = await work();
    look();
    return { result, longestTurnMs, cpuMs: last - began };
  } finally {
    clearImmediate(next);
  }
}

export interface Answered {
  readonly status: number;
  readonly code: string | undefined;
  /** The body as it came; it is not parsed, since that would be a long turn of the test itself. */
  readonly body: readonly Buffer[];
}

/**
 * One request over a socket, below the Iceberg API of an embedded server that listens, and what it
 * cost the thread of both. The body is encoded before and not parsed after, so what is left of the
 * client is small.
 */
export async function askAtCost(
  firn: Firn,
  method: string,
  path: string,
  body?: Uint8Array | object,
): Promise<Costing<Answered>> {
  const bytes = body === undefined || body instanceof Uint8Array ? body : encoded(body);
  return costOf(() => send(`${firn.url}/iceberg/v1${path}`, method, bytes));
}

/** A value as the bytes of a body. */
export function encoded(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function send(url: string, method: string, body: Uint8Array | undefined): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const headers = body && {
      "Content-Type": "application/json",
      "Content-Length": String(body.length),
    };
    const sent = request(url, { method, agent: false, ...(headers && { headers }) });
    sent.on("error", reject).on("response", (response) => {
      const pieces: Buffer[] = [];
      const code = response.headers["x-firn-error"];
      response
        .on("data", (piece: Buffer) => pieces.push(piece))
        .on("error", reject)
        .on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            code: typeof code === "string" ? code : undefined,
            body: pieces,
          }),
        );
    });
    sent.end(body);
  });
}

/**
 * Asserts that no turn was longer than the rule allows. A collection of garbage, which the whole
 * test process leaves, falls into some turn: work that can be done `again` is measured up to three
 * times, and the best run counts. Work that cannot is given room for one such collection.
 */
export async function expectShortTurns(
  what: string,
  cost: Cost,
  again?: () => Promise<Cost>,
): Promise<void> {
  const limit = again === undefined ? LONGEST_SINGLE_MS : LONGEST_TURN_MS;
  let longest = cost.longestTurnMs;
  for (let run = 1; run < RUNS && again !== undefined && longest > limit; run++) {
    longest = Math.min(longest, (await again()).longestTurnMs);
  }
  expect([what, Math.max(limit, Math.ceil(longest))]).toEqual([what, limit]);
}

/**
 * Asserts that work is linear in its input: twice as much costs about twice the time. `once` and
 * `twice` run it; each counts the better of two runs, the first of which warms the code up.
 */
export async function expectLinear(
  what: string,
  once: () => Promise<Cost>,
  twice: () => Promise<Cost>,
): Promise<void> {
  const best = async (run: () => Promise<Cost>): Promise<number> => {
    const [first, second] = [await run(), await run()];
    return Math.max(LEAST_CPU_MS, Math.min(first.cpuMs, second.cpuMs));
  };
  const [small, large] = [await best(once), await best(twice)];
  const verdict = large <= MOST_FOR_TWICE * small ? "linear" : `${small} ms, then ${large} ms`;
  expect([what, verdict]).toEqual([what, "linear"]);
}
