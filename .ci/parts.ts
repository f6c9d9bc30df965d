import { createHash } from "node:crypto";

/** How long the parts are: for a commit; whole; or for a night, those alone that can be longer. */
export type Extent = "commit" | "all" | "soak";

/**
 * What a part may run beside: one that `computes` beside one that `waits` (for a network, for
 * programs of others, for what it has killed), and one `alone` beside none, since it goes by the
 * clock and a busy machine could turn it red.
 */
export type Stream = "computes" | "waits" | "alone";

/** No part takes longer on a slow machine: one that does hangs. */
export const LIMIT_SECONDS: Readonly<Record<Extent, number>> = {
  commit: 1_800,
  all: 3_600,
  soak: 43_200,
};

export interface Part {
  readonly name: string;
  readonly command: readonly string[];
  readonly stream: Stream;
  /** Whether it closes with the plain line, counts as one test, or readies what others need. */
  readonly counts: "line" | "one" | "none";
  /** It runs for one commit of so many, which the commit's hash decides; absent: for each. */
  readonly oneOf?: number;
  /** What the machine has to run for it to be tried; it is skipped where it does not. */
  readonly needs?: readonly (readonly string[])[];
}

/** Parts that run side by side, one of each stream at a time, once the phase before has ended. */
export interface Phase {
  readonly computes: readonly Part[];
  readonly waits: readonly Part[];
}

/** What the arguments of a part are made of. */
interface Draw {
  /** So many, by the extent. */
  size(commit: number, all: number, soak: number): string;
  /** From 1 to `below`: the same for one commit and part, and another for the next commit. */
  seed(below?: number): string;
  readonly text: string;
}

interface Spec extends Omit<Part, "command" | "counts"> {
  readonly command: (draw: Draw) => readonly string[];
  readonly counts?: Part["counts"];
  /** Whether it is longer in a soak. */
  readonly soaks?: boolean;
}

const SEEDS = 1_000_000_000;

/** A number from 1 to `below` that a text and a name come to. */
export function drawn(text: string, name: string, below: number): number {
  const digest = createHash("sha256").update(`${text}\0${name}`).digest();
  return 1 + (digest.readUIntBE(0, 6) % below);
}

function npm(script: string, ...args: readonly string[]): readonly string[] {
  return ["npm", "run", "--silent", script, ...(args.length > 0 ? ["--", ...args] : [])];
}

function node(file: string): readonly string[] {
  return ["npx", "--no-install", "node", file];
}

type Sizes = readonly [commit: number, all: number, soak: number];

function simulation(name: string, suite: string, sizes: Sizes): Spec {
  return {
    name,
    stream: "computes",
    soaks: true,
    command: ({ size, seed }) =>
      npm("sim", "--suite", suite, "--seeds", size(...sizes), "--from", seed()),
  };
}

function simple(name: string, stream: Stream, command: readonly string[]): Spec {
  return { name, stream, command: () => command };
}

/** Whether a commit runs a part. Parts that take long and seldom fail take turns. */
export function isItsTurn(
  { name, oneOf = 1 }: Pick<Part, "name" | "oneOf">,
  text: string,
): boolean {
  return drawn(text, `turn of ${name}`, oneOf) === 1;
}

/** What needs nothing but Node; beside it what the other parts install is fetched. */
const FIRST: readonly Spec[] = [
  { ...simple("tools", "waits", ["bash", ".ci/debian.sh"]), counts: "none" },
  { ...simple("downloads", "waits", node("test/clients/install.ts")), counts: "none" },
  simple("check", "computes", npm("check")),
  { ...simple("build", "computes", npm("build")), counts: "one" },
  simple("test", "computes", ["npm", "test", "--silent"]),
];

