import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { Firn, type FirnOptions } from "../../src/index.ts";
import { operatorTokenFile } from "../../src/runtime/operator-place.ts";
import { startServer } from "../clients/server-process.ts";
import { firnLsm, servedFrom } from "../support/firn-lsm.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";
import { ask } from "./support.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "firn.mjs");

interface Batch {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly ops: readonly Readonly<Record<string, string>>[];
}

/** One command line, run in this process. */
function firn(...args: readonly string[]) {
  return firnLsm(args, { FIRN_LOG_LEVEL: "silent" });
}

async function open(options: FirnOptions): Promise<Firn & { readonly url: string }> {
  const opened = await Firn.open({ ...options, listen: { port: 0 }, logLevel: "silent" });
  onTestFinished(() => opened.close());
  servedFrom(opened.url, options.dir ?? "");
  return opened as Firn & { readonly url: string };
}

/** The state that batches of changes come to, as `scan` prints it. */
function stateAfter(batches: readonly Batch[]): ReadonlyMap<string, string> {
  const rows = new Map<string, string>();
  for (const { firstSequence, lastSequence, ops } of batches) {
    expect(ops).toHaveLength(lastSequence + 1 - firstSequence);
    for (const { op, key = "", value = "" } of ops) {
      if (op === "put") rows.set(key, value);
      else {
        expect(op).toBe("delete");
        rows.delete(key);
      }
    }
  }
  return rows;
}

