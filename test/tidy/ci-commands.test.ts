import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Extent, type Part, phasesOf } from "../../.ci/parts.ts";
import { readOptions as ambiguity } from "../double/ambiguity/options.ts";
import { readOptions as faults } from "../faults/options.ts";
import { readOptions as fuzz } from "../http/fuzz/options.ts";
import { readOptions as kill } from "../kill/options.ts";
import { readOptions as damage } from "../lsm/damage/options.ts";
import { readOptions as mutants } from "../mutants/options.ts";
import { readOptions as simulation } from "../sim/options.ts";
import { readOptions as months } from "../soak/options.ts";
import { ROOT } from "./source.ts";

type Reader = (args: readonly string[]) => object;

/** What reads the arguments of a script. */
const READERS: Readonly<Record<string, Reader>> = {
  sim: simulation,
  fuzz: (args) => (args[0] === "--store" ? damage(args.slice(1)) : fuzz(args)),
  months,
  "test:ambiguity": ambiguity,
  "test:faults": faults,
  "test:kill": kill,
  "test:mutants": mutants,
};

const SCRIPTS: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
).scripts;

interface Line {
  readonly script: string | undefined;
  readonly args: readonly string[];
}

/** `npm run --silent SCRIPT [-- ARGUMENTS]`. */
function lineOf({ command }: Part): Line {
  const [program, run, silent, script, dashes, ...args] = command;
  if (`${program} ${run} ${silent}` !== "npm run --silent") return { script: undefined, args: [] };
  if (dashes !== undefined) expect(dashes).toBe("--");
  return { script, args };
}

function partsOf(extent: Extent): readonly Part[] {
  return phasesOf(extent, "a").flatMap(({ computes, waits }) => [...computes, ...waits]);
}

describe.each(["commit", "all", "soak"] as const)("each command line of extent %s", (extent) => {
  const read = (part: Part): object | undefined => {
    const { script = "", args } = lineOf(part);
    return READERS[script]?.(args);
  };

  it("is accepted by the suite that it starts", () => {
    for (const part of partsOf(extent)) {
      expect(() => read(part), part.command.join(" ")).not.toThrow();
    }
  });

  it("gives the suite the sizes and seeds that it names", () => {
    for (const part of partsOf(extent)) {
      const options = read(part);
      if (options === undefined) continue;
      const numbers = part.command.filter((text) => /^\d/.test(text)).map(Number);
      expect(Object.values(options), part.name).toEqual(
        expect.arrayContaining(numbers.filter((number) => !Number.isNaN(number))),
      );
    }
  });

  it("starts what exists", () => {
    for (const part of partsOf(extent)) {
      const { script } = lineOf(part);
      if (script !== undefined) expect(SCRIPTS, part.name).toHaveProperty([script]);
      const file = part.command.find((text) => text.startsWith(".ci/"));
      if (file !== undefined) expect(existsSync(join(ROOT, file)), file).toBe(true);
    }
  });

  it("is the one that each commit runs where no reader is known here", () => {
    const lines = new Map(partsOf("commit").map(({ name, command }) => [name, command]));
    for (const part of partsOf(extent)) {
      const isRead = (lineOf(part).script ?? "") in READERS;
      if (!isRead) expect(part.command).toEqual(lines.get(part.name));
    }
  });
});

it.each([
  ["sim", ["--suite", "none"]],
  ["sim", ["--seeds", "many"]],
  ["fuzz", ["--requests", "-1"]],
  ["fuzz", ["--store", "--requests", "1"]],
  ["test:ambiguity", ["--ops", ""]],
  ["test:faults", ["--pairs", "some"]],
  ["test:kill", ["--rounds", "1.5"]],
  ["test:mutants", ["--minutes", "0"]],
] as const)("%s refuses %j", (script, args) => {
  expect(() => READERS[script]!(args)).toThrow();
});
