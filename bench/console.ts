import type { Page } from "playwright-core";
import { seed } from "../test/console/seed.ts";
import { Stand } from "../test/console/stand.ts";
import { formatTable } from "./report.ts";

/*
 * What a visitor waits for: from the address to the first view with its data, in a browser that has
 * nothing of it yet; at the speed of this machine, and at a quarter of it.
 */

const VIEWS: Readonly<Record<string, string>> = {
  home: "/",
  namespace: "/c/lake/glacier",
  table: "/c/lake/glacier/t/cores",
  history: "/c/lake/glacier/t/cores/history",
};
const GOAL_MS: Readonly<Record<number, number>> = { 1: 500, 4: 1_500 };

export interface ConsoleCell {
  readonly view: string;
  /** The processor is so many times slower. */
  readonly slower: number;
  readonly runs: number;
  readonly medianMs: number;
  readonly maxMs: number;
  /** Over the wire, compressed: scripts, styles, and all. */
  readonly scriptBytes: number;
  readonly styleBytes: number;
  readonly allBytes: number;
  readonly requests: number;
  readonly elements: number;
  readonly met: boolean;
}

/** Opens the first views of a small lake. */
export async function benchConsole(smoke: boolean): Promise<readonly ConsoleCell[]> {
  const runs = smoke ? 1 : 7;
  const stand = await Stand.start();
  try {
    await seed(stand.url);
    const cells: ConsoleCell[] = [];
    for (const slower of [1, 4]) {
      for (const view of Object.keys(VIEWS)) cells.push(await measure(stand, view, slower, runs));
    }
    const rows = cells.map((cell) => [
      cell.view,
      `÷ ${cell.slower}`,
      cell.medianMs.toFixed(0),
      cell.maxMs.toFixed(0),
      String(cell.scriptBytes),
      String(cell.styleBytes),
      String(cell.allBytes),
      String(cell.requests),
      String(cell.elements),
      cell.met ? "met" : "MISSED",
    ]);
    const figures = ["JS bytes", "CSS bytes", "all bytes", "requests", "elements", "goal"];
    console.log(formatTable(["view", "CPU", "median ms", "max ms", ...figures], rows));
    return cells;
  } finally {
    await stand.stop();
  }
}

interface Visit {
  readonly ms: number;
  readonly bytes: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly elements: number;
}

async function measure(
  stand: Stand,
  view: string,
  slower: number,
  runs: number,
): Promise<ConsoleCell> {
  const visits: Visit[] = [];
  for (let i = 0; i < runs; i++) visits.push(await visit(stand, VIEWS[view] ?? "/", slower));
  const times = visits.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const medianMs = times[Math.floor(times.length / 2)] ?? Number.NaN;
  const last = visits.at(-1);
  return {
    view,
    slower,
    runs,
    medianMs,
    maxMs: times.at(-1) ?? Number.NaN,
    scriptBytes: last?.bytes["Script"] ?? 0,
    styleBytes: last?.bytes["Stylesheet"] ?? 0,
    allBytes: Object.values(last?.bytes ?? {}).reduce((sum, bytes) => sum + bytes, 0),
    requests: last?.requests ?? 0,
    elements: last?.elements ?? 0,
    met: medianMs <= (GOAL_MS[slower] ?? 0),
  };
}

/** One visit with an empty cache. Its end is the first frame behind the data of the view. */
async function visit(stand: Stand, path: string, slower: number): Promise<Visit> {
  const page = await stand.blank();
  try {
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    await session.send("Emulation.setCPUThrottlingRate", { rate: slower });
    const kinds = new Map<string, string>();
    const bytes: Record<string, number> = {};
    session.on("Network.responseReceived", ({ requestId, type }) => kinds.set(requestId, type));
    session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const kind = kinds.get(requestId) ?? "Other";
      bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength;
    });
    await page.goto(`${stand.url}/console${path}`);
    const ms = await shownAt(page);
    const elements = await page.evaluate<number>(`document.querySelectorAll("*").length`);
    return { ms, bytes, requests: kinds.size, elements };
  } finally {
    await page.context().close();
  }
}

function shownAt(page: Page): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const look = () => {
      const isShown = document.querySelector("main .figures, main .grid") !== null &&
        document.querySelector("main .loading") === null;
      if (isShown) requestAnimationFrame(() => resolve(performance.now()));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}
