import fc from "fast-check";
import { expect, test } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { parseTableMetadata } from "../../src/iceberg/metadata.ts";
import type { TableMetadata } from "../../src/iceberg/model.ts";
import { currentVersion, type ViewMetadata } from "../../src/iceberg/view-metadata.ts";
import { checkViewRequirements, parseViewRequirements } from "../../src/iceberg/view-updates.ts";
import { type Commit, commitOfKind, KINDS, type KindName, serve } from "./client-model.ts";
import { printTableMetadata } from "./printed.ts";
import { append, column, commit, failure, newTable, setRef } from "./support.ts";
import { commitView, newView, replacing, setProperties, sql } from "./view-support.ts";

/*
 * Clients that have loaded the same metadata commit one after the other. What becomes of the one in
 * the column after the one in the row:
 *
 *   .  passes, and what both wanted holds
 *   o  passes, and has written over what the first wanted: no requirement asks for more
 *   C  conflicts: the client has to look again
 *   s  passes in format version 1, conflicts where sequence numbers order the snapshots
 *   I  is invalid by now, and would be so after another look
 *   u  a snapshot made for an older format version: conflicts from 1 to 2, where it lacks a
 *      sequence number; is invalid from 2 to 3, where it lacks row ids; there is nothing after 3
 */
// biome-ignore format: a table is read by its columns
const ORDERS: Readonly<Record<KindName, string>> = {
  //                  append to main, append to audit
  //                  |  roll back, new branch, drop audit, expire
  //                  |  |    add column, add spec, add order
  //                  |  |    |   set property, move, upgrade
  //                  |  |    |   |   drop schema, drop spec, statistics
  "append to main":  "Cs C... ... ... CC.",
  "append to audit": "sC ..o. ... ... CC.",
  "roll back":       "C. C..o ... ... CC.",
  "new branch":      ".. .C.. ... ... ...",
  "drop audit":      ".C .... ... ... CC.",
  "expire":          ".. I... ... ... ...",
  "add column":      ".. .... C.. ... C..",
  "add spec":        ".. .... .C. ... .C.",
  "add order":       ".. .... ..C ... ...",
  "set property":    ".. .... ... o.. ...",
  "move":            ".. .... ... .o. ...",
  "upgrade":         "uu .... ... ... ...",
  "drop schema":     ".. .... ... ... ...",
  "drop spec":       ".. .... ... ... ...",
  "statistics":      ".. .... ... ... ..o",
};

const NAMES = Object.keys(KINDS) as KindName[];

type Outcome = "holds" | "overwrites" | "Conflict" | "Invalid";

function expected(first: KindName, second: KindName, formatVersion: number): Outcome {
  const cell = ORDERS[first].replaceAll(" ", "")[NAMES.indexOf(second)];
  switch (cell) {
    case ".":
      return "holds";
    case "o":
      return "overwrites";
    case "C":
      return "Conflict";
    case "I":
      return "Invalid";
    case "s":
      return formatVersion === 1 ? "holds" : "Conflict";
    case "u":
      return (["Conflict", "Invalid", "holds"] as const)[formatVersion - 1] ?? "holds";
    default:
      throw new Error(`no cell for ${first}, ${second}`);
  }
}

/** What the table says of a commit that comes after several: what each of them says, at worst. */
function worst(outcomes: readonly Outcome[]): Outcome {
  // Requirements, and what order snapshots have, are looked at before all else.
  if (outcomes.includes("Conflict")) return "Conflict";
  return outcomes.includes("Invalid") ? "Invalid" : "holds";
}

interface Shape {
  readonly formatVersion: number;
  /** Snapshots between the oldest one and those that the branches name. */
  readonly between: number;
  readonly columns: number;
  readonly properties: Readonly<Record<string, string>>;
  /** Whether the server has read its metadata from a file. */
  readonly reread: boolean;
}

