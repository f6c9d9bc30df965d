import type { Revision } from "../../base/ids.ts";

/** What the current metadata file of a table or view says, as far as a mark asks. */
export interface RootContent {
  /** Where its next metadata file goes. */
  readonly directory: string;
  /** Metadata files that its current one names: of a view none, whose versions need none. */
  readonly log: readonly string[];
  /** Of a table: the times of its snapshots, by id. */
  readonly snapshots?: ReadonlyMap<bigint, number>;
}

/** Memory of all that is kept, about. */
const KNOWN_BYTES = 16 * 1_048_576;
const ENTRY_BYTES = 512;
const SNAPSHOT_BYTES = 64;

interface Known {
  readonly revision: Revision;
  readonly content: RootContent;
  readonly weight: number;
  /** The mark that last asked for it. */
  mark: number;
}

/**
 * What marks have read of metadata files: one of a relation that nothing was committed to since is
 * not read again, within a mark or by the next one. A revision names one content for ever.
 *
 * A walk comes to all relations in turn, so the least recently used one would be the next that is
 * asked for: what does not fit any more is not kept, and what a whole mark did not ask for goes.
 */
export class KnownRoots {
  readonly #known = new Map<string, Known>();
  readonly #capacity: number;
  #weight = 0;
  #mark = 0;

  constructor(capacity: number = KNOWN_BYTES) {
    this.#capacity = capacity;
  }

  /** @param subject see `subjectText`. */
  get(subject: string, revision: Revision): RootContent | undefined {
    const known = this.#known.get(subject);
    if (known?.revision !== revision) return undefined;
    known.mark = this.#mark;
    return known.content;
  }

  set(subject: string, revision: Revision, content: RootContent): void {
    this.#drop(subject);
    const weight = weightOf(subject, content);
    if (this.#weight + weight > this.#capacity) return;
    this.#known.set(subject, { revision, content, weight, mark: this.#mark });
    this.#weight += weight;
  }

  /** A mark has come to its end. */
  endMark(): void {
    for (const [subject, { mark }] of this.#known) if (mark !== this.#mark) this.#drop(subject);
    this.#mark++;
  }

  #drop(subject: string): void {
    const known = this.#known.get(subject);
    if (known === undefined) return;
    this.#known.delete(subject);
    this.#weight -= known.weight;
  }
}

function weightOf(subject: string, { directory, log, snapshots }: RootContent): number {
  const texts = [subject, directory, ...log].reduce((sum, { length }) => sum + length + 32, 0);
  return ENTRY_BYTES + texts + SNAPSHOT_BYTES * (snapshots?.size ?? 0);
}
