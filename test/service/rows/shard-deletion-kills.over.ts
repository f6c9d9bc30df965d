import { describeDeletionKills } from "./shard-deletion.ts";

describeDeletionKills(1);
