import { equal, ok } from "node:assert/strict";
import { utf8 } from "../../../src/base/bytes.ts";
import { staleReads } from "../broken.ts";
import { ALL, OWNED, type Question } from "../claims.ts";
import { commit, pathOf, put, Space } from "../space.ts";
import { at, createTable, listed, prepare, property, setting } from "../tables.ts";
import { meanwhile } from "../together.ts";
import type { World } from "../world.ts";

export const CROSS_ORDER: Question = {
  title: "Order over keys",
  asks: "A was written before B, and a client has seen B. Does it see A?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "yes, on every node",
      answer:
        "A client that got the new state of B from any node gets the new state of A from every " +
        "node afterwards. This holds for separate commits and for one transaction. A client can " +
        "load every name that it listed, until the name is dropped or renamed.",
      check: causesAreSeen,
      broken: [staleReads(3)],
    },
    {
      level: "pointers",
      profiles: ALL,
      answer: "The same for two keys read one after the other, by `get` or `list`.",
      check: pointersInOrder,
      broken: [staleReads(3)],
    },
    {
      level: "engine",
      profiles: OWNED,
      answer:
        "A crash leaves a prefix of the writes: if a write survived, all earlier writes survived.",
      check: survivorsAreAPrefix,
    },
  ],
};

async function causesAreSeen(world: World): Promise<void> {
  const ns = world.name();
  await prepare(world.pair[0], ns, "a", "b");
  const value = async (turn: number, table: string): Promise<number> =>
    Number(await property(world.node(turn), at(ns, table), "n"));
  const look = async (turn: number): Promise<void> => {
    const b = await value(turn, "b");
    const a = await value(turn + 1, "a");
    ok(a >= b, `b at ${b}, then a at ${a}`);
    const names = await listed((page) => world.node(turn + page), ns, 100);
    for (const name of names.slice(-2)) {
      equal((await world.node(turn + 1).ask("HEAD", at(ns, name))).status, 204, name);
    }
  };
  const change = (name: string, n: number) => ({
    identifier: { namespace: [ns], name },
    ...setting({ n: String(n) }),
  });
  await meanwhile(
    async () => {
      for (let n = 1; n <= 4 * world.rounds; n++) {
        if (n % 2 === 0) {
          const body = { "table-changes": [change("b", n), change("a", n)] };
          await world.node(n).done("POST", "/transactions/commit", { body });
        } else {
          const body = setting({ n: String(n) });
          await world.node(n).done("POST", at(ns, "a"), { body });
          await world.node(n + 1).done("POST", at(ns, "b"), { body });
        }
        equal((await createTable(world.node(n), ns, `t${n}`)).status, 200);
        await look(n);
      }
    },
    look,
    (turn) => look(turn + 1),
  );
}

async function pointersInOrder(world: World): Promise<void> {
  const space = new Space(world.name());
  const [a, b] = [space.entity("a"), space.name("b")];
  const number = (path: string): number => Number(path === "" ? 0 : path);
  const look = async (turn: number): Promise<void> => {
    const { pointers } = world.node(turn);
    const item = turn % 2 === 0 ? await pointers.get(b) : (await pointers.list(space.names))[0];
    const seen = number(pathOf(item));
    const found = number(pathOf(await world.node(turn + 1).pointers.get(a)));
    ok(found >= seen, `b at ${seen}, then a at ${found}`);
  };
  await meanwhile(
    async () => {
      for (let n = 1; n <= 15 * world.rounds; n++) {
        const expected = BigInt(n - 1);
        await commit(world.node(n).pointers, "w", put(a, expected, String(n)));
        await commit(world.node(n + 1).pointers, "w", put(b, expected, String(n)));
        await look(n);
      }
    },
    look,
    (turn) => look(turn + 1),
  );
}

async function survivorsAreAPrefix(world: World): Promise<void> {
  const shard = world.name();
  const key = (n: number): Uint8Array => utf8(`k${String(n).padStart(6, "0")}`);
  let [written, durable] = [0, 0];
  for (let life = 0; life < 2 * world.rounds; life++) {
    const engine = await world.engine(shard);
    const found = await engine.getMany(Array.from({ length: written }, (_, n) => key(n)));
    const first = found.indexOf(undefined);
    const survived = first < 0 ? found.length : first;
    ok(
      found.slice(survived).every((value) => value === undefined),
      `a row is missing before another, after ${survived}`,
    );
    ok(survived >= durable, `${survived} of ${durable} acknowledged rows`);
    written = survived;
    for (let n = 0; n < 40; n++) {
      const put = await engine.put(key(written++), utf8("x"));
      if (n === 20) {
        await put.durable();
        durable = written;
      }
    }
  }
}
