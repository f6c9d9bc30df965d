import pg from "pg";
import type { Node, World } from "./world.ts";

/*
 * A catalog whose two shards are on two nodes: what names one of them reaches its owner from any
 * node, and the death of one owner leaves the other shard as it is.
 */

const ROWS = 60;
const PATIENCE_MS = 40_000;

interface ShardShown {
  readonly catalog?: string;
  readonly shard?: string;
  readonly owner?: { readonly node: string; readonly url: string };
}

export interface TwoShardsParts {
  readonly world: World;
  readonly start: () => Promise<Node>;
  readonly drawn: () => Node;
  /** The node that owns the first shard. */
  readonly first: Node;
  readonly check: (what: string, isRight: boolean, facts?: string) => void;
}

async function ask(node: Node, method: string, path: string, body?: object) {
  const response = await fetch(`${node.url}/api/v1${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return { status: response.status, text: await response.text() };
}

const run = (node: Node, statement: string, shard?: string) =>
  ask(node, "POST", "/sql", {
    statement,
    timeoutMs: PATIENCE_MS,
    ...(shard !== undefined && { settings: { "firn.shard": shard } }),
  });

async function ownersAt(node: Node): Promise<ReadonlyMap<string, string>> {
  const { text } = await ask(node, "GET", "/shards");
  const { items } = JSON.parse(text) as { readonly items: readonly ShardShown[] };
  return new Map(items.map(({ shard = "", owner }) => [shard, owner?.node ?? ""]));
}

/** Rows over PostgreSQL's protocol, of a session that begins on the shard. */
async function countBySession(node: Node): Promise<number> {
  const connectionString = node.postgres.replace("://", "://firn@");
  const client = new pg.Client({ connectionString, options: "-c firn.shard=hot" });
  await client.connect();
  try {
    const { rows } = await client.query("select count(*)::int as n from hot_log");
    return (rows[0] as { n: number }).n;
  } finally {
    await client.end();
  }
}

export async function twoShards(parts: TwoShardsParts): Promise<void> {
  const { world, first, check, drawn, start } = parts;
  const second = [...world.nodes].find((node) => node !== first);
  if (second === undefined) throw new Error("there is one node only");
  const made = await ask(second, "POST", "/shards/default:create", { name: "hot" });
  check("two shards: one is made", made.status === 201, made.status === 201 ? "" : made.text);
  const create = "create table hot_log (op text primary key)";
  const table = await run(drawn(), `${create} with (shard = 'hot')`, "hot");
  check("two shards: its table", table.status === 200, table.status === 200 ? "" : table.text);
  await run(drawn(), "create table own_log (op text primary key)");
  const owners = await ownersAt(drawn());
  const [hot, own] = [owners.get("hot"), owners.get("default")];
  check("two shards: on two nodes", hot !== own && hot !== undefined && own !== undefined);

  const told = { hot: [] as string[], own: [] as string[] };
  const both = async (label: string): Promise<void> => {
    for (let i = 0; i < ROWS; i++) {
      const op = `${label}-${i}`;
      const values = `values ('${op}')`;
      const hot = await run(drawn(), `insert into hot_log ${values}`, "hot").catch(() => undefined);
      if (hot?.status === 200) told.hot.push(op);
      const own = await run(drawn(), `insert into own_log ${values}`).catch(() => undefined);
      if (own?.status === 200) told.own.push(op);
    }
  };
  await both("before");
  check("two shards: both are written", told.hot.length === ROWS && told.own.length === ROWS);
  const apart = await run(drawn(), "select count(*) from hot_log");
  check("two shards: another's table is refused", apart.text.includes("ROW_SHARD_ELSEWHERE"));
  const path = "/catalogs/default/namespaces/public/tables/hot_log/rows:get";
  for (const node of world.nodes) {
    const got = await ask(node, "POST", path, { keys: [{ op: "before-0" }] });
    check("two shards: rows over HTTP at each node", got.text.includes('"before-0"'));
    check("two shards: sessions at each node", (await countBySession(node)) === ROWS);
  }

  const moveOwn = "/catalogs/default/namespaces/public/tables/own_log:move";
  const between = await ask(drawn(), "POST", moveOwn, { shard: "hot" });
  const isTold = between.status === 409 && between.text.includes("ROW_MOVE_ELSEWHERE");
  check("two shards: no table moves between two nodes", isTold, between.text.slice(0, 200));

  const writing = both("killed");
  await new Promise((resolve) => setTimeout(resolve, 300));
  await world.kill(second);
  await writing;
  await start();
  const lost: string[] = [];
  for (const [name, ops] of Object.entries(told)) {
    const { text } = await run(drawn(), `select op from ${name}_log`, name === "hot" ? "hot" : "");
    lost.push(...ops.filter((op) => !text.includes(`"${op}"`)).map((op) => `${name} ${op}`));
  }
  check("two shards: no acknowledged row is lost", lost.length === 0, lost.slice(0, 5).join("; "));
  const after = told.own.filter((op) => op.startsWith("killed")).length;
  // Each request waits for the node that it is sent to, not for the other shard.
  check("two shards: the first one goes on", after > ROWS / 3, `${after} of ${ROWS}`);

  const moved = await ask(first, "POST", "/shards/default:move?shard=hot");
  check(
    "two shards: moved to one node",
    moved.status === 200,
    moved.status === 200 ? "" : moved.text,
  );
  const joined = await run(drawn(), "select count(*) from hot_log join own_log using (op)");
  check("two shards: read together there", joined.status === 200, joined.text.slice(0, 200));

  const begun = await ask(drawn(), "POST", moveOwn, { shard: "hot" });
  check("two shards: a move begins", begun.status === 202, begun.text.slice(0, 200));
  const count = "select count(*)::int8 from own_log";
  const hasMoved = async (): Promise<boolean> => {
    // A session on the other shard writes it as soon as it is there.
    const writes = ["own_log values ('p')", "hot_log values ('p')"];
    const tried = `begin; ${writes.map((of) => `insert into ${of}`).join("; ")}; rollback`;
    return (await run(first, tried, "hot")).status === 200;
  };
  let isMoved = false;
  for (let tries = 0; tries < 40 && !isMoved; tries++) {
    isMoved = await hasMoved();
    if (!isMoved) await new Promise((resolve) => setTimeout(resolve, 500));
  }
  check("two shards: a table moves on one node", isMoved);
  const there = await run(drawn(), count, "hot");
  const isWhole = there.text.includes(String(told.own.length));
  check(
    "two shards: with all its rows",
    isWhole,
    `${told.own.length}: ${there.text.slice(0, 200)}`,
  );
}
