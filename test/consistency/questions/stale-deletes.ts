import { deepEqual, equal, ok } from "node:assert/strict";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { Lane } from "../../catalog/support/gate.ts";
import { operationOf } from "../../double/dynamo/service.ts";
import type { Request } from "../../double/server.ts";
import { restartingVersions, uncheckedDeletes } from "../broken.ts";
import { ALL, type Question, REMOTE } from "../claims.ts";
import type { Answer } from "../client.ts";
import type { Network } from "../network.ts";
import { commit, del, put, refuse, Space, standsOn } from "../space.ts";
import { at, createTable, prepare } from "../tables.ts";
import type { World } from "../world.ts";

export const STALE_DELETES: Question = {
  title: "Stale deletes",
  asks: "A delete arrives late, after its object was deleted and created anew. What is removed?",
  claims: [
    {
      level: "catalog",
      profiles: ALL,
      short: "nothing created again after its answer",
      answer:
        "An acknowledged `DELETE` removes nothing afterwards. A `DELETE` in flight goes by name: " +
        "it may remove a table created under that name meanwhile, and then answers 204. Every " +
        "removal was acknowledged to some request.",
      check: dropsAreCounted,
    },
    {
      level: "catalog",
      profiles: REMOTE,
      answer:
        "Suppose the network delays every write of a `DELETE` until others have dropped and " +
        "created the table again. The stores refuse whatever arrives then.",
      check: lateDropsRemoveNothing,
    },
    {
      level: "pointers",
      profiles: ALL,
      answer:
        "Nothing. A delete names the version that it removes. Its tombstone continues the " +
        "version count, so no version of a key recurs.",
      check: oldDeletesAreRefused,
      broken: [uncheckedDeletes(), restartingVersions()],
    },
    {
      level: "pointers",
      profiles: REMOTE,
      answer: "Nothing. A request that arrives after its key was created again is refused.",
      check: lateDeletesAreRefused,
    },
    {
      level: "blobs",
      profiles: ALL,
      answer:
        "The current object: a delete has no condition. Therefore the catalog never writes a " +
        "payload path twice, whatever is dropped and created again.",
      check: pathsAreUsedOnce,
    },
    {
      level: "blobs",
      profiles: REMOTE,
      answer: "The same over the network: a late delete removes the new object.",
      check: lateBlobDeletesLand,
    },
  ],
};

/** A drop stands still at each of its calls of the stores, while others drop and create. */
async function dropsAreCounted(world: World): Promise<void> {
  const ns = world.name();
  const [slow, quick] = world.pair;
  await prepare(quick, ns);
  for (let call = 0; ; call++) {
    const name = `t${call}`;
    equal((await createTable(quick, ns, name)).status, 200);
    const lane = new Lane({ call, side: call % 2 === 0 ? "before" : "after" });
    const { parked, done } = await lane.start(() => slow.ask("DELETE", at(ns, name)));
    const other = await quick.ask("DELETE", at(ns, name));
    const created = await createTable(quick, ns, name);
    lane.release();
    const late = await done;
    const there = (await quick.ask("HEAD", at(ns, name))).status === 204;
    const removed = [other, late].filter(({ status }) => status === 204).length;
    const made = 1 + (created.status === 200 ? 1 : 0);
    equal(made - removed, there ? 1 : 0, `${removed} of ${made} tables removed, at call ${call}`);
    for (const { status } of [other, late]) ok(status === 204 || status === 404, String(status));
    await stays(world, ns, name, there);
    if (!parked) return;
  }
}

/** Once everything was answered nothing moves any more. */
async function stays(world: World, ns: string, name: string, there: boolean): Promise<void> {
  for (const node of world.nodes) {
    const { status }: Answer = await node.ask("HEAD", at(ns, name));
    equal(status, there ? 204 : 404);
  }
}

/** Each write that a drop sends is under way until the table has been made anew. */
async function lateDropsRemoveNothing(world: World): Promise<void> {
  const ns = world.name();
  const [slow, quick] = world.pair;
  await prepare(quick, ns, "t");
  const network = networkOf(world);
  let late = 0;
  network.plan = (request) => {
    if (!isWrite(world)(request)) return undefined;
    late++;
    return { fault: "late", lag: 1_000_000 };
  };
  const { status } = await slow.ask("DELETE", at(ns, "t"));
  // What is under way stays so.
  network.plan = () => undefined;
  ok(late > 0, "it has sent writes");
  const again = await answered(() => quick.ask("DELETE", at(ns, "t")));
  deepEqual([status === 204, again], status === 204 ? [true, 404] : [false, 204]);
  equal((await createTable(quick, ns, "t")).status, 200);
  const { etag } = await quick.done("GET", at(ns, "t"));
  network.calm();
  for (const node of world.nodes) equal((await node.done("GET", at(ns, "t"))).etag, etag);
  await quick.done("DELETE", at(ns, "t"));
}

