import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openServer, type TestServer } from "./wire-client.ts";

const run = promisify(execFile);
const hasPsql = spawnSync("psql", ["--version"]).status === 0;
if (!hasPsql) process.stdout.write("skipped: psql is not installed\n");

let server: TestServer;
beforeAll(async () => {
  server = await openServer();
});
afterAll(() => server.close());

async function psql(...args: readonly string[]): Promise<string> {
  const url = `postgresql://tester@127.0.0.1:${server.port}/default`;
  const { stdout, stderr } = await run("psql", ["-X", "-At", url, ...args]);
  return stdout + stderr;
}

describe.skipIf(!hasPsql)("psql", () => {
  it("selects, sets and shows", async () => {
    const printed = await psql("-c", "select 1, 'two'", "-c", "set timezone = 'Asia/Tokyo'");
    expect(printed).toBe("1|two\nSET\n");
    expect(await psql("-c", "show server_version")).toBe("15.18\n");
  });

  it("shows where an error is", async () => {
    await expect(psql("-c", "selekt 1")).rejects.toThrow(
      /syntax error at or near "selekt"\nLINE 1/,
    );
  });
});

describe("node pg", () => {
  it("connects, queries, prepares, and hears errors", async () => {
    const client = new pg.Client({
      host: "127.0.0.1",
      port: server.port,
      user: "u",
      database: "d",
    });
    await client.connect();
    try {
      expect((await client.query("select 1 as one, 'x'")).rows).toHaveLength(1);
      expect((await client.query({ name: "p", text: "select 7" })).rowCount).toBe(1);
      expect((await client.query({ name: "p", text: "select 7" })).rowCount).toBe(1);
      await expect(client.query("selekt")).rejects.toMatchObject({ code: "42601", position: "1" });
      await client.query("begin");
      await client.query("rollback");
    } finally {
      await client.end();
    }
  });
});
