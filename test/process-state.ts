import { afterAll, expect, vi } from "vitest";

/**
 * Test files share a process. What a file changes in it and does not restore, the next one would
 * meet: such a file fails.
 */

const EVENTS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2", "uncaughtException"] as const;
/** A global that the AWS SDK makes when it is loaded. */
const OF_A_PACKAGE = "awslambda";
/** Resources that a file must close; it may take a moment. */
const RESOURCES: ReadonlySet<string> = new Set(["TCPServerWrap", "ProcessWrap", "Worker"]);

interface ProcessState {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly umask: number;
  readonly listeners: Readonly<Record<string, number>>;
  /** The clock and timers that fake ones would replace. */
  readonly clock: readonly unknown[];
  readonly globals: readonly string[];
}

function processState(): ProcessState {
  return {
    env: { ...process.env },
    directory: process.cwd(),
    umask: process.umask(),
    listeners: Object.fromEntries(EVENTS.map((event) => [event, process.listenerCount(event)])),
    clock: [Date.now, performance.now, setTimeout, setInterval, setImmediate, fetch],
    globals: Object.keys(globalThis).filter((name) => name !== OF_A_PACKAGE),
  };
}

function openResources(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => RESOURCES.has(name))
    .sort();
}

const before = processState();
const openBefore = openResources();

afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  expect(processState(), "the process that test files share").toEqual(before);
  await vi.waitFor(() => expect(openResources(), "left open").toEqual(openBefore), 10_000);
});
