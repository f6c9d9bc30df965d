import { describeRecorded, JOIN_WAYS } from "./recorded-ways.ts";

/** Each recorded file by every way to join; `queries.test.ts` takes one of them. */
describeRecorded(() => Object.keys(JOIN_WAYS));
