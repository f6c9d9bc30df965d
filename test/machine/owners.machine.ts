import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { ask, create, freePort, namespaces, Started, scratch } from "./processes.ts";

/** A standby overtakes within this, however its owner went. */
const TAKE_OVER_MS = 10_000;

async function isReady(url: string): Promise<boolean> {
  return (await ask(`${url}/readyz`))?.status === 200;
}

/** Milliseconds until a process serves that has waited for it. */
async function untilReady(what: string, url: string): Promise<void> {
  const startedMs = performance.now();
  await expect.poll(() => isReady(url), { timeout: TAKE_OVER_MS, interval: 20 }).toBe(true);
  console.log(`${what}: ready after ${Math.round(performance.now() - startedMs)} ms`);
}

/** An owner with one namespace, and a process that waits for it. */
async function pair() {
  const dir = scratch();
  const owner = new Started(dir);
  const url = await owner.url();
  expect((await create(url, "before"))?.status).toBe(200);
  const port = await freePort();
  const standby = new Started(dir, ["--standby", "--port", String(port)]);
  const next = `http://127.0.0.1:${port}`;
  await expect
    .poll(async () => (await ask(`${next}/livez`))?.status, { timeout: 10_000 })
    .toBe(200);
  return { dir, owner, url, standby, next };
}

describe("two processes on one directory", () => {
  it("the second one is refused, and told who is there and since when", async () => {
    const dir = scratch();
    const owner = new Started(dir);
    await owner.url();
    const second = new Started(dir);
    expect(await second.ended()).toBe(1);
    for (const word of ["LSM_OWNED", `host=${hostname()}`, `pid=${owner.pid}`, "sinceMs="]) {
      expect(second.written).toContain(word);
    }
    expect(await owner.url()).toMatch(/^http/);
  });

  it("who waits lives, says that it is not ready and why, and serves nothing", async () => {
    const { owner, url, next } = await pair();
    const [first, second] = [await ask(`${url}/livez`), await ask(`${next}/livez`)];
    const nodeOf = (body: unknown) => (body as { node: string }).node;
    expect(nodeOf(first?.body)).toMatch(/^[0-9a-f]{32}$/);
    expect(nodeOf(second?.body)).toMatch(/^[0-9a-f]{32}$/);
    expect(nodeOf(first?.body)).not.toBe(nodeOf(second?.body));
    const readiness = async () => await ask(`${next}/readyz`);
    const why = { status: "standby", owner: { host: hostname(), pid: owner.pid, url } };
    await expect.poll(readiness, { timeout: 10_000 }).toMatchObject({ status: 503, body: why });
    expect(await namespaces(next)).toMatchObject({ status: 503, code: "STANDBY" });
    expect((await namespaces(url))?.status).toBe(200);
  });

  it("a standby takes over from an owner that was killed", async () => {
    const { owner, standby, next } = await pair();
    owner.child.kill("SIGKILL");
    await untilReady("killed", next);
    expect((await namespaces(next))?.body).toMatchObject({ namespaces: [["before"]] });
    expect(await standby.url()).toBe(next);
  });

  it("a standby takes over from an owner that stands still, and is not contradicted", async () => {
    const { owner, url, next } = await pair();
    owner.child.kill("SIGSTOP");
    await untilReady("stopped", next);
    expect((await create(next, "after"))?.status).toBe(200);
    // Asked while it stood still, answered when it goes on: what it remembers is not so any more.
    const late = Array.from({ length: 10 }, () => namespaces(url));
    owner.child.kill("SIGCONT");
    for (const answer of await Promise.all(late)) {
      // All at once after such a stop they may also be more than it takes on.
      expect([answer?.status, answer?.code]).toBeOneOf([
        [503, "LSM_FENCED"],
        [429, "OVERLOADED"],
      ]);
    }
    expect((await create(url, "too late"))?.status).toBeOneOf([429, 503]);
    expect(await ask(`${url}/readyz`)).toMatchObject({ status: 503 });
    expect((await namespaces(next))?.body).toMatchObject({ namespaces: [["after"], ["before"]] });
  });

  it("a standby waits for an owner that stops, and loses nothing of its last words", async () => {
    const { owner, url, next } = await pair();
    const last = create(url, "last");
    owner.child.kill("SIGTERM");
    const made = (await last)?.status === 200;
    expect(await owner.ended()).toBe(0);
    await untilReady("ended", next);
    const found = JSON.stringify((await namespaces(next))?.body);
    if (made) expect(found).toContain("last");
    expect(found).toContain("before");
  });

  it("--takeover fences at once", async () => {
    const dir = scratch();
    const owner = new Started(dir);
    const url = await owner.url();
    expect((await create(url, "before"))?.status).toBe(200);
    const port = await freePort();
    const taker = new Started(dir, ["--takeover", "--port", String(port)]);
    await untilReady("taken over", `http://127.0.0.1:${port}`);
    expect(await namespaces(url)).toMatchObject({ status: 503, code: "LSM_FENCED" });
    expect((await namespaces(await taker.url()))?.body).toMatchObject({ namespaces: [["before"]] });
  });
});
