import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drawn, type Extent, isItsTurn, type Part, phasesOf } from "../../.ci/parts.ts";
import { judge, type Outcome, PartRunner, Report } from "../../.ci/report.ts";
import { ROOT } from "./source.ts";

function partsOf(extent: Extent, text = "a"): readonly Part[] {
  return phasesOf(extent, text).flatMap(({ computes, waits }) => [...computes, ...waits]);
}

const line = (part: Part): string => part.command.join(" ");

describe("the parts of the proof", () => {
  it("have names of their own", () => {
    const names = partsOf("commit").map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it("hold every suite that package.json names", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const suites = Object.keys(manifest.scripts).filter((name) =>
      /^(?:test|test:.*|sim|fuzz|drill|check|build)$/.test(name),
    );
    const run = new Set(partsOf("commit").flatMap(({ command }) => command));
    expect(suites.filter((name) => !run.has(name))).toEqual([]);
  });

  it("are drawn anew for each commit, and the same for one", () => {
    const [one, again, other] = ["a", "a", "b"].map((text) => partsOf("commit", text).map(line));
    expect(again).toEqual(one);
    const differ = other!.filter((command, i) => command !== one![i]);
    expect(differ.length).toBeGreaterThan(9);
  });

  it("take turns where they are long, and all come to run", () => {
    const parts = partsOf("commit");
    const texts = Array.from({ length: 40 }, (_, i) => `commit ${i}`);
    const turns = parts.map((part) => texts.filter((text) => isItsTurn(part, text)).length);
    expect(turns.filter((count) => count === 0)).toEqual([]);
    expect(turns.filter((count) => count < texts.length).length).toBeGreaterThan(9);
    const each = ["check", "test", "clients", "sim", "mutants", "console", "fuzz"];
    for (const [i, { name }] of parts.entries()) {
      if (each.includes(name)) expect([name, turns[i]]).toEqual([name, texts.length]);
    }
  });

  it("are longer where all is run, and the longest in a soak, which has no others", () => {
    const sizeOf = (extent: Extent): number =>
      Number(/--seeds (\d+)/.exec(line(partsOf(extent).find(({ name }) => name === "sim")!))![1]);
    expect(sizeOf("all")).toBeGreaterThan(sizeOf("commit"));
    expect(sizeOf("soak")).toBeGreaterThan(sizeOf("all"));
    expect(partsOf("soak").length).toBeLessThan(partsOf("all").length);
    expect(partsOf("all").map(({ name }) => name)).toEqual(
      partsOf("commit").map(({ name }) => name),
    );
  });

  it("that go by the clock run beside nothing", () => {
    for (const { computes, waits } of phasesOf("commit", "a")) {
      const beside = waits.length > 0 ? [...computes, ...waits] : [];
      expect(beside.filter(({ stream }) => stream === "alone")).toEqual([]);
    }
  });

  it("are drawn from all that there is to draw from", () => {
    const seen = new Set(Array.from({ length: 200 }, (_, i) => drawn(String(i), "x", 10)));
    expect([...seen].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

describe("what a part comes to", () => {
  const counts = "line";

  it("is its last plain line", () => {
    const log = "1 passed, 0 failed, 0 skipped\nmore\n3 passed, 0 failed, 1 skipped\n";
    expect(judge({ counts }, 0, log).counts).toEqual({ passed: 3, failed: 0, skipped: 1 });
  });

  it("is a failure where it says nothing, or ends red without a red test", () => {
    expect(judge({ counts }, 0, "all is well\n").counts.failed).toBe(1);
    expect(judge({ counts }, 1, "3 passed, 0 failed, 0 skipped\n")).toEqual({
      counts: { passed: 3, failed: 1, skipped: 0 },
      why: "exit code 1",
    });
    expect(judge({ counts }, 1, "3 passed, 2 failed, 0 skipped\n").counts.failed).toBe(2);
  });

  it("is one test where it has none, and none where it readies others", () => {
    expect(judge({ counts: "one" }, 0, "").counts.passed).toBe(1);
    expect(judge({ counts: "one" }, 2, "").counts.failed).toBe(1);
    expect(judge({ counts: "none" }, 2, "").counts).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });
});

describe("a run", () => {
  let runner: PartRunner;
  beforeEach(() => {
    runner = new PartRunner(ROOT, 60);
  });
  afterEach(() => runner.end());

  const shell = (name: string, script: string, more: Partial<Part> = {}): Part => ({
    name,
    command: ["sh", "-c", script],
    stream: "waits",
    counts: "line",
    ...more,
  });

  it("keeps what a part printed, on both streams, and how long it took", async () => {
    const script =
      'echo "a b"; echo wrong >&2; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; ' +
      'echo "1 passed, 0 failed, 0 skipped"; exit 3';
    const outcome = await runner.run(shell("red", script));
    expect(outcome.log).toBe("a b\nwrong\n1 passed, 0 failed, 0 skipped\n");
    expect(outcome).toMatchObject({ counts: { passed: 1, failed: 1 }, why: "exit code 3" });
    expect(outcome.seconds).toBeGreaterThan(0);
    expect(outcome.cpuSeconds).toBeGreaterThan(0);
  });

  it("ends a part that takes longer than its limit", async () => {
    const short = new PartRunner(ROOT, 0.2);
    const outcome = await short.run(shell("hangs", "sleep 30"));
    short.end();
    expect(outcome.counts).toEqual({ passed: 0, failed: 1, skipped: 0 });
    expect(outcome.seconds).toBeLessThan(20);
  });

  it("skips what the machine has not got", async () => {
    const outcome = await runner.run(shell("x", "exit 1", { needs: [["true"], ["false"]] }));
    expect(outcome.counts).toEqual({ passed: 0, failed: 0, skipped: 1 });
  });

  it("ends with its sum, what was red before it", () => {
    let printed = "";
    const report = new Report((text) => {
      printed += text;
    });
    const outcome = { command: ["x"], seconds: 61, cpuSeconds: 2.4, why: "" };
    const red = { ...outcome, name: "red", log: "quiet\n× a test\nend" };
    const outcomes: readonly Outcome[] = [
      { ...outcome, name: "green", log: "", counts: { passed: 2, failed: 0, skipped: 1 } },
      { ...red, counts: { passed: 1, failed: 1, skipped: 0 } },
    ];
    for (const each of outcomes) report.add(each);
    report.close();
    expect(report.failed).toBe(1);
    const [, summary = ""] = printed.split("=== summary\n");
    expect(summary).toMatch(/^green +61 s +2 s cpu {2}2 passed, 0 failed, 1 skipped\nred /);
    expect(summary).toContain("\n=== red: red\n× a test\n...\nquiet\n× a test\nend\n");
    expect(summary.trimEnd().split("\n").at(-1)).toBe("3 passed, 1 failed, 1 skipped");
  });
});
