import { AssertionError } from "node:assert/strict";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROFILES, type Profile } from "../../src/runtime/settings.ts";
import type { Claim, Question } from "./claims.ts";
import { QUESTIONS } from "./table.ts";
import { World } from "./world.ts";

export interface SuiteOptions {
  readonly seed: number;
  readonly rounds: number;
  /** On `bucket` and `aws`, whose requests cross a network, otherwise only what needs few. */
  readonly whole: boolean;
}

interface Line {
  readonly question: Question;
  readonly claim: Claim;
  readonly title: string;
}

const LINES: readonly Line[] = QUESTIONS.flatMap((question) =>
  question.claims.map((claim, i) => ({
    ...{ question, claim },
    title: `${question.title}, ${claim.level} ${i + 1}: ${claim.answer.slice(0, 60)}…`,
  })),
);

/** Every claim on every profile of it. */
export function describeClaims(options: SuiteOptions): void {
  for (const profile of PROFILES)
    describe(`${profile}, seed ${options.seed}`, () => {
      claimsOf(profile, options);
    });
}

function claimsOf(profile: Profile, { seed, rounds, whole }: SuiteOptions): void {
  const isQuick = profile === "memory" || profile === "local";
  const lines = LINES.filter(
    ({ claim }) =>
      claim.profiles.includes(profile) && (whole || isQuick || claim.level !== "catalog"),
  );
  let shared: World | undefined;
  beforeAll(async () => {
    shared = await World.open(profile, { seed, rounds });
  });
  afterAll(() => shared?.close());
  for (const { claim, title } of lines.filter(({ claim }) => claim.apart !== true)) {
    test(title, async () => {
      if (shared === undefined) throw new Error(`profile ${profile} did not open`);
      await claim.check(shared);
    });
  }
  for (const { claim, title } of lines.filter(({ claim }) => claim.apart === true)) {
    if (whole || isQuick) test(title, () => inWorld(claim, profile, { seed, rounds }));
  }
}

async function inWorld(
  { check }: Claim,
  ...[profile, options]: Parameters<typeof World.open>
): Promise<void> {
  const world = await World.open(profile, options);
  try {
    await check(world);
  } finally {
    await world.close();
  }
}

/** Each check must fail over each of the stores that are broken so that it should. */
export function describeBroken({ seed, rounds, whole }: SuiteOptions): void {
  describe(`over what is broken, seed ${seed}`, () => {
    for (const { claim, title } of LINES) {
      for (const { what, profile, wrap } of claim.broken ?? []) {
        if (!whole && profile !== "memory" && profile !== "local") continue;
        test(`${what}: ${title}`, async () => {
          const failing = inWorld(claim, profile, { seed, rounds, wrap });
          await expect(failing).rejects.toBeInstanceOf(AssertionError);
        });
      }
    }
  });
}
