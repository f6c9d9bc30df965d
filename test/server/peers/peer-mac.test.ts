import { describe, expect, it } from "vitest";
import {
  assertBody,
  PeerMac,
  type PeerRequest,
  passedOn,
} from "../../../src/server/peers/peer-mac.ts";
import { ReplayWindows } from "../../../src/server/peers/replay-windows.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const KEY = new Uint8Array(32).fill(1);
const OLD = new Uint8Array(32).fill(2);
const REQUEST: PeerRequest = {
  to: "b",
  method: "POST",
  target: "/api/v1/sql?x=1",
  headers: { authorization: "Bearer t", "x-request-id": "r" },
  body: Buffer.from("{}"),
  address: "10.0.0.1",
};
const REFUSED = expect.objectContaining({ code: "PEER_REFUSED", kind: "Unauthenticated" });

function pair(keys: readonly Uint8Array[] = [KEY]) {
  const clock = new VirtualClock();
  return { clock, a: new PeerMac([KEY], "a", clock), b: new PeerMac(keys, "b", clock) };
}

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("requests between nodes", () => {
  it("are taken once, with what the sender says of them", () => {
    const { a, b } = pair();
    const headers = a.sign(REQUEST);
    const claims = b.verify("POST", REQUEST.target, headers);
    expect(claims).toMatchObject({ from: "a", to: "b", address: "10.0.0.1" });
    expect(passedOn(headers)).toEqual(REQUEST.headers);
    assertBody(claims, REQUEST.body);
    expect(thrownBy(() => assertBody(claims, Buffer.from("{ }")))).toEqual(REFUSED);
    expect(thrownBy(() => b.verify("POST", REQUEST.target, headers))).toEqual(REFUSED);
  });

  it("are refused where anything of them was changed", () => {
    const { a, b } = pair();
    const headers = a.sign(REQUEST);
    const changed = [
      () => b.verify("GET", REQUEST.target, headers),
      () => b.verify("POST", "/api/v1/sql?x=2", headers),
      () => b.verify("POST", REQUEST.target, { ...headers, authorization: "Bearer u" }),
      () => b.verify("POST", REQUEST.target, { ...headers, "idempotency-key": "k" }),
      () => b.verify("POST", REQUEST.target, { ...headers, "x-firn-peer-mac": "00" }),
      () => b.verify("POST", REQUEST.target, { ...headers, "x-firn-peer": "e30" }),
      () => b.verify("POST", REQUEST.target, {}),
    ];
    for (const work of changed) expect(thrownBy(work)).toEqual(REFUSED);
    // The right one is still good: what was refused used nothing up.
    b.verify("POST", REQUEST.target, headers);
  });

  it("are refused by another node, too late, and under another key", () => {
    const { clock, a, b } = pair();
    const c = new PeerMac([KEY], "c", clock);
    const stranger = new PeerMac([OLD], "a", clock);
    const headers = a.sign(REQUEST);
    expect(thrownBy(() => c.verify("POST", REQUEST.target, headers))).toEqual(REFUSED);
    const foreign = stranger.sign(REQUEST);
    expect(thrownBy(() => b.verify("POST", REQUEST.target, foreign))).toEqual(REFUSED);
    clock.skip(31_000);
    expect(thrownBy(() => b.verify("POST", REQUEST.target, headers))).toEqual(REFUSED);
  });

  it("are taken under the secret before, while that is being replaced", () => {
    const { clock, b } = pair([OLD, KEY]);
    const a = new PeerMac([KEY, OLD], "a", clock);
    expect(b.verify("POST", REQUEST.target, a.sign(REQUEST)).from).toBe("a");
  });
});

describe("a window of numbers", () => {
  it("admits each once, in any order, as far back as it reaches", () => {
    const windows = new ReplayWindows();
    const admit = (count: number) => windows.admit("a", count, 0);
    expect([3, 1, 2, 3, 1].map(admit)).toEqual([true, true, true, false, false]);
    expect([70_000, 70_000, 3, 69_999, 4_465, 4_464].map(admit)).toEqual([
      ...[true, false, false, true, true, false],
    ]);
    expect([200_000, 69_999, 199_999, 200_001].map(admit)).toEqual([true, false, true, true]);
    expect([0, -1, 1.5, Number.NaN].map(admit)).toEqual([false, false, false, false]);
    expect(windows.admit("b", 3, 0)).toBe(true);
  });

  it("takes no new sender while it remembers as many as it may", () => {
    const windows = new ReplayWindows();
    for (let i = 0; i < 1_024; i++) expect(windows.admit(`n${i}`, 1, i)).toBe(true);
    expect(windows.admit("new", 1, 1_000)).toBe(false);
    expect(windows.admit("new", 1, 120_000)).toBe(true);
    expect(windows.admit("n1", 1, 120_000)).toBe(false);
  });
});
