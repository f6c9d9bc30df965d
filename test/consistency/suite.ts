import { AssertionError } from "node:assert/strict";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROFILES, type Profile } from "../../src/runtime/settings.ts";
import type { Claim, Question } from "./claims.ts";
import { QUESTIONS } from "./table.ts";
import { World } from "./world.ts";

export interface SuiteOptions {
  readonly seed: number;
  readonly rounds: number;
  /** All claims on all profiles; otherwise those that take little. */
  readonly whole: boolean;
}

interface Line {
  readonly question: Question;
  readonly claim: Claim;
  readonly title: string;
}

const LINES: readonly Line[] = QUESTIONS.flatMap((question) =>
  question.claims.map((claim, i) => ({
    question,
    claim,
    title: `${question.title}, ${claim.level} ${i + 1}: ${claim.answer.slice(0, 60)}…`,
  })),
);

/** Every claim on every one of these profiles that it speaks of. */
export function describeClaims(
  options: SuiteOptions,
  profiles: readonly Profile[] = PROFILES,
): void {
  for (const profile of profiles) claimsOf(profile, options);
}

function claimsOf(profile: Profile, { seed, rounds, whole }: SuiteOptions): void {
  const lines = LINES.filter(
    ({ claim }) => claim.profiles.includes(profile) && (whole || isQuick(claim, profile)),
  );
  if (lines.length === 0) return;
  describe(`${profile}, seed ${seed}`, () => {
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
      test(title, () => inWorld(claim, profile, { seed, rounds }));
    }
  });
}

/** What takes little: to open a node whose stores are behind a network takes a second. */
function isQuick({ level, apart }: Claim, profile: Profile): boolean {
  switch (profile) {
    case "memory":
      return true;
    case "bucket":
      return false;
    case "local":
    case "aws":
      return level !== "catalog" && apart !== true;
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

/** Each check must itself fail over each of the adapters that are broken so that it should. */
export function describeBroken({ seed, rounds, whole }: SuiteOptions): void {
  describe(`over what is broken, seed ${seed}`, () => {
    for (const { claim, title } of LINES) {
      for (const { what, profile, wrap } of claim.broken ?? []) {
        if (!whole && profile !== "memory") continue;
        test(`${what}: ${title}`, async () => {
          const failing = inWorld(claim, profile, { seed, rounds, wrap });
          await expect(failing).rejects.toThrow(AssertionError);
        });
      }
    }
  });
}
