import type { StreamHandler } from "./call.ts";
import { EVENT_STREAMS } from "./node-handlers.ts";
import { followLog } from "./pattern-handlers.ts";
import { SQL_STREAMS } from "./sql-handlers.ts";

/** What serves the operations that also answer with a stream. */
export const STREAMS: {
  readonly listChanges: StreamHandler<"listChanges">;
  readonly runSql: StreamHandler<"runSql">;
  readonly readEvents: StreamHandler<"readEvents">;
} = { ...EVENT_STREAMS, ...SQL_STREAMS, readEvents: followLog };
