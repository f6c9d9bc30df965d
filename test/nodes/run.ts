import { readFileSync } from "node:fs";
import { SeededPrng } from "../../src/base/prng.ts";
import { httpClient, postgresClient, sql } from "./clients.ts";
import { Ledger } from "./ledger.ts";
import { twoShards } from "./two-shards.ts";
import { type Node, World } from "./world.ts";

/*
 * Three nodes of profile aws, each a process of its own, over doubles of S3 and DynamoDB. Clients
 * insert rows over HTTP and PostgreSQL's protocol at nodes that are drawn, while the owner of the
 * rows is killed, paused and stopped. No acknowledged row may be missing, none stored twice, none
 * stored that was refused, and each fault may change the owner once.
 */

const HTTP_CLIENTS = 6;
const POSTGRES_CLIENTS = 4;
const MEASURE_MS = 4_000;
/** How long clients go on before a fault, and after it has been overcome. */
const BEFORE_MS = 1_500;
const AFTER_MS = 2_000;
const TAKE_OVER_LIMIT_MS = 20_000;

const seed = Number(process.argv[process.argv.indexOf("--seed") + 1] || 1) || 1;
const prng = new SeededPrng(seed);
const problems: string[] = [];
let passed = 0;

function check(what: string, isRight: boolean, facts = ""): void {
  if (isRight) passed++;
  else problems.push(`${what}${facts && `: ${facts}`}`);
  console.log(`${isRight ? "ok    " : "FAILED"} ${what}${facts && ` (${facts})`}`);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const startedMs = performance.now();
const everyNode: Node[] = [];

/** Each change of the owner that any node has logged. */
function ownerChanges(): readonly { readonly epoch: number; readonly node: Node }[] {
  return everyNode
    .flatMap((node) =>
      node
        .log()
        .split("\n")
        .filter((line) => /"row shard (?:claimed|taken over)"/.test(line))
        .map((line) => ({ epoch: (JSON.parse(line) as { epoch: number }).epoch, node })),
    )
    .sort((a, b) => a.epoch - b.epoch);
}

function owner(): Node {
  const last = ownerChanges().at(-1);
  if (last === undefined) throw new Error("no node owns the shard");
  return last.node;
}

async function start(world: World): Promise<Node> {
  const node = await world.start();
  everyNode.push(node);
  return node;
}

function drawn(nodes: readonly Node[]): Node {
  const node = nodes[Math.floor(prng.float() * nodes.length)];
  if (node === undefined) throw new Error("no node is left");
  return node;
}

/** Milliseconds of processor time that processes have used. */
function cpuMs(nodes: readonly Node[]): number {
  const ticks = nodes.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * 10;
}

async function loaded<T>(
  route: () => Node,
  label: string,
  ledger: Ledger,
  work: () => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const load = (kind: string, i: number) => ({
    route,
    ledger,
    ended: ended.signal,
    name: `${label}-${kind}${i}`,
  });
  const clients = [
    ...Array.from({ length: HTTP_CLIENTS }, (_, i) => httpClient(load("h", i))),
    ...Array.from({ length: POSTGRES_CLIENTS }, (_, i) => postgresClient(load("p", i))),
  ];
  try {
    return await work();
  } finally {
    ended.abort();
    await Promise.all(clients);
  }
}

/** Acknowledged insertions a second, and processor time of the nodes for each. */
async function measured(world: World, route: () => Node, label: string, ledger: Ledger) {
  const before = { acknowledged: ledger.acknowledged, cpu: cpuMs([...world.nodes]) };
  const began = performance.now();
  await loaded(route, label, ledger, () => sleep(MEASURE_MS));
  const count = ledger.acknowledged - before.acknowledged;
  const cpu = cpuMs([...world.nodes]) - before.cpu;
  return { rate: (count * 1_000) / (performance.now() - began), cpuMsEach: cpu / count };
}

/** What a node has logged, but for the requests that it served. */
function toldBy(node: Node): string {
  const lines = node.log().split("\n");
  return lines.filter((line) => !line.includes('"msg":"request"')).join("\n");
}

type FaultName = "killed" | "paused" | "stopped";

/** One fault at the owner, while clients go on. */
async function fault(world: World, name: FaultName, ledger: Ledger): Promise<void> {
  const before = ownerChanges().length;
  await loaded(
    () => drawn([...world.nodes]),
    name,
    ledger,
    async () => {
      await sleep(BEFORE_MS);
      const victim = owner();
      const began = performance.now();
      if (name === "killed") await world.kill(victim);
      if (name === "stopped") await world.stop(victim);
      if (name === "paused") process.kill(victim.pid, "SIGSTOP");
      while (ownerChanges().length === before) {
        if (performance.now() - began > TAKE_OVER_LIMIT_MS) break;
        await sleep(50);
      }
      const tookMs = Math.round(performance.now() - began);
      check(`${name}: another node owns the rows`, ownerChanges().length > before, `${tookMs} ms`);
      await sleep(AFTER_MS);
      if (name === "paused") process.kill(victim.pid, "SIGCONT");
      const count = ledger.acknowledged;
      // Clients that wait for one that stood still go on when it does.
      for (let i = 0; i < 100 && ledger.acknowledged === count; i++) await sleep(100);
      check(`${name}: clients go on`, ledger.acknowledged > count);
    },
  );
  const changes = ownerChanges().length - before;
  check(`${name}: the owner changed once`, changes === 1, `${changes} changes`);
}

async function judge(world: World, when: string, ledger: Ledger): Promise<void> {
  const rows = await sql(drawn([...world.nodes]), "select op from log");
  const wrong = ledger.judge(rows.map(([op]) => String(op)));
  check(
    `${when}: every row as its client was told`,
    wrong.length === 0,
    wrong.slice(0, 5).join("; "),
  );
}

const world = await World.open();
try {
  console.log(`npm run test:nodes -- --seed ${seed}`);
  const ledger = new Ledger();
  await Promise.all([start(world), start(world), start(world)]);
  await sql(drawn([...world.nodes]), "create table log (op text)");
  const first = owner();
  await measured(world, () => first, "warm", ledger);
  const one = await measured(world, () => first, "one", ledger);
  const three = await measured(world, () => drawn([...world.nodes]), "three", ledger);
  const ratio = three.rate / one.rate;
  const cpu = three.cpuMsEach / one.cpuMsEach;
  console.log(
    `one node ${one.rate.toFixed(0)}/s, three nodes ${three.rate.toFixed(0)}/s: ratio ` +
      `${ratio.toFixed(2)}; processor time an insertion: ratio ${cpu.toFixed(2)}`,
  );
  for (const name of ["killed", "paused", "stopped"] as const) {
    await fault(world, name, ledger);
    await judge(world, name, ledger);
    if (name !== "paused") await start(world);
  }
  await twoShards({
    world,
    start: () => start(world),
    drawn: () => drawn([...world.nodes]),
    first: owner(),
    check,
  });
  console.log(
    `${ledger.acknowledged} insertions acknowledged, ${ledger.refused} refused, ` +
      `${ledger.doubtful} not answered`,
  );
  if (problems.length > 0) for (const node of everyNode) console.log(`\n${toldBy(node)}`);
} catch (error) {
  problems.push(String(error));
  console.log(error);
} finally {
  await world.close();
}
console.log(`${((performance.now() - startedMs) / 1_000).toFixed(0)} s`);
console.log(`\n${passed} passed, ${problems.length} failed, 0 skipped`);
process.exitCode = problems.length === 0 ? 0 : 1;
