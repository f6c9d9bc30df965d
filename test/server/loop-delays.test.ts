import { expect, test } from "vitest";
import { createMetrics } from "../../src/base/metrics.ts";
import { LOOK_MS, LoopDelays } from "../../src/server/loop-delays.ts";
import { ask, scripted, serving } from "../http/support.ts";

/** Delays over a clock that the test moves; `cpu`: the part of the time that the thread ran. */
function watched() {
  const metrics = createMetrics();
  const now = { ms: 1_000, cpuMs: 0 };
  const clock = { monotonicMs: () => now.ms, threadCpuMs: () => now.cpuMs };
  const delays = new LoopDelays(clock, metrics);
  const [load, commit] = ["GET table", "POST table"] as const;
  return {
    delays,
    load,
    commit,
    pass: (ms: number, cpuMs = ms) => {
      now.ms += ms;
      now.cpuMs += cpuMs;
    },
    /** The sums of the delays by operation, and of their processor time, in ms. */
    found: async () => {
      const printed = metrics.print();
      const sums = (name: string) =>
        Object.fromEntries(
          [...printed.matchAll(new RegExp(`${name}\\{operation="([^"]+)"\\} (\\S+)`, "g"))].map(
            ([, operation = "", sum]) => [operation, Math.round(Number(sum) * 1_000)],
          ),
        );
      return {
        delays: sums("firn_loop_delay_seconds_sum"),
        cpu: sums("firn_loop_delay_cpu_seconds_total"),
      };
    },
  };
}

test("what begins and holds the loop is told of, whether it ends or waits", async () => {
  const { delays, load, commit, pass, found } = watched();
  delays.begin(load);
  pass(1);
  delays.end(load);
  delays.begin(commit);
  pass(LOOK_MS + 300, 200);
  delays.look();
  pass(LOOK_MS);
  delays.look();
  delays.end(commit);
  expect(await found()).toEqual({ delays: { "POST table": 301 }, cpu: { "POST table": 201 } });
});

test("what holds the loop behind a wait is told of where it ends", async () => {
  const { delays, load, commit, pass, found } = watched();
  delays.begin(load);
  delays.begin(commit);
  pass(LOOK_MS);
  delays.look();
  pass(90);
  delays.end(load);
  pass(1);
  delays.look();
  // And what it does between two waits, as long as nothing else is under way.
  pass(LOOK_MS + 50);
  delays.look();
  delays.end(commit);
  const sums = { "GET table": 71, "POST table": 50 };
  expect(await found()).toEqual({
    delays: sums,
    cpu: { "GET table": 91 - LOOK_MS, "POST table": 50 },
  });
});

test("one of several, and work behind no request, have names of their own", async () => {
  const { delays, load, commit, pass, found } = watched();
  pass(LOOK_MS + 40, 0);
  delays.look();
  delays.begin(load);
  delays.begin(commit);
  pass(LOOK_MS);
  delays.look();
  pass(LOOK_MS + 30);
  delays.look();
  pass(LOOK_MS + 9);
  delays.look();
  expect((await found()).delays).toEqual({ background: 40, several: 30 });
  expect((await found()).cpu).toEqual({ background: 0, several: 30 });
});

test("a server tells which operation held its loop", async () => {
  const { service } = scripted({
    loadNamespace: async (_ctx, { namespace }) => {
      const began = process.threadCpuUsage();
      for (let usedMs = 0; usedMs < 100; ) {
        const { user, system } = process.threadCpuUsage(began);
        usedMs = (user + system) / 1_000;
      }
      return { namespace, properties: {} };
    },
  });
  await using running = await serving(service);
  expect((await ask(running.port, "GET", "/iceberg/v1/namespaces/a")).status).toBe(200);
  const sum = /firn_loop_delay_seconds_sum\{operation="GET [^"]*\{namespace\}"\} (\S+)/;
  const printed = async () => (await ask(running.port, "GET", "/metrics")).body;
  await expect.poll(async () => Number(sum.exec(await printed())?.[1])).toBeGreaterThan(0.05);
});
