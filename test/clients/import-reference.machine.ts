import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  buildPeer,
  PeerMissing,
  type PeerProcess,
  startPeer,
} from "../../bench/peer/reference-server.ts";
import type { ImportedTable } from "../../src/api/import-operations.ts";
import type { Page } from "../../src/api/resources.ts";
import { Firn } from "../../src/index.ts";

const SCHEMA = {
  type: "struct",
  "schema-id": 0,
  fields: [{ id: 1, name: "a", required: false, type: "long" }],
};

let directory: string;
let peer: PeerProcess | undefined;
let firn: Firn;

function isBuilt(): boolean {
  try {
    buildPeer();
    return true;
  } catch (error) {
    if (!(error instanceof PeerMissing)) throw error;
    console.log(`skipped: imports from the reference server: ${error.message}`);
    return false;
  }
}

const HAS_PEER = isBuilt();

async function asked<T>(send: typeof fetch, url: string, body: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const response = await send(
    new Request(url, { method: "POST", headers, body: JSON.stringify(body) }),
  );
  const text = await response.text();
  if (response.status >= 300) throw new Error(text);
  return JSON.parse(text) as T;
}

const native = <T>(path: string, body: unknown = {}) =>
  asked<T>((request) => firn.fetch(request as Request), `http://firn/api/v1${path}`, body);

beforeAll(async () => {
  if (!HAS_PEER) return;
  directory = mkdtempSync(join(tmpdir(), "firn-import-java-"));
  peer = await startPeer("sqlite", directory);
  const ask = (path: string, body: unknown) => asked(fetch, `${peer?.url}/v1${path}`, body);
  for (const namespace of [["web"], ["web", "deep"], ["old"]])
    await ask("/namespaces", { namespace });
  // It names `%2E` as the separator of levels, and refuses `%1F`.
  for (const namespace of ["web", "old", "web%2Edeep"]) {
    for (const name of ["one", "two"]) {
      await ask(`/namespaces/${namespace}/tables`, { name, schema: SCHEMA });
    }
  }
  firn = await Firn.open({ profile: "memory", logLevel: "silent" });
}, 300_000);
afterAll(async () => {
  if (!HAS_PEER) return;
  await firn.close();
  await peer?.stop();
  rmSync(directory, { recursive: true, force: true });
});

it.skipIf(!HAS_PEER)("tables of the Java reference server are imported, and once", async () => {
  await native("/connectors", { name: "java", kind: "ICEBERG_REST", uri: peer?.url });
  const run = async () => {
    const page = await native<Page<ImportedTable>>("/connectors/java:import", { into: "default" });
    return page.items.map(({ namespace, name, outcome }) => [namespace.join("/"), name, outcome]);
  };
  const expected = (outcome: string) =>
    ["old", "web", "web/deep"].flatMap((path) =>
      ["one", "two"].map((name) => [path, name, outcome]),
    );
  expect(await run()).toEqual(expected("registered"));
  expect(await run()).toEqual(expected("unchanged"));
});
