import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

/*
 * A shell waits for `firn __complete`, so it loads little: modules are counted, because time on a
 * shared machine says nothing. `npm run bench -- complete` prints the time.
 */

const BIN = new URL("../../bin/firn.mjs", import.meta.url).pathname;
const HOME = mkdtempSync(join(tmpdir(), "firn-complete-"));
const LISTER = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from "node:module";
   import { writeSync } from "node:fs";
   registerHooks({ load: (url, context, next) => {
     if (!url.startsWith("node:")) writeSync(2, "module " + url + "\\n");
     return next(url, context);
   } });`,
)}`;

afterAll(() => rmSync(HOME, { recursive: true }));

function loadedBy(words: readonly string[], env: NodeJS.ProcessEnv) {
  const args = ["--import", LISTER, BIN, "__complete", "--", ...words];
  const { status, stderr, stdout } = spawnSync(process.execPath, args, {
    env: { ...process.env, HOME, ...env },
    encoding: "utf8",
  });
  expect(status).toBe(0);
  return { stdout, modules: [...stderr.matchAll(/^module (.+)$/gm)].map(([, url = ""]) => url) };
}

describe("modules of a completion", () => {
  it("are few for a command", () => {
    const { stdout, modules } = loadedBy(["tab"], {});
    expect(stdout).toMatch(/^table\t/);
    expect(modules.length).toBeGreaterThan(30);
    expect(modules.length).toBeLessThan(140);
  });

  it.each([
    ["a server that is asked", { FIRN_URL: "http://127.0.0.1:1" }],
    ["a store that no server has", { FIRN_DIR: join(HOME, "none") }],
  ])("hold no server and no engine for names: %s", (_what, env) => {
    const { modules } = loadedBy(["ls", "la"], env);
    expect(modules.some((url) => url.endsWith("/complete-names.ts"))).toBe(true);
    expect(modules.length).toBeLessThan(150);
    const heavy = /\/fastify\/|\/src\/(?:server|lsm|service\/node|runtime\/compose)/;
    expect(modules.filter((url) => heavy.test(url))).toEqual([]);
  });
});
