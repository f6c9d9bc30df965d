import { afterEach, expect, test } from "vitest";
import { utf8, utf8Text } from "../../src/base/bytes.ts";
import { put } from "../contract/pointer-store-space.ts";
import { operationOf } from "../double/dynamo/service.ts";
import { type DynamoWorld, openDynamoWorld, TABLE } from "../double/dynamo/world.ts";
import type { Handler, Request, Service } from "../double/server.ts";

const worlds: DynamoWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

interface Read {
  readonly operation: string;
  readonly keys: number;
}

/** A store and the reads that it sends. */
async function open(
  network: (handler: Handler) => Service | Handler = (handler) => handler,
): Promise<DynamoWorld & { readonly reads: Read[] }> {
  const reads: Read[] = [];
  const world = await openDynamoWorld({
    network: (handler) => {
      const service = network(handler);
      return (request: Request) => {
        const operation = operationOf(request);
        if (operation.endsWith("GetItem")) reads.push({ operation, keys: keysOf(request) });
        return service(request) as never;
      };
    },
  });
  worlds.push(world);
  return { ...world, reads };
}

interface ReadBody {
  readonly RequestItems?: Readonly<Record<string, { readonly Keys: readonly unknown[] }>>;
}

function keysOf(request: Request): number {
  const body = JSON.parse(utf8Text(request.body)) as ReadBody;
  return body.RequestItems?.[TABLE]?.Keys.length ?? 1;
}

const keyOf = (id: string): string => `/test/s/entities/by-id/${id}`;
const [A, B, C] = [keyOf("a"), keyOf("b"), keyOf("c")] as const;

test("what is asked for in one turn goes as one request, each key once", async () => {
  const { store, reads } = await open();
  await store.commit({ writerId: "w", ops: [put(A), put(B)] });
  const late = async () => {
    // Some promises later, and still in the turn.
    for (let i = 0; i < 5; i++) await undefined;
    return store.get(C);
  };
  const [one, many, again, last] = await Promise.all([
    store.get(A),
    store.getMany([B, A, C, B]),
    store.get(A),
    late(),
  ]);
  expect(reads).toEqual([{ operation: "BatchGetItem", keys: 3 }]);
  expect([one, again].map(({ key, version }) => [key, version])).toEqual([
    [A, 1n],
    [A, 1n],
  ]);
  expect(many.map(({ key, version }) => [key, version])).toEqual([
    ...[
      [B, 1n],
      [A, 1n],
      [C, 0n],
      [B, 1n],
    ],
  ]);
  expect(last).toEqual({ state: "absent", key: C, version: 0n });
});

test("a key alone is read alone", async () => {
  const { store, reads } = await open();
  await Promise.all([store.get(A), store.getMany([A, A])]);
  expect(reads).toEqual([{ operation: "GetItem", keys: 1 }]);
});

test("a hundred keys go in a request", async () => {
  const { store, reads } = await open();
  const keys = Array.from({ length: 250 }, (_, i) => keyOf(`k${i}`));
  const found = await Promise.all([store.getMany(keys.slice(0, 120)), store.getMany(keys)]);
  expect(found.flat().map(({ key }) => key)).toEqual([...keys.slice(0, 120), ...keys]);
  expect(reads.map((read) => read.keys).toSorted((a, b) => a - b)).toEqual([50, 100, 100]);
});

test("a read never joins one that was sent: it sees what was written before it began", async () => {
  const held: (() => void)[] = [];
  let holds = true;
  const { store } = await open((handler) => async (request) => {
    // The service has read the item; its answer is under way.
    const response = handler(request);
    if (operationOf(request) === "BatchGetItem" && holds) {
      await new Promise<void>((resolve) => held.push(resolve));
    }
    return { delivery: "answered", response };
  });
  const before = store.getMany([A, B]);
  await expect.poll(() => held.length).toBe(1);
  holds = false;
  await store.commit({ writerId: "w", ops: [put(A)] });
  const after = await store.getMany([A, C]);
  expect(after.map(({ version }) => version)).toEqual([1n, 0n]);
  for (const release of held) release();
  expect((await before).map(({ version }) => version)).toEqual([0n, 0n]);
});

test("a key that the service leaves over keeps nobody waiting, and fails alone", async () => {
  const { store } = await open((handler) => (request) => {
    if (operationOf(request) !== "BatchGetItem") return handler(request);
    const body = JSON.parse(utf8Text(request.body)) as Required<ReadBody>;
    const asked = body.RequestItems[TABLE]?.Keys ?? [];
    const isBusy = (key: unknown) => JSON.stringify(key).includes("busy");
    const of = (Keys: readonly unknown[]) => ({ [TABLE]: { Keys, ConsistentRead: true } });
    const served = of(asked.filter((key) => !isBusy(key)));
    const left = asked.filter(isBusy);
    const answer =
      served[TABLE]?.Keys.length === 0
        ? { Responses: {} }
        : (JSON.parse(
            utf8Text(
              handler({
                ...request,
                body: utf8(JSON.stringify({ ...body, RequestItems: served })),
              }).body,
            ),
          ) as object);
    const whole = { ...answer, UnprocessedKeys: left.length === 0 ? {} : of(left) };
    const headers = { "content-type": "application/x-amz-json-1.0" };
    return { status: 200, headers, body: utf8(JSON.stringify(whole)) };
  });
  await store.commit({ writerId: "w", ops: [put(A)] });
  const busy = store.getMany([keyOf("busy"), B]);
  const refused = expect(busy).rejects.toMatchObject({ kind: "Unavailable" });
  expect(await store.get(A)).toMatchObject({ version: 1n });
  await refused;
});

test("a key that no item can have fails alone", async () => {
  const { store } = await open();
  await store.commit({ writerId: "w", ops: [put(A)] });
  const [refused, found] = await Promise.allSettled([
    store.getMany([B, keyOf("x".repeat(3_000))]),
    store.get(A),
  ]);
  expect(refused).toMatchObject({ status: "rejected", reason: { code: "KEY_TOO_LONG" } });
  expect(found).toMatchObject({ status: "fulfilled", value: { version: 1n } });
});
