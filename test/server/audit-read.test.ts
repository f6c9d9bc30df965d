import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuditPage, AuditRecord } from "../../src/api/audit-operations.ts";
import { Firn } from "../../src/index.ts";
import { AuditFiles, auditFile } from "../../src/runtime/audit-files.ts";
import type { AuditPosition } from "../../src/service/audit-trail.ts";

const KEY = "firn_admin0key_CanaryCanaryCanaryCanaryCanaryCanaryCanary0";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "firn-audit-read-"));
  file = join(folder, "audit.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function ask(firn: Firn, key: string, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await firn.fetch(new Request(`http://firn/api/v1${path}`, init));
  const text = await response.text();
  return { status: response.status, json: text === "" ? {} : JSON.parse(text) };
}

function opened(more: object = {}): Promise<Firn> {
  const options = { auth: "required", bootstrapKey: KEY, logLevel: "silent" } as const;
  return Firn.open({ ...options, accessStaleness: "0", auditLog: file, ...more });
}

/** Entries are written behind the requests. */
async function read(firn: Firn, query = "", key = KEY): Promise<AuditPage> {
  await new Promise((resolve) => setTimeout(resolve, 30));
  const { status, json } = await ask(firn, key, "GET", `/audit${query}`);
  expect(status, JSON.stringify(json)).toBe(200);
  return json as AuditPage;
}

const objects = ({ items }: AuditPage) => items.map(({ object }) => object);

describe("the audit log, read by administrators", () => {
  it("is filtered, and paged from the newest entry on", async () => {
    const firn = await opened();
    try {
      for (const name of ["a", "b", "c"]) {
        await ask(firn, KEY, "POST", "/catalogs/default/namespaces", { path: [name] });
        await ask(firn, KEY, "DELETE", `/catalogs/default/namespaces/${name}`);
      }
      await ask(firn, KEY, "DELETE", "/catalogs/default/namespaces/none");
      const all = await read(firn);
      expect(all.items.map(({ operation }) => operation)).toEqual(
        ["drop", "drop", "create", "drop", "create", "drop", "create"].map(
          (word) => `${word}Namespace`,
        ),
      );
      expect(all).toMatchObject({ hasMore: false });
      const failed = await read(firn, "?decision=failed");
      expect(failed.items.map(({ code }) => code)).toEqual(["NAMESPACE_NOT_FOUND"]);
      expect(objects(await read(firn, "?object=default.b"))).toEqual([
        { catalog: "default", namespace: "b" },
      ]);
      expect(objects(await read(firn, "?object=defa"))).toEqual([]);
      expect((await read(firn, "?principal=nobody")).items).toEqual([]);
      expect((await read(firn, "?operation=createNamespace")).items).toHaveLength(3);
      const [newest] = all.items;
      const until = new Date(Date.parse(newest?.time ?? "") + 60_000).toISOString();
      expect((await read(firn, `?since=${until}`)).items).toEqual([]);
      expect((await read(firn, `?until=${until}`)).items).toHaveLength(7);

      const paged: AuditRecord[] = [];
      for (let token = ""; ; ) {
        const page = await read(firn, `?pageSize=2${token}`);
        paged.push(...page.items);
        if (page.nextPageToken === undefined) break;
        token = `&pageToken=${page.nextPageToken}`;
      }
      expect(paged).toEqual(all.items);
    } finally {
      await firn.close();
    }
  });

  it("is followed: what comes is told once, the oldest entry first", async () => {
    const firn = await opened();
    try {
      await ask(firn, KEY, "POST", "/principals", { name: "before" });
      const start = await read(firn, "?follow=true");
      expect(start).toMatchObject({ items: [], hasMore: false });
      await ask(firn, KEY, "POST", "/principals", { name: "jo" });
      await ask(firn, KEY, "DELETE", "/principals/jo");
      const next = await read(firn, `?follow=true&pageToken=${start.nextPageToken}`);
      expect(next.items.map(({ operation }) => operation)).toEqual([
        "createPrincipal",
        "deletePrincipal",
      ]);
      const last = await read(firn, `?follow=true&pageToken=${next.nextPageToken}`);
      expect(last.items).toEqual([]);
      expect(last.nextPageToken).toBeDefined();
      const since = await read(firn, "?follow=true&since=2020-01-01T00:00:00Z&pageSize=1");
      expect(since).toMatchObject({ hasMore: true });
    } finally {
      await firn.close();
    }
  });

  it("refuses a token of another filter or principal, and who is no administrator", async () => {
    const firn = await opened();
    try {
      await ask(firn, KEY, "POST", "/principals", { name: "jo" });
      const { json } = await ask(firn, KEY, "POST", "/principals/jo/keys", {});
      const jo = json.key as string;
      const { nextPageToken: token } = await read(firn, "?pageSize=1");
      const other = await ask(firn, KEY, "GET", `/audit?decision=denied&pageToken=${token}`);
      expect(other).toMatchObject({ status: 400, json: { code: "PAGE_TOKEN_INVALID" } });
      expect(await ask(firn, jo, "GET", "/audit")).toMatchObject({
        status: 403,
        json: { code: "PRIVILEGE_MISSING" },
      });
      const give = { principal: "jo", privileges: ["read-metadata", "alter", "create"] };
      await ask(firn, KEY, "POST", "/grants", give);
      expect((await ask(firn, jo, "GET", "/audit")).status).toBe(403);
      await ask(firn, KEY, "POST", "/grants", { principal: "jo", privileges: ["admin"] });
      const stolen = await ask(firn, jo, "GET", `/audit?pageToken=${token}`);
      expect(stolen).toMatchObject({ status: 400, json: { code: "PAGE_TOKEN_INVALID" } });
    } finally {
      await firn.close();
    }
  });
});

