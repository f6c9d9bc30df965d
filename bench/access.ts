import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccountId, PrincipalId } from "../src/base/ids.ts";
import { StoreObservers } from "../src/base/store-observers.ts";
import { SystemClock } from "../src/runtime/clock.ts";
import { readOptions } from "../src/runtime/open-settings.ts";
import { SystemPrng } from "../src/runtime/prng.ts";
import { requireSettings } from "../src/runtime/read-settings.ts";
import { type Embedded, openEmbedded } from "../src/server/embedded.ts";
import { RequestAccess } from "../src/service/access/request-access.ts";
import { bitsOf, Rights } from "../src/service/access/rights.ts";
import { ruleOf } from "../src/service/access/rules.ts";
import { type Actor, OWN_ACTOR } from "../src/service/actor.ts";
import { median } from "./driver.ts";

/** What a measurement came to, beside its goal. */
export interface AccessFigure {
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  readonly goal: string;
  readonly met: boolean;
}

interface Sizes {
  readonly calls: number;
  readonly loads: number;
  readonly rounds: number;
  readonly tables: number;
}

const FULL: Sizes = { calls: 300_000, loads: 1_500, rounds: 9, tables: 10_000 };
const SMOKE: Sizes = { calls: 50_000, loads: 1_500, rounds: 5, tables: 1_000 };
/** Lists of a round: one alone is over before the clock of the processor moves on. */
const LISTS = 20;
const WARM_UP = 2;
/** Who list the tables by turns, each by grants of its own. */
const PRINCIPALS = 20;
const KEY = `firn_${"a1".repeat(10)}_${"s".repeat(43)}`;
const NAMESPACE = { catalog: "default", namespace: ["n"] } as const;
const TABLE = { ...NAMESPACE, table: "t0" } as const;
const SCHEMA = {
  type: "struct",
  "schema-id": 0,
  fields: [{ id: 1, name: "a", type: "long", required: false }],
};
const PATH = "/iceberg/v1/default/namespaces/n/tables/t0";

/** CPU microseconds of this process since `from`. */
function cpuSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from);
  return user + system;
}

async function open(home: string, auth: "none" | "required"): Promise<Embedded> {
  const given = {
    profile: "memory",
    warehouse: join(home, auth),
    logLevel: "silent",
    auth,
    ...(auth === "required" && { bootstrapKey: KEY }),
  };
  const settings = requireSettings(readOptions(given, process.cwd()));
  return openEmbedded(settings, {
    clock: new SystemClock(),
    prng: new SystemPrng(),
    listens: false,
  });
}

async function fill({ composition }: Embedded, tables: number): Promise<void> {
  const { iceberg } = composition;
  await iceberg.createNamespace(OWN_ACTOR, NAMESPACE, {});
  for (let i = 0; i < tables; i++) {
    const request = { name: `t${i}`, schema: SCHEMA, properties: {}, stageCreate: false };
    await iceberg.createTable(OWN_ACTOR, NAMESPACE, request);
  }
}

/** A warm check: from the header to the judged names, as each request passes it. */
async function warmCheck(server: Embedded, calls: number): Promise<readonly AccessFigure[]> {
  const { access, metrics } = server.composition;
  if (access === undefined) throw new Error("the server asks for no credentials");
  const header = `Bearer ${KEY}`;
  await access.authenticator.identify(header, "127.0.0.1");
  let requests = 0;
  const request = () => {
    requests++;
  };
  StoreObservers.of(metrics).add({ request, dollars: () => undefined });
  const rule = ruleOf("IcebergTables", "loadTable");
  const path = ["c", "n", "t"].map((id) => ({ type: "table", id }) as const);
  const asked = { catalog: "default", path: ["n"], relation: { type: "table", name: "t0" } };
  let denied = 0;
  const check = () => {
    const identity = access.authenticator.known(header);
    if (identity === undefined) {
      denied++;
      return;
    }
    const judge = new RequestAccess(identity.rights, rule(TABLE));
    if (!judge.sees(path)) denied++;
    judge.proven(asked, path);
    judge.assertJudged();
  };
  for (let i = 0; i < calls / 10; i++) check();
  // What was checked is trusted for the staleness time alone.
  let cpu = 0;
  let counted = 0;
  while (counted < calls) {
    await access.authenticator.identify(header, "127.0.0.1");
    const from = process.cpuUsage();
    for (let i = 0; i < 10_000; i++) check();
    cpu += cpuSince(from);
    counted += 10_000;
  }
  const us = cpu / counted;
  const share = requests / counted;
  return [
    figure(
      "authentication and authorization, warm",
      us,
      "µs CPU",
      "<= 10",
      us <= 10 && denied === 0,
    ),
    figure("store requests of a warm check", share, "a check", "<= 0.001", share <= 0.001),
  ];
}

function figure(
  name: string,
  value: number,
  unit: string,
  goal: string,
  met: boolean,
): AccessFigure {
  return { figure: name, value, unit, goal, met };
}

