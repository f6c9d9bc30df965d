import { describe, expect, it } from "vitest";
import { SIGNS_AFTER_MS, SigningKeys } from "../../../src/service/access/signing-keys.ts";
import { PageTokens } from "../../../src/service/page-token.ts";
import { testStores } from "../../support/open-catalog.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const OLD = new Uint8Array(32).fill(1);
const NEW = new Uint8Array(32).fill(2);
const TOKEN_LIFE_MS = 3_600_000;

function deployment() {
  const clock = new VirtualClock();
  const stores = testStores({ clock });
  /** A node that was started with these secrets. */
  const node = (...secrets: [Uint8Array, ...Uint8Array[]]) =>
    new SigningKeys({ stores, secrets, tokenLifeMs: TOKEN_LIFE_MS });
  return { clock, node };
}

describe("the secret of a deployment is replaced", () => {
  it("node by node, and every node verifies what another one signs", async () => {
    const { clock, node } = deployment();
    const first = await node(OLD).signing();
    const [one, two] = [node(OLD, NEW), node(OLD, NEW)];
    expect((await one.signing()).kid).toBe(first.kid);
    // One node has the new secret already, the other one has not.
    const swapped = node(NEW, OLD);
    expect((await swapped.signing()).kid).toBe(first.kid);
    const seen = new Set<string>([first.kid]);
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(61_000);
      for (const signer of [swapped, two]) {
        const { kid } = await signer.signing();
        seen.add(kid);
        for (const verifier of [one, two, swapped]) {
          expect(await verifier.verifying(kid)).toBeDefined();
        }
      }
    }
    // One new key: the two kinds of nodes do not answer each other's with another one.
    expect(seen.size).toBe(2);
    const last = await swapped.signing();
    expect(last.kid).not.toBe(first.kid);
    await clock.advance(TOKEN_LIFE_MS + SIGNS_AFTER_MS);
    const alone = node(NEW);
    expect((await alone.signing()).kid).toBe(last.kid);
    expect(await alone.verifying(first.kid)).toBeUndefined();
  });

  it("at once, and tokens of before end", async () => {
    const { node } = deployment();
    const first = await node(OLD).signing();
    const after = node(NEW);
    const made = await after.signing();
    expect(made.kid).not.toBe(first.kid);
    expect(await after.verifying(first.kid)).toBeUndefined();
  });

  it("with page tokens of both", () => {
    const [before, between, after] = [
      new PageTokens(OLD, [NEW]),
      new PageTokens(NEW, [OLD]),
      new PageTokens(NEW),
    ];
    expect(between.open("q", before.seal("q", "x"))).toBe("x");
    expect(before.open("q", after.seal("q", "x"))).toBe("x");
    expect(() => between.open("other", before.seal("q", "x"))).toThrow(/another list/);
    expect(() => after.open("q", before.seal("q", "x"))).toThrow(/another list/);
  });
});
