import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { openLogWork } from "../../src/service/delta/log-work.ts";
import { ACTOR } from "../support/open-catalog.ts";
import { openTestIceberg } from "../support/open-iceberg.ts";

/*
 * Logs of Delta tables against what the package `deltalake` says of them, which wrote both: see
 * `test/fixtures/delta/write.py`.
 */

const FIXTURES = new URL("../fixtures/delta/", import.meta.url).pathname;

interface Said {
  readonly version: number;
  readonly description: string;
  readonly partitionColumns: readonly string[];
  readonly schema: {
    readonly fields: readonly { name: string; type: unknown; nullable: boolean }[];
  };
  readonly history: readonly { version: number; timestamp: number; operation: string }[];
}

const SAID = JSON.parse(readFileSync(`${FIXTURES}said.json`, "utf8")) as Record<string, Said>;
const IN = { catalog: { name: "c" }, namespace: { path: ["d"] } };
const at = (name: string) => ({ ...IN, relation: { name } });
const refOf = (table: string) => ({ catalog: "c", namespace: ["d"], table });

async function world() {
  const node = await openTestIceberg();
  await node.iceberg.createNamespace(ACTOR, { catalog: "c", namespace: ["d"] }, {});
  /** Where a copy of a recorded log lies. */
  const copied = (name: string, as = name) => {
    const directory = join(node.directory, as);
    cpSync(join(FIXTURES, name), directory, { recursive: true });
    return { log: join(directory, "_delta_log"), location: `file://${directory}` };
  };
  const register = (name: string, location: string) =>
    node.model.otherTables.create(ACTOR, IN, { name, format: "DELTA", location });
  return { ...node, copied, register };
}

async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "";
  } catch (error) {
    if (error instanceof FirnError) return error.code;
    throw error;
  }
}

const commitName = (version: number) => `${String(version).padStart(20, "0")}.json`;

describe("a Delta table", () => {
  it.each(Object.keys(SAID))("%s is read as its writer reads it", async (name) => {
    const { copied, register, snapshots } = await world();
    const said = SAID[name] as Said;
    const { entity } = await register(name, copied(name).location);
    expect(entity).toMatchObject({ format: "DELTA", description: said.description });
    expect(entity.partitionKeys ?? []).toEqual(said.partitionColumns);
    const fields = said.schema.fields.map(({ name: field, nullable }) => [field, nullable]);
    expect(entity.columns?.map((each) => [each.name, each.nullable])).toEqual(fields);
    for (const [i, { type }] of said.schema.fields.entries()) {
      if (typeof type === "string") expect(entity.columns?.[i]?.type).toBe(type);
    }
    const ref = refOf(name);
    const listed = await snapshots.list(ACTOR, ref, { limit: 100 });
    expect(
      listed.map(({ snapshotId, timestampMs, operation }) => ({
        version: Number(snapshotId),
        timestamp: timestampMs,
        operation,
      })),
    ).toEqual(said.history);
    expect((await snapshots.current(ACTOR, ref)).snapshotId).toBe(BigInt(said.version));
  });

  it("spells nested types, and pages and finds its versions", async () => {
    const { copied, register, snapshots } = await world();
    const { entity } = await register("t", copied("plain").location);
    const typeOf = (name: string) => entity.columns?.find((each) => each.name === name)?.type;
    expect(["amount", "tags", "point", "attrs"].map(typeOf)).toEqual([
      "decimal(12,2)",
      "array<string>",
      "struct<x:double,y:float>",
      "map<string,integer>",
    ]);
    const ref = refOf("t");
    const [newest, middle] = await snapshots.list(ACTOR, ref, { limit: 2 });
    const rest = await snapshots.list(ACTOR, ref, { limit: 2, ...(middle && { after: middle }) });
    expect(rest.map(({ snapshotId }) => snapshotId)).toEqual([0n]);
    expect(newest).toMatchObject({ snapshotId: 2n, parentSnapshotId: 1n, operation: "DELETE" });
    expect(newest?.summary).toMatchObject({ num_deleted_rows: "1", predicate: "id = 1" });
    const then = middle?.timestampMs ?? 0;
    expect((await snapshots.asOf(ACTOR, ref, then)).snapshotId).toBe(1n);
    expect(await refusalOf(snapshots.asOf(ACTOR, ref, 5))).toBe("SNAPSHOT_NOT_FOUND");
    expect(await refusalOf(snapshots.asOf(ACTOR, ref, then, "audit"))).toBe("SNAPSHOT_NOT_FOUND");
    const line = await snapshots.ancestors(ACTOR, ref, 1n);
    expect(line.map(({ snapshotId }) => snapshotId)).toEqual([1n, 0n]);
    expect(await refusalOf(snapshots.get(ACTOR, ref, 3n))).toBe("SNAPSHOT_NOT_FOUND");
  });

  it("shows a commit at once, and its new columns once it is refreshed", async () => {
    const { copied, register, snapshots, model } = await world();
    const { log, location } = copied("evolved");
    const newer = join(log, commitName(1));
    const text = readFileSync(newer, "utf8");
    rmSync(newer);
    const before = await register("t", location);
    expect(before.entity.columns).toHaveLength(9);
    writeFileSync(newer, text);
    expect((await snapshots.current(ACTOR, refOf("t"))).snapshotId).toBe(1n);
    const after = await model.otherTables.refresh(ACTOR, at("t"));
    expect(after.entity.columns?.at(-1)).toMatchObject({ name: "note", type: "string" });
    expect(after.version).toBe(before.version + 1n);
    expect((await model.otherTables.refresh(ACTOR, at("t"))).version).toBe(after.version);
    const stale = { ifMatch: ['"1-none"'] };
    expect(await refusalOf(model.otherTables.refresh(ACTOR, at("t"), stale))).toBe(
      "PRECONDITION_FAILED",
    );
  });

  it("is what the request says where it names columns, or no log lies there", async () => {
    const { copied, model, register, snapshots, directory } = await world();
    const columns = [{ name: "x", type: "string" }];
    const { location } = copied("plain");
    const request = { name: "t", format: "DELTA" as const, location, columns };
    const given = await model.otherTables.create(ACTOR, IN, request);
    expect(given.entity.columns?.map(({ name }) => name)).toEqual(["x"]);
    const bare = await register("bare", `file://${directory}/bare`);
    expect(bare.entity.columns).toBeUndefined();
    expect(await refusalOf(snapshots.current(ACTOR, refOf("bare")))).toBe("TABLE_NOT_ICEBERG");
    expect(await refusalOf(model.otherTables.refresh(ACTOR, at("bare")))).toBe("DELTA_LOG_MISSING");
    const hudi = { name: "h", format: "HUDI" as const, location: `file://${directory}/h` };
    await model.otherTables.create(ACTOR, IN, hudi);
    expect(await refusalOf(model.otherTables.refresh(ACTOR, at("h")))).toBe("TABLE_NOT_DELTA");
  });
});

