import { Worker } from "node:worker_threads";
import { FirnError } from "../../src/base/error.ts";
import { WorkThreads } from "../../src/base/work-threads.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { threadReading } from "../../src/service/reading.ts";
import { ROLE, type TestTasks } from "../base/support/work-tasks.ts";

/*
 * A process of its own that has a thread take more memory than it may, for `memory.machine.ts`. It
 * prints one line of JSON for each try, if it lives that long.
 */

const HEAP_MIB = 64;
const MANY = 400_000;
const TABLE = {
  "format-version": 2,
  "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
  location: "s3://bucket/table",
  "last-sequence-number": 0,
  "last-updated-ms": 1,
  "last-column-id": 0,
  "current-schema-id": 0,
  schemas: [{ type: "struct", "schema-id": 0, fields: [] }],
  "default-spec-id": 0,
  "partition-specs": [{ "spec-id": 0, fields: [] }],
  "last-partition-id": 999,
  "default-sort-order-id": 0,
  "sort-orders": [{ "order-id": 0, fields: [] }],
};
const PLAIN = JSON.stringify(TABLE);

/** Metadata files with more in them than fits the heap. */
const FILES: Readonly<Record<string, () => string>> = {
  properties: () => {
    const properties = Array.from({ length: 5 * MANY }, (_, i) => `"k${i}":"v"`);
    return `${PLAIN.slice(0, -1)},"properties":{${properties.join(",")}}}`;
  },
  nested: () => {
    const deep = `${"[".repeat(60)}${"]".repeat(60)}`;
    return `${PLAIN.slice(0, -1)},"x":[${`${deep},`.repeat(MANY / 10)}1]}`;
  },
  objects: () => `${PLAIN.slice(0, -1)},"x":[${"{},".repeat(5 * MANY)}1]}`,
};

async function drained(pieces: AsyncIterable<unknown>): Promise<string> {
  try {
    for await (const _piece of pieces);
    return "done";
  } catch (error) {
    return error instanceof FirnError ? error.code : String(error);
  }
}

/** One that takes too much, and then one that does not, in the same process. */
async function both(
  what: string,
  heavy: AsyncIterable<unknown>,
  light: () => AsyncIterable<unknown>,
): Promise<void> {
  const came = await drained(heavy);
  console.log(JSON.stringify({ what, came, next: await drained(light()) }));
}

async function files(): Promise<void> {
  const reading = threadReading(new SystemClock(), { heapMib: HEAP_MIB });
  const location = "s3://bucket/table/metadata/1.metadata.json";
  const table = (text: string) => reading.run("table", { location, bytes: Buffer.from(text) });
  for (const [what, text] of Object.entries(FILES)) {
    await both(what, table(text()), () => table(PLAIN));
  }
  await reading.close();
}

async function tasks(): Promise<void> {
  const module = new URL("../base/support/work-tasks.ts", import.meta.url);
  const work = new WorkThreads<TestTasks>({
    module,
    role: ROLE,
    clock: new SystemClock(),
    heapMib: HEAP_MIB,
  });
  for (const what of ["hoard", "push", "map", "parse"] as const) {
    await both(what, work.run(what, null), () => work.run("count", 3));
  }
  await work.close();
}

/** What the platform does alone, with nothing but its own limit. */
function platform(): Promise<void> {
  const filling = "const kept = []; for (;;) kept.push(1.5);";
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MIB };
  const worker = new Worker(filling, { eval: true, resourceLimits });
  return new Promise((resolve) => {
    worker.on("error", (error) => {
      console.log(JSON.stringify({ what: "platform", came: (error as { code?: string }).code }));
      resolve();
    });
  });
}

const PARTS: Readonly<Record<string, () => Promise<void>>> = { files, tasks, platform };
await PARTS[process.argv[2] ?? ""]?.();
