import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ServerProcess, spawnServer, startServer } from "../clients/server-process.ts";
import { freePort } from "../machine/processes.ts";
import { ask, commitProperty, createTable, exchange, propertiesOf, SCHEMA } from "./ask.ts";
import { type Deployment, deployment } from "./node.ts";

const URL = process.env["FIRN_TEST_MINISTACK"];
/** A node that died, or stands still, is replaced within this. */
const TAKE_OVER_MS = 10_000;
const POLL_MS = 50;

let directory: string;
const running = new Set<ServerProcess>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "firn-nodes-"));
});
afterEach(async () => {
  // One that was stopped by a signal hears no other.
  await Promise.all([...running].map((node) => node.kill()));
  running.clear();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function start(
  { flags, env }: Deployment,
  more: readonly string[] = [],
  other: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const all = [...flags, "--log-level", "warn", ...more];
  const node = await startServer(directory, all, { ...env, ...other });
  running.add(node);
  return node;
}

/** What a process that will not serve says, and its exit code. */
async function refusal({ flags, env }: Deployment, more: readonly string[] = []) {
  const child = spawnServer(directory, [...flags, ...more], { env });
  let written = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    written += text;
  });
  const exitCode = await new Promise((resolve) => child.on("close", resolve));
  return { exitCode, written };
}

const PAGE = "/namespaces/ns/tables?pageSize=2&pageToken=";

describe.skipIf(URL === undefined)("profile aws, two nodes on one store", () => {
  const lake = deployment(URL ?? "", "aws", "two-nodes");

  test("commits of two nodes, in turn and at once, all stand and outlive both nodes", async () => {
    const nodes = [await start(lake), await start(lake)];
    const [one, two] = nodes as [ServerProcess, ServerProcess];
    await ask(one, "POST", "/namespaces", { namespace: ["ns"] });
    await createTable(one, "t");
    const asked: Record<string, string> = {};
    for (let i = 0; i < 10; i++) {
      asked[`turn-${i}`] = String(i);
      await commitProperty(nodes[i % 2] as ServerProcess, "t", `turn-${i}`, String(i));
      // Who commits next has what the other one made.
      expect(await propertiesOf(nodes[(i + 1) % 2] as ServerProcess, "t")).toMatchObject(asked);
    }
    const race = Array.from({ length: 16 }, async (_, i) => {
      await commitProperty(nodes[i % 2] as ServerProcess, "t", `race-${i}`, String(i));
      asked[`race-${i}`] = String(i);
    });
    await Promise.all(race);
    expect(await propertiesOf(one, "t")).toEqual(asked);
    expect(await propertiesOf(two, "t")).toEqual(asked);
    await Promise.all(nodes.map((node) => node.kill()));
    expect(await propertiesOf(await start(lake), "t")).toEqual(asked);
  });

  test("a page token of one node is opened by the other, by none of another secret", async () => {
    const [one, two] = [await start(lake), await start(lake)];
    const found: string[] = [];
    for (const name of ["a", "b", "c", "d"]) await createTable(one, name);
    let token = "";
    for (let page = 0; token !== undefined; page++) {
      const node = page % 2 === 0 ? one : two;
      const answer = await ask(node, "GET", PAGE + encodeURIComponent(token));
      found.push(...answer.identifiers.map(({ name }: { name: string }) => name));
      if (page === 0) {
        const other = await start(lake, [], {
          FIRN_SECRET: "a secret that no other node of it has",
        });
        const path = PAGE + encodeURIComponent(answer["next-page-token"]);
        expect((await exchange(other, "GET", path)).status).toBe(400);
        await other.stop();
      }
      token = answer["next-page-token"] ?? undefined;
    }
    expect(found).toEqual(["a", "b", "c", "d", "t"]);
  });
});

describe.skipIf(URL === undefined)("profile aws, nodes with other flags on one store", () => {
  const lake = deployment(URL ?? "", "aws", "other-flags");
  const root = (name: string) => `s3://other-flags/${name}`;
  const locationOf = async (node: ServerProcess, path: string) =>
    (await ask(node, "GET", path)).metadata.location as string;

  test("a catalog and a location that one adds are served by the other", async () => {
    const one = await start(lake);
    const two = await start(lake, [
      ...["--catalog", `second=${root("second")}`, "--allow-location", root("more")],
    ]);
    await ask(two, "POST", "/second/namespaces", { namespace: ["ns"] });
    const tables = "/second/namespaces/ns/tables";
    const schema = SCHEMA;
    await ask(two, "POST", tables, { name: "t", schema });
    await ask(two, "POST", tables, { name: "u", schema, location: `${root("more")}/u` });
    for (const name of ["t", "u"]) {
      expect(await locationOf(one, `${tables}/${name}`)).toContain(
        name === "t" ? "second" : "more",
      );
      const updates = [{ action: "set-properties", updates: { by: "one" } }];
      await ask(one, "POST", `${tables}/${name}`, { requirements: [], updates });
    }
    await ask(one, "POST", tables, { name: "v", schema, location: `${root("more")}/v` });
  });

  test("no request is lost while a deployment rolls to another warehouse", async () => {
    const nodes = [await start(lake), await start(lake)];
    await ask(nodes[0] as ServerProcess, "POST", "/namespaces", { namespace: ["ns"] });
    const failed: string[] = [];
    const ended = new AbortController();
    let made = 0;
    // Every table is made by one node, and used by the other.
    const client = async () => {
      const schema = SCHEMA;
      for (let i = 0; !ended.signal.aborted; i++) {
        const [maker, user] = i % 2 === 0 ? nodes : [...nodes].reverse();
        const name = `r${made++}`;
        const path = `/namespaces/ns/tables/${name}`;
        const told = [
          await exchange(maker as ServerProcess, "POST", "/namespaces/ns/tables", { name, schema }),
          await exchange(user as ServerProcess, "GET", path),
        ];
        for (const { status, error } of told) if (status !== 200) failed.push(`${status} ${error}`);
      }
    };
    const running = client();
    for (const [i, name] of ["moved", "moved"].entries()) {
      const next = await start(lake, ["--warehouse", root(name)]);
      const before = nodes[i] as ServerProcess;
      nodes[i] = next;
      await untilMade(() => made, 10);
      await before.stop();
    }
    ended.abort();
    await running;
    expect(failed).toEqual([]);
    const [node] = nodes as [ServerProcess];
    expect(await locationOf(node, `/namespaces/ns/tables/r${made - 1}`)).toContain(root("moved"));
    expect(await locationOf(node, "/namespaces/ns/tables/r0")).not.toContain(root("moved"));
  });
});

