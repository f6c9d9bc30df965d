import { describe, expect, it } from "vitest";
import { PROFILES } from "../../src/runtime/settings.ts";
import { inShort } from "./document.ts";
import { describeBroken, describeClaims } from "./suite.ts";
import { QUESTIONS } from "./table.ts";

// A sample of `npm run test:consistency`, which runs all of them, for longer and from more seeds.
const QUICK = { seed: 1, rounds: 1, whole: false };

describeClaims(QUICK);
describeBroken(QUICK);

describe("the table of questions", () => {
  it("asks eleven, each once", () => {
    expect(new Set(QUESTIONS.map(({ title }) => title)).size).toBe(11);
    expect(QUESTIONS).toHaveLength(11);
  });

  it.each(QUESTIONS)("answers for every profile: $title", (question) => {
    for (const profile of PROFILES) expect(inShort(question, profile)).not.toBe("");
    const answers = question.claims.map(({ answer }) => answer);
    expect(new Set(answers).size).toBe(answers.length);
  });

  it.each(QUESTIONS)("can fail: $title", ({ claims }) => {
    const broken = claims.flatMap((claim) => (claim.broken ?? []).map((each) => ({ claim, each })));
    expect(broken).not.toEqual([]);
    for (const { claim, each } of broken) expect(claim.profiles).toContain(each.profile);
  });
});
