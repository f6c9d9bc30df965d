import { VirtualClock } from "../support/virtual-clock.ts";
import { describePointerStore } from "../contract/describe-pointer-store.ts";
import { LsmPointerStore } from "../../src/pointer/lsm.ts";
import { TEST_FAMILIES } from "../support/pointer-families.ts";
import { makeWorld, type Kind } from "../lsm/support/worlds.ts";

const CAPABILITIES = { bumpVersions: true, sweepOrder: true };

async function open(kind: Kind) {
  const clock = new VirtualClock();
  const world = makeWorld(kind);
  const engine = await world.open();
  return {
    store: new LsmPointerStore({ families: TEST_FAMILIES, clock, engine: () => engine }),
    nowMs: () => clock.nowMs(),
    advance: (ms: number) => clock.advance(ms),
    close: async () => {
      await engine.close();
      world.end();
    },
  };
}

describePointerStore("engine in memory", () => open({ store: "memory", wal: "objects" }), CAPABILITIES);
describePointerStore("engine in a directory", () => open({ store: "local", wal: "segments" }), CAPABILITIES);
