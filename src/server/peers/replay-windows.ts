/** Numbers below the highest that may still come: more than requests are under way. */
const WINDOW = 65_536;
/** Senders that are remembered. A node that starts again is another sender. */
const MOST_SENDERS = 1_024;
/** Longer than a request stays fresh: a sender that is forgotten after that repeats nothing. */
const FORGET_MS = 120_000;

interface Sender {
  highest: number;
  /** A bit for each number, by its remainder. */
  readonly seen: Uint8Array;
  usedAtMs: number;
}

/** Which numbers of which senders have come: each is admitted once. */
export class ReplayWindows {
  readonly #senders = new Map<string, Sender>();

  /** Whether a number of a sender is new. From then on it is not. */
  admit(from: string, count: number, nowMs: number): boolean {
    if (!Number.isSafeInteger(count) || count < 1) return false;
    let sender = this.#senders.get(from);
    if (sender === undefined) {
      if (!this.#hasRoom(nowMs)) return false;
      sender = { highest: 0, seen: new Uint8Array(WINDOW / 8), usedAtMs: nowMs };
    }
    // Those that were used last are forgotten last.
    this.#senders.delete(from);
    this.#senders.set(from, sender);
    sender.usedAtMs = nowMs;
    return admits(sender, count);
  }

  #hasRoom(nowMs: number): boolean {
    if (this.#senders.size < MOST_SENDERS) return true;
    const [oldest] = this.#senders;
    if (oldest === undefined || nowMs - oldest[1].usedAtMs < FORGET_MS) return false;
    this.#senders.delete(oldest[0]);
    return true;
  }
}

function admits(sender: Sender, count: number): boolean {
  const { seen, highest } = sender;
  if (count <= highest - WINDOW) return false;
  if (count > highest) {
    if (count - highest >= WINDOW) seen.fill(0);
    else for (let n = highest + 1; n < count; n++) clear(seen, n);
    sender.highest = count;
    mark(seen, count);
    return true;
  }
  if (isMarked(seen, count)) return false;
  mark(seen, count);
  return true;
}

function mark(seen: Uint8Array, n: number): void {
  const at = n % WINDOW;
  seen[at >> 3] = (seen[at >> 3] ?? 0) | (1 << (at & 7));
}

function clear(seen: Uint8Array, n: number): void {
  const at = n % WINDOW;
  seen[at >> 3] = (seen[at >> 3] ?? 0) & ~(1 << (at & 7));
}

function isMarked(seen: Uint8Array, n: number): boolean {
  const at = n % WINDOW;
  return ((seen[at >> 3] ?? 0) & (1 << (at & 7))) !== 0;
}