/** The status once the store serves again, which may take it a while after such a failure. */
async function answered(ask: () => Promise<Answer>): Promise<number> {
  for (let tries = 0; ; tries++) {
    const { status } = await ask();
    if ((status !== 429 && status < 500) || tries === 20) return status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function oldDeletesAreRefused(world: World): Promise<void> {
  const key = new Space(world.name()).name("k");
  const [one, two] = [world.pair[0].pointers, world.pair[1].pointers];
  for (let life = 0; life < 3; life++) {
    const version = BigInt(2 * life);
    await commit(one, "maker", put(key, version));
    for (let old = 0n; old <= version; old++) await refuse(two, "late", del(key, old));
    await standsOn([one, two], key, { state: "live", version: version + 1n, writerId: "maker" });
    await commit(two, "killer", del(key, version + 1n));
    await refuse(one, "late", del(key, version + 1n));
  }
}

/** The network between the pointers of the profile and where they are kept. */
function networkOf({ profile, site }: World): Network {
  return profile === "aws" ? site.dynamo : site.s3;
}

/** What a change of pointers is to the service of the profile. */
function isWrite(world: World): (request: Request) => boolean {
  return world.profile === "aws"
    ? (request) => /^(?:PutItem|TransactWriteItems)$/.test(operationOf(request))
    : (request) => request.method === "PUT" && request.path.includes("/wal/");
}

async function lateDeletesAreRefused(world: World): Promise<void> {
  const key = new Space(world.name()).name("k");
  const [one, two] = [world.pair[0].pointers, world.pair[1].pointers];
  const network = networkOf(world);
  await commit(one, "maker", put(key));
  network.strike(0, { fault: "late", lag: 1_000_000 }, isWrite(world));
  const { outcome } = await one.commit({ writerId: "late", ops: [del(key, 1n)] });
  // The log of a bucket sends the same object again, and finds out.
  equal(outcome, world.profile === "aws" ? "unknown" : "committed");
  if (outcome === "unknown") await commit(two, "other", del(key, 1n));
  await commit(two, "maker again", put(key, 2n));
  network.calm();
  await standsOn([one, two], key, { state: "live", version: 3n, writerId: "maker again" });
  await commit(one, "next", put(key, 3n));
}

async function pathsAreUsedOnce(world: World): Promise<void> {
  const [first, last] = world.pair;
  const ns = world.name();
  const written = new Map<string, number>();
  for (const { blobs } of world.nodes) {
    const inner = blobs.put.bind(blobs);
    blobs.put = async (path, bytes, condition) => {
      const result = await inner(path, bytes, condition);
      const isNew = result.outcome === "stored" && !path.startsWith("shards/");
      if (isNew) written.set(path, (written.get(path) ?? 0) + 1);
      return result;
    };
  }
  for (let life = 0; life < 3; life++) {
    await prepare(first, ns, "t", "u");
    for (const name of ["t", "u"]) {
      await last.done("POST", at(ns, name), { body: { requirements: [], updates: [] } });
      await first.done("DELETE", `${at(ns, name)}?purgeRequested=${life % 2 === 0}`);
    }
    await last.done("DELETE", `/namespaces/${ns}`);
  }
  for (const node of world.nodes) Reflect.deleteProperty(node.blobs, "put");
  ok(written.size >= 3 * 5, `${written.size} payloads were written`);
  deepEqual(
    [...written].filter(([, count]) => count > 1),
    [],
  );
}

async function lateBlobDeletesLand(world: World): Promise<void> {
  const [one, two] = [world.pair[0].blobs, world.pair[1].blobs];
  const path = `check/${world.name()}/k`;
  await one.put(path, utf8("old"));
  const isDelete = (request: { readonly method: string }): boolean => request.method === "DELETE";
  world.site.s3.strike(0, { fault: "late", lag: 1_000_000 }, isDelete);
  await one.delete(path);
  await two.put(path, utf8("new"));
  equal(utf8Text((await one.get(path))?.bytes ?? utf8("")), "new");
  world.site.s3.calm();
  equal(await two.get(path), undefined);
}
