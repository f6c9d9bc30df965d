import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OPERATIONS as NATIVE_OPERATIONS } from "../../../src/api/operations.ts";
import { OPERATIONS } from "../../../src/http/iceberg/operations.ts";
import { finish } from "../../clients/counts.ts";
import { type ServerProcess, startServer } from "../../clients/server-process.ts";
import { fuzzStore } from "../../lsm/damage/run.ts";
import { fuzzSql } from "../../sql/fuzz/run.ts";
import { fuzzQueries } from "../../sql/fuzz/run-queries.ts";
import { readContract } from "../../support/iceberg-contract.ts";
import { Fuzzer } from "./episodes.ts";
import { describeFinding } from "./finding.ts";
import { NativeFuzzer } from "./native.ts";
import { makeCalm, makeRelations } from "./native-world.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { ShapeRunner } from "./shapes/runner.ts";
import type { Tally } from "./tally.ts";
import { TURN_LIMIT_MS, TurnLog } from "./turns.ts";
import { exchange, OPEN_LIMIT_MS, parseAnswer } from "./wire.ts";

/** From here on a run is long enough to have done everything that can be done. */
const WHOLE_RUN = 10_000;

/** Begun and never ended: the server has to end them itself. */
const HELD: readonly string[] = [
  "GET /livez HTTP/1.1\r\nHost: localhost\r\n",
  "POST /iceberg/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
    "Content-Length: 10\r\n\r\n{",
  "POST /iceberg/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
    "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
];

/** Operations that no request of a run brings to an end: each on what no run has. */
const NEEDS_MORE: ReadonlySet<string> = new Set([
  // Jobs that failed or last.
  ...["retryJob", "cancelJob"],
  // Catalogs, stores and logs that lie elsewhere.
  ...["importTables", "beginImport", "checkConnector", "refreshTable", "checkStorageProfile"],
  // Shards that several nodes share.
  ...["moveShard", "drainShard", "releaseShard"],
]);
/** Each operation succeeds once or more in so many requests. */
const REQUESTS_PER_SUCCESS = 1_000;

interface Outcome {
  readonly sent: number;
  /** Everything that does not hold, each in a line; nothing where all does. */
  readonly problems: readonly string[];
}

async function fuzz(server: ServerProcess, turns: TurnLog, options: Options): Promise<Outcome> {
  const { requests, seed, path, shapes, only } = options;
  const port = Number(new URL(server.url).port);
  const fuzzer = new Fuzzer(port);
  const held = path === undefined && requests > 0 ? HELD.map((text) => heldOpen(port, text)) : [];
  const startedMs = performance.now();
  const finding =
    path === undefined ? await fuzzer.run(requests, seed) : await fuzzer.replay(seed, path);
  const seconds = (performance.now() - startedMs) / 1_000;
  report(fuzzer.tally, seconds);
  if (finding !== undefined) console.log(`\n${describeFinding(finding)}`);
  const problems = finding === undefined ? [] : [finding.problem];
  if (finding === undefined && path === undefined && requests >= WHOLE_RUN) {
    problems.push(...undone(fuzzer.tally));
  }
  problems.push(...(await Promise.all(held)).filter((problem) => problem !== undefined));
  const turnMs = turns.take();
  if (turnMs > TURN_LIMIT_MS) problems.push(`the event loop was held for ${turnMs} ms`);
  const hostile = new ShapeRunner(server.url, turns);
  problems.push(...(await hostile.run(shapes, seed, only)));
  hostile.report();
  problems.push(...(await memoryProblems(server.pid, fuzzer.tally.sent, hostile.sent)));
  console.log(`longest turn of the event loop: ${turns.longestMs} ms of processor time`);
  return { sent: fuzzer.tally.sent + hostile.sent, problems };
}

async function fuzzNative(
  server: ServerProcess,
  directory: string,
  turns: TurnLog,
  { requests, seed }: Options,
): Promise<Outcome> {
  await makeCalm(server.url, directory);
  const fuzzer = await NativeFuzzer.open(server, seed, () => makeRelations(server.url));
  // The first request loads the checks: that is a start, not input.
  await fetch(`${server.url}/api/v1/info`);
  turns.start();
  const startedMs = performance.now();
  const { sent, problems, statuses } = await fuzzer.run(requests);
  const seconds = (performance.now() - startedMs) / 1_000;
  for (const [name, counts] of [...statuses].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const shown = [...counts].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
    console.log(`${name}\n    ${shown.join(", ")}`);
  }
  console.log(`${sent} requests in ${seconds.toFixed(1)} s`);
  const found = [...problems];
  if (requests >= WHOLE_RUN) {
    const least = Math.floor(requests / REQUESTS_PER_SUCCESS);
    for (const name of Object.keys(NATIVE_OPERATIONS)) {
      const counts = [...(statuses.get(name) ?? [])];
      const times = counts.reduce((sum, [status, n]) => (status < 400 ? sum + n : sum), 0);
      if (times < least && !NEEDS_MORE.has(name)) {
        found.push(`succeeded ${times} times, not ${least}: ${name}`);
      }
    }
  }
  const turnMs = turns.take();
  if (turnMs > TURN_LIMIT_MS) found.push(`the event loop was held for ${turnMs} ms`);
  found.push(...(await memoryProblems(server.pid, sent, 0, NATIVE_BASE_KIB)));
  console.log(`longest turn of the event loop: ${turns.longestMs} ms of processor time`);
  return { sent, problems: found };
}

