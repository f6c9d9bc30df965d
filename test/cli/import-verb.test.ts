import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Firn } from "../../src/index.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { plantTable } from "../support/planted-table.ts";

let directory: string;
let from: Firn;
let to: Firn;

async function post(path: string, body: unknown): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await from.fetch(new Request(`http://firn/iceberg/v1${path}`, request));
  if (response.status >= 300) throw new Error(await response.text());
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "firn-import-verb-"));
  const options = { profile: "memory", logLevel: "silent", listen: { port: 0 } } as const;
  [from, to] = await Promise.all([Firn.open(options), Firn.open(options)]);
  for (const namespace of [["web"], ["old"]]) await post("/namespaces", { namespace });
  for (const [namespace, name] of [
    ["web", "events"],
    ["old", "lost"],
  ] as const) {
    const location = plantTable("v2", join(directory, name));
    await post(`/namespaces/${namespace}/register`, { name, "metadata-location": location });
  }
});
afterAll(async () => {
  await Promise.all([from.close(), to.close()]);
  rmSync(directory, { recursive: true, force: true });
});

const firn = (...args: readonly string[]) =>
  firnLine(args, { HOME: directory, FIRN_URL: to.url ?? "" });

it("firn import registers tables, says what failed, and is repeatable", async () => {
  const uri = `${from.url}/iceberg`;
  const made = await firn("connector", "create", "other", "--kind", "ICEBERG_REST", "--uri", uri);
  expect(made.exitCode).toBe(0);
  const told = await firn("import", "other", "--into", "default", "--dry-run");
  expect([told.exitCode, told.out]).toEqual([
    0,
    "old.lost\tregistered\t\t\nweb.events\tregistered\t\t\n",
  ]);
  expect((await firn("ls", "default")).out).toBe("");
  rmSync(join(directory, "lost"), { recursive: true });
  const first = await firn("import", "other", "--into", "default");
  expect([first.exitCode, first.out.split("\n")[1]]).toEqual([1, "web.events\tregistered\t\t"]);
  expect(first.out).toMatch(/^old\.lost\tfailed\t[A-Z_]+\t/);
  expect(first.errors).toContain("1 failed, 1 registered\n");
  const again = await firn("import", "other", "--into", "default", "--namespace", "web");
  expect([again.exitCode, again.out]).toEqual([0, "web.events\tunchanged\t\t\n"]);
  expect((await firn("import", "other", "--into", "none")).exitCode).toBe(3);
  expect((await firn("import", "other")).exitCode).toBe(2);
});

it("firn import reads credentials from a file, and refuses one that it cannot read", async () => {
  const file = join(directory, "credentials.json");
  writeFileSync(file, '{"token":"t0ken"}');
  const line = ["import", "other", "--into", "default", "--namespace", "web", "--credentials"];
  // This catalog asks for none, and is not troubled by any.
  const done = await firn(...line, file);
  expect([done.exitCode, done.out]).toEqual([0, "web.events\tunchanged\t\t\n"]);
  writeFileSync(file, "t0ken");
  const refused = await firn(...line, file);
  expect([refused.exitCode, refused.errors]).toEqual([2, expect.stringContaining("FILE_INVALID")]);
  expect(refused.errors).not.toContain("t0ken");
  expect((await firn(...line, join(directory, "none.json"))).errors).toContain("FILE_UNREADABLE");
});
