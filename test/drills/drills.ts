import { strict as assert } from "node:assert";
import { setTimeout as sleep } from "node:timers/promises";
import { utf8 } from "../../src/base/bytes.ts";
import type { Engine } from "../../src/lsm/engine/engine.ts";
import { sectionOf } from "./runbook.ts";
import { inThePast, openSite, type Site } from "./site.ts";

/** One incident: brings it about, watches its alarm, does what the runbook says. */
export interface Drill {
  readonly name: string;
  /** Of its section of the runbook. */
  readonly title: string;
  readonly play: (say: (text: string) => void) => Promise<void>;
}

const KIB = 1_024;
const DAY_MS = 86_400_000;
/** Between two commits of who does not hurry. */
const CALM_MS = 5;
/** Commits to the hot table for one of who does not hurry. */
const HOT_FOR_ONE = 8;
/** How long commits are counted. */
const WATCH_MS = 2_000;
const VALUE = new Uint8Array(512);

/** Compactions begin when they are asked for: as where they cannot keep up, but for certain. */
const BEHIND = { memtableBytes: 256 * KIB, compaction: "manual" } as const;

export const DRILLS: readonly Drill[] = [
  {
    name: "debt",
    title: "Compaction debt",
    play: (say) =>
      withSite(BEHIND, async (site) => {
        const { engine } = site;
        for (let round = 0; round < 14; round++) {
          await fill(engine, 400, (i) => `/drill/${(i * 7_919 + round) % 4_000}`);
          await engine.flush();
        }
        const rows = await count(engine);
        await mend(site, "Compaction debt", "firn lsm compact", say);
        const { tree, compaction } = engine.stats();
        assert.deepEqual([tree.l0Tables, tree.runs, compaction.debtBytes], [0, 1, 0]);
        assert.equal(await count(engine), rows);
      }),
  },
  {
    name: "tombstones",
    title: "Tombstone storm",
    play: (say) =>
      withSite({ ...BEHIND, memtableBytes: 32_768 * KIB }, async (site) => {
        const { engine } = site;
        await fill(engine, 20_000, (i) => `/drill/${i}`);
        await engine.flush();
        for (let i = 0; i < 18_000; i++) await engine.delete(utf8(`/drill/${i}`));
        await engine.flush();
        const { fileBytes } = engine.stats().tree;
        await mend(site, "Tombstone storm", "firn lsm compact", say);
        const { tree } = engine.stats();
        assert.equal(tree.deletions, 0);
        assert.ok(
          tree.fileBytes < fileBytes / 4,
          `${tree.fileBytes} of ${fileBytes} bytes are left`,
        );
        assert.equal(await count(engine), 2_000);
      }),
  },
  {
    name: "forgotten-checkpoint",
    title: "Forgotten checkpoint",
    play: (say) => {
      const forget = (dir: string) =>
        inThePast(dir, 8 * DAY_MS, async (engine) => {
          await fill(engine, 4_000, (i) => `/drill/${i}`);
          await engine.checkpoint("forgotten");
        });
      return withSite({}, (site) => playForgotten(site, say), forget);
    },
  },
  {
    name: "hot-prefix",
    title: "Hot prefix",
    play: (say) => withSite({}, (site) => playHotPrefix(site, say)),
  },
];

/** What somebody kept a week ago is written over, and stays. */
async function playForgotten(site: Site, say: (text: string) => void): Promise<void> {
  const { alarm, commands } = sectionOf("Forgotten checkpoint");
  const [look = "", letGo = ""] = commands;
  await fill(site.engine, 4_000, (i) => `/drill/${i}`);
  await site.engine.compact();
  say(`alarm at ${await site.until(alarm, "alarm")}`);
  const name = /^"([^"]+)"/m.exec(await site.operate(look))?.[1];
  assert.equal(name, "forgotten");
  say((await site.operate(letGo.replace("NAME", "forgotten"))).trim());
  say(`calm at ${await site.until(alarm, "calm")}`);
  assert.deepEqual(site.engine.checkpoints(), []);
}

