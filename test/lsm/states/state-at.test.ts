import { afterEach, describe, expect, it } from "vitest";
import { utf8, utf8Text } from "../../../src/base/bytes.ts";
import { SeededPrng } from "../../../src/base/prng.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";
import { makeWorld, type World } from "../support/worlds.ts";

const MINUTE = 60_000;
const HISTORY = 25;
const MINUTES = 75;
const KEYS = 5;

let world: World;
afterEach(() => world.end());

describe.each(["objects", "segments"] as const)("the state of a time, log of %s", (wal) => {
  it("is what was there then, as long as the history reaches, and then it is gone", async () => {
    const clock = new VirtualClock();
    const prng = new SeededPrng(7);
    world = makeWorld({ store: "memory", wal }, { clock, prng });
    const options = { gcMinAgeMs: 0, historyMs: HISTORY * MINUTE };
    const engine = await clock.run(world.open({ options, forTests: { compaction: "manual" } }));
    const startMs = clock.nowMs();
    // Long values, so that a segment of the log ends every few minutes.
    const write = (minute: number): Promise<void> => {
      const value = utf8(`${minute} `.padEnd(60_000, "."));
      const ops = { op: "put" as const, key: utf8(`k${minute % KEYS}`), value };
      return clock.run(Promise.resolve(engine.write([ops], { durable: true })).then(() => {}));
    };
    const read = async (minute: number): Promise<readonly (string | undefined)[]> => {
      const state = await engine.stateAt(startMs + minute * MINUTE + MINUTE / 2);
      const keys = Array.from({ length: KEYS }, (_, i) => utf8(`k${i}`));
      const found = (await state.getMany(keys)).map((one) => one && utf8Text(one).split(" ")[0]);
      await state.close();
      return found;
    };
    const written = (minute: number): readonly (string | undefined)[] =>
      Array.from({ length: KEYS }, (_, i) => {
        const last = minute - ((((minute - i) % KEYS) + KEYS) % KEYS);
        return last < 0 ? undefined : String(last);
      });
    for (let minute = 0; minute < MINUTES; minute++) {
      await write(minute);
      if (minute % 7 === 3) await clock.run(engine.flush());
      if (minute % 21 === 10) await clock.run(engine.compact());
      if (minute % 10 === 6) await clock.run(engine.collectGarbage());
      await clock.advance(MINUTE);
      for (
        let back = 0;
        back < HISTORY && back <= minute;
        back += 1 + Math.floor(prng.float() * 5)
      ) {
        expect(await clock.run(read(minute - back))).toEqual(written(minute - back));
      }
    }
    const gone = { code: "LSM_HISTORY_GONE" };
    await expect(clock.run(read(MINUTES - 2 * HISTORY))).rejects.toMatchObject(gone);
    const ahead = { code: "LSM_TIME_AHEAD" };
    await expect(engine.stateAt(clock.nowMs() + 1)).rejects.toMatchObject(ahead);
    await clock.run(engine.close());
  });
});
