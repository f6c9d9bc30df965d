import { describe, expect, it } from "vitest";
import { canonicalHost, hostOfAuthority, isLoopbackHost } from "../../src/base/loopback.ts";
import { HostGuard } from "../../src/server/guard.ts";
import { ask, EDGE, exchange, header, parseAnswer, scripted, serving } from "../http/support.ts";

const CONFIG = "/iceberg/v1/config";

describe("without authentication", () => {
  it("only loopback names are served", async () => {
    await using running = await serving(scripted().service);
    const { port } = running;
    for (const host of [
      "localhost",
      "LOCALHOST:1",
      "127.0.0.1",
      `127.8.9.10:${port}`,
      "[::1]:80",
    ]) {
      expect([host, (await ask(port, "GET", CONFIG, { Host: host })).status]).toEqual([host, 200]);
    }
    for (const host of [
      ...["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "0.0.0.0", "[::]"],
      ...[
        "127.0.0.256",
        "localhost:1:2",
        "user@localhost",
        "localhost ,evil",
        "[::1",
        "1.127.0.0.1",
      ],
    ]) {
      const answer = await ask(port, "GET", CONFIG, { Host: host });
      expect([host, answer.status]).toEqual([host, 403]);
      expect(header(answer, "X-Firn-Error")).toBe("HOST_NOT_ALLOWED");
      expect((await ask(port, "GET", "/metrics", { Host: host })).status).toBe(403);
    }
  });

  it("pages of other origins are refused, and told nothing that lets them read", async () => {
    await using running = await serving(scripted().service);
    const { port } = running;
    const own = `127.0.0.1:${port}`;
    for (const origin of [
      ...["https://evil.example", "null", "http://localhost:1", "http://localhost", "file://"],
      `http://${own}.evil.example`,
    ]) {
      for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
        const headers = { Host: own, Origin: origin };
        const answer = await ask(port, method, "/iceberg/v1/namespaces", headers);
        expect([origin, method, answer.status]).toEqual([origin, method, 403]);
        expect(answer.headerLines.join("\n")).not.toMatch(/access-control/i);
      }
    }
    const same = await ask(port, "GET", CONFIG, { Host: own, Origin: `http://${own}` });
    expect(same.status).toBe(200);
    expect(same.headerLines.join("\n")).not.toMatch(/access-control/i);
  });

  it("allowed names are served under any port, and no other name for their sake", async () => {
    const allowHost = ["catalog.example", "fd00::1"];
    await using running = await serving(scripted().service, { edge: { ...EDGE, allowHost } });
    const { port } = running;
    for (const Host of [
      ...["catalog.example:8181", "CATALOG.example.", "catalog.example:", "catalog.example"],
      ...["[fd00:0:0::1]:8181", "[FD00::1]", "localhost"],
    ]) {
      expect([Host, (await ask(port, "GET", CONFIG, { Host })).status]).toEqual([Host, 200]);
    }
    for (const Host of [
      ...["a.catalog.example", "catalog.example.evil.example", "xcatalog.example", "fd00::1"],
      ...["catalog.example:65536", "catalog.example:1:2", "catalog.example..", "[fd00::2]"],
    ]) {
      expect([Host, (await ask(port, "GET", CONFIG, { Host })).status]).toEqual([Host, 403]);
    }
    const Host = "catalog.example";
    for (const Origin of ["https://catalog.example", "http://CATALOG.example:80"]) {
      expect((await ask(port, "GET", CONFIG, { Host, Origin })).status).toBe(200);
    }
    for (const Origin of [
      ...["https://evil.example", "https://catalog.example:8181", "https://catalog.example/"],
      ...["https://a@catalog.example", "http://localhost", "null"],
    ]) {
      expect((await ask(port, "GET", CONFIG, { Host, Origin })).status).toBe(403);
    }
    const body = '{"namespace":["a"]}';
    const plain = { Host, "Content-Type": "text/plain" };
    expect((await ask(port, "POST", "/iceberg/v1/namespaces", plain, body)).status).toBe(415);
  });
});

describe("the names of a server without authentication", () => {
  it("the address that a connection came to is served, on that connection alone", () => {
    const guard = new HostGuard([]);
    const check = (host: string, localAddress?: string) =>
      guard.check({ headers: { host }, rawHeaders: ["Host", host], socket: { localAddress } });
    const refused = expect.objectContaining({ code: "HOST_NOT_ALLOWED" });
    for (const [host, local] of [
      ["10.1.2.3:8181", "10.1.2.3"],
      ["10.1.2.3", "::ffff:10.1.2.3"],
      ["[fe80::1]:80", "fe80::1%eth0"],
      ["[FD00:0::5]", "fd00::5"],
    ] as const) {
      check(host, local);
      expect(() => check(host, "10.1.2.4")).toThrow(refused);
      expect(() => check(host)).toThrow(refused);
    }
  });

  it("a request with two hosts is refused, whichever is right", async () => {
    await using running = await serving(scripted().service);
    for (const hosts of [
      ["localhost", "evil.example"],
      ["evil.example", "localhost"],
      ["localhost", "localhost"],
    ]) {
      const lines = hosts.map((host, i) => `${i === 0 ? "Host" : "hOsT"}: ${host}\r\n`).join("");
      const sent = `GET ${CONFIG} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`;
      const answer = parseAnswer(await exchange(running.port, sent));
      expect([answer.status, header(answer, "X-Firn-Error")]).toEqual([400, "HOST_REPEATED"]);
    }
  });
});

it("reads the host of an authority", () => {
  expect(hostOfAuthority("[::1]:80")).toBe("[::1]");
  expect(hostOfAuthority("a.b:65535")).toBe("a.b");
  expect(hostOfAuthority("a.b:65536")).toBeUndefined();
  for (const text of ["", ":80", "a:b", "a b", "[::1", "a/b", "a@b", "a:123456"]) {
    expect(hostOfAuthority(text)).toBeUndefined();
  }
  expect(isLoopbackHost("::1")).toBe(true);
  expect(isLoopbackHost("localhost.")).toBe(true);
  expect(isLoopbackHost("[::ffff:127.0.0.1]")).toBe(true);
  expect(isLoopbackHost("0.0.0.0")).toBe(false);
  expect(isLoopbackHost("127.1")).toBe(false);
  expect(
    ["A.b.", "[0:0::0:1]", "::FFFF:10.0.0.1", "a b", "", ".", "[a]", "::1x"].map(canonicalHost),
  ).toEqual(["a.b", "::1", "10.0.0.1", ...Array(5).fill(undefined)]);
});
