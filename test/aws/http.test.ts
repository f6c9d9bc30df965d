import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { type HttpCall, HttpPool, type HttpRequest } from "../../src/aws/http.ts";
import { utf8Text } from "../../src/base/bytes.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** What a server does with a connection, the how manieth it is. */
type Behaviour = (socket: Socket, connection: number) => void;

interface Site {
  readonly server: Server;
  readonly sockets: Socket[];
  send(request?: Partial<HttpRequest>, call?: Partial<HttpCall>): ReturnType<HttpPool["exchange"]>;
}

async function site(
  behaviour: Behaviour,
  options: Partial<ConstructorParameters<typeof HttpPool>[0]> & { readonly secure?: boolean } = {},
): Promise<Site> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    behaviour(socket, sockets.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { secure = false, ...limits } = options;
  const pool = new HttpPool({ connections: 4, connectMs: 5_000, idleMs: 5_000, ...limits });
  closing.push(() => {
    pool.close();
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const origin = { secure, hostname: "127.0.0.1", port };
  return {
    server,
    sockets,
    send: (request, call) =>
      pool.exchange(
        origin,
        { method: "GET", path: "/", headers: ["host", "here"], ...request },
        { signal: new AbortController().signal, ...call },
      ),
  };
}

/** Answers every request without a body with these bytes. */
function answering(...answer: readonly string[]): Behaviour {
  return (socket) => {
    socket.on("data", () => {
      for (const part of answer) socket.write(part);
    });
  };
}

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-a: 1\r\n\r\nok";

describe("an answer", () => {
  test("comes whole, over a connection that is kept", async () => {
    const { send, sockets } = await site(answering(OK));
    for (let i = 0; i < 3; i++) {
      const { status, headers, body } = await send();
      expect([status, headers["x-a"], utf8Text(body)]).toEqual([200, "1", "ok"]);
    }
    expect(sockets).toHaveLength(1);
  });

  test("may come in chunks and pieces", async () => {
    const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    const { send } = await site(answering(head, "2\r\nab\r\n", "1\r\nc\r\n", "0\r\n\r\n"));
    expect(utf8Text((await send()).body)).toBe("abc");
  });

  test("of a HEAD has a length and no body, and an interim one is passed over", async () => {
    const interim = "HTTP/1.1 100 Continue\r\n\r\n";
    const { send } = await site(
      answering(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n`),
    );
    const { headers, body } = await send({ method: "HEAD" });
    expect([headers["content-length"], body.length]).toEqual(["9", 0]);
  });

  test("that is not wanted is left, with its connection", async () => {
    const { send, sockets } = await site(
      answering("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nsome"),
    );
    const answer = await send({}, { onHead: ({ status }) => (status === 200 ? 98 : 200) });
    expect(answer).toMatchObject({ status: 200, isCut: true, body: new Uint8Array(0) });
    const [socket] = sockets;
    if (socket?.closed === false) await once(socket, "close");
  });

  test("that says no length, and has more than is wanted, is left as well", async () => {
    const { send } = await site((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        // It has no end: whoever took all of it would never be done.
        const chunk = `10000\r\n${"m".repeat(0x10000)}\r\n`;
        const more = (): void => {
          if (!socket.destroyed) socket.write(chunk, () => setImmediate(more));
        };
        more();
      });
    });
    const answer = await send({}, { onHead: () => 1_000 });
    expect(answer).toMatchObject({ status: 200, isCut: true });
  });

  test.each([
    ["cut short", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nsome"],
    [
      "whose last chunk is missing",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n",
    ],
    ["without a length", "HTTP/1.1 200 OK\r\n\r\nsome"],
    ["that is none", "SSH-2.0-OpenSSH_9\r\n"],
    ["that is empty", ""],
    [
      "that changes the protocol",
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n",
    ],
  ])("%s is an error", async (_what, answer) => {
    const { send } = await site((socket) => {
      socket.once("data", () => void socket.end(answer));
    });
    await expect(send()).rejects.toThrow();
  });
});

describe("a connection", () => {
  test("that was closed while it was kept is not used again", async () => {
    const { send, sockets } = await site(answering(OK));
    await send();
    const [first] = sockets;
    first?.end();
    if (first !== undefined) await once(first, "close");
    await send();
    expect(sockets).toHaveLength(2);
  });

  test("that breaks under a request that left whole is in doubt: no resend", async () => {
    let requests = 0;
    const { send } = await site((socket) => {
      socket.on("data", () => {
        if (++requests === 2) socket.resetAndDestroy();
        else socket.write(OK);
      });
    });
    await send();
    const broken = await send().catch((error: unknown) => error);
    expect(broken).toMatchObject({ code: "ECONNRESET" });
    expect(broken).not.toMatchObject({ syscall: "connect" });
    expect(requests).toBe(2);
  });

  test("that breaks before it took all of a request makes it go out once more", async () => {
    // More than the buffers of a connection hold, and the first one stops reading.
    const body = new Uint8Array(16 * 1_024 * 1_024);
    const lengths: number[] = [];
    const { send, sockets } = await site((socket, connection) => {
      let warm = connection === 1;
      let length = 0;
      socket.on("data", (chunk) => {
        if (warm) {
          warm = false;
          socket.write(OK);
          return;
        }
        length += chunk.length;
        if (connection === 1) socket.resetAndDestroy();
        else if (length > body.length) {
          lengths.push(length);
          socket.write(OK);
        }
      });
    });
    await send();
    const headers = ["host", "here", "content-length", String(body.length)];
    expect((await send({ method: "PUT", headers, body })).status).toBe(200);
    expect(sockets).toHaveLength(2);
    expect(lengths).toHaveLength(1);
  });

  test("that is new and breaks is the caller's to judge", async () => {
    const { send, sockets } = await site((socket) => socket.resetAndDestroy());
    await expect(send({ method: "PUT", body: "x" })).rejects.toThrow();
    expect(sockets).toHaveLength(1);
  });
});

describe("a connection that fails or is silent", () => {
  test("that nobody takes says so", async () => {
    const { send, server } = await site(answering(OK));
    server.close();
    await once(server, "close");
    await expect(send()).rejects.toMatchObject({ code: "ECONNREFUSED", syscall: "connect" });
  });

  test("that does not come to stand has less time, and sent nothing", async () => {
    const limits = { secure: true, connectMs: 40, idleMs: 60_000 };
    const { send } = await site(() => {}, limits);
    await expect(send()).rejects.toMatchObject({ code: "ETIMEDOUT", syscall: "connect" });
  });

  test("that stands and is silent ends, and is in doubt", async () => {
    const { send } = await site(() => {}, { idleMs: 40 });
    const silent = await send().catch((error: unknown) => error);
    expect(silent).toMatchObject({ name: "TimeoutError" });
    expect(silent).not.toMatchObject({ syscall: "connect" });
  });

  test("over which bytes trickle ends with its signal", async () => {
    const abort = new AbortController();
    const { send } = await site((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nsome");
        abort.abort();
      });
    });
    await expect(send({}, { signal: abort.signal })).rejects.toMatchObject({ name: "AbortError" });
    await expect(send({}, { signal: abort.signal })).rejects.toMatchObject({ name: "AbortError" });
  });

  test("that a request still waits for sent nothing when its signal ends", async () => {
    const { send, sockets } = await site(() => {}, { connections: 1 });
    const first = new AbortController();
    const taken = send({}, { signal: first.signal });
    const second = new AbortController();
    const waiting = send({}, { signal: second.signal });
    second.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError", syscall: "connect" });
    if (sockets.length === 0) await expect.poll(() => sockets.length).toBe(1);
    first.abort();
    await expect(taken).rejects.toMatchObject({ name: "AbortError" });
  });

  test("is one of no more than allowed", async () => {
    const { send, sockets } = await site(answering(OK), { connections: 2 });
    await Promise.all(Array.from({ length: 10 }, () => send()));
    expect(sockets.length).toBeLessThanOrEqual(2);
  });
});
