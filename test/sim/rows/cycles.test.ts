import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import "../../property-seed.ts";
import {
  type Action,
  type Anomaly,
  anomaliesOf,
  type Fate,
  REFUSED,
  type Recorded,
} from "./cycles.ts";

const append = (list: string, element: string): Action => ({ kind: "append", list, element });
const read = (list: string, ...elements: string[]): Action => ({ kind: "read", list, elements });

/** All at once, unless told otherwise: no real time lies between them. */
function history(...all: readonly (readonly [Fate, ...Action[]])[]): readonly Recorded[] {
  return all.map(([fate, ...actions], i) => ({
    name: `T${i + 1}`,
    fate,
    actions,
    begunAt: i,
    endedAt: 1_000 + i,
  }));
}

const PLANTED: readonly (readonly [
  Anomaly,
  readonly Recorded[],
  Readonly<Record<string, readonly string[]>>,
])[] = [
  ["lost", history(["committed", append("x", "1")]), { x: [] }],
  ["torn", history(["maybe", append("x", "1"), append("y", "2")]), { x: ["1"], y: [] }],
  ["G1a", history(["aborted", append("x", "1")]), { x: ["1"] }],
  ["G1a", history(["maybe", append("x", "1")], ["committed", read("x", "9")]), { x: ["9"] }],
  [
    "incompatible order",
    history(["maybe", append("x", "1")], ["committed", read("x", "1")]),
    { x: [] },
  ],
  [
    "G1b",
    history(["committed", append("x", "1"), append("x", "2")], ["committed", read("x", "1")]),
    { x: ["1", "2"] },
  ],
  ["own write unseen", history(["committed", append("x", "1"), read("x")]), { x: ["1"] }],
  [
    "incompatible order",
    history(
      ["committed", append("x", "1")],
      ["committed", append("x", "2")],
      ["committed", read("x", "2")],
    ),
    { x: ["1", "2"] },
  ],
  [
    "G0",
    history(
      ["committed", append("x", "1"), append("y", "1y")],
      ["committed", append("x", "2"), append("y", "2y")],
    ),
    { x: ["1", "2"], y: ["2y", "1y"] },
  ],
  [
    "G1c",
    history(
      ["committed", append("x", "1"), read("y", "2")],
      ["committed", append("y", "2"), read("x", "1")],
    ),
    { x: ["1"], y: ["2"] },
  ],
  // A lost update, as far as lists can lose one: it read the list before the other's element.
  [
    "G-single",
    history(["committed", read("x"), append("x", "2")], ["committed", read("x"), append("x", "1")]),
    { x: ["1", "2"] },
  ],
  // A read skew: half of the other's writes.
  [
    "G-single",
    history(
      ["committed", append("x", "1"), append("y", "2")],
      ["committed", read("x", "1"), read("y")],
    ),
    { x: ["1"], y: ["2"] },
  ],
  [
    "G2",
    history(["committed", read("x"), append("y", "1")], ["committed", read("y"), append("x", "2")]),
    { x: ["2"], y: ["1"] },
  ],
  [
    "real time",
    [
      { name: "T1", fate: "committed", actions: [append("x", "1")], begunAt: 0, endedAt: 1 },
      { name: "T2", fate: "committed", actions: [read("x")], begunAt: 2, endedAt: 3 },
    ],
    { x: ["1"] },
  ],
];

describe("planted anomalies", () => {
  test.each(PLANTED)("%s is found, and nothing else", (anomaly, planted, final) => {
    const findings = anomaliesOf(planted, new Map(Object.entries(final)));
    expect(findings.map((one) => one.anomaly)).toEqual([anomaly]);
  });

  it("are those that each level refuses, and no more", () => {
    const levels = ["read committed", "repeatable read", "serializable"] as const;
    const refused = (anomaly: Anomaly): number =>
      levels.filter((one) => REFUSED[one].has(anomaly)).length;
    expect(["G0", "G1a", "G1b", "G1c"].map((one) => refused(one as Anomaly))).toEqual([3, 3, 3, 3]);
    expect(refused("G-single")).toBe(2);
    expect(refused("G2")).toBe(1);
    expect(refused("real time")).toBe(1);
  });
});

const step = fc.record({ list: fc.constantFrom("x", "y", "z"), isRead: fc.boolean() });
const plan = fc.array(
  fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 5 }),
    fate: fc.constantFrom<Fate>("committed", "aborted", "maybe"),
    isApplied: fc.boolean(),
  }),
  { maxLength: 25 },
);

/** Transactions one after the other, as a store without any fault runs them. */
function serial(plans: typeof plan extends fc.Arbitrary<infer T> ? T : never): {
  readonly recorded: readonly Recorded[];
  readonly lists: ReadonlyMap<string, readonly string[]>;
} {
  let lists = new Map<string, readonly string[]>();
  let at = 0;
  const recorded = plans.map(({ steps, fate, isApplied }, i): Recorded => {
    const after = new Map(lists);
    const begunAt = at++;
    const actions = steps.map(({ list, isRead }, j): Action => {
      const now = after.get(list) ?? [];
      if (isRead) return read(list, ...now);
      after.set(list, [...now, `${i}.${j}`]);
      return append(list, `${i}.${j}`);
    });
    if (fate === "committed" || (fate === "maybe" && isApplied)) lists = after;
    return { name: `T${i}`, fate, actions, begunAt, endedAt: at++ };
  });
  return { recorded, lists };
}

it("finds nothing in a serial history", () => {
  fc.assert(
    fc.property(plan, (plans) => {
      const { recorded, lists } = serial(plans);
      expect(anomaliesOf(recorded, lists)).toEqual([]);
    }),
  );
});

it("finds a read that is one element short in a serial history", () => {
  let found = 0;
  fc.assert(
    fc.property(plan, (plans) => {
      const { recorded, lists } = serial(plans);
      // Real time binds what was acknowledged alone.
      const acknowledged = new Set(
        recorded.flatMap(({ fate, actions }) =>
          actions.flatMap((one) =>
            one.kind === "append" && fate === "committed" ? [one.element] : [],
          ),
        ),
      );
      const last = recorded.findLast(
        ({ fate, actions: [first] }) =>
          fate === "committed" &&
          first?.kind === "read" &&
          acknowledged.has(first.elements.at(-1) ?? ""),
      );
      const first = last?.actions[0];
      if (last === undefined || first?.kind !== "read") return;
      const short = read(first.list, ...first.elements.slice(0, -1));
      const changed = recorded.map((one) => (one === last ? { ...one, actions: [short] } : one));
      // Its appends are lost with the rest of its actions, which is a finding too.
      expect(anomaliesOf(changed, lists).length).toBeGreaterThan(0);
      found++;
    }),
  );
  expect(found).toBeGreaterThan(0);
});