describe("the audit log that is not written", () => {
  it("answers as absent", async () => {
    const firn = await opened({ auditLog: undefined });
    try {
      expect(await ask(firn, KEY, "GET", "/audit")).toMatchObject({
        status: 404,
        json: { code: "AUDIT_LOG_OFF" },
      });
    } finally {
      await firn.close();
    }
  });
});

describe("the audit log of several accounts", () => {
  it("shows an account its own entries, and operators all of them", async () => {
    const dir = join(folder, "dir");
    const firn = await opened({ profile: "local", dir, listen: { port: 0 } });
    try {
      const socket = join(dir, "operator", "socket");
      const op = (path: string, body?: object) => operate(socket, path, body);
      await op("/accounts", { name: "acme" });
      const boss = (await op("/accounts/acme/admins", { principal: "boss" }))["key"] as string;
      const ops = (await op("/accounts/system/admins", { principal: "ops" }))["key"] as string;
      await ask(firn, boss, "POST", "/principals", { name: "hidden" });
      await ask(firn, boss, "DELETE", "/principals/hidden");
      await ask(firn, KEY, "POST", "/principals", { name: "mine" });
      await ask(firn, `${KEY}x`, "GET", "/principals");

      const own = await read(firn);
      expect(own.items.length).toBeGreaterThan(0);
      expect(new Set(own.items.map(({ account }) => account))).toEqual(new Set(["default"]));
      expect(JSON.stringify(own)).not.toMatch(/acme|boss|hidden|"ops"/);
      const theirs = await read(firn, "", boss);
      expect(theirs.items.map(({ operation }) => operation)).toEqual([
        "deletePrincipal",
        "createPrincipal",
      ]);
      const all = await read(firn, "?pageSize=1000", ops);
      const seen = JSON.stringify(all);
      for (const word of ["acme", "hidden", "createAccountAdmin", "unauthenticated"]) {
        expect(seen).toContain(word);
      }
      const bySocket = (await op("/audit")) as unknown as AuditPage;
      expect(bySocket.items.length).toBeGreaterThanOrEqual(all.items.length);

      // An account that comes after another one of its name is not that one.
      const [entry] = theirs.items;
      const earlier = { ...entry, accountId: "01890000-0000-7000-8000-000000000000" };
      await appendFile(file, `${JSON.stringify(earlier)}\n`);
      expect((await read(firn, "", boss)).items).toHaveLength(2);
    } finally {
      await firn.close();
    }
  });
});

async function operate(socketPath: string, path: string, body?: object) {
  const { request } = await import("node:http");
  return new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const headers = { "content-type": "application/json", host: "firn" };
    const sent = request({ socketPath, path: `/api/v1${path}`, method, headers }, (answer) => {
      let text = "";
      answer.on("data", (piece) => {
        text += piece;
      });
      answer.on("end", () => resolve(JSON.parse(text)));
    });
    sent.on("error", reject);
    sent.end(body && JSON.stringify(body));
  });
}