/** Some clients commit to one table without a pause, another one here and there. */
async function playHotPrefix(site: Site, say: (text: string) => void): Promise<void> {
  const { alarm, commands } = sectionOf("Hot prefix");
  const [look = "", hold = ""] = commands;
  const [hot = "", ...calm] = await makeTables(site.url, 48);
  const done = { hot: 0, calm: 0 };
  let over = false;
  let isHeld = false;
  const users = [
    ...Array.from({ length: 4 }, async (_, user) => {
      // No two write the same: that would be no change.
      for (let i = user; !over; i += 4) if (await setProperty(site.url, hot, i)) done.hot++;
    }),
    (async () => {
      for (let i = 0; !over; i++) {
        if (await setProperty(site.url, calm[i % calm.length] as string, i)) done.calm++;
        // On a slow machine too, the hot table is most of the work until it is held back.
        do await sleep(CALM_MS);
        while (!over && !isHeld && done.hot < HOT_FOR_ONE * done.calm);
      }
    })(),
  ];
  try {
    say(`alarm at ${await site.until(alarm, "alarm")}`);
    const writes = (await site.operate(look)).split("writes:")[1] ?? "";
    // One key of the family of tables: nothing else of a commit is written again and again.
    const prefix = / on at least 1 key: "([^"]*\/tables\/by-id\/[^"]+)"/.exec(writes)?.[1];
    assert.ok(prefix !== undefined, `no table is told of: ${writes}`);
    say(`throttles ${prefix}`);
    await site.operate(hold.replace("PREFIX", prefix));
    isHeld = true;
    say(`calm at ${await site.until(alarm, "calm")}`);
    const before = { ...done };
    await sleep(WATCH_MS);
    const now = { hot: done.hot - before.hot, calm: done.calm - before.calm };
    say(`in ${WATCH_MS} ms ${now.hot} commits to the hot table, ${now.calm} to others`);
    // The rate, and what it may have saved in the second before.
    const most = Number(/--writes-per-second (\d+)/.exec(hold)?.[1]) * (1 + WATCH_MS / 1_000) + 1;
    assert.ok(now.hot <= most, `the hot table is held back to ${most}`);
    assert.ok(now.calm > now.hot, "the others are not held back");
    await site.operate(hold.replace("PREFIX", prefix).replace(/--for \d+/, "--for 0"));
    isHeld = false;
    done.hot = done.calm = 0;
    say(`alarm at ${await site.until(alarm, "alarm")} without the throttle`);
  } finally {
    over = true;
    await Promise.all(users);
  }
}

/** The alarm must stand before the command of the runbook, and be over after it. */
async function mend(
  site: Site,
  title: string,
  command: string,
  say: (text: string) => void,
): Promise<void> {
  const { alarm, commands } = sectionOf(title);
  say(`alarm at ${await site.until(alarm, "alarm")}`);
  const [line = ""] = commands;
  assert.ok(line.startsWith(command), `the runbook says: ${line}`);
  say((await site.operate(line)).trim());
  say(`calm at ${await site.until(alarm, "calm")}`);
}

async function withSite(
  options: Parameters<typeof openSite>[0],
  work: (site: Site) => Promise<void>,
  before?: Parameters<typeof openSite>[1],
): Promise<void> {
  const site = await openSite(options, before);
  try {
    await work(site);
  } finally {
    await site.close();
  }
}

async function fill(engine: Engine, rows: number, keyOf: (i: number) => string): Promise<void> {
  for (let i = 0; i < rows; i++) await engine.put(utf8(keyOf(i)), VALUE);
}

async function count(engine: Engine): Promise<number> {
  let rows = 0;
  for await (const batch of engine.scan({ prefix: utf8("/drill/") })) rows += batch.length;
  return rows;
}

async function makeTables(url: string, number: number): Promise<readonly string[]> {
  const created = await post(`${url}/iceberg/v1/namespaces`, { namespace: ["drill"] });
  assert.equal(created, 200);
  const names = Array.from({ length: number }, (_, i) => `t${i}`);
  const schema = { type: "struct", fields: [{ id: 1, name: "a", required: false, type: "int" }] };
  for (const name of names) {
    assert.equal(await post(`${url}/iceberg/v1/namespaces/drill/tables`, { name, schema }), 200);
  }
  return names;
}

/** Whether it was committed: else others were faster, or it was held back. */
async function setProperty(url: string, table: string, value: number): Promise<boolean> {
  const status = await post(`${url}/iceberg/v1/namespaces/drill/tables/${table}`, {
    requirements: [],
    updates: [{ action: "set-properties", updates: { count: String(value) } }],
  });
  assert.ok([200, 409, 429].includes(status), `a commit is answered ${status}`);
  return status === 200;
}

async function post(url: string, body: object): Promise<number> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}
