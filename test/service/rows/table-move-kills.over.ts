import { describeMoveKills } from "./table-move.ts";

describeMoveKills(1);
