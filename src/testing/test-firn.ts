import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FirnError } from "../base/error.ts";
import { SeededPrng } from "../base/prng.ts";
import { type Fetch, FirnClient } from "../client/client.ts";
import { SystemClock } from "../runtime/clock.ts";
import { readOptions } from "../runtime/open-settings.ts";
import { SystemPrng } from "../runtime/prng.ts";
import { requireSettings } from "../runtime/read-settings.ts";
import { spanMs } from "../runtime/setting-values.ts";
import { answerOf, type Embedded, openEmbedded } from "../server/embedded.ts";
import { type Fixture, FixtureLoader, type LoadedFixture, readFixture } from "./fixture.ts";
import { TestClock } from "./test-clock.ts";

export interface TestOptions {
  /** A catalog to begin with: the path of a JSON file, or what it would hold. */
  readonly fixture?: string | Fixture;
  /** Decides every id and secret. With `now` two runs of the same calls answer the same. */
  readonly seed?: number;
  /** The wall time to begin with; 2026-01-01T00:00:00Z if absent. */
  readonly now?: Date | string;
  /** Listens on a free port of this machine, for clients that need a URL. */
  readonly listen?: boolean;
  /** Roots where tables of a fixture may lie. */
  readonly allowLocation?: string | readonly string[];
  /** How long what was dropped can come back, such as `1h`; 7 days if absent. */
  readonly dropRetention?: string;
}

const START = "2026-01-01T00:00:00Z";
/** How long `advance` waits for background jobs that its jump made due. */
const JOBS_MS = 5_000;
const LOOK_MS = 5;

/**
 * A whole Firn for tests, in this process and in memory: the same server, checks and answers as
 * `firn serve`, with a clock that the test drives.
 *
 * ```ts
 * await using firn = await TestFirn.open({ fixture: "test/lake.json" });
 * const page = await firn.client.call("listCatalogs", {});
 * await firn.advance("7d");
 * await firn.reset();
 * ```
 */
export class TestFirn {
  /** The native API as typed calls, without a socket. It stays the same over a reset. */
  readonly client: FirnClient;
  readonly #options: TestOptions;
  readonly #loaded: LoadedFixture | undefined;
  readonly #startMs: number;
  #life: Life;
  #closing: Promise<void> | undefined;

  private constructor(
    options: TestOptions,
    start: { readonly ms: number; readonly loaded: LoadedFixture | undefined; readonly life: Life },
  ) {
    this.#options = options;
    this.#loaded = start.loaded;
    this.#startMs = start.ms;
    this.#life = start.life;
    this.client = new FirnClient({ url: "http://firn", fetch: this.fetch });
  }

  /**
   * Opens one, filled with its fixture.
   *
   * @throws FirnError `TEST_OPTIONS_INVALID`, `FIXTURE_UNREADABLE`, `FIXTURE_INVALID`.
   */
  static async open(options: TestOptions = {}): Promise<TestFirn> {
    const { now = START, fixture } = options;
    const ms = new Date(now).getTime();
    if (!Number.isFinite(ms)) {
      const message = "now is not a time: give a Date or RFC 3339 text";
      throw new FirnError("Invalid", "TEST_OPTIONS_INVALID", message, { now: String(now) });
    }
    const loaded =
      typeof fixture === "string"
        ? await readFixture(fixture, process.cwd())
        : fixture && { fixture, directory: process.cwd() };
    return new TestFirn(options, { ms, loaded, life: await begin(options, ms, loaded, 0) });
  }

  /** Where it listens, with `listen`. Iceberg clients add `/iceberg`. */
  get url(): string | undefined {
    return this.#life.embedded.url;
  }

  /** The wall time, which stands still between calls of `advance`. */
  get now(): Date {
    return this.#life.clock.now;
  }