const SPAN = { sinceMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };

function line(n: number, pad = 0): string {
  const time = new Date(1_700_000_000_000 + n * 1_000).toISOString();
  return `${JSON.stringify({ time, n, pad: "x".repeat(pad) })}\n`;
}

function numberIn(text: string): number {
  return Number(/"n":(\d+)/.exec(text)?.[1] ?? Number.NaN);
}

async function backAll(files: AuditFiles, atOnce: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let from: AuditPosition | undefined, calls = 0; calls < 10_000; calls++) {
    let taken = 0;
    from = await files.back(from, SPAN, (text) => {
      found.push(numberIn(text));
      return ++taken === atOnce ? "full" : "more";
    });
    if (from === undefined) break;
  }
  return found;
}

async function forthAll(files: AuditFiles, atOnce: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let from: AuditPosition | undefined, more = true; more; ) {
    let taken = 0;
    const turn = await files.forth(from, SPAN, (text) => {
      found.push(numberIn(text));
      return ++taken === atOnce ? "full" : "more";
    });
    ({ next: from, more } = turn);
  }
  return found;
}

describe("the files of the audit log", () => {
  it("are read whole and in order, both ways, over rotated files and long lines", async () => {
    const count = 3_000;
    const upTo = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => line(from + i, (i % 97) * 5)).join("");
    await writeFile(auditFile(file, 2), upTo(0, 1_000));
    await writeFile(auditFile(file, 1), upTo(1_000, 2_000));
    await writeFile(file, upTo(2_000, count));
    const files = new AuditFiles(file);
    const all = Array.from({ length: count }, (_, n) => n);
    for (const atOnce of [7, 1_000, 5_000]) {
      expect(await forthAll(files, atOnce)).toEqual(all);
      expect(await backAll(files, atOnce)).toEqual(all.toReversed());
    }
  });

  it("leave out a line that is being written, and pass over one that is no entry", async () => {
    const huge = `${"y".repeat(400_000)}\n`;
    await writeFile(file, `${line(0)}${huge}${line(1)}{"time":"20`);
    const files = new AuditFiles(file);
    expect((await forthAll(files, 100)).filter((n) => !Number.isNaN(n))).toEqual([0, 1]);
    expect((await backAll(files, 100)).filter((n) => !Number.isNaN(n))).toEqual([1, 0]);
    const { file: name, at } = await files.end();
    await appendFile(file, `23-11-14T22:13:22.000Z","n":2}\n`);
    const found: number[] = [];
    await files.forth({ file: name, at }, SPAN, (text) => {
      found.push(numberIn(text));
      return "more";
    });
    expect(found).toEqual([2]);
  });

  it("go on where they were after a rotation, and at the oldest where that is gone", async () => {
    await writeFile(file, line(0) + line(1));
    const files = new AuditFiles(file);
    const end = await files.end();
    const middle = await files.back(undefined, SPAN, () => "full");
    await rename(file, auditFile(file, 1));
    await writeFile(file, line(2) + line(3));
    const told: number[] = [];
    const take = (text: string) => {
      told.push(numberIn(text));
      return "more" as const;
    };
    await files.forth(end, SPAN, take);
    await files.back(middle, SPAN, take);
    expect(told).toEqual([2, 3, 0]);
    await rm(auditFile(file, 1));
    told.length = 0;
    await files.forth(end, SPAN, take);
    expect(told).toEqual([2, 3]);
    expect(await files.back(middle, SPAN, take)).toBeUndefined();
  });

  it("are read in bounded parts: a call ends where it has read enough", async () => {
    const block = Array.from({ length: 1_000 }, (_, n) => line(n, 1_000)).join("");
    await writeFile(file, block.repeat(20));
    const files = new AuditFiles(file);
    let lines = 0;
    const take = () => {
      lines++;
      return "more" as const;
    };
    const next = await files.back(undefined, SPAN, take);
    expect(next?.at).toBeGreaterThan(0);
    expect(lines).toBeGreaterThan(5_000);
    expect(lines).toBeLessThan(10_000);
    lines = 0;
    const forth = await files.forth(undefined, SPAN, take);
    expect(forth.more).toBe(true);
    expect(lines).toBeLessThan(10_000);
  });
});
