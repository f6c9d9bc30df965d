import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { envOf, flagOf } from "../../src/runtime/setting-names.ts";
import { SETTING_NAMES, SETTINGS } from "../../src/runtime/settings.ts";

const BIN = new URL("../../bin/firn.mjs", import.meta.url).pathname;

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

class Command {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
  #stdout = "";
  #stderr = "";
  #onOutput: (() => void) | undefined;

  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    nodeFlags: readonly string[] = [],
  ) {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("FIRN_"));
    this.child = spawn(process.execPath, [...nodeFlags, BIN, ...args], {
      env: { ...Object.fromEntries(inherited), ...env },
    });
    this.child.stdout.on("data", (chunk) => {
      this.#stdout += chunk;
      this.#onOutput?.();
    });
    this.child.stderr.on("data", (chunk) => {
      this.#stderr += chunk;
      this.#onOutput?.();
    });
    this.ended = new Promise((resolve) => {
      this.child.on("close", (code, signal) => {
        resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr });
      });
    });
  }

  /** What the pattern finds in the output, as soon as it does. */
  until(stream: "stdout" | "stderr", pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      this.#onOutput = () => {
        const found = pattern.exec(stream === "stdout" ? this.#stdout : this.#stderr);
        if (found !== null) resolve(found);
      };
      void this.ended.then((end) => reject(new Error(`ended first: ${JSON.stringify(end)}`)));
      this.#onOutput();
    });
  }
}

