import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { Firn } from "../../src/index.ts";
import { firnLine } from "../support/firn-lsm.ts";
import { describeVerbs } from "./describe-verbs.ts";
import { plantLake } from "./firn-process.ts";

let home: string;
let served: Firn;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "firn-verbs-"));
  served = await Firn.open({ profile: "memory", listen: { port: 0 } });
  await plantLake(served);
});
afterAll(async () => {
  await served.close();
  rmSync(home, { recursive: true, force: true });
});

describeVerbs((args, input) => firnLine(args, { HOME: home, FIRN_URL: served.url ?? "" }, input));
