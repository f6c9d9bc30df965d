import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Firn } from "../../src/index.ts";
import { CallTrace } from "./calls.ts";

/**
 * Runs in a process of its own: `node requests.ts ROOT ROUNDS`. Traces warm requests of one client
 * against the sources below `ROOT`, profile `local`, and prints `{name: calls[][]}` as JSON.
 */
const WARMUP = 5;
/** Until what a request leaves to the background has ended. */
const QUIET_MS = 100;

interface Answer {
  readonly status: number;
  readonly etag: string;
  readonly body: string;
}

const [, , root = "", rounds = "1"] = process.argv;
const trace = new CallTrace(root);
const index = (await import(pathToFileURL(join(root, "src/index.ts")).href)) as {
  readonly Firn: typeof Firn;
};
const dir = mkdtempSync(join(tmpdir(), "firn-borders-"));
const firn = await index.Firn.open({ profile: "local", dir, listen: { port: 0 } });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const json = body === undefined ? "" : JSON.stringify(body);
  const length = Buffer.byteLength(json);
  const form = { "Content-Type": "application/json", "Content-Length": length };
  const options = { method, agent, headers: length === 0 ? headers : { ...headers, ...form } };
  return new Promise((resolve, reject) => {
    const sent = request(`${firn.url}/iceberg/v1/namespaces${path}`, options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => {
        const { statusCode: status = 0, headers: got } = response;
        if (status >= 400) reject(new Error(`${method} ${path}: ${status} ${text}`));
        else resolve({ status, etag: got.etag ?? "", body: text });
      });
    });
    sent.on("error", reject);
    sent.end(json);
  });
}

await ask("POST", "", { namespace: ["a"] });
const fields = [{ id: 1, name: "x", required: false, type: "long" }];
const schema = { type: "struct", "schema-id": 0, fields };
const created = await ask("POST", "/a/tables", { name: "t", schema });
const { metadata } = JSON.parse(created.body) as { metadata: Readonly<Record<string, string>> };
const requirements = [{ type: "assert-table-uuid", uuid: metadata["table-uuid"] }];

let commits = 0;
const commit = () => {
  const updates = [{ action: "set-properties", updates: { commits: String(++commits) } }];
  return ask("POST", "/a/tables/t", { requirements, updates });
};
const load = () => ask("GET", "/a/tables/t");
let etag = "";
const loadUnchanged = () => ask("GET", "/a/tables/t", undefined, { "If-None-Match": etag });

for (let i = 0; i < WARMUP; i++) {
  await commit();
  await load();
}
etag = (await load()).etag;
const traces: Record<string, (readonly string[])[]> = {};
for (const [name, work] of Object.entries({ commit, load, loadUnchanged })) {
  if (name === "loadUnchanged") etag = (await load()).etag;
  traces[name] = [];
  for (let i = 0; i < Number(rounds); i++) {
    await sleep(QUIET_MS);
    traces[name].push(await trace.during(work));
  }
}
await firn.close();
agent.destroy();
rmSync(dir, { recursive: true });
process.stdout.write(JSON.stringify(traces));
