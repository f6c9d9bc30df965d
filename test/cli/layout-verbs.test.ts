import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Layout } from "../../src/api/layout-operations.ts";
import { Firn } from "../../src/index.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { plantTable } from "../support/planted-table.ts";

let directory: string;
let served: Firn;

async function post(path: string, body: unknown): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await served.fetch(new Request(`http://firn/iceberg/v1${path}`, request));
  if (response.status >= 300) throw new Error(await response.text());
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "firn-layout-verbs-"));
  served = await Firn.open({ profile: "memory", logLevel: "silent", listen: { port: 0 } });
  await post("/namespaces", { namespace: ["web"] });
  const location = plantTable("v2", directory);
  await post("/namespaces/web/register", { name: "events", "metadata-location": location });
  const schema = { type: "struct", fields: [{ id: 1, name: "a", required: false, type: "long" }] };
  await post("/namespaces/web/tables", { name: "empty", schema });
});
afterAll(async () => {
  await served.close();
  rmSync(directory, { recursive: true, force: true });
});

const firn = (...args: readonly string[]) =>
  firnLine(args, { HOME: directory, FIRN_URL: served.url ?? "" });
const EVENTS = "default.web.events";

it("firn files shows sizes, deletes and partitions of a snapshot", async () => {
  const said = await firn("files", EVENTS);
  expect([said.exitCode, said.out.split("\n")]).toEqual([
    0,
    [
      "0–8 MiB\t2\t1778",
      "8–32 MiB\t0\t0",
      "32–128 MiB\t0\t0",
      "128–512 MiB\t0\t0",
      "512+ MiB\t0\t0",
      "data\t2\t1778\t2",
      "position deletes\t0\t0\t0",
      "equality deletes\t0\t0\t0",
      "deletion vectors\t0\t0\t0",
      expect.stringMatching(/^manifests\t4\t\d+$/),
      "partition s=b\t1\t889\t1",
      "partition s=c\t1\t889\t1",
      "",
    ],
  ]);
  const earlier = JSON.parse((await firn("files", `${EVENTS}@~2`, "--json")).out) as Layout;
  expect(earlier.data).toEqual({ files: 3, bytes: "2675", rows: "4" });
  expect((await firn("files", "default.web.empty")).exitCode).toBe(3);
});

it("firn stats shows columns, and firn check what to do", async () => {
  expect((await firn("stats", EVENTS, "--json=name,nulls,lower,upper")).out).toBe(
    '[\n  {"name":"id","nulls":"0","lower":"3","upper":"4"},\n' +
      '  {"name":"s","nulls":"0","lower":"b","upper":"c"}\n]\n',
  );
  expect(await firn("check", EVENTS)).toMatchObject({ exitCode: 0, out: "" });
  expect(await firn("check", "default.web.empty")).toMatchObject({ exitCode: 0, out: "" });
  rmSync(join(directory, "v2", "metadata"), { recursive: true });
  const broken = await firn("check", EVENTS, "-q");
  // The metadata file itself is gone as well: nothing is left to check.
  expect(broken).toMatchObject({ exitCode: 3 });
  expect(broken.errors).toContain("[METADATA_FILE_MISSING]");
});