  /** Answers a request as the server would: path, query, method, headers and body count. */
  readonly fetch: Fetch = (request) => answerOf(this.#life.embedded.server, request);

  /**
   * Moves the time on, such as `7d`, `90s` or milliseconds, and waits until the background jobs
   * that are due then have run.
   *
   * @throws FirnError `TEST_OPTIONS_INVALID`; `JOBS_UNFINISHED`: they take longer than 5 s.
   */
  async advance(duration: string | number): Promise<void> {
    const ms = typeof duration === "number" ? duration : spanMs(duration);
    if (ms === undefined || !(ms >= 0)) {
      const message = "not a duration: give milliseconds, or text such as 90s, 30m, 12h or 7d";
      throw new FirnError("Invalid", "TEST_OPTIONS_INVALID", message, { duration });
    }
    const { clock, embedded } = this.#life;
    clock.advance(ms);
    const system = new SystemClock();
    const untilMs = system.monotonicMs() + JOBS_MS;
    for (;;) {
      // Whatever the jump woke has its turn before it is looked at.
      await system.sleep(0);
      const { items } = await embedded.composition.housekeeping.jobs({});
      // A job that waits for its next step, such as garbage collection, has its turn later.
      const isOpen = ({ state, nextTryMs }: (typeof items)[number]): boolean =>
        state === "running" || (state === "due" && nextTryMs <= clock.nowMs());
      const open = items.filter(isOpen);
      if (open.length === 0) return;
      if (system.monotonicMs() > untilMs) {
        const facts = { kind: open[0]?.kind ?? "", jobs: open.length };
        throw new FirnError("Internal", "JOBS_UNFINISHED", "jobs take more than 5 s", facts);
      }
      // Nodes spread the start of due jobs over a minute, which does not pass here.
      for (const { id, state } of open) {
        if (state === "due") await embedded.composition.housekeeping.retryJob(id).catch(ended);
      }
      await system.sleep(LOOK_MS);
    }
  }

  /** Adds a fixture to what is there. @throws FirnError as `open`. */
  async load(fixture: string | Fixture): Promise<void> {
    const { fixture: whole, directory } =
      typeof fixture === "string"
        ? await readFixture(fixture, process.cwd())
        : { fixture, directory: process.cwd() };
    await new FixtureLoader(this.fetch, directory).load(whole);
  }

  /**
   * Goes back to what `open` left: fixture, clock and seed, on the same port. Requests that are
   * under way end first.
   */
  async reset(): Promise<void> {
    const { embedded } = this.#life;
    const port = embedded.url === undefined ? 0 : Number(new URL(embedded.url).port);
    await end(this.#life);
    this.#life = await begin(this.#options, this.#startMs, this.#loaded, port);
  }

  /** Closes everything. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= end(this.#life);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** A job that is over by now, or runs, needs no start. */
function ended(error: unknown): void {
  if (!(error instanceof FirnError) || !/^JOB_/.test(error.code)) throw error;
}

/** What lasts from one reset to the next. */
interface Life {
  readonly embedded: Embedded;
  readonly clock: TestClock;
  readonly scratch: string;
}

async function begin(
  { seed, listen = false, allowLocation, dropRetention }: TestOptions,
  startMs: number,
  loaded: LoadedFixture | undefined,
  port: number,
): Promise<Life> {
  const scratch = await mkdtemp(join(tmpdir(), "firn-test-"));
  const clock = new TestClock(startMs);
  const prng = seed === undefined ? new SystemPrng() : new SeededPrng(seed);
  try {
    const given = {
      profile: "memory",
      dir: scratch,
      logLevel: "silent",
      ...(allowLocation !== undefined && { allowLocation }),
      ...(dropRetention !== undefined && { dropRetention }),
      ...(listen && { listen: { port } }),
    };
    const settings = requireSettings(readOptions(given, process.cwd()));
    const embedded = await openEmbedded(settings, { clock, prng, listens: listen });
    const life = { embedded, clock, scratch };
    try {
      if (loaded !== undefined) {
        const fetch: Fetch = (request) => answerOf(embedded.server, request);
        await new FixtureLoader(fetch, loaded.directory).load(loaded.fixture);
      }
    } catch (error) {
      await embedded.close();
      throw error;
    }
    return life;
  } catch (error) {
    await rm(scratch, { recursive: true, force: true });
    throw error;
  }
}

async function end({ embedded, scratch }: Life): Promise<void> {
  try {
    await embedded.close();
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