async function heldOpen(port: number, text: string): Promise<string | undefined> {
  const { received, elapsedMs, end } = await exchange(port, Buffer.from(text), false);
  const status = parseAnswer(received)?.status;
  if (end !== "open" && status === 408 && elapsedMs <= OPEN_LIMIT_MS) return undefined;
  return `held open: status ${status}, ${end} after ${Math.round(elapsedMs)} ms: ${text}`;
}

/** Requests that all fail at the door would prove nothing. */
function undone(tally: Tally): readonly string[] {
  const never = OPERATIONS.map(({ method, template }) => `${method} ${template}`).filter(
    // There are no functions yet, so none can be loaded; and nothing is signed for files of a disk.
    (name) => tally.successes(name) === 0 && !/\/(?:\{function\}|sign)$/.test(name),
  );
  const { schemas } = readContract();
  const parts = ["BaseUpdate", "TableRequirement", "ViewRequirement"].flatMap((name) =>
    Object.keys(schemas[name]?.discriminator?.mapping ?? {}),
  );
  never.push(...parts.filter((part) => !tally.accepted.has(part)));
  return never.map((name) => `never succeeded: ${name}`);
}

/** Profile `memory` keeps all state there: a base, and what a request may leave behind. */
const BASE_KIB = 256 * 1_024;
/**
 * With SQL's grammar, row tables and the threads that read. The peak does not grow with the run:
 * 746 MiB after 4,000 requests, 735 after 20,000.
 */
const NATIVE_BASE_KIB = 896 * 1_024;
const REQUEST_KIB = 8;
/** A shape may leave a table of several mebibytes behind, which a drop keeps. */
const SHAPE_KIB = 4 * 1_024;

async function memoryProblems(
  pid: number,
  requests: number,
  shapes: number,
  baseKib = BASE_KIB,
): Promise<readonly string[]> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const peakKib = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
  console.log(`peak memory of the server: ${Math.round(peakKib / 1_024)} MiB`);
  const mostKib = baseKib + REQUEST_KIB * requests + SHAPE_KIB * shapes;
  return peakKib > mostKib ? [`the server took ${peakKib} KiB`] : [];
}

function report(tally: Tally, seconds: number): void {
  const shown = <K>(counts: ReadonlyMap<K, number>) =>
    [...counts]
      .sort(([, a], [, b]) => b - a)
      .map(([key, n]) => `${key}: ${n}`)
      .join(", ");
  for (const [name, statuses] of [...tally.byOperation].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${name}\n    ${shown(statuses)}`);
  }
  console.log(`accepted in commits: ${shown(tally.accepted)}`);
  const rate = Math.round(tally.sent / seconds);
  console.log(`${tally.sent} requests in ${seconds.toFixed(1)} s, ${rate} a second`);
}

async function main(args: readonly string[]): Promise<void> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  console.log(`seed ${options.seed}`);
  const directory = await mkdtemp(join(tmpdir(), "firn-fuzz-"));
  try {
    const turns = new TurnLog(directory);
    const server = await startServer(
      directory,
      ["--log-level", "error", "--audit-log", join(directory, "audit.jsonl")],
      turns.env,
    );
    turns.start();
    let outcome: Outcome = { sent: 0, problems: ["the run broke off"] };
    let exitCode: number | null = null;
    try {
      outcome =
        options.api === "native"
          ? await fuzzNative(server, directory, turns, options)
          : await fuzz(server, turns, options);
    } finally {
      exitCode = await server.stop();
    }
    const ended = exitCode === 0 ? [] : [`the server ended with exit code ${exitCode}`];
    const problems = [...outcome.problems, ...ended];
    for (const problem of problems) console.log(`failed: ${problem}`);
    finish({ passed: outcome.sent, failed: problems.length, skipped: 0 });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const args = process.argv.slice(2);
// Not requests but files: the directory of a store, damaged.
if (args[0] === "--store") await fuzzStore(args.slice(1));
else if (args[0] === "--sql") await fuzzSql(args.slice(1));
else if (args[0] === "--sql-queries") await fuzzQueries(args.slice(1));
else await main(args);
