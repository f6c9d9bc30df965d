import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { identityOf } from "../../src/blob/local-process.ts";
import { TemporaryFiles } from "../../src/runtime/temporary-files.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "temporary-files-"));
});
afterEach(async () => {
  await rm(directory, { recursive: true });
});

it("a file has no name, is read where it was written, and counts until it is closed", async () => {
  const space = new TemporaryFiles(directory);
  const [one, two] = [await space.open(), await space.open()];
  expect(await readdir(directory)).toEqual([]);
  await one.write(Buffer.from("abc"), 0);
  await one.write(Buffer.from("defg"), 3);
  await two.write(Buffer.from("other"), 0);
  expect(Buffer.from(await one.read(2, 3)).toString()).toBe("cde");
  await expect(one.read(5, 3)).rejects.toMatchObject({ code: "EIO" });
  expect([space.files, space.bytes]).toEqual([2, 12]);
  await one.close();
  await two.close();
  expect([space.files, space.bytes]).toEqual([0, 0]);
});

it("all files together have a limit", async () => {
  const space = new TemporaryFiles(directory, 10);
  const [one, two] = [await space.open(), await space.open()];
  await one.write(Buffer.alloc(6), 0);
  await expect(two.write(Buffer.alloc(5), 0)).rejects.toMatchObject({ code: "EDQUOT" });
  await one.close();
  await two.write(Buffer.alloc(5), 0);
  await two.close();
});

it("removes what a process that is gone has left, and nothing else", async () => {
  const alive = identityOf(process.pid);
  const names = [`firn-sql-${alive}-aa`, "firn-sql-x-99999999-1-bb", "other"];
  for (const name of names) await writeFile(join(directory, name), "x");
  const file = await new TemporaryFiles(directory).open();
  await file.close();
  expect((await readdir(directory)).sort()).toEqual([`firn-sql-${alive}-aa`, "other"].sort());
});
