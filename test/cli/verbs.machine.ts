import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { describeVerbs } from "./describe-verbs.ts";
import { firnProcess, plantLake, type Served, serveProcess, userEnv } from "./firn-process.ts";

const CORES = "lake.glacier.cores";

let dir: string;
let home: string;
let served: Served | undefined;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "firn-verbs-"));
  home = join(dir, "home");
  const planted = await Firn.open({ profile: "local", dir, logLevel: "silent" });
  await plantLake(planted);
  await planted.close();
  served = await serveProcess(dir, userEnv(home));
});
afterAll(async () => {
  await served?.stop();
  rmSync(dir, { recursive: true, force: true });
});

describeVerbs((args, input) =>
  firnProcess(args, userEnv(home, { FIRN_URL: served?.url ?? "" }), input),
);

const BASH = spawnSync("bash", ["--version"]).status === 0;
if (!BASH) console.log("skipped: completion in bash, which this machine does not have");

it.skipIf(!BASH)("bash completes a line with the script that firn prints", async () => {
  const bin = join(dir, "bin");
  mkdirSync(bin, { recursive: true });
  const real = join(import.meta.dirname, "..", "..", "bin", "firn.mjs");
  writeFileSync(join(bin, "firn"), `#!/bin/sh\nexec "${process.execPath}" "${real}" "$@"\n`);
  chmodSync(join(bin, "firn"), 0o755);
  const completed = (line: string, cur: string) => {
    const script = `
      source <(firn completion bash)
      COMP_LINE=${JSON.stringify(line)} COMP_POINT=${line.length}
      COMP_WORDS=(x ${JSON.stringify(cur)}) COMP_CWORD=1
      _firn 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = userEnv(home, {
      FIRN_URL: served?.url ?? "",
      PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    });
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { env, encoding: "utf8" });
    return stdout + stderr;
  };
  expect(completed("firn roll", "roll")).toBe("rollback\n");
  expect(completed("firn ls lake.gl", "lake.gl")).toBe("lake.glacier.\n");
  // Bash ends a word at an at sign: what stands before it is not repeated.
  expect(completed("firn log lake.glacier.cores@se", "se")).toBe("season-1\n");
});

describe("the same commands at every place", () => {
  it("asks the server of a directory, a context, and the store where none runs", async () => {
    const lines = [
      ["ls", "lake"],
      ["table", "get", CORES, "--json=name"],
    ] as const;
    const answers = async (...at: readonly string[]) => {
      const said = [];
      for (const line of lines) said.push(await firnProcess([...line, ...at], userEnv(home)));
      expect(said.map(({ exitCode, errors }) => [exitCode, errors])).toEqual([
        [0, ""],
        [0, ""],
      ]);
      return said.map(({ out }) => out);
    };
    const expected = ["glacier\tnamespace\n", '{\n  "name": "cores"\n}\n'];
    expect(await answers("--dir", dir)).toEqual(expected);
    const set = ["context", "set", "prod", "--url", served?.url ?? ""];
    expect((await firnProcess(set, userEnv(home))).exitCode).toBe(0);
    expect(await answers()).toEqual(expected);
    await served?.stop();
    served = undefined;
    expect(await answers("--dir", dir)).toEqual(expected);
    const inStore = (...args: readonly string[]) =>
      firnProcess(args, userEnv(home, { FIRN_DIR: dir }));
    const made = await inStore("namespace", "create", "lake.basin", "--json=path");
    expect(made).toMatchObject({ exitCode: 0, out: expect.stringContaining("basin") });
    expect((await inStore("ls", "lake")).out).toBe("basin\tnamespace\nglacier\tnamespace\n");
    expect((await inStore("watch")).errors).toContain("[NOTHING_TO_WATCH]");
    const absent = await firnProcess(["ls", "--dir", join(dir, "none")], userEnv(home));
    expect([absent.exitCode, absent.errors]).toEqual([3, expect.stringContaining("LSM_NO_SHARD")]);
  });
});