function linesOf<T>(out: string): readonly T[] {
  return out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

async function metric(url: string, name: string): Promise<number> {
  const printed = await (await fetch(`${url}/metrics`)).text();
  const line = printed.split("\n").find((one) => one.startsWith(`firn_lsm_${name}{`));
  return Number(line?.split(" ").at(-1));
}

describe("changes", () => {
  it("come to the state that is stored, in pieces as well, over restarts", async () => {
    const dir = scratchDirectory();
    const options: FirnOptions = { profile: "local", dir, logRetention: "1h" };
    let server = await open(options);
    for (const name of ["a", "b"]) {
      await ask(server, "POST", "/namespaces", { namespace: [name] });
    }
    const early = await firn("changes", server.url, "--from", "1");
    expect(early).toMatchObject({ exitCode: 0, errors: "" });
    await server.close();
    server = await open(options);
    expect(await metric(server.url, "wal_retained_bytes")).toBeGreaterThan(0);
    await ask(server, "DELETE", "/namespaces/a");
    await ask(server, "POST", "/namespaces", { namespace: ["c"] });
    const first = linesOf<Batch>(early.out);
    const next = (first.at(-1)?.lastSequence ?? 0) + 1;
    const late = await firn("changes", server.url, "--from", String(next));
    const batches = [...first, ...linesOf<Batch>(late.out)];
    let due = 1;
    for (const { firstSequence, lastSequence } of batches) {
      expect(firstSequence).toBe(due);
      due = lastSequence + 1;
    }
    expect(batches).toEqual(linesOf((await firn("changes", server.url, "--from", "1")).out));
    const { out } = await firn("scan", dir, "--limit", "100000");
    const rows = linesOf<{ readonly key: string; readonly value: string }>(out);
    const stored = new Map(rows.map(({ key, value }) => [key, value]));
    expect(new Map([...stateAfter(batches)].sort())).toEqual(new Map([...stored].sort()));
    // Nothing has been written since: there is nothing to tell.
    const nothing = await firn("changes", server.url, "--from", String(due));
    expect(nothing).toEqual({ exitCode: 0, out: "", errors: "" });
  });

  it("are gone where nothing keeps the log, and say so before anything else", async () => {
    const dir = scratchDirectory();
    const server = await open({ profile: "local", dir });
    await ask(server, "POST", "/namespaces", { namespace: ["a"] });
    const { url } = server;
    // The log is let go of in the background, or with the next flush.
    let flushes = 0;
    const isGone = async () => {
      const name = `flushed-${++flushes}`;
      expect((await firn("checkpoint", "create", name, url)).exitCode).toBe(0);
      await ask(server, "POST", "/namespaces", { namespace: [name] });
      return (await firn("changes", url, "--from", "1")).exitCode;
    };
    await expect.poll(isGone, { timeout: 20_000 }).toBe(1);
    for (const [exitCode, code, ...args] of [
      [1, "LSM_SEQUENCE_GONE", url, "--from", "1"],
      [1, "LSM_SEQUENCE_GONE", url, "--from", "1", "--follow"],
      [1, "LSM_SEQUENCE_AHEAD", url, "--from", "99999"],
      [1, "LSM_SEQUENCE_AHEAD", url, "--from", "0"],
      [1, "OPERATOR_UNREACHABLE", "http://127.0.0.1:9", "--from", "1"],
      [2, "OPERATOR_URL_INVALID", `${dir}/store`, "--from", "1"],
      [2, "", url],
      [2, "", url, "--from", "x"],
    ] as const) {
      const told = await firn("changes", ...args);
      expect([args, told.exitCode, told.out]).toEqual([args, exitCode, ""]);
      expect(told.errors).toContain(code);
    }
    const { errors } = await firn("changes", url, "--from", "1");
    const oldest = /oldest=(\d+)/.exec(errors)?.[1] ?? "";
    expect(errors).toContain("--log-retention");
    expect(errors).toMatch(new RegExp(`firn lsm changes \\S+ --from ${oldest}(?: --dir \\S+)?\\n`));
    const rest = await firn("changes", url, "--from", oldest);
    expect(linesOf<Batch>(rest.out)[0]?.firstSequence).toBe(Number(oldest));
    for (const body of ["{}", '{"from":"1"}', '{"from":1,"follow":1}']) {
      const token = readFileSync(operatorTokenFile(dir), "latin1");
      const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
      const asked = await fetch(`${url}/admin/v1/shards/system/changes`, {
        method: "POST",
        headers,
        body,
      });
      expect([asked.status, asked.headers.get("X-Firn-Error")]).toEqual([
        ...[400, "LSM_CHANGES_INVALID"],
      ]);
    }
  });
});

describe("changes as they happen", () => {
  it("are followed until the reader or the server ends them", { timeout: 60_000 }, async () => {
    const dir = scratchDirectory();
    const server = await startServer(dir);
    onTestFinished(() => server.kill());
    const make = async (name: string) => {
      const answer = await fetch(`${server.url}/iceberg/v1/namespaces`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ namespace: [name] }),
      });
      expect(answer.status).toBe(200);
    };
    const follow = () => {
      const args = ["lsm", "changes", dir, "--from", "1", "--follow"];
      const child = spawn(process.execPath, [BIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const until = async (text: string) => {
        for (;;) {
          const { done, value } = await lines.next();
          if (done === true) throw new Error("it ended first");
          const { ops } = JSON.parse(value) as Batch;
          if (ops.some(({ key = "" }) => key.includes(text))) return;
        }
      };
      return { child, until };
    };
    const [one, other] = [follow(), follow()];
    for (const name of ["first", "second"]) {
      await make(name);
      await Promise.all([one.until(name), other.until(name)]);
    }
    await expect.poll(() => metric(server.url, "subscriber_lag")).toBe(0);
    expect(await metric(server.url, "subscribers")).toBe(2);
    one.child.kill("SIGINT");
    await expect.poll(() => metric(server.url, "subscribers")).toBe(1);
    // Whoever takes what it prints has seen enough.
    other.child.stdout.destroy();
    const ended = once(other.child, "exit");
    await make("third");
    expect(await ended).toEqual([0, null]);
    await expect.poll(() => metric(server.url, "subscribers")).toBe(0);

    const last = follow();
    await last.until("third");
    const done = once(last.child, "exit");
    // Nobody waits for the end of what has none: a drain that is over cuts connections off.
    expect(await server.stop()).toBe(0);
    expect(await done).toEqual([0, null]);
  });
});
