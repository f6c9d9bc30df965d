import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, it } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { S3BlobStore } from "../../src/blob/s3/store.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { pathsOf, textOf } from "../contract/blob-store-checks.ts";

let child: ChildProcess | undefined;
afterEach(() => child?.kill("SIGKILL"));

it("serves the real SDK from a process of its own, through faults, and ends", async () => {
  const args = ["s3", "--bucket", "firn", "--rate", "0.1", "--seed", "7"];
  child = spawn(process.execPath, [join(import.meta.dirname, "main.ts"), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(createInterface({ input: child.stdout! }), "line");
  const store = new S3BlobStore(
    {
      bucket: "firn",
      endpoint: url,
      region: "us-east-1",
      timeouts: { idleMs: 200 },
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
    },
    { clock: new SystemClock(), prng: new SystemPrng() },
  );
  const paths = Array.from({ length: 30 }, (_, i) => `p/${String(i).padStart(2, "0")}`);
  for (const path of paths) {
    expect((await store.put(path, utf8(path), "absent")).outcome).toBe("stored");
  }
  expect(await pathsOf(store)).toEqual(paths);
  expect(await textOf(store, "p/07")).toBe("p/07");
  store.close();
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  expect((await exited)[0]).toBe(0);
});
