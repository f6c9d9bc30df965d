import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRemote, type Profile } from "../src/runtime/settings.ts";
import { startServer } from "../test/clients/server-process.ts";
import { BenchClient } from "./client.ts";
import { cpuMs, median, percentile, settled } from "./driver.ts";
import { SCHEMA } from "./history.ts";
import { formatTable } from "./report.ts";
import { NO_STORES, startStores } from "./stores.ts";

/*
 * One catalog, empty and full: what an operation costs must not depend on how much there is. Ratios
 * are of processor time (of the server, and of the doubles of its stores), since the clock of a
 * shared machine says little; where one operation is too short to be told apart, many are.
 */

const ICEBERG = "/iceberg/v1/default";
const API = "/api/v1/catalogs/default";
/** Namespaces for each table: 10,000 beside 100,000. */
const TABLES_A_NAMESPACE = 10;
const CLIENTS = 16;
const PAGE = 1_000;
/** The most that an operation may cost in a full catalog, for what it costs in an empty one. */
const RATIO_GOAL = 1.3;
const SEARCH_GOAL_MS = 50;

export interface ScaleOptions {
  readonly tables: number;
  /** A short run, whose figures mean nothing. */
  readonly smoke: boolean;
  /** Absent: memory, local and aws. */
  readonly profile?: Profile;
}

/** An operation, empty and full: milliseconds of processor time for one. */
/** What an operation costs the server; the doubles of its stores stand for no real ones. */
export interface ScaleCell {
  readonly name: string;
  readonly emptyCpuMs: number;
  readonly fullCpuMs: number;
  readonly ratio: number;
  /** What it costs the stores' own processes. */
  readonly storesEmptyCpuMs: number;
  readonly storesFullCpuMs: number;
}

interface Cost {
  readonly server: number;
  readonly stores: number;
}

export interface ScaleFigures {
  readonly profile: Profile;
  readonly tables: number;
  readonly namespaces: number;
  readonly fillCpuMs: number;
  readonly cells: readonly ScaleCell[];
  /** The first, middle and last page of a full list of 1,000. */
  readonly pagesCpuMs: readonly number[];
  /** Resident memory before and after the whole list was read. */
  readonly memoryMib: { readonly before: number; readonly after: number };
  /** A name that stands once among all, by the clock and by the processor. */
  readonly search: { readonly p50Ms: number; readonly cpuMs: number; readonly requests: number };
  readonly verdicts: readonly ScaleVerdict[];
}

export interface ScaleVerdict {
  readonly goal: string;
  readonly measured: number;
  readonly met: boolean;
}

const PROFILES: readonly Profile[] = ["memory", "local", "aws"];

/** Measures one server of each profile over HTTP on the loopback interface. */
export async function benchScale(options: ScaleOptions): Promise<readonly ScaleFigures[]> {
  const all: ScaleFigures[] = [];
  const profiles = options.profile === undefined ? PROFILES : [options.profile];
  for (const profile of profiles) {
    const figures = await benchProfile(profile, options);
    console.log(show(figures));
    all.push(figures);
  }
  return all;
}

