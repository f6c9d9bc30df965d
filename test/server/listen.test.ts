import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createSocketServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Listening, listenOn } from "../../src/server/listen.ts";

/** Why `::1` cannot be had here, if so. */
async function refusalOfIpv6(): Promise<string | undefined> {
  const probe = createSocketServer();
  try {
    probe.listen(0, "::1");
    await once(probe, "listening");
    return undefined;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  } finally {
    probe.close();
  }
}

const noIpv6 = await refusalOfIpv6();
if (noIpv6 !== undefined) console.log(`::1 is left out: ${noIpv6}`);
const loopbacks = ["127.0.0.1", ...(noIpv6 === undefined ? ["::1"] : [])];

async function listen(host: string, port = 0): Promise<Listening> {
  const server = createServer((request, response) => {
    response.end(request.socket.localAddress);
  });
  const listening = await listenOn(server, host, port);
  onTestFinished(() => {
    listening.closeOthers();
    server.close();
    server.closeAllConnections();
  });
  return listening;
}

/** Whether anybody takes connections there. */
function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

function urlOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}

describe("a server at a host's name", () => {
  it("serves every address that localhost is, at one port", async () => {
    const { url, port } = await listen("localhost");
    expect(url).toBe(`http://localhost:${port}`);
    for (const host of loopbacks) {
      const answer = await fetch(urlOf(host, port), { headers: { connection: "close" } });
      expect(await answer.text()).toBe(host);
    }
  });

  it("takes no more connections at the others, once it is told so", async () => {
    const { port, closeOthers } = await listen("localhost");
    closeOthers();
    const [first, ...others] = loopbacks;
    expect(await answers(first ?? "", port)).toBe(true);
    for (const host of others) expect(await answers(host, port)).toBe(false);
  });

  it("serves the one address that is named, and no other", async () => {
    for (const host of loopbacks) {
      const { url, port } = await listen(host);
      expect(`${url}/`).toBe(urlOf(host, port));
      for (const each of loopbacks) expect(await answers(each, port)).toBe(each === host);
    }
  });

  it("lets go of what it took where one of the addresses is somebody else's", async () => {
    for (const taken of loopbacks) {
      const rival = createSocketServer((socket) => socket.destroy());
      rival.listen(0, taken);
      await once(rival, "listening");
      const { port } = rival.address() as AddressInfo;
      await expect(listen("localhost", port)).rejects.toMatchObject({
        kind: "Unavailable",
        code: "LISTEN_FAILED",
        context: { port, reason: "EADDRINUSE" },
      });
      for (const host of loopbacks) expect(await answers(host, port)).toBe(host === taken);
      rival.close();
      await once(rival, "close");
    }
  });
});