/** A Node that cannot run TypeScript, like any that is too old for a clone. */
const TOO_OLD = ["--no-experimental-strip-types"];

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "firn-cli-"));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("firn serve", () => {
  it("serves, says where, and stops at a signal", async () => {
    const command = new Command(["serve", "--port", "0"], { FIRN_DIR: dir });
    const [, url] = await command.until("stdout", /uri="(http:\/\/127\.0\.0\.1:\d+)\/iceberg"/);
    const config = await fetch(`${url}/iceberg/v1/config`);
    expect(config.status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const [line] = await command.until("stderr", /^.*"msg":"listening".*$/m);
    expect(JSON.parse(line)).toMatchObject({ url, startMs: expect.any(Number), profile: "local" });
    command.child.kill("SIGTERM");
    const { code, signal, stdout } = await command.ended;
    expect([code, signal]).toEqual([0, null]);
    expect(stdout).toContain(`file://${dir}/warehouse`);
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });

  it("drains once for a signal that comes twice at the same time", async () => {
    const command = new Command(["serve", "--port", "0", "--dir", dir]);
    await command.until("stdout", /127\.0\.0\.1:\d+/);
    command.child.kill("SIGINT");
    command.child.kill("SIGTERM");
    expect(await command.ended).toMatchObject({ code: 0, signal: null });
  });

  it("ends at a second signal, whatever is under way", async () => {
    const command = new Command(["serve", "--port", "0", "--dir", dir]);
    const [, port] = await command.until("stdout", /127\.0\.0\.1:(\d+)/);
    const half =
      "POST /iceberg/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{";
    const whole = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(whole + half));
    socket.on("error", () => undefined);
    await new Promise((resolve) => socket.once("data", resolve));
    const signals = setInterval(() => command.child.kill("SIGTERM"), 20);
    const { code } = await command.ended;
    clearInterval(signals);
    expect(code).toBe(1);
  });

  it("says once that it asks for no credentials", async () => {
    const command = new Command(["serve", "--port", "0", "--dir", dir]);
    await command.until("stderr", /no authentication/);
    command.child.kill("SIGTERM");
    const { stdout, stderr } = await command.ended;
    expect(`${stdout}${stderr}`.match(/authentication/g)).toHaveLength(1);
  });

  it("logs text on demand, with the names of a request", async () => {
    const command = new Command([
      ...["serve", "--port", "0", "--dir", dir, "--log-format", "text"],
    ]);
    const [, url] = await command.until("stdout", /(http:\/\/127\.0\.0\.1:\d+)/);
    await fetch(`${url}/iceberg/v1/default/namespaces/glacier%1Feast/tables/cores`);
    await command.until("stderr", /^[\d:.]+ INFO {2}GET {2}glacier\.east\.cores 404 .*requestId=/m);
    command.child.kill("SIGTERM");
    const { stderr } = await command.ended;
    expect(stderr).not.toMatch(/^\{/m);
  });
});

describe("firn that cannot start", () => {
  it.each([
    ["a file for a directory", ["--dir", BIN], /--dir/],
    ["no such address", ["--host", "203.0.113.7", "--allow-anonymous"], /--host/],
    ["no credentials", ["--profile", "bucket", "--s3-bucket", "lake"], /AWS_ACCESS_KEY_ID/],
  ])("says on one line why it cannot start: %s", async (_, flags, advice) => {
    const env = {
      FIRN_SECRET: "0".repeat(32),
      AWS_REGION: "us-east-1",
      AWS_PROFILE: "absent",
      AWS_EC2_METADATA_DISABLED: "true",
      FIRN_DIR: join(dir, "fatal"),
      AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
      AWS_CONFIG_FILE: "/dev/null",
    };
    const { code, stdout, stderr } = await new Command(["serve", "--port", "0", ...flags], env)
      .ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^firn: [^{\n]*\n$/);
    expect(stderr).toMatch(advice);
  });

  it("refuses to start with every problem at once", async () => {
    const args = ["serve", "--prot", "1", "--profile", "aws", "--port=x", "--dir", dir];
    const { code, stdout, stderr } = await new Command(args, { FIRN_WAREHUOSE: "x" }).ended;
    expect([code, stdout]).toEqual([2, ""]);
    for (const name of ["--port?", "aws", "--port:", "FIRN_WAREHOUSE"]) {
      expect(stderr).toContain(name);
    }
  });

  it("says that a port is taken", async () => {
    const memory = ["serve", "--profile", "memory", "--dir", dir, "--port"];
    const first = new Command([...memory, "0"]);
    const [, port] = await first.until("stdout", /127\.0\.0\.1:(\d+)/);
    const second = await new Command([...memory, String(port)]).ended;
    expect([second.code, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toMatch(/^firn: [^{\n]*EADDRINUSE[^{\n]*\n$/);
    expect(second.stderr).toContain("--port");
    first.child.kill("SIGINT");
    expect((await first.ended).code).toBe(0);
  });

  it("refuses a directory that another process serves, and says which one", async () => {
    const serve = ["serve", "--port", "0", "--dir", dir];
    const first = new Command([...serve, "--allow-anonymous"]);
    await first.until("stdout", /127\.0\.0\.1:(\d+)/);
    const second = await new Command(serve).ended;
    expect([second.code, second.stdout]).toEqual([1, ""]);
    expect(second.stderr).toMatch(/^firn: [^{\n]*\n$/);
    for (const text of ["--takeover", "--standby", String(first.child.pid), hostname()]) {
      expect(second.stderr).toContain(text);
    }
    const standby = new Command([...serve, "--standby"]);
    await standby.until("stderr", /waits/);
    first.child.kill("SIGKILL");
    const [, url] = await standby.until("stdout", /(http:\/\/127\.0\.0\.1:\d+)/);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    standby.child.kill("SIGTERM");
    expect((await standby.ended).code).toBe(0);
  });
});

describe("the help of firn", () => {
  it("explains every flag and variable", async () => {
    const { code, stdout } = await new Command(["serve", "--help"]).ended;
    expect(code).toBe(0);
    const words = stdout.replace(/\s+/g, " ");
    for (const name of SETTING_NAMES) {
      const flag = SETTINGS[name].secret ? "" : flagOf(name);
      for (const text of [flag, envOf(name), SETTINGS[name].doc]) {
        expect(words).toContain(text);
      }
    }
  });

  it("lists for lsm compact the settings that it uses, and no other", async () => {
    const { code, stdout } = await new Command(["lsm", "compact", "--help"]).ended;
    expect(code).toBe(0);
    const listed = SETTING_NAMES.map(flagOf).filter((flag) => stdout.includes(`  ${flag} `));
    expect(listed).toEqual([
      ...["--profile", "--dir", "--warehouse", "--standby", "--takeover", "--s3-bucket"],
      ...["--s3-prefix", "--s3-path-style", "--s3-kms-key", "--engine-memory-mib"],
      ...[
        "--engine-compaction-style",
        "--engine-merge-threads",
        "--log-retention",
        "--log-retention-mib",
      ],
    ]);
  });

  it("says its version, and knows no other commands", async () => {
    const { stdout } = await new Command(["--version"]).ended;
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+/);
    expect((await new Command(["serv"]).ended).code).not.toBe(0);
  });
});

describe("the process of firn", () => {
  it("runs under the bundled Node where the running one is too old, signals included", async () => {
    const command = new Command(["serve", "--port", "0", "--dir", dir], {}, TOO_OLD);
    const [, url] = await command.until("stdout", /(http:\/\/127\.0\.0\.1:\d+)/);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    if (process.platform === "linux") {
      const { pid } = command.child;
      const child = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
      const flags = readFileSync(`/proc/${child}/cmdline`, "utf8").split("\0");
      expect(flags[1]).toBe("--max-semi-space-size=16");
    }
    command.child.kill("SIGTERM");
    expect(await command.ended).toMatchObject({ code: 0, signal: null });
    const refused = new Command(["serve", "--prot", "1"], {}, TOO_OLD);
    expect(await refused.ended).toMatchObject({ code: 2 });
  });

  it("does not outlive the process that started it", async () => {
    const command = new Command(["serve", "--port", "0", "--dir", dir], {}, TOO_OLD);
    const [, url] = await command.until("stdout", /(http:\/\/127\.0\.0\.1:\d+)/);
    command.child.kill("SIGKILL");
    // The pipes close when the last process that holds them has ended.
    await command.ended;
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
  });
});
