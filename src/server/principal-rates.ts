import type { Clock } from "../base/clock.ts";
import { FirnError } from "../base/error.ts";
import { LruMap } from "../base/lru.ts";
import type { Identity } from "../service/access/identity.ts";

const REMEMBERED = 10_000;
const SECOND_MS = 1_000;

/** What is left of a principal's allowance, and when that was so. */
interface Allowance {
  left: number;
  atMs: number;
}

/** An identity serves many requests: its text, a key of maps, is made and hashed once. */
const holders = new WeakMap<Identity, string>();

/** Tells principals apart, across accounts. */
export function holderOf(identity: Identity): string {
  const known = holders.get(identity);
  if (known !== undefined) return known;
  const holder = `${identity.accountId}/${identity.principalId}`;
  holders.set(identity, holder);
  return holder;
}

/** Bounds how many requests a second each principal makes on this node: a token bucket for each. */
export class PrincipalRates {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #perSecond: number;
  readonly #allowances: LruMap<string, Allowance> = new LruMap(REMEMBERED);

  /** `perSecond`: also how many may come at once after a pause. 0: no bound. */
  constructor(clock: Pick<Clock, "monotonicMs">, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
  }

  /** @throws FirnError `Overloaded` `PRINCIPAL_RATE`. */
  count(identity: Identity): void {
    const perSecond = this.#perSecond;
    if (perSecond === 0) return;
    const nowMs = this.#clock.monotonicMs();
    const holder = holderOf(identity);
    const known = this.#allowances.get(holder);
    const grown = known && known.left + ((nowMs - known.atMs) / SECOND_MS) * perSecond;
    const left = Math.min(perSecond, grown ?? perSecond);
    if (left < 1) {
      const retryAfterMs = Math.ceil(((1 - left) / perSecond) * SECOND_MS);
      const message = "too many requests of this principal: wait, or see --principal-rate";
      throw new FirnError("Overloaded", "PRINCIPAL_RATE", message, { retryAfterMs });
    }
    if (known === undefined) this.#allowances.set(holder, { left: left - 1, atMs: nowMs });
    else {
      known.left = left - 1;
      known.atMs = nowMs;
    }
  }
}
