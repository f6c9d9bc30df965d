import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, it } from "vitest";
import { Stopwatch } from "../../../src/base/clock.ts";
import { IdSource, type WriterId } from "../../../src/base/ids.ts";
import { commitCertain } from "../../../src/pointer/certain.ts";
import { DynamoPointerStore } from "../../../src/pointer/dynamo/store.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { SystemPrng } from "../../../src/runtime/prng.ts";
import { put } from "../../contract/pointer-store-space.ts";
import { TEST_FAMILIES } from "../../support/pointer-families.ts";
import { ANY_CREDENTIALS, TABLE } from "./world.ts";

const MAIN = join(import.meta.dirname, "..", "main.ts");
const NAMES = "/test/s/entities/by-name";
const TIMEOUTS = { connectMs: 1_000, idleMs: 1_000, wholeMs: 1_000 };

let child: ChildProcess | undefined;
afterEach(() => child?.kill("SIGKILL"));

it("serves from a process of its own, through faults, and ends", async () => {
  const args = ["dynamo", "--table", TABLE, "--rate", "0.1", "--seed", "7"];
  child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [endpoint] = await once(createInterface({ input: child.stdout! }), "line");
  const [clock, prng] = [new SystemClock(), new SystemPrng()];
  const deps = { clock, prng, ids: new IdSource(clock, prng) };
  const connection = {
    endpoint,
    region: "us-east-1",
    credentials: ANY_CREDENTIALS,
    timeouts: TIMEOUTS,
  };
  const store = new DynamoPointerStore({
    table: TABLE,
    families: TEST_FAMILIES,
    clock,
    prng,
    connection,
  });
  const keys = Array.from({ length: 30 }, (_, i) => `${NAMES}/${String(i).padStart(2, "0")}`);
  for (const [i, key] of keys.entries()) {
    const attempt = { writerId: deps.ids.mint<WriterId>(), stopwatch: new Stopwatch(clock) };
    const receipt = { key: `/test/s/receipts/op/${i}`, expected: 0n };
    const { verdict } = await commitCertain(store, deps, attempt, { ops: [put(key)], receipt });
    expect(verdict).toBe("committed");
  }
  expect((await store.list(NAMES)).map(({ key }) => key)).toEqual(keys);
  store.close();
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect((await exited)[0]).toBe(0);
});
