import { LONG, seeds } from "./long.ts";
import { describeBroken, describeClaims } from "./suite.ts";

for (const seed of seeds()) describeClaims({ ...LONG, seed }, ["aws"]);
describeBroken({ ...LONG, rounds: 1, seed: seeds()[0] ?? 1 });