const shape: fc.Arbitrary<Shape> = fc.record({
  formatVersion: fc.constantFrom(1, 2, 3),
  between: fc.nat(3),
  columns: fc.integer({ min: 1, max: 3 }),
  properties: fc.dictionary(fc.constantFrom("p", "10", "constructor"), fc.string(), {
    noNullPrototype: true,
  }),
  reread: fc.boolean(),
});

/** Two schemas, two specs, snapshots in a line with main at its end and audit just before it. */
function baseOf({ formatVersion, between, columns, properties, reread }: Shape): TableMetadata {
  let table = newTable({ ...properties, "format-version": `${formatVersion}` });
  const add = (id: bigint) => {
    const sequence = formatVersion === 1 ? { "sequence-number": 0 } : {};
    const rows = formatVersion < 3 ? {} : { "first-row-id": table.nextRowId, "added-rows": 1 };
    table = commit(table, append(table, id, { ...sequence, ...rows }));
  };
  for (let id = 1n; id <= BigInt(between) + 2n; id++) add(id);
  table = commit(table, [setRef("audit", BigInt(between) + 2n)]);
  add(2n ** 63n - 1n);
  const fields = Array.from({ length: columns }, (_, i) => column(i + 1, `base${i}`));
  table = commit(table, [
    { action: "add-schema", schema: { type: "struct", fields } },
    { action: "set-current-schema", "schema-id": -1 },
    {
      action: "add-spec",
      spec: { fields: [{ name: "base", transform: "bucket[99]", "source-id": 1 }] },
    },
    { action: "set-default-spec", "spec-id": -1 },
  ]);
  return reread ? parseTableMetadata(printTableMetadata(table)) : table;
}

function tryServe(current: TableMetadata, request: Commit): TableMetadata | "Conflict" | "Invalid" {
  try {
    return serve(current, request);
  } catch (error) {
    if (!(error instanceof FirnError)) throw error;
    if (error.kind === "Conflict" || error.kind === "Invalid") return error.kind;
    throw error;
  }
}

/** Commits of one base in this order, each judged by the table. @returns what it came to. */
function replay(base: TableMetadata, order: readonly (readonly [KindName, number])[]) {
  let current = base;
  const landed: (readonly [KindName, number])[] = [];
  for (const [kind, mark] of order) {
    const each = landed.map(([first]) => expected(first, kind, base.formatVersion));
    const outcome = worst(each);
    const label = `${kind} after ${landed.map(([first]) => first).join(", ")}`;
    const next = tryServe(current, commitOfKind(kind, base, mark));
    expect(typeof next === "string" ? next : "holds", label).toBe(outcome);
    if (typeof next === "string") continue;
    for (const [i, [first, firstMark]] of landed.entries()) {
      if (!KINDS[first].holds(current, base, firstMark)) continue;
      const kept = KINDS[first].holds(next, base, firstMark);
      expect(kept, `${first} is kept by ${label}`).toBe(each[i] === "holds");
    }
    expect(KINDS[kind].holds(next, base, mark), label).toBe(true);
    landed.push([kind, mark]);
    current = next;
  }
  return { current, landed };
}

/** What two orders of the same commits have to agree on: all but times, logs and assigned ids. */
function contentOf(table: TableMetadata): unknown {
  return {
    refs: [...table.refs].map(([name, ref]) => `${name} ${ref.snapshotId}`).sort(),
    snapshots: Array.from(table.snapshots.items, ({ snapshotId }) => `${snapshotId}`).sort(),
    schemas: table.schemas.map(({ struct }) => JSON.stringify(struct)).sort(),
    specs: table.specs
      .map(({ fields }) => fields.map(({ name, transform }) => `${name} ${transform.text}`).join())
      .sort(),
    orders: table.sortOrders.map(({ fields }) => JSON.stringify(fields)).sort(),
    properties: [...table.properties].sort(),
    location: table.location,
    formatVersion: table.formatVersion,
  };
}

