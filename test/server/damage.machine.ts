import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FirnError } from "../../src/base/error.ts";
import { Firn } from "../../src/index.ts";
import { verifyShard } from "../../src/lsm/tools/verify.ts";
import { SystemClock } from "../../src/runtime/clock.ts";
import { shardFilesOf } from "../../src/runtime/local-shard.ts";
import { SystemPrng } from "../../src/runtime/prng.ts";
import { type ServerProcess, startServer } from "../clients/server-process.ts";

const FLAGS = ["--log-level", "silent"];
const SCHEMA = { type: "struct", fields: [] };
const TABLES = ["a", "b", "c", "d"];
const WAL = "wal/system";
const MANIFESTS = "blobs/shards/system/manifest";
const SSTS = "blobs/shards/system/sst";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "firn-damage-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function post(server: ServerProcess, path: string, body: unknown): Promise<Response> {
  return fetch(`${server.url}/iceberg/v1${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

function createTable(server: ServerProcess, name: string): Promise<Response> {
  return post(server, "/namespaces/ns/tables", { name, schema: SCHEMA });
}

/** What a server leaves behind that was asked for some tables. */
async function image(name: string, end: "stop" | "kill"): Promise<string> {
  const dir = join(root, name);
  const server = await startServer(dir, FLAGS);
  expect((await post(server, "/namespaces", { namespace: ["ns"] })).status).toBe(200);
  for (const table of TABLES) expect((await createTable(server, table)).status).toBe(200);
  await server[end]();
  return dir;
}

/** What the next life makes of it: its refusal, or the tables that it has lost. */
async function lifeAfter(dir: string): Promise<FirnError | readonly string[]> {
  try {
    await using firn = await Firn.open({ profile: "local", dir, logLevel: "silent" });
    const lost: string[] = [];
    for (const table of TABLES) {
      const request = new Request(`http://firn/iceberg/v1/namespaces/ns/tables/${table}`);
      const { status } = await firn.fetch(request);
      if (status !== 200) lost.push(`${table} ${status}`);
    }
    return lost;
  } catch (error) {
    if (error instanceof FirnError) return error;
    throw error;
  }
}

type Damage = (file: string) => void;

const remove: Damage = (file) => rmSync(file);
const cutTo =
  (bytes: number): Damage =>
  (file) =>
    truncateSync(file, bytes);
const flip =
  (at: number): Damage =>
  (file) => {
    const bytes = readFileSync(file);
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(file, bytes);
  };

/** Damages the newest file of a folder, or the one `at` that place, in a copy. */
function damaged(
  from: string,
  folder: string,
  damage: Damage,
  at = -1,
): { dir: string; file: string } {
  const dir = mkdtempSync(join(root, "copy-"));
  cpSync(from, dir, { recursive: true });
  const path = join(dir, "store", folder);
  const name = readdirSync(path).sort().at(at) ?? "";
  damage(join(path, name));
  return { dir, file: name.replace(/\.blob$/, "") };
}

describe("a store that was damaged", () => {
  let crashed: string;
  let stopped: string;
  beforeAll(async () => {
    [crashed, stopped] = await Promise.all([image("crashed", "kill"), image("stopped", "stop")]);
  });

  it("an undamaged copy loses nothing", async () => {
    for (const from of [crashed, stopped]) {
      expect(await lifeAfter(damaged(from, WAL, () => undefined).dir)).toEqual([]);
    }
  });

  it.each<readonly [string, "crashed" | "stopped", string, Damage]>([
    ["a log that is gone", "crashed", WAL, remove],
    ["a log of no bytes", "crashed", WAL, cutTo(0)],
    ["a byte of the header of the log", "crashed", WAL, flip(10)],
    ["a byte of the log, behind which others follow", "crashed", WAL, flip(5_000)],
    ["a byte of the manifest", "crashed", MANIFESTS, flip(50)],
    ["half of the manifest", "stopped", MANIFESTS, cutTo(50)],
    ["a table that is gone", "stopped", SSTS, remove],
    ["a byte of a table's data", "stopped", SSTS, flip(500)],
    ["half of a table", "stopped", SSTS, cutTo(1_500)],
  ])("%s is told, by the name of the file", async (_, from, folder, damage) => {
    const { dir, file } = damaged(from === "crashed" ? crashed : stopped, folder, damage);
    const answer = await lifeAfter(dir);
    expect(answer).toMatchObject({ kind: "Corrupt" });
    expect(JSON.stringify((answer as FirnError).context)).toContain(file);
    // Nothing was made worse: the same again.
    expect(await lifeAfter(dir)).toMatchObject({ kind: "Corrupt" });
  });

  it.each([
    ["a byte", flip(50)],
    ["its end", cutTo(50)],
    ["all", cutTo(0)],
  ])(
    "%s of a manifest that nobody needs any more is found, and harms nobody",
    async (_, damage) => {
      for (const from of [crashed, stopped]) {
        const { dir, file } = damaged(from, MANIFESTS, damage, 0);
        const ports = { clock: new SystemClock(), prng: new SystemPrng() };
        const found: string[] = [];
        for await (const { file: of } of verifyShard(shardFilesOf(dir, "system", ports))) {
          found.push(of);
        }
        expect(found).toEqual([expect.stringContaining(file)]);
        expect(await lifeAfter(dir)).toEqual([]);
      }
    },
  );

  it("a newest manifest that is gone costs nothing: what is left says it", async () => {
    for (const from of [crashed, stopped]) {
      expect(await lifeAfter(damaged(from, MANIFESTS, remove).dir)).toEqual([]);
    }
  });
});

/** How large a file of that process may be: what is refused beyond is a full disk to it. */
function limitFiles(pid: number, bytes: number | "unlimited"): void {
  const done = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:`]);
  expect(done.status).toBe(0);
}

describe.runIf(process.platform === "linux")("a disk that is full", () => {
  it("loses nothing, says so, and serves on when there is room", async () => {
    const dir = join(root, "full");
    const server = await startServer(dir, FLAGS);
    try {
      expect((await post(server, "/namespaces", { namespace: ["ns"] })).status).toBe(200);
      for (const table of TABLES) expect((await createTable(server, table)).status).toBe(200);
      limitFiles(server.pid, 16_384);
      const refused = await createTable(server, "doubtful");
      expect(refused.status).toBeGreaterThanOrEqual(500);
      expect(refused.headers.get("X-Firn-Error")).toMatch(/^[A-Z_]+$/);
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);
      const load = async (table: string): Promise<number> =>
        (await fetch(`${server.url}/iceberg/v1/namespaces/ns/tables/${table}`)).status;
      const ready = async (): Promise<number> => (await fetch(`${server.url}/readyz`)).status;
      for (let i = 0; i < 5; i++) {
        const again = await createTable(server, `refused-${i}`);
        // No 503, which would leave a committer in doubt.
        expect([again.status, again.headers.get("X-Firn-Error")]).toEqual([429, "DISK_FULL"]);
        // Whoever only reads does not notice.
        for (const table of TABLES) expect(await load(table)).toBe(200);
        expect(await ready()).toBe(200);
      }
      limitFiles(server.pid, "unlimited");
      await expect.poll(ready).toBe(200);
      const later = async (): Promise<number> => (await createTable(server, "later")).status;
      await expect.poll(later).toBeOneOf([200, 409]);
      expect([200, 404]).toContain(await load("doubtful"));
      expect(await server.stop()).toBe(0);
      expect(await lifeAfter(dir)).toEqual([]);
    } finally {
      await server.kill();
    }
  });
});