async function benchProfile(
  profile: Profile,
  { tables, smoke }: ScaleOptions,
): Promise<ScaleFigures> {
  const directory = await mkdtemp(join(tmpdir(), "firn-bench-"));
  const stores = isRemote(profile) ? await startStores(profile) : NO_STORES;
  const flags = ["--profile", profile, ...stores.flags, "--log-level", "error"];
  const server = await startServer(directory, flags, stores.env);
  const client = new BenchClient(server.url, CLIENTS);
  const run = new Run(client, server.pid, stores.pids, smoke ? 20 : 1_000);
  try {
    return await run.all(profile, tables);
  } finally {
    client.close();
    await server.stop();
    await stores.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

class Run {
  readonly #client: BenchClient;
  readonly #pid: number;
  readonly #storePids: readonly number[];
  readonly #times: number;
  #made = 0;

  constructor(client: BenchClient, pid: number, storePids: readonly number[], times: number) {
    this.#client = client;
    this.#pid = pid;
    this.#storePids = storePids;
    this.#times = times;
  }

  async all(profile: Profile, tables: number): Promise<ScaleFigures> {
    const namespaces = Math.ceil(tables / TABLES_A_NAMESPACE);
    for (const name of ["many", "probe"]) await this.#namespace(name);
    await this.#table("probe", "fixed");
    const empty = await this.#cells();
    const { server: fillCpuMs } = await this.#cost(1, async () => {
      await this.#together(tables, (i) => this.#table("many", nameOf(i)));
      await this.#together(namespaces, (i) => this.#namespace(`n${nameOf(i)}`));
    });
    await settled(this.#pid);
    const full = await this.#cells();
    const cells = full.map(({ name, cost }, i): ScaleCell => {
      const before = empty[i]?.cost ?? { server: Number.NaN, stores: Number.NaN };
      return {
        name,
        emptyCpuMs: before.server,
        fullCpuMs: cost.server,
        ratio: cost.server / before.server,
        storesEmptyCpuMs: before.stores,
        storesFullCpuMs: cost.stores,
      };
    });
    const { pagesCpuMs, memoryMib } = await this.#pages(tables);
    const search = await this.#search(nameOf(tables - 1));
    const figures = {
      profile,
      tables,
      namespaces,
      fillCpuMs,
      cells,
      pagesCpuMs,
      memoryMib,
      search,
    };
    return { ...figures, verdicts: judge(figures) };
  }

  /** What each operation costs now. Those that create leave their table in the namespace. */
  async #cells(): Promise<readonly { readonly name: string; readonly cost: Cost }[]> {
    const table = `${ICEBERG}/namespaces/probe/tables/fixed`;
    const operations: readonly (readonly [string, () => Promise<unknown>])[] = [
      ["load", () => this.#client.send("GET", table)],
      ["exists", () => this.#client.send("HEAD", table)],
      ["resolve", () => this.#client.send("GET", "/api/v1/resolve?name=default.probe.fixed")],
      ["create", () => this.#table("many", `x${this.#made++}`)],
    ];
    const cells = [];
    for (const [name, operation] of operations) {
      await this.#together(this.#times, operation);
      await settled(this.#pid);
      cells.push({ name, cost: await this.#medianCost(operation) });
    }
    return cells;
  }

  /** Every page of the namespace, one behind the other. */
  async #pages(tables: number) {
    // The first lists grow what the runtime keeps for garbage, which says nothing of what is kept.
    for (let warm = 0; warm < WARM_LISTS; warm++) await this.#list(tables);
    const before = residentMib(this.#pid);
    const tokens = await this.#list(tables);
    const after = residentMib(this.#pid);
    // So many that the kernel's steps of 10 ms say little.
    const times = Math.max(1, Math.ceil(this.#times / 2));
    const pagesCpuMs: number[] = [];
    for (const at of [0, Math.floor((tokens.length - 1) / 2), Math.max(0, tokens.length - 2)]) {
      await this.#page(tokens[at]);
      const { server } = await this.#cost(times, () => this.#page(tokens[at]));
      pagesCpuMs.push(server);
    }
    return { pagesCpuMs, memoryMib: { before, after } };
  }

  /** Reads the whole namespace. Returns the tokens of its pages. */
  async #list(tables: number): Promise<readonly (string | undefined)[]> {
    const tokens: (string | undefined)[] = [undefined];
    let listed = 0;
    for (let token: string | undefined; ; ) {
      const page = await this.#page(token);
      listed += page.count;
      if (page.next === undefined) break;
      token = page.next;
      tokens.push(token);
    }
    if (listed < tables) throw new Error(`a full list has ${listed} of ${tables} tables`);
    return tokens;
  }

  async #page(token: string | undefined) {
    const query = token === undefined ? "" : `&pageToken=${encodeURIComponent(token)}`;
    const path = `${API}/namespaces/many/tables?pageSize=${PAGE}${query}`;
    const body = JSON.parse(await this.#client.send("GET", path)) as {
      readonly items: readonly unknown[];
      readonly nextPageToken?: string;
    };
    return { count: body.items.length, next: body.nextPageToken };
  }

  /** Searches through all names for one, over as many requests as it takes. */
  async #search(name: string) {
    const times: number[] = [];
    let requests = 0;
    const once = async (): Promise<void> => {
      const beganMs = performance.now();
      let found = 0;
      for (let token = ""; ; ) {
        const query = token === "" ? "" : `&pageToken=${encodeURIComponent(token)}`;
        const text = await this.#client.send(
          "GET",
          `/api/v1/search?q=${name}&pageSize=1000${query}`,
        );
        requests++;
        const page = JSON.parse(text) as { items: readonly unknown[]; nextPageToken?: string };
        found += page.items.length;
        if (page.nextPageToken === undefined) break;
        token = page.nextPageToken;
      }
      if (found === 0) throw new Error(`${name} is not found`);
      times.push(performance.now() - beganMs);
    };
    await once();
    times.length = 0;
    requests = 0;
    const rounds = 5;
    const { server: cpu } = await this.#cost(rounds, once);
    times.sort((a, b) => a - b);
    return { p50Ms: percentile(times, 0.5), cpuMs: cpu, requests: requests / rounds };
  }

  /** Of several rounds: what a fill left for the collector falls into one of them. */
  async #medianCost(operation: () => Promise<unknown>): Promise<Cost> {
    const rounds: Cost[] = [];
    for (let i = 0; i < ROUNDS; i++) rounds.push(await this.#cost(this.#times, operation));
    const servers = rounds.map(({ server }) => server);
    return { server: median(servers), stores: median(rounds.map(({ stores }) => stores)) };
  }

  /** Processor time of one of so many operations. */
  async #cost(times: number, operation: () => Promise<unknown>): Promise<Cost> {
    const stores = (): number => this.#storePids.reduce((sum, pid) => sum + cpuMs(pid), 0);
    const before = { server: cpuMs(this.#pid), stores: stores() };
    for (let i = 0; i < times; i++) await operation();
    return {
      server: (cpuMs(this.#pid) - before.server) / times,
      stores: (stores() - before.stores) / times,
    };
  }

  async #together(count: number, operation: (i: number) => Promise<unknown>): Promise<void> {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count) await operation(next++);
    };
    await Promise.all(Array.from({ length: CLIENTS }, lane));
  }

  async #namespace(name: string): Promise<void> {
    await this.#client.send("POST", `${ICEBERG}/namespaces`, `{"namespace":["${name}"]}`);
  }

  async #table(namespace: string, name: string): Promise<void> {
    const body = JSON.stringify({ name, schema: SCHEMA });
    await this.#client.send("POST", `${ICEBERG}/namespaces/${namespace}/tables`, body);
  }
}

const ROUNDS = 5;
const DIGITS = 7;
const WARM_LISTS = 3;

function nameOf(i: number): string {
  return `t${String(i).padStart(DIGITS, "0")}`;
}

function residentMib(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1_024;
}

function judge(figures: Omit<ScaleFigures, "verdicts">): readonly ScaleVerdict[] {
  const { cells, pagesCpuMs, memoryMib, search, profile } = figures;
  const atMost = (goal: string, measured: number, most: number): ScaleVerdict => ({
    goal,
    measured,
    met: measured <= most,
  });
  const [first = Number.NaN] = pagesCpuMs;
  const worstPage = Math.max(...pagesCpuMs) / first;
  const verdicts = cells.map(({ name, ratio }) =>
    atMost(`${name} ≤ ${RATIO_GOAL} × the cost in an empty catalog`, ratio, RATIO_GOAL),
  );
  verdicts.push(atMost(`any page ≤ ${RATIO_GOAL} × the first`, worstPage, RATIO_GOAL));
  const growth = memoryMib.after - memoryMib.before;
  verdicts.push(atMost("a full list keeps ≤ 64 MiB", growth, 64));
  if (profile !== "aws") {
    verdicts.push(
      atMost(`a search of all names ≤ ${SEARCH_GOAL_MS} ms`, search.p50Ms, SEARCH_GOAL_MS),
    );
  }
  return verdicts;
}

function show(figures: ScaleFigures): string {
  const { profile, tables, namespaces, fillCpuMs, cells, pagesCpuMs, verdicts, search } = figures;
  const pages = pagesCpuMs.map((ms) => ms.toFixed(2)).join(", ");
  const rows = cells.map((cell) => [
    cell.name,
    cell.emptyCpuMs.toFixed(3),
    cell.fullCpuMs.toFixed(3),
    cell.ratio.toFixed(2),
    cell.storesEmptyCpuMs.toFixed(3),
    cell.storesFullCpuMs.toFixed(3),
  ]);
  const goals = verdicts.map(({ goal, measured, met }) => [
    goal,
    measured.toFixed(2),
    met ? "met" : "MISSED",
  ]);
  return [
    `\nprofile ${profile}: ${tables} tables in one namespace, ${namespaces} namespaces, filled ` +
      `with ${(fillCpuMs / 1_000).toFixed(0)} s of processor time\n`,
    formatTable(
      ["ms of processor time", "empty", "full", "ratio", "stores, empty", "stores, full"],
      rows,
    ),
    `pages, first, middle, last: ${pages} ms of processor time\n`,
    `search: ${search.cpuMs.toFixed(0)} ms of processor time, ${search.requests} requests\n`,
    formatTable(["goal", "measured", ""], goals),
  ].join("\n");
}
