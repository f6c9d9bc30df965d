import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { LIMITS } from "../../src/base/limits.ts";
import { readBody } from "../../src/server/body.ts";
import {
  ask,
  exchange,
  header,
  parseAnswer,
  requestText,
  scripted,
  serving,
} from "../http/support.ts";

const PATH = "/iceberg/v1/namespaces";
const BODY = '{"namespace":["a"]}';
const WAITS = {
  "Content-Type": "application/json",
  "Content-Length": String(BODY.length),
  Expect: "100-continue",
};

/** Sends `head`, and `BODY` once the server says to go on. @returns all that it answers. */
function askFirst(port: number, head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(head));
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
      if (text === "HTTP/1.1 100 Continue\r\n\r\n") socket.write(BODY);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}

test("who waits to be told to go on is told so, and served", async () => {
  await using running = await serving(scripted().service);
  const text = await askFirst(running.port, requestText("POST", PATH, WAITS));
  const [goOn, answer = ""] = text.split(/(?<=100 Continue\r\n\r\n)/);
  expect(goOn).toMatch(/^HTTP\/1\.1 100 /);
  expect(parseAnswer(answer).status).toBe(200);
});

test("who waits in vain hears why, and that no more is read", async () => {
  await using running = await serving(scripted().service);
  const { "Content-Length": _short, ...rest } = WAITS;
  for (const [target, headers, status] of [
    ["/iceberg/v1/nothing", WAITS, 404],
    [PATH, { ...WAITS, "Content-Type": "text/plain" }, 415],
    [PATH, { ...rest, "Content-Length": String(LIMITS.bodyBytes + 1) }, 413],
    [PATH, { ...WAITS, Host: "evil.example" }, 403],
  ] as const) {
    // The connection is said to stay open, so it is the answer that ends it.
    const head = requestText("POST", target, { ...headers, Connection: "keep-alive" });
    const answer = parseAnswer(await askFirst(running.port, head));
    expect([target, answer.status]).toEqual([target, status]);
    expect(answer.headerLines.join("\n")).toMatch(/^connection: close$/im);
  }
});

test("a body that does not say its length is refused where it becomes too large", async () => {
  await using running = await serving(scripted().service);
  const headers = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
  const size = LIMITS.bodyBytes + 1;
  const sent = Buffer.concat([
    Buffer.from(`${requestText("POST", PATH, headers)}${size.toString(16)}\r\n`),
    Buffer.alloc(size, " "),
    Buffer.from("\r\n0\r\n\r\n"),
  ]);
  const answer = parseAnswer(await exchange(running.port, sent));
  expect([answer.status, header(answer, "X-Firn-Error")]).toEqual([413, "BODY_TOO_LARGE"]);
  // Nothing of it is held on to.
  expect((await ask(running.port, "POST", PATH, {}, BODY)).status).toBe(200);
});

test("a body in pieces is one body, and one without bytes is none", async () => {
  const { service, seen } = scripted();
  await using running = await serving(service);
  const head = requestText("POST", PATH, {
    "Content-Type": "application/json",
    "Content-Length": String(BODY.length),
  });
  const socket = connect(running.port, "127.0.0.1", () => socket.write(head + BODY.slice(0, 5)));
  const answered = new Promise<string>((resolve) =>
    socket.once("data", (piece) => resolve(String(piece))),
  );
  await expect.poll(async () => (await ask(running.port, "GET", "/livez")).status).toBe(200);
  socket.write(BODY.slice(5));
  expect(parseAnswer(await answered).status).toBe(200);
  expect(seen.map(({ method }) => method)).toEqual(["createNamespace"]);
  const empty = { "Content-Type": "application/json", "Content-Length": "0" };
  const none = await ask(running.port, "POST", PATH, empty);
  expect([none.status, header(none, "X-Firn-Error")]).toEqual([400, "BODY_MISSING"]);
  const dropped = await ask(running.port, "DELETE", `${PATH}/a`, empty);
  expect(dropped.status).toBe(204);
});

test("a body that stands still is answered 408 and its connection ends", async () => {
  const { service, seen } = scripted();
  await using running = await serving(service, { bodyIdleMs: 50 });
  const headers = { "Content-Type": "application/json", Connection: "keep-alive" };
  for (const [length, sent] of [
    [{ "Content-Length": "1000" }, ""],
    [{ "Content-Length": "1000" }, BODY],
    [{ "Transfer-Encoding": "chunked" }, `5\r\n${BODY.slice(0, 5)}\r\n`],
  ] as const) {
    const head = requestText("POST", PATH, { ...headers, ...length });
    const answer = parseAnswer(await exchange(running.port, head + sent));
    expect([answer.status, header(answer, "X-Firn-Error")]).toEqual([408, "BODY_IDLE"]);
    expect(answer.headerLines.join("\n")).toMatch(/^connection: close$/im);
  }
  expect(seen).toEqual([]);
  expect((await ask(running.port, "POST", PATH, {}, BODY)).status).toBe(200);
});

test("each piece of a slow body starts its time anew, and the last one ends it", async () => {
  const body = new PassThrough();
  const seen: string[] = [];
  const read = readBody(body as unknown as IncomingMessage, {
    maxBytes: 10,
    counts: (bytes) => void seen.push(`${bytes}`),
    watch: () => ({ touch: () => void seen.push("touch"), stop: () => void seen.push("stop") }),
  });
  for (const piece of ["ab", "c"]) {
    body.write(piece);
    await expect.poll(() => seen.at(-1)).toBe(String(piece.length));
  }
  body.end();
  expect(Buffer.from(await read).toString()).toBe("abc");
  expect(seen).toEqual(["touch", "2", "touch", "1", "stop"]);
});

test("a body of many small chunks is one body, and takes memory like one", async () => {
  const { service, seen } = scripted();
  await using running = await serving(service);
  const headers = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
  const padding = "1\r\n \r\n".repeat(20_000);
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const large = chunk(" ".repeat(70_000));
  const [start, end] = [BODY.slice(0, 3), BODY.slice(3)].map(chunk);
  const sent = `${padding}${large}${start}${end}0\r\n\r\n`;
  const answer = parseAnswer(
    await exchange(running.port, requestText("POST", PATH, headers) + sent),
  );
  expect(answer.status).toBe(200);
  expect(seen.map(({ method }) => method)).toEqual(["createNamespace"]);
});