describe("a Delta log that cannot be read", () => {
  const METADATA = { id: "x", schemaString: '{"type":"struct","fields":[]}', partitionColumns: [] };
  const whole = [
    { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
    { metaData: METADATA },
  ];
  const lines = (actions: readonly object[]) =>
    actions.map((each) => JSON.stringify(each)).join("\n");

  it.each([
    ["DELTA_LOG_INVALID", "a commit is missing", (log: string) => rmSync(join(log, commitName(1)))],
    [
      "DELTA_LOG_INVALID",
      "the first is missing",
      (log: string) => rmSync(join(log, commitName(0))),
    ],
    [
      "JSON_INVALID",
      "half a line",
      (log: string) => writeFileSync(join(log, commitName(3)), '{"metaData":{"id":'),
    ],
    [
      "DELTA_PROTOCOL_UNSUPPORTED",
      "a newer reader",
      (log: string) =>
        writeFileSync(join(log, commitName(3)), lines([{ protocol: { minReaderVersion: 4 } }])),
    ],
    [
      "DELTA_PROTOCOL_UNSUPPORTED",
      "commits that lie elsewhere",
      (log: string) =>
        writeFileSync(
          join(log, commitName(3)),
          lines([{ protocol: { minReaderVersion: 3, readerFeatures: ["catalogManaged"] } }]),
        ),
    ],
    [
      "DELTA_LOG_INVALID",
      "an unknown type",
      (log: string) => {
        const fields = [{ name: "x", nullable: true, metadata: {}, type: { type: "cube" } }];
        const schemaString = JSON.stringify({ type: "struct", fields });
        writeFileSync(
          join(log, commitName(3)),
          lines([{ metaData: { ...METADATA, schemaString } }]),
        );
      },
    ],
  ])("is refused with %s: %s", async (code, _what, damage) => {
    const { copied, register } = await world();
    const { log, location } = copied("plain");
    damage(log);
    expect(await refusalOf(register("t", location))).toBe(code);
  });

  it("is refused where its checkpoint is damaged anywhere, never by a crash", async () => {
    const name = "00000000000000000011.checkpoint.parquet";
    const bytes = readFileSync(join(FIXTURES, "checkpointed/_delta_log", name));
    const work = openLogWork({} as never, true);
    let refused = 0;
    for (let i = 0; i < 400; i++) {
      const damaged = new Uint8Array(bytes);
      const place = (i * 7_919) % damaged.length;
      damaged[place] = (damaged[place] ?? 0) ^ (1 << (i % 8));
      try {
        for await (const _ of work.run("checkpoint", { bytes: damaged }));
      } catch (error) {
        refused++;
        expect(error).toMatchObject({ kind: "Invalid", code: "DELTA_CHECKPOINT_INVALID" });
      }
    }
    expect(refused).toBeGreaterThan(10);
    const { copied, register } = await world();
    const { log, location } = copied("checkpointed");
    writeFileSync(join(log, name), bytes.subarray(0, bytes.length - 100));
    expect(await refusalOf(register("t", location))).toBe("DELTA_CHECKPOINT_INVALID");
  });

  it("takes the oldest log there is: one commit", async () => {
    const { register, directory } = await world();
    const log = join(directory, "one/_delta_log");
    mkdirSync(log, { recursive: true });
    writeFileSync(join(log, commitName(0)), lines(whole));
    const { entity } = await register("t", `file://${directory}/one`);
    expect(entity.columns).toBeUndefined();
  });
});