test("every kind has a row and a column, and does something to the base", () => {
  for (const formatVersion of [1, 2, 3]) {
    const base = baseOf({ formatVersion, between: 1, columns: 1, properties: {}, reread: false });
    for (const kind of NAMES) {
      expect(ORDERS[kind].replaceAll(" ", ""), kind).toHaveLength(NAMES.length);
      const done = tryServe(base, commitOfKind(kind, base, 1));
      expect(done, kind).toBeTypeOf("object");
      if (kind === "upgrade" && formatVersion === 3) continue;
      expect(KINDS[kind].holds(base, base, 1), kind).toBe(false);
    }
  }
});

test("two commits of one base conflict exactly where the table says, in both orders", () => {
  let pairs = 0;
  fc.assert(
    fc.property(shape, (drawn) => {
      const base = baseOf(drawn);
      for (const first of NAMES) {
        for (const second of NAMES) {
          const there = replay(base, [
            [first, 1],
            [second, 2],
          ]);
          const back = replay(base, [
            [second, 2],
            [first, 1],
          ]);
          pairs++;
          const both = there.landed.length === 2 && back.landed.length === 2;
          const free =
            expected(first, second, base.formatVersion) === "holds" &&
            expected(second, first, base.formatVersion) === "holds";
          if (both && free) expect(contentOf(there.current)).toEqual(contentOf(back.current));
        }
      }
    }),
    { numRuns: 8 },
  );
  console.log(`${pairs} pairs in both orders`);
});

test("a commit conflicts only with earlier commits that were applied", () => {
  let conflicts = 0;
  const commits = fc.array(fc.constantFrom(...NAMES), { minLength: 3, maxLength: 5 });
  fc.assert(
    fc.property(shape, commits, (drawn, kinds) => {
      const base = baseOf(drawn);
      const order = kinds.map((kind, i) => [kind, i + 1] as const);
      conflicts += order.length - replay(base, order).landed.length;
    }),
    { numRuns: 500 },
  );
  expect(conflicts).toBeGreaterThan(150);
});

/** Views: what a client replaces is guarded by the uuid alone, so the last one stands. */
const VIEW_COMMITS: Readonly<Record<string, readonly JsonObject[]>> = {
  replace: replacing([sql("spark", "select 2")]),
  "other query": replacing([sql("spark", "select 3")]),
  "one more dialect": replacing([sql("spark", "select 4"), sql("trino", "select 4")]),
  properties: [setProperties({ k: "v" })],
  move: [{ action: "set-location", location: "s3://bucket/moved" }],
};

test.each(Object.keys(VIEW_COMMITS))("commits to one view, after: %s", (first) => {
  const base = newView();
  const uuid = (of: string) => parseViewRequirements([{ type: "assert-view-uuid", uuid: of }]);
  const serveView = (current: ViewMetadata, updates: readonly JsonObject[], of = base.uuid) => {
    checkViewRequirements(uuid(of), current);
    return commitView(current, ...updates);
  };
  const after = serveView(base, VIEW_COMMITS[first] ?? []);
  for (const [name, updates] of Object.entries(VIEW_COMMITS)) {
    const dropsDialect = first === "one more dialect" && /^(?:replace|other query)$/.test(name);
    if (dropsDialect) {
      const refused = failure("Invalid", () => serveView(after, updates));
      expect(refused.code, name).toBe("VIEW_DIALECT_DROPPED");
      continue;
    }
    const alone = serveView(base, updates);
    const both = serveView(after, updates);
    // What only one of them speaks of is as that one wanted it; the current query is the last's.
    const speaks = name !== "properties" && name !== "move";
    const wanted = currentVersion(speaks ? alone : after)?.representations;
    expect(currentVersion(both)?.representations, name).toEqual(wanted);
    for (const view of [after, alone]) {
      for (const [key, value] of view.properties) expect(both.properties.get(key)).toBe(value);
      if (view.location !== base.location) expect(both.location).toBe(view.location);
      for (const { representations } of view.versions) {
        expect(both.versions.map((one) => one.representations)).toContainEqual(representations);
      }
    }
    const stranger = failure("Conflict", () =>
      serveView(after, updates, "00000000-0000-4000-8000-000000000000"),
    );
    expect(stranger.code, name).toBe("REQUIREMENT_FAILED");
  }
});
