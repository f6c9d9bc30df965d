import { expect, it } from "vitest";
import { walName } from "../../../src/lsm/wal/names.ts";
import type { WalSalvage } from "../../../src/lsm/wal/port.ts";
import { salvageSegments } from "../../../src/lsm/wal/salvage.ts";
import { encodeSegmentHeader } from "../../../src/lsm/wal/segment-header.ts";
import { ModelledDisk } from "../../support/modelled-disk.ts";
import { START } from "./support.ts";

it("a segment that ends before the next one says so is told, however far that lies", async () => {
  for (const end of [8_192, 2 ** 52]) {
    const disk = new ModelledDisk();
    const own = { epoch: 1, salt: 7 };
    const none = { id: 0, end: 0, lastSequence: 0 };
    const first = { ...own, id: 1, firstSequence: 1, previous: none };
    const previous = { id: 1, end, lastSequence: 9 };
    const second = { ...own, id: 2, firstSequence: 10, previous };
    disk.plant(walName(1), encodeSegmentHeader(first));
    disk.plant(walName(2), encodeSegmentHeader(second));
    const found: WalSalvage[] = [];
    for await (const each of salvageSegments(disk, START)) found.push(each);
    expect(found).toEqual([
      { epoch: 1, begins: 1 },
      { file: `${disk.path}/${walName(1)}`, offset: 4_096, what: expect.stringMatching(/missing/) },
      { epoch: 1, begins: 10 },
    ]);
  }
});