/** Waits until so many more were made. */
async function untilMade(made: () => number, more: number): Promise<void> {
  const goal = made() + more;
  await expect.poll(made, { timeout: 30_000, interval: POLL_MS }).toBeGreaterThanOrEqual(goal);
}

describe.skipIf(URL === undefined)("profile bucket, two processes on one bucket", () => {
  test("a second one is refused, and told whose the bucket is; a clean end frees it", async () => {
    const lake = deployment(URL ?? "", "bucket", "one-owner");
    const owner = await start(lake);
    await ask(owner, "POST", "/namespaces", { namespace: ["ns"] });
    const { exitCode, written } = await refusal(lake);
    expect(exitCode).toBe(1);
    for (const fact of [hostname(), String(owner.pid), "--standby", "--takeover"]) {
      expect(written).toContain(fact);
    }
    await createTable(owner, "t");
    expect(await owner.stop()).toBe(0);
    const next = await start(lake);
    expect((await ask(next, "GET", "/namespaces/ns/tables")).identifiers).toHaveLength(1);
  });

  test("one that stands by takes over from one that was killed", async () => {
    const { owner, waiting } = await ownerAndStandby("killed");
    const asked: Record<string, string> = {};
    for (let i = 0; i < 10; i++) {
      asked[`k-${i}`] = String(i);
      await commitProperty(owner, "t", `k-${i}`, String(i));
    }
    await owner.kill();
    const tookMs = await untilReady(waiting.url);
    console.log(`killed: taken over after ${Math.round(tookMs)} ms`);
    const next = await waiting.serving;
    expect(await propertiesOf(next, "t")).toEqual(asked);
    await commitProperty(next, "t", "after", "it");
  });

  test("one that stands by takes over from one that stands still, which then says so", async () => {
    const { owner, waiting } = await ownerAndStandby("stopped");
    await commitProperty(owner, "t", "by", "the owner");
    process.kill(owner.pid, "SIGSTOP");
    const tookMs = await untilReady(waiting.url);
    console.log(`stopped: taken over after ${Math.round(tookMs)} ms`);
    const next = await waiting.serving;
    await commitProperty(next, "t", "by", "the next");
    // Asked while it stood still, answered when it goes on: what it remembers is not so any more.
    const table = "/namespaces/ns/tables/t";
    const late = Array.from({ length: 10 }, () => exchange(owner, "GET", table));
    process.kill(owner.pid, "SIGCONT");
    for (const { status, error } of await Promise.all(late)) {
      expect([`${status} ${error}`]).toEqual([expect.stringMatching(REFUSED)]);
    }
    const update = { action: "set-properties", updates: { by: "the owner again" } };
    const write = await exchange(owner, "POST", table, { requirements: [], updates: [update] });
    expect(write.status).toBeOneOf([429, 500, 503]);
    expect(await propertiesOf(next, "t")).toEqual({ by: "the next" });
  });
});

/** What one that was taken over answers; or that it was asked too much at once. */
const REFUSED = /^(?:503 LSM_FENCED|429 OVERLOADED)$/;

/** An owner with a table, and one that waits for it and says so. */
async function ownerAndStandby(name: string) {
  const lake = deployment(URL ?? "", "bucket", name);
  const owner = await start(lake);
  await ask(owner, "POST", "/namespaces", { namespace: ["ns"] });
  await createTable(owner, "t");
  const port = String(await freePort());
  const serving = start(lake, ["--standby", "--port", port]);
  const url = `http://127.0.0.1:${port}`;
  const waits = async () => (await statusOf(`${url}/readyz`)) === 503;
  await expect.poll(waits, { timeout: 10_000, interval: POLL_MS }).toBe(true);
  return { owner, waiting: { url, serving } };
}

/** Milliseconds until a process serves that has waited for it. */
async function untilReady(url: string): Promise<number> {
  const startedMs = performance.now();
  const serves = async () => (await statusOf(`${url}/readyz`)) === 200;
  await expect.poll(serves, { timeout: TAKE_OVER_MS, interval: POLL_MS }).toBe(true);
  return performance.now() - startedMs;
}

async function statusOf(url: string): Promise<number | undefined> {
  return fetch(url).then(
    ({ status }) => status,
    () => undefined,
  );
}