const BESIDE: readonly Spec[] = [
  simple("cloud", "waits", npm("test:cloud")),
  simple("engines", "waits", npm("test:engines")),
  {
    name: "access",
    stream: "waits",
    command: ({ seed }) => npm("test:access", "--seed", seed()),
  },
  simple("clients", "waits", npm("test:clients")),
  // A build of Rust's takes minutes, and no cache outlives a checkout.
  { ...simple("token-clients", "waits", npm("test:access", "clients")), oneOf: 4 },
  { ...simple("sql-tools", "waits", npm("test:tools")), oneOf: 2 },
  {
    name: "kill",
    stream: "waits",
    soaks: true,
    command: ({ size, seed }) => npm("test:kill", "--rounds", size(60, 120, 600), "--seed", seed()),
  },
  {
    name: "matrix",
    stream: "computes",
    oneOf: 2,
    soaks: true,
    command: ({ seed }) => npm("test:kill", "--matrix", "--seed", seed()),
  },
  { name: "nodes", stream: "waits", command: ({ seed }) => npm("test:nodes", "--seed", seed()) },
  simple("rck", "waits", npm("test:rck")),
  { ...simple("suite", "waits", npm("test:pyiceberg-suite")), oneOf: 2 },
  simple("package", "waits", node(".ci/package.ts")),
  simulation("sim", "catalog", [300, 2_000, 20_000]),
  simulation("sim-lsm", "lsm", [60, 400, 4_000]),
  simulation("sim-rows", "rows", [60, 300, 3_000]),
  { ...simulation("sim-sql", "sql", [30, 150, 1_500]), oneOf: 2 },
  { ...simulation("sim-aws", "catalog-dynamo", [20, 60, 1_000]), oneOf: 2 },
  {
    name: "months",
    stream: "computes",
    oneOf: 2,
    soaks: true,
    command: ({ size }) => npm("months", "--commits", size(3_000, 10_000, 100_000)),
  },
  { ...simulation("sim-lsm-s3", "lsm-s3", [30, 100, 1_000]), oneOf: 2 },
  {
    name: "ambiguity",
    stream: "computes",
    oneOf: 2,
    soaks: true,
    command: ({ size, seed }) =>
      npm("test:ambiguity", "--ops", size(4_000, 10_000, 100_000), "--seed", seed()),
  },
  ...(["aws", "bucket"] as const).map(
    (part): Spec => ({
      name: part === "aws" ? "faults" : "faults-s3",
      stream: "computes",
      oneOf: 2,
      soaks: true,
      command: ({ size, seed }) =>
        npm("test:faults", "--part", part, "--pairs", size(100, 400, 5_000), "--seed", seed()),
    }),
  ),
  {
    name: "damage",
    stream: "computes",
    oneOf: 2,
    soaks: true,
    command: ({ size, seed }) => {
      const [seeds, cases] = [size(2, 6, 60), size(300, 800, 800)];
      return npm("fuzz", "--store", "--seeds", seeds, "--cases", cases, "--seed", seed());
    },
  },
  // Other seeded bugs for each commit, as many as a machine judges in six minutes.
  {
    name: "mutants",
    stream: "computes",
    soaks: true,
    command: ({ size, text }) => npm("test:mutants", "--minutes", size(6, 55, 700), "--seed", text),
  },
  { ...simple("over", "computes", npm("test:over")), oneOf: 2 },
  simple("sql-suites", "computes", npm("test:sql-suites")),
];

const ALONE: readonly Spec[] = [
  simple("drill", "alone", npm("drill")),
  simple("machine", "alone", npm("test:machine")),
  simple("console", "alone", npm("test:console")),
  simple("sizes", "alone", npm("test:sizes")),
  simple("consistency", "alone", npm("test:consistency")),
  {
    name: "fuzz",
    stream: "alone",
    soaks: true,
    command: ({ size, seed }) =>
      npm("fuzz", "--requests", size(20_000, 60_000, 500_000), "--seed", seed(2 ** 30)),
  },
  {
    name: "fuzz-native",
    stream: "alone",
    soaks: true,
    command: ({ size, seed }) => {
      const requests = size(4_000, 20_000, 200_000);
      return npm("fuzz", "--api", "native", "--requests", requests, "--seed", seed(2 ** 30));
    },
  },
  simple("bench", "alone", npm("bench", "catalog", "--smoke")),
  {
    ...simple("bench-aws", "alone", npm("bench", "catalog", "--profile", "aws", "--smoke")),
    oneOf: 2,
  },
  { ...simple("engine", "alone", npm("bench", "lsm-blocks", "--smoke")), oneOf: 2 },
  simple("lsm", "alone", npm("bench", "lsm", "--smoke")),
  { ...simple("compact", "alone", npm("bench", "compaction", "--smoke")), oneOf: 2 },
  simple("bench-start", "alone", npm("bench", "start", "--smoke")),
  { ...simple("dead-names", "alone", npm("bench", "dead-names", "--smoke")), oneOf: 2 },
  { ...simple("bench-backup", "alone", npm("bench", "backup", "--smoke")), oneOf: 2 },
  {
    ...simple("iceberg", "alone", npm("bench", "iceberg", "--smoke")),
    needs: [
      ["java", "-version"],
      ["mvn", "-version"],
    ],
  },
  simple("start", "alone", node(".ci/start.ts")),
  {
    ...simple("compose", "alone", ["docker", "compose", "config", "--quiet"]),
    counts: "one",
    needs: [["docker", "info"]],
  },
];

/**
 * What is run, in its order. `text` decides what is drawn: the commit's hash, so that commits
 * differ and add up, and one commit can be run again.
 */
export function phasesOf(extent: Extent, text: string): readonly Phase[] {
  const made = (specs: readonly Spec[]): readonly Part[] =>
    specs
      .filter(({ soaks = false }) => extent !== "soak" || soaks)
      .map((spec) => partOf(spec, extent, text));
  const among = (parts: readonly Part[], stream: Stream) =>
    parts.filter((part) => part.stream === stream);
  const [first, beside] = [made(FIRST), made(BESIDE)];
  return [
    { computes: among(first, "computes"), waits: among(first, "waits") },
    { computes: among(beside, "computes"), waits: among(beside, "waits") },
    { computes: made(ALONE), waits: [] },
  ];
}

function partOf({ soaks: _soaks, ...spec }: Spec, extent: Extent, text: string): Part {
  const draw: Draw = {
    size: (...sizes) => String(sizes[["commit", "all", "soak"].indexOf(extent)]),
    seed: (below = SEEDS) => String(drawn(text, spec.name, below)),
    text,
  };
  return { counts: "line", ...spec, command: spec.command(draw) };
}
