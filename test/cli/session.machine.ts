import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { firnProcess, plantLake, type Served, serveProcess, userEnv } from "./firn-process.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const TERMINAL = join(import.meta.dirname, "terminal.py");

const HAS_PTY = spawnSync("python3", ["-c", "import pty"]).status === 0;
if (!HAS_PTY) console.log("skipped: a session in a terminal, which needs python3 with its pty");

let dir: string;
let served: Served;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "firn-session-"));
  const planted = await Firn.open({ profile: "local", dir, logLevel: "silent" });
  await plantLake(planted);
  await planted.close();
  served = await serveProcess(dir, userEnv(join(dir, "home")));
});
afterAll(async () => {
  await served.stop();
  rmSync(dir, { recursive: true, force: true });
});

function environment(own: Readonly<Record<string, string>> = {}): Record<string, string> {
  return userEnv(join(dir, "home"), { FIRN_URL: served.url, TERM: "xterm-256color", ...own });
}

/** What a terminal is sent while a line of `firn` runs in it, and how the line ends. */
function inTerminal(
  args: readonly string[],
  own: Readonly<Record<string, string>> = {},
  typed = "",
): { readonly sent: string; readonly exitCode: number | null } {
  const line = [TERMINAL, typed, process.execPath, join(ROOT, "bin", "firn.mjs"), ...args];
  const { stdout, status } = spawnSync("python3", line, {
    env: environment(own),
    encoding: "utf8",
    timeout: 120_000,
  });
  return { sent: stdout.replaceAll("\r\n", "\n"), exitCode: status };
}

/** Ages and the widths that they make differ from run to run. */
function comparable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/(?:\d+ (?:s|min|h|d|mo|y) ago|now)/g, "AGO")
    .replace(/ {2,}/g, "  ")
    .trim();
}

/** Commands of the README's session, and what each prints there. */
function readSession(): readonly { readonly line: string; readonly shown: string }[] {
  const text = readFileSync(join(ROOT, "README.md"), "utf8");
  const [, session = ""] = /```console\n(\$ firn [\s\S]*?)```/.exec(text) ?? [];
  return session
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [line = "", ...shown] = step.split("\n");
      return { line, shown: shown.join("\n") };
    });
}

it.skipIf(!HAS_PTY)(
  "the README's session goes as it says, in a terminal",
  { timeout: 300_000 },
  () => {
    const steps = readSession();
    expect(steps.length).toBeGreaterThan(4);
    for (const { line, shown } of steps) {
      const [program, ...args] = line.split(" ");
      expect(program).toBe("firn");
      const { sent, exitCode } = inTerminal(args);
      expect([line, comparable(sent)]).toEqual([line, comparable(shown)]);
      expect([line, exitCode]).toEqual([line, shown.startsWith("firn: ") ? 3 : 0]);
    }
  },
);

it.skipIf(!HAS_PTY)(
  "a terminal gets colours and a pager, and a drop asks",
  { timeout: 300_000 },
  async () => {
    const colour = "\u001b[";
    expect(inTerminal(["ls", "lake"]).sent).toContain(colour);
    expect(inTerminal(["ls", "lake"], { NO_COLOR: "1" }).sent).not.toContain(colour);
    for (let i = 0; i < 40; i++) {
      const made = await fetch(`${served.url}/api/v1/catalogs/lake/namespaces`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ path: [`many${i}`] }),
      });
      expect(made.status).toBe(201);
    }
    const long = inTerminal(["ls", "lake"], { FIRN_PAGER: "sed s/^/paged:/", NO_COLOR: "1" });
    expect(long.sent).toMatch(/^paged:NAME/);
    expect(long.sent).toContain("paged:many39.");
    expect(inTerminal(["ls", "lake", "--no-pager"], { FIRN_PAGER: "false" }).sent).toContain(
      "many39",
    );
    const name = "lake.glacier.sites";
    const other = inTerminal(["rm", name], {}, "sites");
    expect([other.exitCode, other.sent]).toEqual([
      1,
      expect.stringContaining("nothing was dropped"),
    ]);
    const dropped = inTerminal(["rm", name], {}, name);
    expect([dropped.exitCode, dropped.sent]).toEqual([
      0,
      expect.stringContaining(`dropped table ${name}`),
    ]);
    const listed = await firnProcess(["ls", "--dropped", "-q"], environment());
    expect(listed.out).toMatch(/^[0-9a-f-]{36}\n$/);
  },
);
