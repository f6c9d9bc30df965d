import type { FaultKind } from "../faults.ts";

export interface CampaignOptions {
  /** Operations that are judged. */
  readonly ops: number;
  readonly seed: number;
}

/** What the caller of an operation was told. */
export type Told =
  /** It was applied. */
  | "applied"
  /** It was not, and never will be: a failed condition, or a failure with nothing done. */
  | "refused"
  /** It may have been. */
  | "unknown";

/** What a campaign saw. */
export interface Tally {
  readonly told: Readonly<Record<Told, number>>;
  /** Requests that suffered each kind of fault. */
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly requests: number;
  /** One text for each operation whose caller was told what was not so. */
  readonly lies: readonly string[];
}

/** Operations on one store through its real SDK, under every fault that its double knows. */
export interface Campaign {
  readonly name: string;
  run(options: CampaignOptions): Promise<Tally>;
}

/** Of the operations, those whose callers must be told for certain. */
const DEFINITE = 0.99;

export function definite({ told }: Tally): number {
  const certain = told.applied + told.refused;
  return certain / Math.max(1, certain + told.unknown);
}

/** Why a campaign fails; nothing where it does not. */
export function verdictOf(tally: Tally): string | undefined {
  const [first] = tally.lies;
  if (first !== undefined) return `${tally.lies.length} told what is not so: ${first}`;
  if (tally.told.applied === 0 || tally.told.refused === 0) return "not every answer was given";
  const share = definite(tally);
  return share < DEFINITE ? `only ${(100 * share).toFixed(2)} % definite` : undefined;
}
