import { type SpawnOptions, spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ask, create, namespaces, Started, scratch } from "./processes.ts";

const MIB = 1_048_576;

/** Why this machine lets nobody mount here, if so. */
function refusalToMount(): string | undefined {
  if (process.platform !== "linux") return "mounts are made on Linux here";
  const probe = spawnSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"]);
  return probe.status === 0 ? undefined : `not permitted: ${String(probe.stderr).trim()}`;
}

const refusal = refusalToMount();
if (refusal !== undefined) console.log(`disks that are full or read-only are skipped: ${refusal}`);

function mount(...args: readonly string[]): void {
  const { status, stderr } = spawnSync("mount", args);
  expect([status, String(stderr)]).toEqual([0, ""]);
}

/** A file system of its own, of so many bytes. */
function tmpfs(bytes: number): string {
  const directory = join(scratch(), "disk");
  mkdirSync(directory);
  mount("-t", "tmpfs", "-o", `size=${bytes}`, "none", directory);
  onTestFinished(() => void spawnSync("umount", ["--lazy", directory]));
  return directory;
}

/** Takes all room that there is. @returns what gives it back. */
function fill(directory: string): () => void {
  const file = join(directory, "filler");
  const fd = openSync(file, "a");
  try {
    for (let bytes = MIB; bytes >= 1; bytes = Math.floor(bytes / 2)) {
      try {
        for (;;) if (writeSync(fd, Buffer.alloc(bytes)) < bytes) break;
      } catch (error) {
        expect(error).toMatchObject({ code: "ENOSPC" });
      }
    }
  } finally {
    closeSync(fd);
  }
  return () => rmSync(file);
}

async function refusedStart(dir: string, word: string, as: SpawnOptions = {}): Promise<void> {
  const server = new Started(dir, [], as);
  expect(await server.ended()).toBe(1);
  expect(server.written).toContain("DIR_UNUSABLE");
  for (const part of [dir, word, "--dir"]) {
    expect(server.written.split("firn: ").at(-1)).toContain(part);
  }
}

it.skipIf(refusal)("a directory on a read-only file system refuses the start", async () => {
  for (const used of [false, true]) {
    const dir = tmpfs(64 * MIB);
    if (used) {
      const server = new Started(dir);
      await create(await server.url(), "kept");
      server.child.kill("SIGTERM");
      await server.ended();
    }
    mount("-o", "remount,ro", dir);
    await refusedStart(dir, "read-only");
    mount("-o", "remount,rw", dir);
    const { body } = (await namespaces(await new Started(dir).url())) ?? {};
    expect(body).toMatchObject({ namespaces: used ? [["kept"]] : [] });
  }
});

it.skipIf(refusal)("a full disk refuses the start, and serves once there is room", async () => {
  const dir = tmpfs(64 * MIB);
  const first = new Started(dir);
  await create(await first.url(), "kept");
  first.child.kill("SIGKILL");
  await first.ended();
  const free = fill(dir);
  await refusedStart(dir, "full");
  free();
  const { body } = (await namespaces(await new Started(dir).url())) ?? {};
  expect(body).toMatchObject({ namespaces: [["kept"]] });
});

/** Makes namespaces at a server. `made`: those that it acknowledged. */
function maker(url: string) {
  const made: string[] = [];
  const make = async (name: string) => {
    const answer = await create(url, name);
    if (answer?.status === 200) made.push(name);
    return answer;
  };
  return { made, make };
}

/** The namespaces that a server lists. */
async function seen(url: string): Promise<readonly (string | undefined)[]> {
  const { status, body } = (await namespaces(url)) ?? {};
  expect(status).toBe(200);
  return (body as { namespaces: readonly string[][] }).namespaces.map(([name]) => name);
}

it.skipIf(refusal)("a disk that fills up refuses writes, and nothing else", async () => {
  const dir = tmpfs(64 * MIB);
  const server = new Started(dir);
  const url = await server.url();
  const { made, make } = maker(url);
  for (let i = 0; i < 5; i++) expect((await make(`before-${i}`))?.status).toBe(200);
  const free = fill(dir);
  // What was made ready in the log may take some more.
  await expect.poll(async () => (await make(`filling-${made.length}`))?.status).not.toBe(200);
  for (let i = 0; i < 5; i++) {
    expect(await make(`refused-${i}`)).toMatchObject({ status: 429, code: "DISK_FULL" });
    expect(await seen(url)).toEqual(expect.arrayContaining(made));
    expect((await ask(`${url}/readyz`))?.status).toBe(200);
  }
  free();
  const later = async () => (await make("later"))?.status;
  await expect.poll(later, { timeout: 10_000 }).toBe(200);
  server.child.kill("SIGKILL");
  await server.ended();
  const kept = await seen(await new Started(dir).url());
  expect(kept).toEqual(expect.arrayContaining(made));
  expect(kept.some((name) => name?.startsWith("refused"))).toBe(false);
});

/** No file can be made below a directory, as after an error of its disk. @returns what ends it */
function readOnly(directory: string): () => void {
  mount("--bind", directory, directory);
  mount("-o", "remount,bind,ro", directory);
  return () => expect(spawnSync("umount", ["--lazy", directory]).status).toBe(0);
}

it.skipIf(refusal)("a disk that turns read-only refuses writes, until it is not", async () => {
  const dir = tmpfs(64 * MIB);
  const server = new Started(dir);
  const url = await server.url();
  const { made, make } = maker(url);
  for (let i = 0; i < 5; i++) expect((await make(`before-${i}`))?.status).toBe(200);
  const lift = readOnly(dir);
  for (let i = 0; i < 5; i++) {
    expect(await make(`refused-${i}`)).toMatchObject({ status: 429, code: "DISK_READ_ONLY" });
    expect((await seen(url)).toSorted()).toEqual(made);
    expect((await ask(`${url}/readyz`))?.status).toBe(200);
  }
  lift();
  for (let i = 0; i < 5; i++) {
    const again = async () => (await make(`later-${i}`))?.status;
    await expect.poll(again, { timeout: 10_000 }).toBe(200);
  }
  server.child.kill("SIGKILL");
  await server.ended();
  expect((await seen(await new Started(dir).url())).toSorted()).toEqual(made);
});

it.skipIf(process.getuid?.() !== 0)("a directory of somebody else refuses the start", async () => {
  const dir = scratch();
  chmodSync(dir, 0o700);
  const nobody = { uid: 65_534, gid: 65_534 };
  await refusedStart(join(dir, "firn"), "may not write", nobody);
});
