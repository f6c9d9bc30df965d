import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createMetrics } from "../../../src/base/metrics.ts";
import type { Answer } from "../../../src/http/answer.ts";
import { SystemClock } from "../../../src/runtime/clock.ts";
import { type Forwarded, Forwarder } from "../../../src/server/peers/forwarder.ts";
import { PeerClient } from "../../../src/server/peers/peer-client.ts";
import { PeerMac } from "../../../src/server/peers/peer-mac.ts";
import { ShardElsewhere } from "../../../src/service/shards/shard-elsewhere.ts";
import type { Doubted } from "../../../src/service/shards/shared-shard.ts";
import type { SharedShards } from "../../../src/service/shards/shared-shards.ts";

type Serve = (request: IncomingMessage, response: ServerResponse, nth: number) => void;

const servers: Server[] = [];
const clients: PeerClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const HERE: Answer = { status: 200, headers: {}, body: "here" };

/** An owner that serves so, and a node that asks it until `doubt` says that the shard is here. */
async function world(serve: Serve, doubted: Doubted = "taken") {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      asked.push(request.method ?? "");
      serve(request, response, asked.length);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let isHere = false;
  let forgotten = 0;
  const doubts: string[] = [];
  const shards = {
    doubt: async () => {
      doubts.push("doubt");
      isHere = doubted === "taken";
      return doubted;
    },
    of: () => ({ forget: () => forgotten++ }),
  } as unknown as SharedShards;
  const clock = new SystemClock();
  const client = new PeerClient(new PeerMac([new Uint8Array(32)], "a", clock));
  clients.push(client);
  const forwarder = new Forwarder({ shards, client, clock, metrics: createMetrics() });
  const texts = { node: "b", host: "b", bootId: "", pid: 1 };
  const owner = { ...texts, url, epoch: 1, state: "OPEN", sinceMs: 0 } as const;
  const answer = (writes: boolean): Promise<Answer> => {
    const request: Forwarded = {
      method: writes ? "POST" : "GET",
      target: "/api/v1/x",
      headers: {},
      body: writes ? Buffer.from("{}") : undefined,
      writes,
    };
    return forwarder.answer(request, async () => {
      if (isHere) return HERE;
      throw new ShardElsewhere("s", { version: 1n, owner });
    });
  };
  return { answer, asked, doubts, server, forgottenTimes: () => forgotten };
}

describe("a request that is another node's", () => {
  it("has the owner's answer, as the owner wrote it", async () => {
    const { answer, asked } = await world((_request, response) => {
      response.writeHead(409, { ETag: '"1-1"', "X-Firn-Error": "ROW_DUPLICATE" });
      response.end('{"code":"ROW_DUPLICATE"}');
    });
    const { status, headers, body } = await answer(true);
    expect([status, headers["ETag"], String(body)]).toEqual([
      ...[409, '"1-1"', '{"code":"ROW_DUPLICATE"}'],
    ]);
    expect(asked).toEqual(["POST"]);
  });

  it("is sent once where it writes and its answer is lost", async () => {
    const { answer, asked } = await world((request) => request.socket.destroy());
    await expect(answer(true)).rejects.toMatchObject({ kind: "Unknown", code: "FORWARD_LOST" });
    expect(asked).toEqual(["POST"]);
  });

  it("is in doubt where a write's answer breaks off", async () => {
    const { answer, asked } = await world((request, response) => {
      response.writeHead(200, { "Content-Length": 100 });
      response.write("half");
      setTimeout(() => request.socket.destroy(), 20);
    });
    await expect(answer(true)).rejects.toMatchObject({ code: "FORWARD_LOST" });
    expect(asked).toEqual(["POST"]);
  });

  it("is run here after its answer was lost, where it only reads", async () => {
    const { answer, asked, doubts } = await world((request) => request.socket.destroy());
    expect(await answer(false)).toBe(HERE);
    expect([asked.length, doubts.length]).toEqual([1, 1]);
  });

  it("is run here, also a write, where the owner was never reached", async () => {
    const { answer, asked, server } = await world(() => undefined);
    server.close();
    await new Promise((resolve) => server.once("close", resolve));
    expect(await answer(true)).toBe(HERE);
    expect(asked).toEqual([]);
  });

  it("is sent again, also a write, where the node owns the shard no longer", async () => {
    const { answer, asked, doubts, forgottenTimes } = await world((_request, response, nth) => {
      if (nth < 3) response.writeHead(503, { "X-Firn-Error": "SHARD_ELSEWHERE" });
      response.end("done");
    });
    expect(String((await answer(true)).body)).toBe("done");
    expect([asked.length, doubts.length, forgottenTimes()]).toEqual([3, 0, 2]);
  });

  it("is refused where the nodes do not share their key", async () => {
    const { answer } = await world((_request, response) => {
      response.writeHead(401, { "X-Firn-Error": "PEER_REFUSED" });
      response.end("{}");
    });
    await expect(answer(true)).rejects.toMatchObject({ kind: "Unavailable", code: "PEER_REFUSED" });
  });
});
