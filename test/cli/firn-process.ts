import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Firn } from "../../src/index.ts";
import { ask } from "../server/support.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** What a command line came to. */
export interface Said {
  readonly exitCode: number;
  readonly out: string;
  readonly errors: string;
}

/** The environment of a user who has set nothing, with a home of their own. */
export function userEnv(
  home: string,
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  mkdirSync(home, { recursive: true });
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:FIRN_|XDG_|PAGER|NO_COLOR|FORCE_COLOR)/.test(name),
  );
  return { ...(Object.fromEntries(kept) as Record<string, string>), HOME: home, ...own };
}

function spawned(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [join(ROOT, "bin", "firn.mjs"), ...args], {
    env: { ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** One command line in a process of its own, as a user runs it. */
export async function firnProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = "",
): Promise<Said> {
  const child = spawned(args, env);
  const [out, errors]: [string[], string[]] = [[], []];
  child.stdout?.setEncoding("utf8").on("data", (text: string) => out.push(text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  child.stdin?.end(input);
  const [exitCode] = await once(child, "close");
  return { exitCode: exitCode as number, out: out.join(""), errors: errors.join("") };
}

/** A `firn serve` in a process of its own. */
export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts `firn serve` on a directory, on a free port. */
export async function serveProcess(
  dir: string,
  env: Readonly<Record<string, string>>,
): Promise<Served> {
  const child = spawned(["serve", "--port", "0", "--dir", dir, "--log-level", "warn"], env);
  const found = Promise.withResolvers<string>();
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    const url = /serves (http:\/\/\S+)/.exec(text)?.[1];
    if (url !== undefined) found.resolve(url);
  });
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
    errors += piece;
  });
  child.on("close", () => found.reject(new Error(`the server ended: ${errors}`)));
  const url = await found.promise;
  return {
    url,
    stop: async () => {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "close");
    },
  };
}

const SCHEMA = {
  type: "struct",
  fields: [
    { id: 1, name: "depth", required: false, type: "long" },
    { id: 2, name: "density", required: false, type: "double" },
  ],
};

/** Snapshots of `lake.glacier.cores`, by name. Beyond 2^53, as real ones are. */
export const IDS = {
  first: "2480000000000009897",
  audit: "4402000000000009917",
  second: "7159000000000000381",
} as const;

function snapshot(id: string, parent: string | undefined, sequence: number, rows: number): string {
  const summary = {
    operation: "append",
    "added-records": String(rows),
    "added-data-files": "1",
    "total-records": String(sequence === 1 ? rows : rows + 3),
    "total-data-files": String(sequence === 1 ? 1 : 2),
    "total-files-size": String(1_024 * sequence),
  };
  const rest = {
    "sequence-number": sequence,
    "timestamp-ms": Date.now() - (4 - sequence) * 3_600_000,
    "manifest-list": "file:///nowhere/list.avro",
    summary,
    "schema-id": 0,
  };
  const above = parent === undefined ? "" : `"parent-snapshot-id":${parent},`;
  return `{"snapshot-id":${id},${above}${JSON.stringify(rest).slice(1)}`;
}

/**
 * `lake.glacier` with `cores`, three snapshots of which one is a branch's and one a tag's, and
 * `sites`, which is empty.
 */
export async function plantLake(firn: Firn): Promise<void> {
  const native = (method: string, path: string, body: object) =>
    firn.fetch(
      new Request(`http://firn/api/v1${path}`, {
        method,
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  await native("POST", "/catalogs", { name: "lake" });
  await native("POST", "/catalogs/lake/namespaces", { path: ["glacier"] });
  const tables = "/lake/namespaces/glacier/tables";
  await ask(firn, "POST", tables, { name: "cores", schema: SCHEMA });
  await ask(firn, "POST", tables, { name: "sites", schema: SCHEMA });
  const add = (text: string, ref: string, id: string, type = "branch") => [
    `{"action":"add-snapshot","snapshot":${text}}`,
    `{"action":"set-snapshot-ref","ref-name":"${ref}","type":"${type}","snapshot-id":${id}}`,
  ];
  const { first, audit, second } = IDS;
  const [, tagged = ""] = add("", "season-1", first, "tag");
  for (const updates of [
    [...add(snapshot(first, undefined, 1, 3), "main", first), tagged],
    add(snapshot(audit, first, 2, 90), "audit", audit),
    add(snapshot(second, first, 3, 1), "main", second),
  ]) {
    const response = await firn.fetch(
      new Request(`http://firn/iceberg/v1${tables}/cores`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: `{"requirements":[],"updates":[${updates.join(",")}]}`,
      }),
    );
    if (response.status !== 200) throw new Error(await response.text());
  }
  const columns = [
    ...SCHEMA.fields.map((field) => (field.id === 2 ? { ...field, name: "g_per_cm3" } : field)),
    { id: 4, name: "taken_at", required: false, type: "timestamptz" },
  ];
  await ask(firn, "POST", `${tables}/cores`, {
    requirements: [],
    updates: [
      { action: "add-schema", schema: { ...SCHEMA, fields: columns } },
      { action: "set-current-schema", "schema-id": -1 },
    ],
  });
}
