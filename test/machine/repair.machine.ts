import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { kill } from "../clients/server-process.ts";
import { create, namespaces, Started, scratch } from "./processes.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "firn.mjs");
const run = promisify(execFile);

interface Said {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

async function firn(...args: readonly string[]): Promise<Said> {
  try {
    const { stdout, stderr } = await run(process.execPath, [BIN, ...args]);
    return { code: 0, out: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, errors: stderr };
  }
}

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}

it("a store that no longer opens is repaired, put in place, and served", async () => {
  const dir = scratch();
  const first = new Started(dir);
  const url = await first.url();
  const names = Array.from({ length: 20 }, (_, i) => `space_${i}`);
  for (const name of names) expect((await create(url, name))?.status).toBe(200);
  const into = join(scratch(), "new");

  const refused = await firn("lsm", "repair", dir, "--into", into);
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.errors).toContain("LSM_OWNED");
  expect(refused.errors).toContain("Stop it first");
  await kill(first.child);

  const manifests = join(dir, "store", "blobs", "shards", "system", "manifest");
  flip(join(manifests, readdirSync(manifests).sort().at(-1) ?? ""), 30);
  const second = new Started(dir);
  expect(await second.ended()).toBe(1);

  const repaired = await firn("lsm", "repair", dir, "--into", into);
  expect(repaired.errors).toBe("");
  expect(repaired.out).toMatch(/\.manifest.*checksum differs.*manifest \d+ is used instead/);
  expect(repaired.out).toMatch(/wrote \d+ rows in 1 tables/);
  expect((await firn("lsm", "verify", into)).out).toContain("0 findings");
  expect((await firn("lsm", "repair", dir, "--into", into)).errors).toContain(
    "LSM_REPAIR_TARGET_TAKEN",
  );

  const steps = /^ {2}(mv .*)$/m.exec(repaired.out)?.[1] ?? "";
  await run("sh", ["-c", steps]);
  rmSync(join(dir, "store.damaged"), { recursive: true });
  const third = new Started(dir);
  const served = await namespaces(await third.url());
  expect(served?.status).toBe(200);
  const body = served?.body as { namespaces: readonly (readonly string[])[] };
  expect(body.namespaces.map(([name]) => name).sort()).toEqual([...names].sort());
});
