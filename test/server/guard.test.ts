import { describe, expect, it } from "vitest";
import { hostOfAuthority, isLoopbackHost } from "../../src/runtime/loopback.ts";
import { ask, header, scripted, serving } from "../http/support.ts";

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

  it("another host is served where that was asked for, another origin never", async () => {
    await using running = await serving(scripted().service, { allowAnonymous: true });
    const { port } = running;
    const Host = "catalog.example:8181";
    expect((await ask(port, "GET", CONFIG, { Host })).status).toBe(200);
    const Origin = "https://catalog.example:8181";
    expect((await ask(port, "GET", CONFIG, { Host, Origin })).status).toBe(200);
    const evil = "https://evil.example";
    expect((await ask(port, "GET", CONFIG, { Host, Origin: evil })).status).toBe(403);
    const body = '{"namespace":["a"]}';
    const plain = { Host, "Content-Type": "text/plain" };
    expect((await ask(port, "POST", "/iceberg/v1/namespaces", plain, body)).status).toBe(415);
  });
});

it("reads the host of an authority", () => {
  expect(hostOfAuthority("[::1]:80")).toBe("[::1]");
  expect(hostOfAuthority("a.b:65535")).toBe("a.b");
  for (const text of ["", ":80", "a:b", "a b", "[::1", "a/b", "a@b", "a:123456"]) {
    expect(hostOfAuthority(text)).toBeUndefined();
  }
  expect(isLoopbackHost("::1")).toBe(true);
  expect(isLoopbackHost("0.0.0.0")).toBe(false);
});
