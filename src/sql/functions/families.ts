import { advisoryLockFamily } from "./advisory-locks.ts";
import { arrayFamily } from "./arrays.ts";
import { binaryStringFamily } from "./binary-strings.ts";
import { catalogObjectFamily } from "./catalog-objects.ts";
import { comparisonFamily } from "./comparisons.ts";
import { datePartFamily } from "./date-parts.ts";
import { dateTimeFamily } from "./date-times.ts";
import { enumFamily } from "./enums.ts";
import { floatFamily } from "./floats.ts";
import { formattingFamily } from "./formatting.ts";
import type { Family } from "./implementation.ts";
import { informationSchemaFamily } from "./information-schema.ts";
import { integerFamily } from "./integers.ts";
import { intervalFamily } from "./intervals.ts";
import { jsonFamily } from "./json.ts";
import { jsonBuildFamily } from "./json-build.ts";
import { jsonChangeFamily } from "./json-change.ts";
import { jsonbFamily } from "./jsonb.ts";
import { likeFamily } from "./like.ts";
import { numericMathFamily } from "./numeric-math.ts";
import { numericFamily } from "./numerics.ts";
import { partitionHashFamily } from "./partition-hash.ts";
import { patternSearchFamily } from "./pattern-search.ts";
import { privilegeFamily } from "./privileges.ts";
import { recordFamily } from "./records.ts";
import { regularExpressionFamily } from "./regular-expressions.ts";
import { sequenceFamily } from "./sequences.ts";
import { sessionFamily } from "./session.ts";
import { spanFamily } from "./spans.ts";
import { stringFamily } from "./strings.ts";
import { textFamily } from "./texts.ts";
import { toCharFamily } from "./to-char.ts";

/** All implementations, by PostgreSQL's C function or, of SQL bodies, by `name(types)`. */
export const FAMILIES: Family = {
  ...catalogObjectFamily,
  ...privilegeFamily,
  ...partitionHashFamily,
  ...sequenceFamily,
  ...advisoryLockFamily,
  ...comparisonFamily,
  ...integerFamily,
  ...informationSchemaFamily,
  ...recordFamily,
  ...floatFamily,
  ...dateTimeFamily,
  ...datePartFamily,
  ...intervalFamily,
  ...spanFamily,
  ...numericFamily,
  ...textFamily,
  ...regularExpressionFamily,
  ...patternSearchFamily,
  ...stringFamily,
  ...sessionFamily,
  ...numericMathFamily,
  ...likeFamily,
  ...jsonbFamily,
  ...jsonFamily,
  ...jsonBuildFamily,
  ...jsonChangeFamily,
  ...formattingFamily,
  ...enumFamily,
  ...binaryStringFamily,
  ...arrayFamily,
  ...toCharFamily,
};
