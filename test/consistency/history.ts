import { ok } from "node:assert/strict";

interface Span {
  readonly began: number;
  readonly ended: number;
  readonly version: number;
}

/**
 * What was written and read of one thing whose writes have growing versions, and when. The versions
 * give the order of the writes, so a history is linearizable exactly if no operation is answered a
 * version below that of one that had ended before it began.
 */
export class VersionHistory {
  #tick = 0;
  readonly #spans: Span[] = [];

  /** One write or read; `work` answers its version. */
  async span(work: () => Promise<number>): Promise<number> {
    const began = this.#tick++;
    const version = await work();
    this.#spans.push({ began, ended: this.#tick++, version });
    return version;
  }

  get length(): number {
    return this.#spans.length;
  }

  check(): void {
    const ends = this.#spans.toSorted((a, b) => a.ended - b.ended);
    let next = 0;
    let floor = 0;
    for (const { began, version } of this.#spans.toSorted((a, b) => a.began - b.began)) {
      for (; (ends[next]?.ended ?? began) < began; next++) {
        floor = Math.max(floor, ends[next]?.version ?? 0);
      }
      ok(version >= floor, `version ${version} was answered after version ${floor}`);
    }
  }
}
