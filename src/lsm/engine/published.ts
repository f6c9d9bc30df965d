import type { Clock } from "../../base/clock.ts";
import type { Sequence } from "../format/entry.ts";
import type { Manifest } from "../format/manifest.ts";
import type { Owner } from "../format/manifest-records.ts";
import type { Health } from "../health.ts";
import { ManifestLog } from "../manifest/log.ts";
import { Lease } from "../ownership/lease.ts";
import { Checkpoints } from "../states/checkpoints.ts";
import { Sampler, sampleAt } from "../states/samples.ts";
import { Timeline } from "../states/timeline.ts";
import { begunIn, type Wal } from "../wal/port.ts";
import type { Opened } from "./open.ts";

/** The manifests of an open engine, and what rests on them: checkpoints, times, the lease. */
export class Published {
  readonly manifests: ManifestLog;
  readonly checkpoints: Checkpoints;
  readonly sampler: Sampler;
  readonly timeline: Timeline;
  readonly lease: Lease;
  readonly #clock: Clock;
  readonly #health: Health;
  #accepted: Manifest;
  #naming = false;

  /** @param onTables called after a manifest was published that names other tables. */
  constructor(
    { parts, options, store, manifest, lastSequence, known }: Opened,
    health: Health,
    onTables: (manifest: Manifest) => void,
  ) {
    const { clock } = parts;
    this.#clock = clock;
    this.#health = health;
    this.#accepted = manifest;
    const manifests = new ManifestLog(store, manifest, (next) => {
      const { level0, runs } = this.#accepted;
      this.#accepted = next;
      // What was said of the owner alone leaves nothing to read, to compact or to collect.
      if (next.level0 !== level0 || next.runs !== runs) onTables(next);
    });
    this.manifests = manifests;
    this.sampler = new Sampler(clock, lastSequence);
    this.timeline = new Timeline(lastSequence, clock.nowMs());
    const update: ManifestLog["update"] = (change) => manifests.update(change);
    this.checkpoints = new Checkpoints(clock, update, () => manifests.current);
    this.lease = new Lease(clock, known, options.leaseMs, async (sinceMs) => {
      await manifests.check(sinceMs).catch((error: unknown) => {
        health.failIfFenced(error);
        throw error;
      });
    });
  }

  /** Everything up to a sequence is durable. */
  note(sequence: Sequence): void {
    this.sampler.note(sequence);
    this.timeline.note(sequence, this.#clock.nowMs());
  }

  /**
   * What was durable at the end of a millisecond: exact since the engine was opened; before that
   * the last moment that a manifest tells, some seconds earlier perhaps.
   */
  sequenceAt(timeMs: number): Sequence | undefined {
    const known = this.timeline.at(timeMs);
    return known ?? sampleAt(this.manifests.current.samples, timeMs)?.sequence;
  }

  /** Says something else of the owner in the manifest. */
  async announce(change: Partial<Pick<Owner, "url" | "state">>): Promise<void> {
    await this.manifests.update((manifest) => {
      const owner = manifest.owner && { ...manifest.owner, ...change };
      return owner && { ...manifest, owner };
    });
  }

  /**
   * Names a file of the log that was begun since: one manifest for each, none where the log does
   * not tell. What cannot be named now is named with the next flush.
   */
  nameBegun(wal: Pick<Wal, "begun">): void {
    if (this.#naming || wal.begun <= (this.manifests.current.walBegun ?? 0)) return;
    this.#naming = true;
    const name = this.manifests.update((manifest) => {
      const walBegun = begunIn(manifest, wal);
      return walBegun === manifest.walBegun ? undefined : { ...manifest, walBegun };
    });
    void name
      .catch((error: unknown) => this.#health.failIfFenced(error))
      .finally(() => {
        this.#naming = false;
      });
  }

  /** What an error means, now that the newest manifest is known. */
  async explain(error: unknown): Promise<unknown> {
    const told = await this.manifests.explain(error);
    this.#health.failIfFenced(told);
    return told;
  }
}