/** CPU of a load with and without credentials, taking turns. */
async function loads(servers: readonly Embedded[], sizes: Sizes): Promise<readonly AccessFigure[]> {
  const spent: number[][] = servers.map(() => []);
  for (let round = 0; round < sizes.rounds + WARM_UP; round++) {
    for (const [i, { server }] of servers.entries()) {
      const from = process.cpuUsage();
      for (let n = 0; n < sizes.loads; n++) {
        const headers = { host: "localhost", authorization: `Bearer ${KEY}` };
        const { status } = await server.inject("GET", PATH, headers, undefined);
        if (status !== 200) throw new Error(`a load was answered ${status}`);
      }
      if (round >= WARM_UP) spent[i]?.push(cpuSince(from) / sizes.loads);
    }
  }
  const [plain = Number.NaN, checked = Number.NaN] = spent.map(median);
  const ratio = plain / checked;
  return [
    figure("loads in process with credentials beside without", ratio, "x", ">= 0.9", ratio >= 0.9),
  ];
}

/** A list of many tables for principals that hold a grant on each, by turns, and for one on all. */
async function listing(server: Embedded, sizes: Sizes): Promise<readonly AccessFigure[]> {
  const { model } = server.composition;
  const ids: string[] = [];
  const place = { catalog: { name: "default" }, namespace: { path: ["n"] } };
  for (let token: string | undefined; ; ) {
    const asked = { pageSize: 1_000, ...(token !== undefined && { pageToken: token }) };
    const page = await model.tables.list(OWN_ACTOR, place, asked);
    ids.push(...page.items.map(({ summary }) => summary.entityId));
    token = page.nextPageToken;
    if (token === undefined) break;
  }
  const catalog = await model.catalogs.get(OWN_ACTOR, { catalog: { name: "default" } });
  const namespace = await model.namespaces.get(OWN_ACTOR, place);
  const above = [catalog.entity.id, namespace.entity.id];
  const account = "account" as AccountId;
  const principalId = "principal" as PrincipalId;
  const privileges = bitsOf(["read-metadata"]);
  const from = process.cpuUsage();
  const grants = ids.map((objectId) => ({
    objectType: "table" as const,
    objectId,
    path: above,
    privileges,
  }));
  const rights = () => new Rights({ account, principalId, grants });
  const each = Array.from({ length: PRINCIPALS }, rights);
  const buildMs = cpuSince(from) / 1_000 / PRINCIPALS;
  const whole = { objectType: "account" as const, objectId: account, path: [], privileges };
  const all = new Rights({ account, principalId, grants: [whole] });
  const turns: readonly (readonly Actor[])[] = [[all], each].map((holders) =>
    holders.map((held) => ({ ...OWN_ACTOR, rights: held })),
  );
  const spent: number[][] = turns.map(() => []);
  for (let round = 0; round < sizes.rounds + WARM_UP; round++) {
    for (const [i, actors] of turns.entries()) {
      const start = process.cpuUsage();
      for (let n = 0; n < LISTS; n++) {
        await list(server, actors[n % actors.length] ?? OWN_ACTOR, sizes.tables);
      }
      if (round >= WARM_UP) spent[i]?.push(cpuSince(start));
    }
  }
  const [unfiltered = Number.NaN, filtered = Number.NaN] = spent.map(median);
  const ratio = filtered / unfiltered;
  return [
    figure(`list of ${sizes.tables} tables by a grant each`, ratio, "x", "<= 1.3", ratio <= 1.3),
    figure(`rights of ${sizes.tables} grants made`, buildMs, "ms CPU", "none", true),
  ];
}

/** All pages of the list. */
async function list({ composition }: Embedded, actor: Actor, tables: number): Promise<void> {
  let listed = 0;
  let pageToken: string | undefined = "";
  while (pageToken !== undefined) {
    const asked = { pageSize: 1_000, pageToken };
    const page = await composition.iceberg.listTables(actor, NAMESPACE, asked);
    listed += page.items.length;
    pageToken = page.nextPageToken ?? undefined;
  }
  if (listed !== tables) throw new Error(`${listed} of ${tables} tables are listed`);
}

/** What checks of access cost: nothing is asserted, the goals are printed beside the figures. */
export async function benchAccess({ smoke }: { readonly smoke: boolean }): Promise<{
  readonly figures: readonly AccessFigure[];
}> {
  const sizes = smoke ? SMOKE : FULL;
  const home = await mkdtemp(join(tmpdir(), "firn-bench-access-"));
  const servers = [await open(home, "none"), await open(home, "required")] as const;
  try {
    // Alike: what a server holds is part of what a request costs.
    for (const server of servers) await fill(server, sizes.tables);
    const figures = [
      ...(await warmCheck(servers[1], sizes.calls)),
      ...(await loads(servers, sizes)),
      ...(await listing(servers[1], sizes)),
    ];
    for (const { figure: name, value, unit, goal, met } of figures) {
      const verdict = goal === "none" ? "" : ` (goal ${goal}${met ? "" : ", missed"})`;
      console.log(`${name}: ${value.toPrecision(3)} ${unit}${verdict}`);
    }
    return { figures };
  } finally {
    for (const server of servers) await server.close();
    await rm(home, { recursive: true, force: true });
  }
}
