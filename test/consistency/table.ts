import type { Question } from "./claims.ts";
import { BATCH } from "./questions/batch.ts";
import { CONDITIONAL_WRITE } from "./questions/conditional-write.ts";
import { CROSS_ORDER } from "./questions/cross-order.ts";
import { INDEX_ATOMICITY } from "./questions/index-atomicity.ts";
import { KEY_ORDER } from "./questions/key-order.ts";
import { LINEARIZABLE } from "./questions/linearizable.ts";
import { LOST_ANSWER } from "./questions/lost-answer.ts";
import { RETRY } from "./questions/retry.ts";
import { SCAN } from "./questions/scan.ts";
import { SINGLE_KEY } from "./questions/single-key.ts";
import { STALE_DELETES } from "./questions/stale-deletes.ts";

/** What one asks of an ordered store, and what each profile answers: the one table of both. */
export const QUESTIONS: readonly Question[] = [
  SINGLE_KEY,
  BATCH,
  CONDITIONAL_WRITE,
  SCAN,
  LINEARIZABLE,
  STALE_DELETES,
  RETRY,
  LOST_ANSWER,
  KEY_ORDER,
  CROSS_ORDER,
  INDEX_ATOMICITY,
];
