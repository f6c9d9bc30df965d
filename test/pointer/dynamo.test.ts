import {
  describePointerStore,
  type PointerStoreCapabilities,
  type PointerStoreSubject,
} from "../contract/describe-pointer-store.ts";
import { openDynamoWorld } from "../double/dynamo/world.ts";

async function subject(): Promise<PointerStoreSubject> {
  const { store, clock, close } = await openDynamoWorld();
  return {
    ...{ store, close },
    nowMs: () => clock.nowMs(),
    advance: (ms) => clock.advance(ms),
  };
}

/** A millisecond of CPU a request: the same races, fewer rounds than over memory. */
const CAPABILITIES: PointerStoreCapabilities = {
  bumpVersions: true,
  sweepOrder: false,
  races: { rounds: 3, writers: 24 },
  modelRuns: 8,
};

describePointerStore("DynamoDB's double", subject, CAPABILITIES);
