import { LONG, seeds } from "./long.ts";
import { describeClaims } from "./suite.ts";

for (const seed of seeds()) describeClaims({ ...LONG, seed }, ["memory", "local", "bucket"]);
