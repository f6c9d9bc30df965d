import { expect, it } from "vitest";
import { run } from "../../src/cli/program.ts";
import { DRILLS } from "./drills.ts";
import { sampleOf, sectionOf } from "./runbook.ts";

it("the runbook's alarms are read, and its commands are lines that make sense", async () => {
  for (const { title } of DRILLS) {
    const { alarm, commands } = sectionOf(title);
    expect(alarm.length).toBeGreaterThan(0);
    expect(commands.length).toBeGreaterThan(0);
    for (const line of commands) {
      const [program, ...args] = line.split(" ");
      const nothing = () => Promise.reject(new Error("something else is run"));
      const exitCode = await run(args, {
        env: {},
        cwd: "/",
        serve: nothing,
        restore: () => Promise.reject(new Error("nothing is restored")),
        housekeeping: () => Promise.reject(new Error("nothing is asked")),
        storageInit: nothing,
        storageCheck: nothing,
        keys: nothing,
        printError: () => {},
        lsm: () => Promise.resolve(7),
        fsck: () => Promise.resolve(7),
        gc: () => Promise.resolve(7),
        catalog: nothing,
        print: () => {},
        look: { hasColour: false, columns: 80 },
        names: async () => [],
      });
      expect([line, program, exitCode]).toEqual([line, "firn", 7]);
    }
  }
});

it("an alarm is all of its conditions, each over a metric of the shard", () => {
  const text = '# R\n\n## A\n\n```promql\nfirn_a > 3 and firn_b{k="w"} > 0.5\n```\n\n## B\n';
  const { alarm, commands } = sectionOf("A", text);
  expect(commands).toEqual([]);
  expect(alarm).toEqual([
    { metric: "firn_a", labels: "", above: 3 },
    { metric: "firn_b", labels: 'k="w"', above: 0.5 },
  ]);
  const printed = [
    'firn_a{shard="system"} 4',
    'firn_b{shard="system",kind="r",k="w"} 9',
    'firn_b{shard="system",k="w"} 0.25',
  ].join("\n");
  expect(alarm.map((one) => sampleOf(printed, one))).toEqual([4, 0.25]);
  expect(() => sampleOf("", { metric: "firn_a", labels: "" })).toThrow();
  expect(() => sectionOf("C", text)).toThrow();
  expect(() => sectionOf("A", text.replace("firn_a > 3", "rate(firn_a[5m]) > 3"))).toThrow();
});
