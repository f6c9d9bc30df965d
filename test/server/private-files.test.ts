import { lstatSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { faultOf } from "../../src/blob/local-fault.ts";
import { Firn } from "../../src/index.ts";
import { ask as askServer, scripted, serving } from "../http/support.ts";
import { scratchDirectory } from "../support/open-iceberg.ts";
import { ask } from "./support.ts";

/** Modes of a directory and all that is in it, by path relative to `from`. */
function modesIn(from: string, at = from): readonly (readonly [string, string])[] {
  const stat = lstatSync(at);
  const kind = stat.isDirectory() ? "folder" : stat.isSocket() ? "socket" : "file";
  const own = [relative(from, at), `${kind} ${(stat.mode & 0o777).toString(8)}`] as const;
  if (!stat.isDirectory()) return [own];
  return [own, ...readdirSync(at).flatMap((name) => modesIn(from, join(at, name)))];
}

test("what Firn keeps is its user's alone; tables are as the umask says", async () => {
  const parent = join(scratchDirectory(), "parent");
  const dir = join(parent, "dir");
  const listen = { port: 0 };
  const firn = await Firn.open({ profile: "local", dir, listen, logLevel: "silent" });
  onTestFinished(() => firn.close());
  await ask(firn, "POST", "/namespaces", { namespace: ["ns"] });
  const schema = { type: "struct", fields: [] };
  await ask(firn, "POST", "/namespaces/ns/tables", { name: "t", schema });
  const [folder, file] = [0o777, 0o666].map((all) => (all & ~process.umask()).toString(8));
  expect((lstatSync(parent).mode & 0o777).toString(8)).toBe(folder);
  const seen = { own: 0, shared: 0 };
  for (const [path, mode] of modesIn(dir)) {
    const isShared = path.startsWith("warehouse");
    seen[isShared ? "shared" : "own"]++;
    if (path.endsWith("socket")) continue;
    const wanted = isShared ? [`folder ${folder}`, `file ${file}`] : ["folder 700", "file 600"];
    expect([path, wanted]).toEqual([path, expect.arrayContaining([mode])]);
  }
  expect(seen.own).toBeGreaterThan(8);
  expect(seen.shared).toBeGreaterThan(3);
});

test.each(["EMFILE", "EIO", "ENOSPC", "EROFS"])("%s tells clients no path", async (code) => {
  const system = Object.assign(new Error(`${code}, open '/srv/firn/store/x'`), { code });
  const error = Object.assign(system, { syscall: "open", path: "/srv/firn/store/x" });
  const fails = (applied: "nothing" | "maybe") => async () => {
    throw faultOf(error, "accounts/1/internal-path", applied);
  };
  const overrides = {
    loadNamespace: fails("nothing"),
    createNamespace: fails("nothing"),
    dropNamespace: fails("maybe"),
  };
  await using running = await serving(scripted(overrides).service);
  const body = '{"namespace":["a"]}';
  for (const [method, path, status] of [
    ["GET", "/iceberg/v1/namespaces/a", 503],
    ["POST", "/iceberg/v1/namespaces", 429],
    ["DELETE", "/iceberg/v1/namespaces/a", 500],
  ] as const) {
    const sent = method === "POST" ? body : "";
    const answer = await askServer(running.port, method, path, {}, sent);
    expect([method, answer.status]).toEqual([method, status]);
    expect(answer.body).not.toMatch(/internal-path|srv|\/firn\/store|path=/);
  }
  // Whoever runs the server finds all of it.
  const told = running.logs.filter((line) => line.includes("internal-path"));
  expect(told).toHaveLength(3);
});
