import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LocalDisk } from "../../src/lsm/disk/local.ts";
import type { WritableFile } from "../../src/lsm/disk/port.ts";

const NAME = "00000000000000000001.wal";
const OTHER = "00000000000000000002.wal";

describe("LocalDisk: files that are written", () => {
  let directory: string;
  let disk: LocalDisk;
  let files: WritableFile[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "firn-disk-"));
    disk = new LocalDisk(directory);
    files = [];
  });
  afterEach(async () => {
    for (const file of files) await file.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function create(name: string): Promise<WritableFile> {
    const file = await disk.create(name);
    if (file === undefined) throw new Error("the name is taken");
    files.push(file);
    return file;
  }

  it("says so until somebody removes it", async () => {
    const file = await create(NAME);
    expect(file.isNamed()).toBe(true);
    await disk.remove(NAME);
    expect(file.isNamed()).toBe(false);
  });

  it("takes no other file under its name for it", async () => {
    const file = await create(NAME);
    await disk.remove(NAME);
    await create(NAME);
    expect(file.isNamed()).toBe(false);
  });

  it("writes the same on this thread as on another", async () => {
    const file = await create(NAME);
    await file.write(0, Buffer.alloc(8_192, 1));
    await file.write(4_096, Buffer.alloc(4_096, 2), true);
    const bytes = readFileSync(join(directory, NAME));
    expect([bytes.length, bytes[4_095], bytes[4_096], bytes[8_191]]).toEqual([8_192, 1, 2, 2]);
  });

  it("follows a rename, and loses the name to one over it", async () => {
    const file = await create(NAME);
    await disk.rename(NAME, OTHER);
    expect(file.isNamed()).toBe(true);
    await create(NAME);
    await disk.rename(NAME, OTHER);
    expect(file.isNamed()).toBe(false);
  });

  it("finds a second name when the first is gone, told of it or not", async () => {
    const file = await create(NAME);
    await disk.link(NAME, OTHER);
    await disk.remove(NAME);
    expect(file.isNamed()).toBe(true);
    file.renamed(OTHER);
    expect(file.isNamed()).toBe(true);
    await file.write(0, Buffer.from("after"));
    expect(readFileSync(join(directory, OTHER), "latin1")).toBe("after");
    await disk.remove(OTHER);
    expect(file.isNamed()).toBe(false);
  });

  it("does not take over another file that got the name meanwhile", async () => {
    const file = await create(NAME);
    await disk.remove(NAME);
    await create(OTHER);
    file.renamed(OTHER);
    expect(file.isNamed()).toBe(false);
    await file.write(0, Buffer.from("lost"));
    expect(readFileSync(join(directory, OTHER), "latin1")).toBe("");
  });

  it("stays with its file when the name is gone by then", async () => {
    const file = await create(NAME);
    file.renamed(OTHER);
    expect(file.isNamed()).toBe(true);
    await file.write(0, Buffer.from("kept"));
    expect(readFileSync(join(directory, NAME), "latin1")).toBe("kept");
  });
});
